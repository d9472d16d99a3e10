import type { IncomingMessage, ServerResponse } from 'node:http';

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
  /** Address of the peer, or what the nearest proxy says of it. */
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
    const { log, handle } = await prepare().catch((error: unknown) => {
      // Without dependencies there is no log. The framework prints what is thrown, and leaves the answer as it is.
      send(response, FAILED);
      throw error;
    });
    // Joined, not resolved: "//" is a path that anybody can send, and as a relative reference no valid one.
    const url = new URL(`http://localhost${request.originalUrl}`);
    const answer = await handle({
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      rawBody: request.rawBody ?? Buffer.alloc(0),
      ip: addressOf(request),
      signal: gone.signal,
    }).catch((error: unknown) => {
      log.error({ path: url.pathname, problem: messageOf(error), err: error }, 'request failed');
      return FAILED;
    });
    send(response, answer);
  };
}

const FAILED = problem(500, 'Internal error', 'The request could not be handled; the log says why. Try again.');

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/**
 * Each proxy appends whom it got the request from, so the last entry is the nearest proxy's own, and all before it are
 * what the caller chose to send. (The framework's `ip` is the first.)
 */
function addressOf({ headers, socket }: IncomingMessage): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? '';
  return forwarded === '' ? (socket.remoteAddress ?? '') : forwarded;
}
