import { describe, expect, test } from '@jest/globals';

import {
  APP,
  asText,
  cesOver,
  failed,
  failureOf,
  fakeCes,
  initialized,
  json,
  rpcError,
  RUN,
  type ToolCall,
} from './fake-ces.ts';

const ON_RUN = `get_evaluation_run on ${RUN}`;
const get = (answer: (call: ToolCall) => Response | Promise<Response>, timeoutMs = 5_000) =>
  failureOf(cesOver(fakeCes(answer), { timeoutMs }).evaluations.get(RUN));

const rawText = (text: string, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers });

const streaming = (text: string, end: (controller: ReadableStreamDefaultController) => void): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text));
        end(controller);
      },
    }),
    { headers: { 'content-type': text.startsWith('{') ? 'application/json' : 'text/event-stream' } },
  );

const GOOGLE_502 = `<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Error 502</title>
  <style>*{margin:0;padding:0} > ins{color:#777}</style><p><b>502.</b> <ins>That’s an error.</ins>\u001b[31m
  <p>Please try again in 30 seconds.`;

const resultUnder = (status: number) => get(({ id }) => json({ jsonrpc: '2.0', id, result: { content: [] } }, status));

describe('a status without an answer of the server', () => {
  test.each([
    [400, 'PermanentError', 'was refused as INVALID_ARGUMENT: HTTP 400 no'],
    [402, 'TransientError', 'was refused as UNKNOWN: HTTP 402 no'],
    [408, 'TransientError', 'was refused as DEADLINE_EXCEEDED: HTTP 408 no'],
    [409, 'PermanentError', 'was refused as ALREADY_EXISTS: HTTP 409 no'],
    [429, 'TransientError', 'was refused as RESOURCE_EXHAUSTED: HTTP 429 no'],
    [302, 'TransientError', 'was refused as UNKNOWN: HTTP 302 no'],
    [500, 'TransientError', 'was refused as UNAVAILABLE: HTTP 500 no'],
    [503, 'TransientError', 'was refused as UNAVAILABLE: HTTP 503 no'],
    [
      404,
      'PermanentError',
      'was refused as NOT_FOUND: HTTP 404 no. Check the names in evals.yaml, and that CES_MCP_URL is the MCP endpoint',
    ],
    [
      401,
      'TransientError',
      'was refused as UNAUTHENTICATED: HTTP 401 no. A fresh token was refused as well: run `gcloud auth application-default login`, or check the service account and CES_AUTH',
    ],
    [
      403,
      'PermanentError',
      'was refused as PERMISSION_DENIED: HTTP 403 no. Grant the caller roles/mcp.toolUser and ces.evaluationRuns.get, and serviceusage.services.use on the project that x-goog-user-project names (CES_QUOTA_PROJECT, else the project of the app), where ces.googleapis.com has to be enabled',
    ],
  ])('HTTP %i is a %s', async (status, name, message) => {
    expect(await get(() => rawText('no', status))).toEqual({ name, message: `${ON_RUN} ${message}` });
  });

  test('is told with the page as one short line', async () => {
    expect(await get(() => rawText(GOOGLE_502, 502))).toEqual({
      name: 'TransientError',
      message: `${ON_RUN} was refused as UNAVAILABLE: HTTP 502 Error 502 502. That’s an error. [31m Please try again in 30 seconds.`,
    });
  });

  test('is told with no more than 300 characters', async () => {
    const { message } = await get(() => rawText('x'.repeat(5_000), 503));

    expect(message).toBe(`${ON_RUN} was refused as UNAVAILABLE: HTTP 503 ${'x'.repeat(290)}…`);
  });

  test('counts although a whole result stands under it', async () => {
    expect([
      (await resultUnder(401))['name'],
      (await resultUnder(403))['name'],
      (await resultUnder(500))['name'],
    ]).toEqual(['TransientError', 'PermanentError', 'TransientError']);
  });
});

