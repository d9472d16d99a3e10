import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

import { isRecord, textOf } from '../../domain/json.ts';
import { messageOf, TransientError } from '../../errors.ts';
import type { Log } from '../../ports.ts';
import { normalising } from './answer.ts';
import { authorizing, refreshing } from './authorize.ts';
import type { Credentials } from './credentials.ts';
import type { Exchange, Send } from './wire.ts';

export interface WireOptions {
  readonly credentials: Credentials;
  readonly fetch: typeof fetch;
  readonly quotaProject: string | undefined;
  readonly log: Log;
}

/** The `fetch` that the SDK's transport is given: from the SDK inwards normalising, refreshing, authorizing, sending. */
export function createTransportFetch(options: WireOptions, exchangeOf: () => Exchange): FetchLike {
  const authorized = authorizing(options.credentials, options.quotaProject)(sending(options.fetch));
  const send = normalising(refreshing(options.credentials, options.log)(authorized));
  return async (url, init = {}) => {
    // The SDK would open a stream for messages of the server's own after connecting. CES has none to send.
    if (init.method !== 'POST' || typeof init.body !== 'string') return new Response(null, { status: 405 });
    const exchange = exchangeOf();
    const signal = init.signal ? AbortSignal.any([init.signal, exchange.signal]) : exchange.signal;
    const request = { url, headers: new Headers(init.headers), body: init.body, signal, exchange };
    return Promise.race([send(request), abortOf(signal)]);
  };
}

/** Rejects when the signal says so: a source of tokens that hangs would keep the SDK, and with it the process, waiting. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

const sending =
  (fetch: WireOptions['fetch']): Send =>
  async ({ url, headers, body, signal }) => {
    // After the deadline nothing may be sent any more: nobody would know of a run that it started.
    signal.throwIfAborted();
    try {
      // A redirect would take the token to wherever it points.
      return await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal });
    } catch (error) {
      signal.throwIfAborted();
      const { origin, pathname } = new URL(url);
      throw new TransientError(`no answer from ${origin}${pathname}: ${reasonOf(error)}`, { cause: error });
    }
  };

/** Node's fetch says only "fetch failed"; the cause knows the rest. */
function reasonOf(error: unknown): string {
  const cause = isRecord(error) ? error['cause'] : undefined;
  return (isRecord(cause) ? textOf(cause['code']) : undefined) ?? messageOf(cause ?? error);
}
