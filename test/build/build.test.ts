import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

import type { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { FUNCTIONS } from '../../functions/register.ts';
import { buildFunction, type Built } from '../../infra/build.ts';
import { bundle, bundleEntry, ROOT, USES, type LateAdapter } from '../../infra/build/bundle.ts';
import { zip } from '../../infra/build/zip.ts';
import type { createPubSubBus } from '../../shared/adapters/pubsub/bus.ts';
import { startFakeGoogle } from '../adapters/pubsub-fake.ts';
import { silentLog, testClock } from '../fixtures.ts';

process.env['METADATA_SERVER_DETECTION'] = 'none';

const EVALS = `
version: 1
timezone: Europe/Berlin
apps:
  support: projects/acme-cx/locations/us/apps/support-bot
plans:
  nightly: { app: support, evaluations: [greeting, refund], schedule: "0 2 * * *" }
`;

const ENVIRONMENT = {
  FUNCTION_TARGET: 'scheduler',
  NODE_ENV: 'production',
  METADATA_SERVER_DETECTION: 'none',
  GOOGLE_CLOUD_PROJECT: 'demo-evals',
  TASKS_QUEUE: 'waits',
  TASKS_LOCATION: 'europe-west1',
  TOPIC_PREFIX: 'ces-evals-',
  TASKS_SERVICE_ACCOUNT: 'tasks@demo-evals.iam.gserviceaccount.com',
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ces-evals-build-'));
  writeFileSync(join(folder, 'evals.yaml'), EVALS);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the bundle of the scheduler', () => {
  let built: Built;
  let target: string;

  beforeAll(async () => {
    built = await buildFunction('scheduler');
    target = join(folder, 'scheduler');
    mkdirSync(join(target, 'node_modules'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules/@google-cloud'), join(target, 'node_modules/@google-cloud'));
    for (const [name, content] of Object.entries(built.files)) writeFileSync(join(target, name), content);
  }, 60_000);

  test('is the same, byte for byte, when it is built again', async () => {
    const again = await buildFunction('scheduler');

    expect(again.archive.equals(built.archive)).toBe(true);
  }, 60_000);

  test('names no folder of the machine that built it', () => {
    expect(built.files['index.js']?.includes(ROOT)).toBe(false);
  });

  test('comes with a package.json that asks for the framework, at one version, and for nothing else', () => {
    expect(JSON.parse(String(built.files['package.json']))).toEqual({
      name: 'ces-evals-scheduler',
      version: '0.1.0',
      license: 'Apache-2.0',
      dependencies: { '@google-cloud/functions-framework': '5.0.5' },
      engines: { node: '24.x' },
      private: true,
      type: 'commonjs',
      main: 'index.js',
    });
  });

  test('comes with a lock file that holds the framework and what that needs, and no client library', () => {
    const { packages } = JSON.parse(String(built.files['package-lock.json'])) as { packages: Record<string, object> };
    const names = Object.keys(packages);

    expect(names).toEqual(expect.arrayContaining(['', 'node_modules/express', 'node_modules/cloudevents']));
    expect(names.filter((name) => /firestore|pubsub|google-gax/.test(name))).toEqual([]);
    expect(packages['node_modules/@google-cloud/functions-framework']).toMatchObject({
      version: '5.0.5',
      integrity: expect.stringMatching(/^sha512-/),
    });
  });

  test('answers under the functions framework, logs for Cloud Logging, and ends in order on SIGTERM', async () => {
    const running = await start(target, { ...ENVIRONMENT, EVALS_CONFIG: join(folder, 'evals.yaml') });

    const answer = await running.get({
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    });
    running.process.kill('SIGTERM');
    const code = await running.ended;

    expect(answer.status).toBe(405);
    expect(running.lines().map((line): unknown => JSON.parse(line))).toEqual([
      {
        severity: 'INFO',
        message: 'configuration loaded',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        location: join(folder, 'evals.yaml'),
        generation: 'file',
        'logging.googleapis.com/trace': 'projects/demo-evals/traces/4bf92f3577b34da6a3ce929d0e0e4736',
        'logging.googleapis.com/spanId': '00f067aa0ba902b7',
        'logging.googleapis.com/trace_sampled': true,
      },
    ]);
    expect(code).toBe(0);
  }, 30_000);

  test('refuses to start without its environment, and says all that is missing', async () => {
    const running = await start(target, { FUNCTION_TARGET: 'scheduler', NODE_ENV: 'production' });

    expect(await running.ended).toBe(1);
    expect(running.errors()).toContain(
      'the environment is not usable: GOOGLE_CLOUD_PROJECT is not set; infra/gcp sets it | ' +
        'TASKS_QUEUE is not set; infra/gcp sets it | TASKS_LOCATION is not set; infra/gcp sets it | ' +
        'TOPIC_PREFIX is not set; infra/gcp sets it | TASKS_SERVICE_ACCOUNT is not set; infra/gcp sets it',
    );
  }, 30_000);
});

test('the Google clients work out of a bundle, without what was left out of them', async () => {
  // The credentials must come from the same copy of the library as the client that they are for.
  const { code } = await bundleEntry(
    'bus',
    `export { createPubSubBus } from './shared/adapters/pubsub/bus.ts';
     export { credentials } from '@grpc/grpc-js';`,
  );
  const file = join(folder, 'bus.cjs');
  writeFileSync(file, code);
  const bundled = createRequire(import.meta.url)(file) as {
    createPubSubBus: typeof createPubSubBus;
    credentials: typeof credentials;
  };
  const google = await startFakeGoogle();
  const bus = bundled.createPubSubBus({
    projectId: 'acme-evals',
    topicPrefix: 'ces-evals-',
    queue: 'waits',
    location: 'europe-west1',
    tasksServiceAccount: 'tasks@acme-evals.iam.gserviceaccount.com',
    clock: testClock('2026-11-30T02:00:00.000Z'),
    log: silentLog,
    clients: {
      ...google.clients,
      tasks: { ...google.clients.tasks, sslCreds: bundled.credentials.createInsecure() },
    },
  });

  const outcomes = await Promise.allSettled([
    bus.publish('run-poll', { v: 1, id: 'nightly' }),
    bus.publish('run-poll', { v: 1, id: 'nightly' }, new Date('2026-11-30T02:00:30.000Z')),
    bus.publish('run-poll', { v: 1, id: 'nightly' }, new Date('2026-11-30T02:00:30.000Z')),
  ]);
  await bus.close();
  await google.close();

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect(google.published.map(({ data }) => data)).toEqual(['{"v":1,"id":"nightly"}']);
  expect(google.tasks.map(({ scheduleTime }) => scheduleTime)).toEqual(['2026-11-30T02:00:30.000Z']);
}, 60_000);

/** How a port is called, and the adapters behind it. */
const CALLS: Readonly<Record<LateAdapter, RegExp>> = {
  pubsub: /\bbus\.(?:publish|setAside)\(/,
  ces: /\b(?:evaluations|results|datasets)\.(?:start|operation|get|list|newest|create)\(/,
  slack: /\bchannels\[/,
  email: /\bchannels\[/,
  webhook: /\bchannels\[/,
};

test.each(FUNCTIONS)(
  'the bundle of $name has the adapters that its sources call, and no other',
  async ({ name }) => {
    const { metafile } = await bundle(name);
    const [output] = Object.values(metafile.outputs);
    const inputs = Object.entries(output!.inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    );
    const sources = inputs
      .filter((path) => /^functions\/(?!compose\/)/.test(path))
      .map((path) => readFileSync(join(ROOT, path), 'utf8'));
    const called = Object.entries(CALLS).flatMap(([adapter, call]) =>
      sources.some((source) => call.test(source)) ? [adapter] : [],
    );
    const held = inputs.flatMap(
      (path) => /^shared\/adapters\/(pubsub|ces|slack|email|webhook)\//.exec(path)?.[1] ?? [],
    );

    expect([...USES[name]].toSorted()).toEqual(called.toSorted());
    expect([...new Set(held)].toSorted()).toEqual(called.toSorted());
    expect(inputs.filter((path) => /\/(?:node:)?sqlite|adapters\/local-bus|^cli\//.test(path))).toEqual([]);
  },
  60_000,
);

test('an archive holds the bytes of its entries, sorted and without a time', () => {
  const archive = zip([
    { name: 'b.txt', content: Buffer.from('second') },
    { name: 'a/grüße.txt', content: Buffer.from('Grüße') },
  ]);

  const nameLength = archive.readUInt16LE(26);
  const packed = archive.subarray(30 + nameLength, 30 + nameLength + archive.readUInt32LE(18));
  expect(archive.readUInt32LE(0)).toBe(0x04034b50);
  expect(archive.subarray(10, 14).toString('hex')).toBe('00002100');
  expect(archive.readUInt32LE(14)).toBe(0xfbd37071);
  expect(archive.subarray(30, 30 + nameLength).toString('utf8')).toBe('a/grüße.txt');
  expect(inflateRawSync(packed).toString('utf8')).toBe('Grüße');
  expect(archive.readUInt32LE(archive.length - 22)).toBe(0x06054b50);
  expect(archive.readUInt16LE(archive.length - 12)).toBe(2);
});

interface Running {
  readonly process: ChildProcess;
  /** Exit code. */
  readonly ended: Promise<number | null>;
  readonly get: (headers: Record<string, string>) => Promise<Response>;
  readonly lines: () => readonly string[];
  readonly errors: () => string;
}

/** As the deployed runtime starts a function: the framework's command in the function's folder. */
async function start(source: string, environment: Record<string, string>): Promise<Running> {
  const port = await freePort();
  const framework = createRequire(import.meta.url).resolve('@google-cloud/functions-framework');
  const child = spawn(process.execPath, [join(dirname(framework), 'main.js'), `--source=${source}`], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ...environment },
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    process: child,
    ended,
    get: async (headers) => {
      const deadline = Date.now() + 20_000;
      for (;;) {
        const answer = await fetch(`http://127.0.0.1:${port}/`, { headers }).catch(() => undefined);
        if (answer !== undefined || Date.now() > deadline) return answer ?? Promise.reject(new Error(errors));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    lines: () => output.trim().split('\n'),
    errors: () => errors,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
