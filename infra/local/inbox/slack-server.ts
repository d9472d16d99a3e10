import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { isRecord, textOf, type Json } from '../../../shared/domain/json.ts';
import { failure, type Arguments, type SlackWorkspace } from './slack.ts';

/** What goes wrong with one call of the Slack API. */
export type SlackFault =
  | { readonly kind: 'http'; readonly status: number; readonly retryAfterSeconds?: number }
  /** `{ok: false, error}`, as Slack tells most of its errors. */
  | { readonly kind: 'error'; readonly error: string }
  /** The message is posted, and the connection breaks before the answer. */
  | { readonly kind: 'acceptThenDrop' };

const PREFIX = '/api/';

/** Slack's HTTP side: a POST for each method, always 200 unless it is about rates or an outage. */
export const slackListener =
  (workspace: SlackWorkspace, faults: ((method: string) => SlackFault | undefined) | undefined): RequestListener =>
  (request, response) => {
    answer(request, response, workspace, faults).catch(() => response.destroy());
  };

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  workspace: SlackWorkspace,
  faults: ((method: string) => SlackFault | undefined) | undefined,
): Promise<void> {
  const body = await text(request);
  const path = request.url ?? '';
  if (request.method !== 'POST' || !path.startsWith(PREFIX)) return send(response, 404, failure('not_found'));
  const method = path.slice(PREFIX.length);
  const args = argumentsOf(request.headers['content-type'] ?? '', body);
  if (args === undefined) return send(response, 200, failure('invalid_json'));
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? textOf(args['token']);
  if (token === undefined) return send(response, 200, failure('not_authed'));
  const fault = faults?.(method);
  switch (fault?.kind) {
    case undefined:
      return send(response, 200, workspace.call(method, args));
    case 'error':
      return send(response, 200, failure(fault.error));
    case 'acceptThenDrop':
      workspace.call(method, args);
      response.destroy();
      return;
    case 'http':
      return send(
        response,
        fault.status,
        failure(fault.status === 429 ? 'ratelimited' : 'internal_error'),
        fault.retryAfterSeconds,
      );
  }
}

function send(response: ServerResponse, status: number, body: Json, retryAfterSeconds?: number): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify(body));
}

function argumentsOf(contentType: string, body: string): Arguments | undefined {
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    const json: unknown = JSON.parse(body);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
