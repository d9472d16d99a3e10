import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { register } from '../../functions/register.ts';
import { pushEndpoint, startHost, tickEndpoint, type Host } from '../../infra/local/host.ts';
import { startRuntime } from '../../infra/local/runtime.ts';
import { loadEnv, type Env } from '../../shared/config/env.ts';
import { PermanentError } from '../../shared/errors.ts';
import type { Deps, Settings } from '../../shared/ports.ts';
import { CONFIG, NIGHT, runOf, silentLog } from '../fixtures.ts';
import { SECRET, signed } from '../functions/webhook-world.ts';
import { createWorld } from '../pipeline/world.ts';

const RUN = 'nightly-20261130T020000Z';
const TOKEN = 'a-long-random-text-of-the-operator';
const MEBIBYTE = 1_048_576;

let world: ReturnType<typeof createWorld>;
let deps: Deps;
let logged: { level: string; fields: object; message: string }[];
let hosts: Host[];

beforeEach(() => {
  world = createWorld({ start: NIGHT.toISOString() });
  logged = [];
  hosts = [];
});
afterEach(() => Promise.all(hosts.map((host) => host.close())));

async function host(
  options: { readonly apiToken?: string; readonly settings?: Partial<Settings> } = {},
): Promise<Host> {
  const note = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message });
  deps = {
    ...world.deps,
    settings: { ...world.deps.settings, webhookSecrets: [SECRET], ...options.settings },
    log: { ...silentLog, warn: note('warn'), error: note('error') },
  };
  register(async () => deps);
  const started = await startHost({
    host: '127.0.0.1',
    port: 0,
    ...(options.apiToken === undefined ? {} : { apiToken: options.apiToken }),
  });
  hosts.push(started);
  return started;
}

const pushBody = (message: object): string =>
  JSON.stringify({
    message: { data: Buffer.from(JSON.stringify(message)).toString('base64'), messageId: '1', attributes: {} },
    subscription: 'projects/local/subscriptions/run-requested',
  });

const post = (url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(Buffer.from(body)),
  });

const problem = (status: number, title: string, detail: string) => ({
  status,
  type: 'application/problem+json',
  body: { title, status, detail },
});

const seenOf = async (response: Response) => ({
  status: response.status,
  type: response.headers.get('content-type'),
  body: await response.json(),
});

const requestRun = () => world.deps.store.commit([{ op: 'create', kind: 'run', id: RUN, doc: runOf(RUN) }]);

