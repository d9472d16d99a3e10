import { createCes, type Ces, type CesOptions } from '../../../shared/adapters/ces/client.ts';
import { noCredentials } from '../../../shared/adapters/ces/credentials.ts';
import type { Log } from '../../../shared/ports.ts';

export const APP = 'projects/acme-cx/locations/us/apps/support-bot';
export const RUN = `${APP}/evaluationRuns/er-7f3a2b`;
export const RESULT = `${APP}/evaluations/greeting/results/3f0c9a`;
export const OPERATION = 'projects/acme-cx/locations/us/operations/op-81d2';

export interface ToolCall {
  readonly id: number;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

export interface FakeCes {
  readonly fetch: typeof fetch;
  readonly methods: string[];
  readonly calls: ToolCall[];
  readonly initializeHeaders: Record<string, string>[];
}

type Answer = (call: ToolCall) => Response | Promise<Response>;

interface Rpc {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name: string; readonly arguments: Record<string, unknown> };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });

export const initialized = (id: number): Response =>
  json({
    jsonrpc: '2.0',
    id,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'StatelessServer', version: '1' },
    },
  });

/** Stands where the network would: answers the handshake as Google's stateless servers do, and tools as it is told. */
export function fakeCes(
  answer: Answer,
  initialize: (id: number) => Response | Promise<Response> = initialized,
): FakeCes {
  const methods: string[] = [];
  const calls: ToolCall[] = [];
  const initializeHeaders: Record<string, string>[] = [];
  const fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    if (init.method !== 'POST') throw new Error(`unexpected ${init.method}`);
    const { id, method, params } = JSON.parse(init.body as string) as Rpc;
    const headers = Object.fromEntries(new Headers(init.headers));
    methods.push(method);
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === 'initialize') {
      initializeHeaders.push(headers);
      return initialize(id);
    }
    const call = { id, tool: params!.name, args: params!.arguments, headers, signal: init.signal! };
    calls.push(call);
    return answer(call);
  };
  return { fetch, methods, calls, initializeHeaders };
}

export const asText = ({ id }: ToolCall, payload: unknown): Response =>
  json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: JSON.stringify(payload) }] } });

export const asStructured = ({ id }: ToolCall, payload: unknown): Response =>
  json({ jsonrpc: '2.0', id, result: { content: [], structuredContent: payload } });

export const asBoth = ({ id }: ToolCall, payload: unknown): Response =>
  json({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text: JSON.stringify(payload) }], structuredContent: payload },
  });

/** An event stream with all that may stand around an answer, in pieces, and that is never closed by the server. */
export function asEvents({ id }: ToolCall, payload: unknown, onCancel: () => void = () => {}): Response {
  const answer = JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text: JSON.stringify(payload) }] },
  });
  const text = [
    ': ping\n\n',
    'id: 1\ndata:\n\n',
    'event: endpoint\ndata: /somewhere\n\n',
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'é' } })}\n\n`,
    `data: ${JSON.stringify({ jsonrpc: '2.0', id: 99, result: {} })}\n\n`,
    `event: message\nid: 2\ndata: ${answer}\n\n`,
  ].join('');
  const bytes = Buffer.from(text);
  const pieces = [bytes.subarray(0, 150), bytes.subarray(150, 151), bytes.subarray(151)];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      return piece === undefined ? new Promise<never>(() => {}) : controller.enqueue(piece);
    },
    cancel: onCancel,
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

export const failed = ({ id }: ToolCall, text: string, status = 200, headers: Record<string, string> = {}): Response =>
  json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }, status, headers);

export const rpcError = ({ id }: ToolCall, code: number, message: string, status = 200): Response =>
  json({ jsonrpc: '2.0', id, error: { code, message } }, status);

export const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export const cesOver = (server: Pick<FakeCes, 'fetch'>, options: Partial<CesOptions> = {}): Ces =>
  createCes({
    url: 'https://ces.example/mcp',
    credentials: noCredentials(),
    fetch: server.fetch,
    timeoutMs: 5_000,
    log: silent,
    ...options,
  });

/** What a call threw, as values. */
export const failureOf = (call: Promise<unknown>): Promise<Record<string, unknown>> =>
  call.then(
    (value) => ({ returned: value }),
    (error: Error & { retryAfterMs?: number }) => ({
      name: error.name,
      message: error.message,
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    }),
  );
