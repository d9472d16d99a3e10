import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { Webhook } from 'standardwebhooks';

import { respond } from '../../functions/edge/respond.ts';
import { createReceive } from '../../functions/webhook/receive.ts';
import { createSqliteStore } from '../../shared/adapters/sqlite/store.ts';
import type { Deps, Settings, Store } from '../../shared/ports.ts';
import { CONFIG, NIGHTLY, silentLog, testClock, type TestClock } from '../fixtures.ts';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const NEXT_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
export const GITHUB_SECRET = "It's a Secret to Everybody";
export const DELIVERY = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
export const NIGHT = '2026-11-30T02:00:00.000Z';
export const MESSAGE = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';
export const NIGHTLY_BODY = '{"plan":"nightly"}';
export const PUSH = '{"ref":"refs/heads/main","after":"6113728f27ae82c7b1a177c8d03f9e96e0adf246"}';

export interface Options {
  readonly settings?: Partial<Settings>;
  readonly store?: (store: Store) => Store;
  readonly publish?: () => Promise<void>;
}

export interface World {
  readonly clock: TestClock;
  readonly store: Store;
  readonly deps: Deps;
  /** What was published, with the state that the run had in the store at that moment. */
  readonly published: { topic: string; id: string; at: string | undefined; stored: string | undefined }[];
  readonly logged: { level: string; fields: object; message: string }[];
}

const closers: (() => void)[] = [];

/** For `afterEach`. */
export function closeAll(): void {
  for (const close of closers.splice(0)) close();
}

export function createWorld({ settings = {}, store: wrap = (store) => store, publish }: Options = {}): World {
  const clock = testClock();
  const sqlite = createSqliteStore(':memory:');
  const published: World['published'] = [];
  const logged: World['logged'] = [];
  const note = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const deps = {
    config: { ...CONFIG, plans: { nightly: NIGHTLY, smoke: { ...NIGHTLY, name: 'smoke' } } },
    settings: { webhookSecrets: [SECRET], githubWebhookSecret: GITHUB_SECRET, ...settings },
    store: wrap(sqlite),
    bus: {
      publish: async (topic: string, { id }: { readonly id: string }, at?: Date) => {
        await publish?.();
        const stored = await sqlite.get('run', id);
        published.push({ topic, id, at: at?.toISOString(), stored: stored?.doc.state });
      },
    },
    clock,
    log: { ...silentLog, info: note('info'), warn: note('warn'), error: note('error') },
    nonce: () => 'k3x9q2ab',
  } as unknown as Deps;
  closers.push(() => {
    sqlite.close();
  });
  return { clock, store: sqlite, deps, published, logged };
}

export interface ServedWorld extends World {
  readonly post: (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string>,
    query?: string,
  ) => Promise<Response>;
  readonly url: string;
}

/** The function as the framework serves it. */
export async function serveWebhook(options: Options = {}): Promise<ServedWorld> {
  const world = createWorld(options);
  http(
    'webhook',
    respond(async () => world.deps, createReceive),
  );
  const server = getTestServer('webhook');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
  return {
    ...world,
    url,
    post: (body, headers, query = '') => fetch(`${url}${query}`, { method: 'POST', body, headers }),
  };
}

/** Headers of the reference library's signer. */
export const signed = (id: string, at: Date | string, body: string, secret = SECRET): Record<string, string> => ({
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(new Date(at).getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
});

export const signedByGithub = (delivery: string, body: string, event = 'push'): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': event,
  'x-github-delivery': delivery,
  'x-hub-signature-256': `sha256=${createHmac('sha256', GITHUB_SECRET).update(body).digest('hex')}`,
});

export interface Seen {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
}

export const answerOf = async (response: Response): Promise<Seen> => ({
  status: response.status,
  type: response.headers.get('content-type'),
  body: await response.json(),
});

export const problem = (status: number, title: string, detail: string): Seen => ({
  status,
  type: 'application/problem+json',
  body: { title, status, detail },
});

/** Everything that the store holds of runs and of the memory of ids. */
export const keptIn = async (store: Store): Promise<readonly string[]> => {
  const runs = await store.find('run', { limit: 1_000 });
  const triggers = await store.find('trigger', { limit: 1_000 });
  return [...runs.map(({ doc }) => doc.id), ...triggers.map(({ doc }) => `memory of ${doc.run}`)].toSorted();
};
