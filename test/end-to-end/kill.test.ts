import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { ensureRun } from '../../functions/pipeline/request-run.ts';
import { startInbox, type Inbox } from '../../infra/local/inbox/inbox.ts';
import { startSimulatedCes, type SimulatedCes } from '../../infra/local/simulated-ces/server.ts';
import { createSqliteStore } from '../../shared/adapters/sqlite/store.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { APP } from '../fixtures.ts';
import { killed, printed, startCommand } from './command.ts';

const clock = { now: () => new Date() };
const PLANS = Array.from({ length: 10 }, (_, index) => `plan-${index}`);
const KILLS = 8;
/** The longest that a dead worker is waited for (see `holdUntil`), several times over. */
const SETTLED_WITHIN_MS = 90_000;

const CONFIG = `
version: 1
apps: { support: ${APP} }
plans:
${PLANS.map((name) => `  ${name}: { app: support, evaluations: [greeting, refund], deadline: 10m, alerts: [oncall, qa] }`).join('\n')}
subscribers:
  oncall: { slack: { channel: C0123456789 }, on: [passed, failed] }
  qa: { email: { to: qa@acme.example }, on: [passed, failed] }
`;

let folder: string;
let ces: SimulatedCes;
let inbox: Inbox;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ces-evals-kill-'));
  inbox = await startInbox({ clock });
  const outcomes = { refund: { failed: 2 } };
  ces = await startSimulatedCes({
    clock,
    app: APP,
    seed: 7,
    script: { runs: [{ queuedMs: 500, runningMs: 6_000, outcomes }] },
  });
});
afterEach(async () => {
  await Promise.all([ces.close(), inbox.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test(
  'serve is killed again and again while ten runs go on: none lost, none started twice, everybody told once',
  async () => {
    const dataDir = join(folder, 'data');
    writeFileSync(join(folder, 'evals.yaml'), CONFIG);
    const env = {
      CES_MCP_URL: ces.url,
      CES_AUTH: 'none',
      CES_TIMEOUT: '1s',
      DATA_DIR: dataDir,
      EVALS_CONFIG: join(folder, 'evals.yaml'),
      POLL_MIN: '200ms',
      POLL_MAX: '1s',
      TICK: '100ms',
      SLACK_BOT_TOKEN: 'xoxb-test',
      SLACK_API_URL: inbox.slackApiUrl,
      SMTP_URL: inbox.smtpUrl,
      EMAIL_FROM: 'ces-evals@acme.example',
    };
    const serve = async () => {
      const child = startCommand(['serve', '--port', '0'], env);
      await printed(child, /dashboard/);
      return child;
    };
    let server = await serve();
    const store = createSqliteStore(join(dataDir, 'store.sqlite'));
    for (const name of PLANS) await ensureRun({ store, clock, nonce: () => `nonce-${name}` }, requestOf(name));

    for (let kill = 0; kill < KILLS; kill += 1) {
      // The instants differ from run to run on purpose: any of them must do.
      await sleep(Math.random() * 1_500);
      await killed(server);
      server = await serve();
    }
    const endAt = Date.now() + SETTLED_WITHIN_MS;
    const isOpen = async (): Promise<boolean> =>
      (await store.find('run', { open: true, limit: 1 })).length > 0 ||
      (await store.find('delivery', { open: true, limit: 1 })).length > 0;
    while ((await isOpen()) && Date.now() < endAt) await sleep(100);
    await killed(server);

    const runs = (await store.find('run', { limit: 100 })).map(({ doc }) => doc);
    const deliveries = (await store.find('delivery', { limit: 100 })).map(({ doc }) => doc);
    store.close();
    expect(runs.map(({ id, verdict }) => `${id} ${verdict?.outcome}`).toSorted()).toEqual(
      PLANS.map((name) => `${name}-run failed`),
    );
    expect(
      ces
        .runs()
        .map(({ displayName }) => displayName)
        .toSorted(),
    ).toEqual(PLANS.map((name) => `${name}-run nonce-${name}`));
    const told = inbox.messages().map((message) => `${message.kind} ${runOf(JSON.stringify(message))}`);
    for (const { id, channel, run, state } of deliveries) {
      const times = told.filter((message) => message === `${channel} ${run}`).length;
      // A kill between a mail server's OK and its record leaves a doubt that only a person can settle; it is on record.
      const expected = state === 'unknown' ? [`${id} 0`, `${id} 1`] : [`${id} 1`];
      expect(expected).toContain(`${id} ${times}`);
    }
    expect(deliveries).toHaveLength(2 * PLANS.length);
  },
  SETTLED_WITHIN_MS + 60_000,
);

const requestOf = (name: string) => {
  const gate = { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} };
  const spec = { app: APP, evaluations: ['greeting', 'refund'], deadlineMs: 600_000, gate, alerts: ['oncall', 'qa'] };
  const plan: Plan = { name, spec };
  return { id: `${name}-run`, plan, trigger: { kind: 'manual', by: 'the test' } } as const;
};

const runOf = (message: string): string => /plan-\d-run/.exec(message)?.[0] ?? '';
