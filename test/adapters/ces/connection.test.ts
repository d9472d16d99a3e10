import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, test } from '@jest/globals';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

import type { Ces } from '../../../shared/adapters/ces/client.ts';
import { APP, asText, cesOver, failureOf, fakeCes, initialized, json, RUN } from './fake-ces.ts';

test('twenty first calls at once connect once', async () => {
  const server = fakeCes((call) => asText(call, { name: call.args['name'] }));
  const ces = cesOver(server);

  const names = Array.from({ length: 20 }, (_, index) => `${APP}/evaluationRuns/er-${index}`);
  const runs = await Promise.all(names.map((name) => ces.evaluations.get(name)));

  expect(runs).toEqual(names.map((name) => ({ name })));
  expect(server.methods.filter((method) => method === 'initialize')).toHaveLength(1);
});

test('nothing is sent before the first call', () => {
  const server = fakeCes(() => json({}));
  cesOver(server);

  expect(server.methods).toEqual([]);
});

test('a server that does not know notifications is no trouble', async () => {
  const server = fakeCes((call) => asText(call, { name: RUN }));
  const fetch = async (...request: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const response = await server.fetch(...request);
    return response.status === 202 ? json({ error: 'what?' }, 400) : response;
  };

  expect(await cesOver({ fetch }).evaluations.get(RUN)).toEqual({ name: RUN });
});

test('closing ends the calls that are under way, and may be done twice', async () => {
  const started = Promise.withResolvers<void>();
  const ces = cesOver(
    fakeCes((call) => {
      started.resolve();
      return new Promise((_resolve, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
      );
    }),
  );
  const underWay = failureOf(ces.evaluations.get(RUN));
  await started.promise;

  await ces.close();
  await ces.close();

  expect((await underWay)['name']).toBe('TransientError');
});

/** Issues session s1, s2, …; `dies` says how a call in a session is refused, if it is. */
const sessions = (dies: (session: string, id: number) => Response | undefined) => {
  let issued = 0;
  return fakeCes(
    (call) => dies(call.headers['mcp-session-id'] ?? '', call.id) ?? asText(call, { name: RUN }),
    (id) => {
      const response = initialized(id);
      response.headers.set('mcp-session-id', `s${++issued}`);
      return response;
    },
  );
};

const used = (server: ReturnType<typeof sessions>) => server.calls.map((call) => call.headers['mcp-session-id']);

describe('a session that is gone', () => {
  test.each([
    ['404 and a page', (): Response => new Response('<html>', { status: 404 })],
    ['410', (): Response => new Response('', { status: 410 })],
    [
      '404 and a JSON-RPC error without an id',
      (): Response => json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404),
    ],
    [
      '404 and a JSON-RPC error with our id',
      (id: number): Response =>
        json({ jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } }, 404),
    ],
  ])('by %s is replaced, and the call made again', async (_name, refuse) => {
    const server = sessions((session, id) => (session === 's1' ? refuse(id) : undefined));

    expect(await cesOver(server).evaluations.get(RUN)).toEqual({ name: RUN });
    expect(used(server)).toEqual(['s1', 's2']);
  });

  test('again is tried later, not for ever now', async () => {
    const server = sessions(() => new Response('', { status: 404 }));

    expect(await failureOf(cesOver(server).evaluations.get(RUN))).toEqual({
      name: 'TransientError',
      message: `get_evaluation_run on ${RUN}: the MCP session is gone: HTTP 404`,
    });
    expect(used(server)).toEqual(['s1', 's2']);
  });

  test('is replaced once for many calls that notice it together', async () => {
    const server = sessions((session) => (session === 's1' ? new Response('', { status: 404 }) : undefined));
    const ces = cesOver(server);

    await Promise.all(Array.from({ length: 5 }, () => ces.evaluations.get(RUN)));

    expect(used(server).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
      's1',
      's1',
      's1',
      's1',
      's1',
      's2',
      's2',
      's2',
      's2',
      's2',
    ]);
  });

  test('is something else than a tool that did not find its resource', async () => {
    const server = sessions((_session, id) =>
      json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'no such run' }], isError: true } }, 404),
    );

    expect((await failureOf(cesOver(server).evaluations.get(RUN)))['name']).toBe('PermanentError');
    expect(used(server)).toEqual(['s1']);
  });
});

