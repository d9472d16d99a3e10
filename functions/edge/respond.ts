import type { HttpFunction } from '@google-cloud/functions-framework';

import { messageOf } from '../../shared/errors.ts';
import type { Deps } from '../../shared/ports.ts';
import { lazily } from './lazily.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is when it is text, else as JSON. */
  readonly body?: unknown;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came; signatures are over these. */
  readonly rawBody: Buffer;
  /** Address of the peer, or what a trusted proxy says of it. */
  readonly ip: string;
  /** Ends when the client goes away. */
  readonly signal: AbortSignal;
}

/** An error of RFC 9457: what was wrong, and what to do. */
export const problem = (
  status: number,
  title: string,
  detail: string,
  headers: Record<string, string> = {},
): Answer => ({
  status,
  headers: { ...headers, 'content-type': 'application/problem+json' },
  body: { title, status, detail },
});

/**
 * The way from an HTTP request to an answer, and the one place that catches everything: the caller learns that it
 * failed, the log learns why.
 */
export function respond(
  deps: () => Promise<Deps>,
  handler: (deps: Deps) => (request: HttpRequest) => Promise<Answer>,
): HttpFunction {
  const prepare = lazily(async () => {
    const ready = await deps();
    return { log: ready.log, handle: handler(ready) };
  });
  return async (request, response) => {
    const gone = new AbortController();
    response.on('close', () => {
      gone.abort();
    });
    const url = new URL(request.originalUrl, 'http://localhost');
    const { log, handle } = await prepare();
    const answer = await handle({
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      rawBody: request.rawBody ?? Buffer.alloc(0),
      ip: request.ip ?? '',
      signal: gone.signal,
    }).catch((error: unknown) => {
      log.error({ path: url.pathname, problem: messageOf(error), err: error }, 'request failed');
      return problem(500, 'Internal error', 'The request could not be handled; the log says why. Try again.');
    });
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...answer.headers });
    response.end(answer.body === undefined ? undefined : text);
  };
}
