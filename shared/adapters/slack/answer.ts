import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';

/** What became of a call to Slack, as far as its answer tells. */
export type SlackProblem =
  /** Slack's own `{"ok": false, "error": …}`. */
  | { readonly kind: 'error'; readonly error: string; readonly retryAfterMs?: number }
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number }
  /** An answer that is not Slack's: a gateway's or a proxy's. */
  | { readonly kind: 'http'; readonly status: number }
  /** The request never left this machine. */
  | { readonly kind: 'not_sent'; readonly code: string }
  /** The request may have arrived; no answer that could be read came back. */
  | { readonly kind: 'no_answer' };

/** A connection could not be made, so nothing was sent. `code` is the system's, for example ECONNREFUSED. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly code: string;

  constructor(code: string, options: ErrorOptions) {
    super(`no connection could be made: ${code}`, options);
    this.code = code;
  }
}

/** Slack's error codes look like this; an HTML page that the client takes for an error code does not. */
const ERROR_CODE = /^[a-z0-9_]{1,80}$/;

export function problemOf(error: unknown): SlackProblem {
  if (error instanceof WebAPIRateLimitedError) {
    return { kind: 'rate_limited', retryAfterMs: error.retryAfter * 1000 };
  }
  if (error instanceof WebAPIHTTPError) return { kind: 'http', status: error.statusCode };
  if (error instanceof WebAPIRequestError && error.original instanceof NotSentError) {
    return { kind: 'not_sent', code: error.original.code };
  }
  if (error instanceof WebAPIPlatformError && ERROR_CODE.test(error.data.error)) {
    const retryAfterSeconds = error.data.response_metadata?.['retryAfter'];
    return {
      kind: 'error',
      error: error.data.error,
      ...(typeof retryAfterSeconds === 'number' ? { retryAfterMs: retryAfterSeconds * 1000 } : {}),
    };
  }
  return { kind: 'no_answer' };
}