function mcpServer(label: string): McpServer {
  const server = new McpServer({ name: label, version: '1' });
  server.registerTool('get_evaluation_run', { inputSchema: { name: z.string() } }, ({ name }) =>
    name.endsWith('missing')
      ? { isError: true, content: [{ type: 'text', text: `NOT_FOUND: ${name}` }] }
      : { content: [{ type: 'text', text: JSON.stringify({ name, servedBy: label }) }] },
  );
  return server;
}

describe('against a server of the official SDK', () => {
  let http: Server | undefined;
  let ces: Ces | undefined;

  afterEach(async () => {
    await ces?.close();
    http?.closeAllConnections();
    await new Promise((resolve) => (http === undefined ? resolve(undefined) : http.close(resolve)));
  });

  interface Started {
    readonly url: string;
    readonly requests: string[];
    readonly restart: () => void;
  }

  async function start(options: { sessions: boolean; json: boolean }): Promise<Started> {
    let generation = 1;
    const requests: string[] = [];
    const transports = new Map<string, StreamableHTTPServerTransport>();
    const open = async (): Promise<StreamableHTTPServerTransport> => {
      const transport = new StreamableHTTPServerTransport({
        enableJsonResponse: options.json,
        ...(options.sessions
          ? { sessionIdGenerator: randomUUID, onsessioninitialized: (id: string) => void transports.set(id, transport) }
          : {}),
      });
      await mcpServer(`generation ${generation}`).connect(transport);
      return transport;
    };
    const server = createServer((request, response) => {
      void (async () => {
        const session = String(request.headers['mcp-session-id'] ?? '');
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        requests.push(`${request.method} ${(body as { method: string }).method}`);
        const known = transports.get(session);
        if (options.sessions && known === undefined && !isInitializeRequest(body)) {
          response
            .writeHead(404)
            .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
          return;
        }
        await (known ?? (await open())).handleRequest(request, response, body);
      })();
    });
    http = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
      requests,
      restart: () => {
        generation++;
        transports.clear();
      },
    };
  }

  test.each([
    ['without sessions, as JSON', { sessions: false, json: true }],
    ['without sessions, as event streams', { sessions: false, json: false }],
    ['with sessions, as JSON', { sessions: true, json: true }],
    ['with sessions, as event streams', { sessions: true, json: false }],
  ])('calls are answered %s', async (_name, options) => {
    const { url, requests } = await start(options);
    ces = cesOver({ fetch }, { url });

    expect(await ces.evaluations.get(RUN)).toEqual({ name: RUN, servedBy: 'generation 1' });
    expect(await failureOf(ces.evaluations.get(`${RUN}-missing`))).toEqual({
      name: 'PermanentError',
      message: `get_evaluation_run on ${RUN}-missing was refused as NOT_FOUND: NOT_FOUND: ${RUN}-missing. Check the names in evals.yaml, and that CES_MCP_URL is the MCP endpoint`,
    });
    expect(requests).toEqual([
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/call',
      'POST tools/call',
    ]);
  });

  test('a restart of the server is not noticed by the caller', async () => {
    const { url, requests, restart } = await start({ sessions: true, json: false });
    ces = cesOver({ fetch }, { url });

    await ces.evaluations.get(RUN);
    restart();

    expect(await ces.evaluations.get(RUN)).toEqual({ name: RUN, servedBy: 'generation 2' });
    expect(requests.filter((request) => request === 'POST initialize')).toHaveLength(2);
  });

  test('a server that is not there is tried again later', async () => {
    const { url } = await start({ sessions: false, json: true });
    await new Promise((resolve) => http?.close(resolve));
    ces = cesOver({ fetch }, { url });

    expect(await failureOf(ces.evaluations.get(RUN))).toEqual({
      name: 'TransientError',
      message: `get_evaluation_run on ${RUN}: no answer from ${url}: ECONNREFUSED`,
    });
  });
});
