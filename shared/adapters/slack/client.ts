import { LogLevel, WebClient, type Logger } from '@slack/web-api';

import { isRecord } from '../../domain/json.ts';
import { NotSentError } from './answer.ts';

/** Slack's usual wait; for a 429 without a `Retry-After`, which the client would not know as one. */
const RETRY_AFTER_SECONDS = '30';

/** A client that asks once: the notifier decides whether and when there is another attempt. */
export const createSlackClient = (options: {
  readonly token: string;
  readonly apiUrl: string;
  readonly timeoutMs: number;
}): WebClient =>
  new WebClient(options.token, {
    slackApiUrl: options.apiUrl,
    timeout: options.timeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    fetch: fetchOnce,
    logger: SILENT,
  });

/** The client's own lines can hold requests and answers; what is worth a line is logged by the channel. */
const nothing = (): void => undefined;
const SILENT: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};

/** Makes plain what the client blurs: whether a request that failed was sent, a redirect, and a 429 without a time. */
const fetchOnce: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' }).catch((error: unknown) => {
    const code = codeBeforeSending(error);
    throw code === undefined ? error : new NotSentError(code, { cause: error });
  });
  if (response.status !== 429 || Number.isInteger(Number.parseInt(response.headers.get('retry-after') ?? '', 10))) {
    return response;
  }
  return new Response(response.body, { status: 429, headers: { 'retry-after': RETRY_AFTER_SECONDS } });
};

/** System calls that come before the first byte, and undici's and OpenSSL's codes for a connection that was not made. */
const BEFORE_SENDING = new Set(['connect', 'getaddrinfo']);
const NOT_CONNECTED =
  /^(?:UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

function codeBeforeSending(error: unknown): string | undefined {
  const cause = isRecord(error) ? error['cause'] : undefined;
  if (!isRecord(cause) || typeof cause['code'] !== 'string') return undefined;
  const syscall = cause['syscall'];
  const before = NOT_CONNECTED.test(cause['code']) || (typeof syscall === 'string' && BEFORE_SENDING.has(syscall));
  return before ? cause['code'] : undefined;
}