describe('the way to a function', () => {
  test('of the bus and the ticker is at paths of their own', () => {
    expect(tickEndpoint('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080/_functions/scheduler');
    expect(pushEndpoint('http://127.0.0.1:8080')('run-poll')).toBe(
      'http://127.0.0.1:8080/_functions/projects/local/topics/run-poll',
    );
  });

  test.each([
    ['GET', '/', 200, /^text\/html/],
    ['GET', `/runs/${RUN}`, 200, /^text\/html/],
    ['GET', '/nowhere', 404, /^text\/html/],
    ['GET', '/healthz', 200, /^application\/json/],
    ['GET', `/api/runs/${RUN}`, 200, /^application\/json/],
    ['GET', '/api/runs/nobody', 404, /^application\/problem\+json$/],
    ['POST', '/', 405, /^application\/problem\+json$/],
    ['POST', '/webhook', 415, /^application\/problem\+json$/],
    ['GET', '/webhook?plan=nightly', 405, /^application\/problem\+json$/],
    ['POST', '/_functions/scheduler', 204, undefined],
    ['GET', '/_functions/scheduler', 405, /^application\/problem\+json$/],
    ['POST', '/_functions/', 404, /^application\/problem\+json$/],
    ['POST', '/_functions/starter', 404, /^application\/problem\+json$/],
    ['POST', '/_functions/projects/local/topics/dead-letter', 404, /^application\/problem\+json$/],
    ['POST', '/_functions/projects/local/topics/http', 404, /^application\/problem\+json$/],
  ])('%s %s answers %i', async (method, path, status, type) => {
    const { url } = await host();
    await requestRun();

    const answer = await fetch(`${url}${path}`, { method });

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type') ?? undefined).toEqual(type && expect.stringMatching(type));
  });

  test('is that of a push to the subscriber of its topic', async () => {
    const { url } = await host();
    await requestRun();

    const answer = await post(pushEndpoint(url)('run-requested'), pushBody({ v: 1, id: RUN }));

    expect(answer.status).toBe(204);
    expect(world.ces.started.map(({ displayName }) => displayName)).toEqual(['nightly-20261130T020000Z k3x9q2ab']);
  });

  test('is that of a signed request to the webhook, whose bytes arrive as they were signed', async () => {
    const { url } = await host();
    const body = '{ "plan": "nightly",  "labels": {"owner": "Zoë"} }';

    const answer = await post(`${url}/webhook`, body, signed('msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', NIGHT, body));

    expect(answer.status).toBe(202);
  });
});

describe('a host with an API token', () => {
  const UNAUTHORIZED = problem(401, 'Unauthorized', 'Send the API token as a bearer token.');

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer of-bad-news' }],
    ['half of the token', { authorization: `Bearer ${TOKEN.slice(0, 10)}` }],
  ])('lets neither messages nor ticks pass with %s', async (_, headers: Record<string, string>) => {
    const { url } = await host({ apiToken: TOKEN });
    await requestRun();

    const answers = [
      await post(pushEndpoint(url)('run-requested'), pushBody({ v: 1, id: RUN }), headers),
      await post(tickEndpoint(url), '{}', headers),
    ];

    expect(await Promise.all(answers.map(seenOf))).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
    expect(world.ces.started).toEqual([]);
  });

  test('lets both pass with it', async () => {
    const { url } = await host({ apiToken: TOKEN });
    await requestRun();
    const headers = { authorization: `Bearer ${TOKEN}` };

    const answers = [
      await post(pushEndpoint(url)('run-requested'), pushBody({ v: 1, id: RUN }), headers),
      await post(tickEndpoint(url), '{}', headers),
    ];

    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(world.ces.started).toHaveLength(1);
  });

  test('asks for it on every path but the webhook and the health check', async () => {
    const { url } = await host({ apiToken: TOKEN, settings: { apiToken: TOKEN } });
    const body = '{"plan":"nightly"}';
    const status = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status;

    const webhook = await post(`${url}/webhook`, body, signed('msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', NIGHT, body));

    expect(webhook.status).toBe(202);
    expect(await status('/healthz')).toBe(200);
    expect(await status('/')).toBe(401);
    expect(await status('/api/runs')).toBe(401);
    expect(await status('/%5Ffunctions/scheduler')).toBe(401);
    expect(await status('//_functions/scheduler')).toBe(401);
  });
});

describe('a request that is not understood', () => {
  const NO_PUSH = problem(400, 'Malformed message', 'POST what a push subscription posts: {"message": {"data": "…"}}.');
  const gzip = { 'content-encoding': 'gzip' };

  test.each([
    ['malformed JSON', '{"message":', {}],
    ['nothing', '', {}],
    ['a list', '[]', {}],
    ['null', 'null', {}],
    ['a text', '"run-requested"', {}],
    ['a compressed body', gzipSync(pushBody({ v: 1, id: RUN })), gzip],
  ])('by a subscriber is a problem document: %s', async (_, body, headers) => {
    const { url } = await host();

    expect(await seenOf(await post(pushEndpoint(url)('run-requested'), body, headers))).toEqual(NO_PUSH);
  });

  test('by a subscriber is a problem document: another method', async () => {
    const { url } = await host();

    const answer = await fetch(pushEndpoint(url)('run-requested'), {
      method: 'PUT',
      body: pushBody({ v: 1, id: RUN }),
    });

    expect(await seenOf(answer)).toEqual(NO_PUSH);
  });

  test('by the scheduler is a problem document', async () => {
    const { url } = await host();

    expect(await seenOf(await post(tickEndpoint(url), '{"run":'))).toEqual(
      problem(400, 'Malformed tick', 'The body is empty or {"run": "<run id>"}.'),
    );
  });

  test('by the webhook is a problem document, and only who signs learns that it is malformed', async () => {
    const { url } = await host();
    const body = '{"plan":';

    const bySomebody = await post(`${url}/webhook`, body);
    const bySender = await post(`${url}/webhook`, body, signed('msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', NIGHT, body));

    expect((await seenOf(bySomebody)).body).toMatchObject({ title: 'No valid signature', status: 401 });
    expect((await seenOf(bySender)).body).toMatchObject({ title: 'Malformed request', status: 400 });
  });

  test.each(['/%', '/runs/%zz', '/%C3%28'])('for its path %s is a problem document', async (path) => {
    const { url } = await host();

    expect(await seenOf(await fetch(`${url}${path}`))).toEqual(
      problem(400, 'Malformed path', 'The path of the URL cannot be decoded.'),
    );
  });
});