describe('a failed tool', () => {
  test.each([
    ['NOT_FOUND: Evaluation run was not found', 200, 'PermanentError'],
    ['NOT_FOUND', 200, 'PermanentError'],
    ['INVALID_ARGUMENT: bad', 200, 'PermanentError'],
    ['PERMISSION_DENIED: no', 200, 'PermanentError'],
    ['FAILED_PRECONDITION: no', 200, 'PermanentError'],
    ['ALREADY_EXISTS: no', 200, 'PermanentError'],
    ['UNIMPLEMENTED: no', 200, 'PermanentError'],
    ['OUT_OF_RANGE: no', 200, 'PermanentError'],
    ['com.google.apps.framework.request.BadRequestException: Field is required', 400, 'PermanentError'],
    ['com.google.apps.framework.request.BadRequestException: Field is required', 200, 'PermanentError'],
    ['com.google.apps.framework.request.NotFoundException: gone', 200, 'PermanentError'],
    ['com.google.apps.framework.request.ForbiddenException: no', 200, 'PermanentError'],
    ['Field is required', 400, 'PermanentError'],
    ['no such thing', 404, 'PermanentError'],
    ['not yours', 403, 'PermanentError'],
    ['UNAVAILABLE: try later', 200, 'TransientError'],
    ['UNAVAILABLE: try later', 400, 'TransientError'],
    ['NOT_FOUND: backend', 503, 'TransientError'],
    ['RESOURCE_EXHAUSTED: quota', 429, 'TransientError'],
    ['UNAUTHENTICATED: token', 200, 'TransientError'],
    ['java.lang.IllegalStateException: odd', 200, 'TransientError'],
    ['the backend said NOT_FOUND: x', 200, 'TransientError'],
    ['NOT_FOUND_ELSEWHERE: x', 200, 'TransientError'],
    ['constructor: x', 200, 'TransientError'],
    ['', 200, 'TransientError'],
  ])('%j under HTTP %i is a %s', async (text, status, name) => {
    expect((await get((call) => failed(call, text, status)))['name']).toBe(name);
  });

  test('says what was tried on what, and what it was told', async () => {
    expect(await get((call) => failed(call, 'PERMISSION_DENIED: no\n  access', 200))).toEqual({
      name: 'PermanentError',
      message: `${ON_RUN} was refused as PERMISSION_DENIED: PERMISSION_DENIED: no access. Grant the caller roles/mcp.toolUser and ces.evaluationRuns.get, and serviceusage.services.use on the project that x-goog-user-project names (CES_QUOTA_PROJECT, else the project of the app), where ces.googleapis.com has to be enabled`,
    });
    expect(await get((call) => failed(call, 'Something broke'))).toEqual({
      name: 'TransientError',
      message: `${ON_RUN} was refused: Something broke`,
    });
  });
});

describe('a JSON-RPC error', () => {
  test.each([
    [-32600, 200, 'PermanentError'],
    [-32601, 400, 'PermanentError'],
    [-32602, 200, 'PermanentError'],
    [-32603, 200, 'TransientError'],
    [-32000, 200, 'TransientError'],
    [-32700, 200, 'TransientError'],
    [-32000, 403, 'PermanentError'],
    [-32602, 503, 'TransientError'],
  ])('%i under HTTP %i is a %s', async (code, status, name) => {
    expect((await get((call) => rpcError(call, code, 'Method not supported', status)))['name']).toBe(name);
  });

  test('is told with its code', async () => {
    expect(await get((call) => rpcError(call, -32601, 'Method not supported', 400))).toEqual({
      name: 'PermanentError',
      message: `${ON_RUN} was refused as UNIMPLEMENTED: MCP error -32601: Method not supported`,
    });
  });

  test('of another request is no answer to ours', async () => {
    expect(await get(() => json({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } }))).toEqual({
      name: 'TransientError',
      message: `${ON_RUN}: HTTP 200 answered with something that is not JSON-RPC: {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`,
    });
  });
});

const resultOf = (result: unknown) => (call: ToolCall) => json({ jsonrpc: '2.0', id: call.id, result });

describe('an answer that cannot be used is tried again later:', () => {
  test.each([
    ['a page', () => rawText('<html>Sign in</html>'), 'HTTP 200 answered with something that is not JSON-RPC: Sign in'],
    ['nothing', () => rawText(''), 'HTTP 200 answered with something that is not JSON-RPC: '],
    [
      'an acknowledgement',
      () => new Response(null, { status: 202 }),
      'HTTP 202 answered with something that is not JSON-RPC: ',
    ],
    [
      'half of the JSON',
      () => rawText('{"jsonrpc":"2.0","id":'),
      'HTTP 200 answered with something that is not JSON-RPC: {"jsonrpc":"2.0","id":',
    ],
    [
      'a body that is cut',
      () => streaming('{"jsonrpc":"2.0"', (controller) => controller.error(new TypeError('terminated'))),
      'the answer broke off: terminated',
    ],
    [
      'an event stream that ends too early',
      () => streaming(': ping\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}', (controller) => controller.close()),
      'the event stream ended before the answer',
    ],
    [
      'an event stream that is cut',
      () => streaming(': ping\n\n', (controller) => controller.error(new TypeError('terminated'))),
      'the answer broke off: terminated',
    ],
    [
      'a text that is no JSON',
      resultOf({ content: [{ type: 'text', text: 'Done!' }] }),
      'answered with something that is not JSON: Done!',
    ],
    [
      'a text that is no object',
      resultOf({ content: [{ type: 'text', text: '[1]' }] }),
      'answered with something that is not JSON: [1]',
    ],
    ['no content', resultOf({}), 'answered with something that is not JSON: '],
    [
      'a result that is no object',
      resultOf(null),
      'HTTP 200 answered with something that is not JSON-RPC: {"jsonrpc":"2.0","id":1,"result":null}',
    ],
    [
      'a refused connection',
      () =>
        Promise.reject(
          new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) }),
        ),
      'no answer from https://ces.example/mcp: ECONNREFUSED',
    ],
  ])('%s', async (_name, answer, message) => {
    expect(await get(answer)).toEqual({ name: 'TransientError', message: `${ON_RUN}: ${message}`.trim() });
  });

  test('text beside structured content that is none', async () => {
    const answer = resultOf({
      structuredContent: null,
      content: [{ type: 'image' }, { type: 'text', text: '{"name":"r"}' }],
    });

    expect(await get(answer)).toEqual({ returned: { name: 'r' } });
  });
});

