import { EventSourceParserStream } from 'eventsource-parser/stream';

import { isRecord, textOf, type Json } from '../../domain/json.ts';
import { messageOf, TransientError } from '../../errors.ts';
import { DeadSessionError, Refusal } from './failure.ts';
import { excerptOf, redacted, retryAfterMsOf } from './text.ts';
import type { Send, WireRequest } from './wire.ts';

/**
 * Makes a plain 200 JSON-RPC answer of whatever form CES chose: JSON or an event stream, under a status that the SDK
 * would take for a broken connection although the body is an answer (a failed tool comes with 400). Everything else is
 * thrown as what it is.
 */
export const normalising =
  (next: Send): Send =>
  async (request) => {
    const id = idOf(request.body);
    const response = await next(request);
    request.exchange.answer = { status: response.status, retryAfterMs: retryAfterMsOf(response.headers) };
    if (id === undefined) {
      // A notification has no answer, and a stateless server may not even know it: nothing depends on it here.
      await response.body?.cancel();
      return new Response(null, { status: 202 });
    }
    const { rpc, text } = await read(response, id, request);
    if (rpc?.result === undefined && isDeadSession(request, response)) {
      throw new DeadSessionError(`the MCP session is gone: HTTP ${response.status}`);
    }
    if (rpc !== undefined && (response.ok || isFailure(rpc))) return plain(rpc, response);
    if (!response.ok) {
      // Under 401 and 403 a whole result may follow; the status is what counts then.
      const said = rpc === undefined ? text : '';
      throw new Refusal(`HTTP ${response.status} ${excerptOf(said)}`, { answer: request.exchange.answer });
    }
    throw new TransientError(
      `HTTP ${response.status} answered with something that is not JSON-RPC: ${excerptOf(text)}`,
    );
  };

interface RpcAnswer {
  readonly id: string | number;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

const isFailure = (rpc: RpcAnswer): boolean => rpc.error !== undefined || rpc.result?.['isError'] === true;

const isDeadSession = (request: WireRequest, response: Response): boolean =>
  request.headers.has('mcp-session-id') && (response.status === 404 || response.status === 410);

function plain(rpc: RpcAnswer, response: Response): Response {
  const session = response.headers.get('mcp-session-id');
  return Response.json({ jsonrpc: '2.0', ...rpc }, { headers: session === null ? {} : { 'mcp-session-id': session } });
}

function idOf(body: string): string | number | undefined {
  const message: unknown = JSON.parse(body);
  const id = isRecord(message) ? message['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

interface Body {
  readonly rpc?: RpcAnswer;
  readonly text: string;
}

async function read(response: Response, id: string | number, request: WireRequest): Promise<Body> {
  const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
  try {
    if (isStream && response.body !== null) return await readEvents(response.body, id, request);
    const text = redacted(await response.text(), request.exchange.secrets);
    return { text, ...answerIn(text, id) };
  } catch (error) {
    request.signal.throwIfAborted();
    throw error instanceof TransientError
      ? error
      : new TransientError(`the answer broke off: ${messageOf(error)}`, { cause: error });
  }
}

/** A server may keep the stream open for as long as it likes: only what comes before our answer is read. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  id: string | number,
  request: WireRequest,
): Promise<Body> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events) {
    const isMessage = event === undefined || event === 'message';
    const text = isMessage ? redacted(data, request.exchange.secrets) : '';
    const answer = answerIn(text, id);
    if (answer.rpc !== undefined) return { text, ...answer };
  }
  throw new TransientError('the event stream ended before the answer');
}

function answerIn(text: string, id: string | number): { rpc?: RpcAnswer } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return {};
  }
  if (!isRecord(json) || json['id'] !== id) return {};
  const { result, error } = json;
  if (isRecord(result)) return { rpc: { id, result } };
  if (!isRecord(error) || typeof error['code'] !== 'number') return {};
  return { rpc: { id, error: { code: error['code'], message: textOf(error['message']) ?? '' } } };
}