describe('a body', () => {
  const TOO_LARGE = problem(413, 'Body too large', 'A request may have 1048576 bytes.');

  test('of a mebibyte reaches the function', async () => {
    const { url } = await host();

    expect(await seenOf(await post(`${url}/webhook`, Buffer.alloc(MEBIBYTE, ' ')))).toEqual(
      problem(413, 'Body too large', 'The body has 1048576 bytes; 65536 are allowed.'),
    );
  });

  test.each(['/webhook', '/', '/_functions/scheduler', '/_functions/projects/local/topics/run-requested'])(
    'of more does not reach the function at %s, and the connection is closed',
    async (path) => {
      const { url } = await host();

      const answer = await post(`${url}${path}`, Buffer.alloc(MEBIBYTE + 1, ' '));

      expect(answer.headers.get('connection')).toBe('close');
      expect(await seenOf(answer)).toEqual(TOO_LARGE);
    },
  );

  test('of a length that is not announced is measured as it comes', async () => {
    const { url } = await host();
    const chunk = Buffer.alloc(65_536, ' ');

    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = httpRequest(`${url}/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      sending.once('response', resolve).once('error', reject);
      for (let sent = 0; sent <= MEBIBYTE; sent += chunk.length) sending.write(chunk);
      sending.end();
    });

    expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([413, TOO_LARGE.body]);
  });

  test('that breaks off leaves nothing behind', async () => {
    const { url } = await host();
    const { hostname, port } = new URL(url);

    const socket = connect(Number(port), hostname);
    socket.write('POST /webhook HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"plan"');
    await once(socket, 'connect');
    socket.resetAndDestroy();
    await once(socket, 'close');

    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(logged).toEqual([]);
  });
});

test('nobody can say that a request comes from elsewhere', async () => {
  const { url } = await host();

  for (const headers of [
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7', 'x-forwarded-for': '203.0.113.8, 203.0.113.9' },
  ]) {
    await post(`${url}/webhook`, '{"plan":"nightly"}', headers);
  }

  expect(logged).toEqual([
    expect.objectContaining({ fields: expect.objectContaining({ ip: '127.0.0.1' }) }),
    expect.objectContaining({ fields: expect.objectContaining({ ip: '127.0.0.1' }) }),
  ]);
});

describe('listening', () => {
  test('on a port that is taken is refused with what to do', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;

    const refusal = await startHost({ host: '127.0.0.1', port }).catch((error: unknown) => error);
    taken.close();

    expect(refusal).toBeInstanceOf(PermanentError);
    expect((refusal as Error).message).toBe(
      `could not listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; ` +
        'choose another with --port',
    );
  });

  test('on all addresses is reached on this machine', async () => {
    register(async () => world.deps);
    const everywhere = await startHost({ host: '0.0.0.0', port: 0 });
    hosts.push(everywhere);

    expect(everywhere.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${everywhere.url}/healthz`)).status).toBe(200);
  });
});

