import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { loadEnv, type Env } from '../../../shared/config/env.ts';
import { parseConfig } from '../../../shared/config/file.ts';
import { runIdOfSlot } from '../../../shared/domain/keys.ts';
import type { Config } from '../../../shared/domain/plan.ts';
import type { Run } from '../../../shared/domain/run.ts';
import { nextSlots } from '../../../shared/domain/schedule.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Log } from '../../../shared/ports.ts';
import { startInbox, type Inbox } from '../inbox/inbox.ts';
import { startRuntime, type Runtime } from '../runtime.ts';
import { startSimulatedCes } from '../simulated-ces/server.ts';
import { createDemoClock, type DemoClock } from './clock.ts';
import { describeHop, describeMessage, describeProgress } from './narrate.ts';
import { DEMO_SCRIPT, NIGHTS, type Night } from './script.ts';

export interface Demo {
  /** The dashboard. */
  readonly url: string;
  /** Plays the three nights. False when one of them did not go as it must. */
  play(): Promise<boolean>;
  close(): Promise<void>;
}

const PLAN = 'nightly';
/** So long before two o'clock the night begins, so that the schedule is known when its slot comes. */
const EVE_MS = 1_000;
const NIGHT_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** The product as it is, between a simulated CES and an inbox of its own: no account and no network. */
export async function startDemo({ port, log, print }: DemoOptions): Promise<Demo> {
  const clock = createDemoClock();
  const config = demoConfig();
  const dataDir = mkdtempSync(join(tmpdir(), 'ces-evals-demo-'));
  const inbox = await startInbox({ clock });
  const ces = await startSimulatedCes({ clock, app: config.apps['support'] ?? '', script: DEMO_SCRIPT, seed: 1 });
  const env = demoEnv({ dataDir, cesMcpUrl: ces.url, ...inbox });
  clock.jumpTo(new Date(firstSlot(config, new Date()).getTime() - EVE_MS));
  const runtime = await startRuntime({ config, env, secrets: {}, host: '127.0.0.1', port, clock, log });
  return {
    url: runtime.url,
    play: () => play({ runtime, clock, config, inbox, print }),
    close: async () => {
      await runtime.close();
      await Promise.all([ces.close(), inbox.close()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface DemoOptions {
  /** 0 = any free port. */
  readonly port: number;
  readonly log: Log;
  readonly print: (line: string) => void;
}

interface Stage {
  readonly runtime: Runtime;
  readonly clock: DemoClock;
  readonly config: Config;
  readonly inbox: Pick<Inbox, 'messages'>;
  readonly print: (line: string) => void;
}

async function play(stage: Stage): Promise<boolean> {
  let asExpected = true;
  for (const night of NIGHTS) {
    const slot = firstSlot(stage.config, stage.clock.now());
    stage.clock.jumpTo(new Date(Math.max(slot.getTime() - EVE_MS, stage.clock.now().getTime())));
    stage.print(`\n${night.title} (${slot.toISOString().slice(0, 10)})`);
    asExpected = (await playNight(stage, night, slot)) && asExpected;
  }
  return asExpected;
}

async function playNight(stage: Stage, night: Night, slot: Date): Promise<boolean> {
  const id = runIdOfSlot(PLAN, slot);
  const before = stage.inbox.messages().length;
  const run = await follow(stage, id);
  const { outcome, reasons = [] } = run?.verdict ?? {};
  for (const { message } of reasons) stage.print(`            ${message}`);
  const deliveries = await settled(stage, id);
  for (const line of stage.inbox.messages().slice(before).flatMap(describeMessage)) stage.print(line);
  const alerts = deliveries
    .filter(({ state }) => state === 'sent')
    .map(({ subscriber, reason }) => `${subscriber} ${reason}`);
  stage.print(
    `  alerts: ${deliveries.map((delivery) => `${delivery.subscriber} ${delivery.reason} (${delivery.state})`).join(', ')}`,
  );
  return outcome === night.expected && alerts.toSorted().join() === night.alerts.join();
}

/** Tells what happens to the run until it has its verdict. */
async function follow({ runtime, config, print }: Stage, id: string): Promise<Run | undefined> {
  let told = 0;
  let lastProgress = '';
  let run: Run | undefined;
  for (const endAt = Date.now() + NIGHT_WITHIN_MS; Date.now() < endAt; await sleep(LOOK_EVERY_MS)) {
    run = (await runtime.deps.store.get('run', id))?.doc;
    if (run === undefined) continue;
    const progress = describeProgress(run);
    if (progress !== lastProgress && run.state === 'running') print(`            ${progress}`);
    lastProgress = progress;
    for (const entry of run.timeline.slice(told)) print(describeHop(entry, config.timezone));
    told = run.timeline.length;
    if (run.verdict !== undefined) break;
  }
  return run;
}

async function settled({ runtime }: Stage, run: string): Promise<readonly Delivery[]> {
  for (const endAt = Date.now() + NIGHT_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const found = await runtime.deps.store.find('delivery', { run, limit: 100 });
    const deliveries = found.map(({ doc }) => doc).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (deliveries.every(({ nextAt }) => nextAt === undefined) || Date.now() > endAt) return deliveries;
  }
}

function firstSlot(config: Config, after: Date): Date {
  const schedule = config.plans[PLAN]?.schedule;
  const [slot] = schedule === undefined ? [] : nextSlots(schedule, after, 1);
  if (slot === undefined) throw new Error('the demo configuration has lost its schedule');
  return slot;
}

function demoConfig(): Config {
  const file = fileURLToPath(new URL('evals.yaml', import.meta.url));
  const parsed = parseConfig(readFileSync(file, 'utf8'), { file, now: new Date() });
  if (!parsed.ok) throw new Error(`the demo configuration is broken: ${JSON.stringify(parsed.problems)}`);
  return parsed.config;
}

function demoEnv(options: {
  readonly dataDir: string;
  readonly cesMcpUrl: string;
  readonly slackApiUrl: string;
  readonly smtpUrl: string;
}): Env {
  const loaded = loadEnv({
    CES_MCP_URL: options.cesMcpUrl,
    CES_AUTH: 'none',
    SLACK_BOT_TOKEN: 'xoxb-demo',
    SLACK_API_URL: options.slackApiUrl,
    SMTP_URL: options.smtpUrl,
    EMAIL_FROM: 'ces-evals@acme.example',
    DATA_DIR: options.dataDir,
    POLL_MIN: '300ms',
    POLL_MAX: '1s',
    TICK: '200ms',
  });
  if (!loaded.ok) throw new Error(`the demo environment is broken: ${JSON.stringify(loaded.problems)}`);
  return loaded.env;
}