const hanging = (): Promise<Response> => new Promise(() => {});

describe('no answer in time', () => {
  test.each([
    ['nothing comes at all', hanging],
    ['the body does not end', () => streaming('{"jsonrpc":"2.0"', () => {})],
    ['the event stream has nothing but pings', () => streaming(': ping\n\n', () => {})],
  ])('is a transient error when %s', async (_name, answer) => {
    expect(await get(answer, 30)).toEqual({
      name: 'TransientError',
      message: `${ON_RUN}: no complete answer within 30 ms`,
    });
  });

  test('ends the request', async () => {
    const server = fakeCes(hanging);

    await failureOf(cesOver(server, { timeoutMs: 30 }).evaluations.get(RUN));

    expect(server.calls[0]!.signal.aborted).toBe(true);
  });

  test('is the time of the whole call: nothing is sent once it is over', async () => {
    const token = Promise.withResolvers<Record<string, string>>();
    const ready = Promise.resolve({});
    // The two messages of connecting have a token at once, the call waits for it.
    const answers = [ready, ready, token.promise];
    const server = fakeCes((call) => asText(call, {}));
    const ces = cesOver(server, {
      timeoutMs: 30,
      credentials: { headers: () => answers.shift() ?? ready, refresh: () => Promise.resolve() },
    });

    const failure = await failureOf(ces.evaluations.start({ app: APP, displayName: 'nightly-1 k3' }));
    token.resolve({});
    await new Promise(setImmediate);

    expect(failure['message']).toBe(`run_evaluation on ${APP}: no complete answer within 30 ms`);
    expect(server.methods).toEqual(['initialize', 'notifications/initialized']);
  });
});

describe('Retry-After', () => {
  test.each([
    ['seconds', { 'retry-after': '120' }, 120_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Mon, 30 Nov 2026 02:00:45 GMT', date: 'Mon, 30 Nov 2026 02:00:00 GMT' }, 45_000],
    [
      'a date that is over',
      { 'retry-after': 'Mon, 30 Nov 2026 02:00:00 GMT', date: 'Mon, 30 Nov 2026 02:00:45 GMT' },
      0,
    ],
    ['a date long over, without the time of the answer', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('as %s', async (_name, headers, expected) => {
    expect((await get(() => rawText('slow down', 429, headers)))['retryAfterMs']).toBe(expected);
    expect((await get((call) => failed(call, 'RESOURCE_EXHAUSTED: x', 429, headers)))['retryAfterMs']).toBe(expected);
  });
});

describe('connecting', () => {
  test.each([
    [
      'too many requests',
      () => rawText('slow', 429, { 'retry-after': '7' }),
      'TransientError',
      ' was refused as RESOURCE_EXHAUSTED: HTTP 429 slow',
      7_000,
    ],
    [
      'a page',
      () => rawText('<p>Hello'),
      'TransientError',
      ': HTTP 200 answered with something that is not JSON-RPC: Hello',
      undefined,
    ],
    [
      'an error of the protocol',
      (id: number) => json({ jsonrpc: '2.0', id, error: { code: -32600, message: 'v' } }),
      'PermanentError',
      ' was refused as INVALID_ARGUMENT: MCP error -32600: v',
      undefined,
    ],
    [
      'a wrong path',
      () => rawText('', 404),
      'PermanentError',
      ' was refused as NOT_FOUND: HTTP 404. Check the names in evals.yaml, and that CES_MCP_URL is the MCP endpoint',
      undefined,
    ],
  ])(
    'that meets %s fails the call like any other, and is not remembered',
    async (_name, first, name, message, retryAfterMs) => {
      let attempts = 0;
      const server = fakeCes(
        (call) => asText(call, { name: RUN }),
        (id) => (++attempts === 1 ? first(id) : initialized(id)),
      );
      const ces = cesOver(server);

      expect(await failureOf(ces.evaluations.get(RUN))).toEqual({
        name,
        message: `${ON_RUN}${message}`,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
      expect(await ces.evaluations.get(RUN)).toEqual({ name: RUN });
    },
  );

  test('that hangs ends in time for everybody who waits for it', async () => {
    const ces = cesOver(
      fakeCes(
        (call) => asText(call, {}),
        () => new Promise(() => {}),
      ),
      { timeoutMs: 30 },
    );

    const failures = await Promise.all([1, 2, 3].map(() => failureOf(ces.probe(APP))));

    expect(failures.map(({ message }) => message)).toEqual(
      [1, 2, 3].map(() => `list_evaluation_datasets on ${APP}: no complete answer within 30 ms`),
    );
  });
});