describe('closing', () => {
  /** The host waits two seconds for requests under way. */
  const GRACE_MS = 2_000;

  test('does not wait for a connection that nobody uses', async () => {
    const { url, close } = await host();
    const agent = new Agent({ keepAlive: true });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(`${url}/healthz`, { agent }).once('response', resolve).once('error', reject).end();
    });
    const { socket } = answer;
    await text(answer);
    const cut = once(socket, 'close');

    const askedAt = performance.now();
    await close();
    await cut;

    expect(performance.now() - askedAt).toBeLessThan(GRACE_MS / 2);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('waits for a request under way', async () => {
    const { url, close } = await host();
    await requestRun();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { get } = deps.store;
    deps.store.get = async (kind, id) => {
      asked.resolve();
      await answered.promise;
      return get(kind, id);
    };
    const askedAt = performance.now();
    const answer = fetch(`${url}/api/runs/${RUN}`);
    await asked.promise;

    const closed = close();
    answered.resolve();

    expect((await answer).status).toBe(200);
    await closed;
    expect(performance.now() - askedAt).toBeLessThan(GRACE_MS / 2);
  });

  test('cuts off who waits for a run longer than that', async () => {
    const { url, close } = await host();
    await requestRun();
    const asked = Promise.withResolvers<void>();
    const { get } = deps.store;
    deps.store.get = (kind, id) => {
      asked.resolve();
      return get(kind, id);
    };
    // The clock of this world stands still, so the wait would never end by itself.
    const cut = fetch(`${url}/api/runs/${RUN}?wait=50s`).then(
      ({ status }) => `answered ${status}`,
      () => 'cut off',
    );
    await asked.promise;

    const askedAt = performance.now();
    await close();

    expect(performance.now() - askedAt).toBeLessThan(2 * GRACE_MS);
    expect(await cut).toBe('cut off');
    expect(logged).toEqual([]);
  });
});

describe('the runtime', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ces-evals-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const envOf = (dataDir: string): Env => {
    const loaded = loadEnv({
      CES_MCP_URL: 'http://127.0.0.1:9/mcp',
      CES_AUTH: 'none',
      DATA_DIR: dataDir,
      TICK: '1h',
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return loaded.env;
  };
  const runtimeIn = (dataDir: string, port = 0) =>
    startRuntime({
      config: CONFIG,
      env: envOf(dataDir),
      secrets: {},
      host: '127.0.0.1',
      port,
      clock: { now: () => new Date() },
      log: silentLog,
    });

  test('can be started again in the same process, and has its own store then', async () => {
    const first = await runtimeIn(join(folder, 'first'));
    await first.deps.store.commit([{ op: 'create', kind: 'run', id: RUN, doc: runOf(RUN) }]);
    const found = await fetch(`${first.url}/api/runs/${RUN}`);
    await first.close();

    const second = await runtimeIn(join(folder, 'second'));
    const absent = await fetch(`${second.url}/api/runs/${RUN}`);
    await second.tick();
    await second.close();

    expect([found.status, absent.status]).toEqual([200, 404]);
  });

  test('that cannot open its store gives its port back', async () => {
    const notAFolder = join(folder, 'a-file');
    writeFileSync(notAFolder, '');
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');

    await expect(runtimeIn(join(notAFolder, 'data'), port)).rejects.toThrow();

    const again = await runtimeIn(join(folder, 'data'), port);
    expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
    await again.close();
  });

  test('has the framework keep the stacks of errors to itself, unless somebody wants otherwise', async () => {
    const before = process.env['NODE_ENV'];
    const seen: (string | undefined)[] = [];
    for (const value of [undefined, 'development']) {
      if (value === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = value;
      const runtime = await runtimeIn(folder);
      seen.push(process.env['NODE_ENV']);
      await runtime.close();
    }
    process.env['NODE_ENV'] = before;

    expect(seen).toEqual(['production', 'development']);
  });
});
