import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startInbox, type InboxOptions } from '../../infra/local/inbox/inbox.ts';
import type { InboxMessage } from '../../infra/local/inbox/message.ts';
import { startSimulatedCes } from '../../infra/local/simulated-ces/server.ts';
import type { ScriptedRun } from '../../infra/local/simulated-ces/script.ts';
import { finished, killed, startCommand, type Finished } from './command.ts';

export const APP = 'projects/acme-cx/locations/us/apps/support-bot';
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const SHORT = { queuedMs: 100, runningMs: 300 } as const;

/** What becomes of a run is told by its plan: the run's id, and with it the display name at CES, begins with that. */
const RUNS: readonly ScriptedRun[] = [
  { displayNamePrefix: 'failing-', ...SHORT, outcomes: { refund: { failed: 4 } } },
  { displayNamePrefix: 'erroring-', ...SHORT, outcomes: { refund: { errored: 4 } } },
  { displayNamePrefix: 'slow-', queuedMs: 100, runningMs: 2_500, outcomes: {} },
  { displayNamePrefix: 'stuck-', queuedMs: 3_600_000, outcomes: {} },
  { displayNamePrefix: 'rude-', ...SHORT, runningState: '\u001B[2J\u009B31mPAUSED\u202E', outcomes: {} },
  { ...SHORT, outcomes: {} },
];

export const EVALS_YAML = `
version: 1
timezone: Europe/Berlin
apps:
  support: ${APP}
datasets:
  smoke: { app: support, displayName: Smoke, evaluations: [greeting, refund] }
plans:
  passing: { app: support, evaluations: [greeting, refund], alerts: [oncall] }
  failing: { app: support, evaluations: [greeting, refund], alerts: [oncall, qa] }
  erroring: { app: support, evaluations: [greeting, refund], gate: { maxErrorRate: 0.1 } }
  slow: { app: support, evaluations: [greeting, refund], alerts: [oncall] }
  stuck: { app: support, evaluations: [greeting, refund] }
  rude: { app: support, evaluations: [greeting] }
  misspelt: { app: support, evaluations: [greting] }
  nightly: { app: support, dataset: smoke, schedule: "0 2 * * *", timezone: America/New_York }
  weekly: { app: support, dataset: smoke, schedule: "30 6 * * 1" }
subscribers:
  oncall: { slack: { channel: C0123456789 }, on: [passed, failed, recovered, inconclusive] }
  qa: { email: { to: qa@acme.example } }
`;

/** One machine, with a configuration and a data directory of its own. */
export interface Machine {
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  /** A child that is still running when the world ends is killed. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  configure(yaml: string): void;
}

/** A simulated CES and an inbox in this process; the commands are processes of their own. */
export async function openWorld(options: Omit<InboxOptions, 'clock'> = {}) {
  const clock = { now: () => new Date() };
  const folder = mkdtempSync(join(tmpdir(), 'ces-evals-e2e-'));
  const ces = await startSimulatedCes({ app: APP, clock, seed: 1, script: { runs: RUNS } });
  const inbox = await startInbox({ clock, ...options });
  const children: ChildProcess[] = [];

  const machine = (yaml = EVALS_YAML): Machine => {
    const home = mkdtempSync(join(folder, 'machine-'));
    const config = join(home, 'evals.yaml');
    const base = {
      CES_MCP_URL: ces.url,
      CES_AUTH: 'none',
      CES_TIMEOUT: '1s',
      SLACK_BOT_TOKEN: 'xoxb-test',
      SLACK_API_URL: inbox.slackApiUrl,
      SMTP_URL: inbox.smtpUrl,
      EMAIL_FROM: 'evals@acme.example',
      DATA_DIR: join(home, 'data'),
      EVALS_CONFIG: config,
      POLL_MIN: '100ms',
      POLL_MAX: '300ms',
      TICK: '100ms',
    };
    const configure = (text: string): void => {
      writeFileSync(config, text);
    };
    const start: Machine['start'] = (args, env = {}) => {
      const child = startCommand(args, { ...base, ...env });
      children.push(child);
      return child;
    };
    configure(yaml);
    return { env: base, start, run: (args, env) => finished(start(args, env)), configure };
  };

  return {
    machine,
    folder,
    /** Display names of the evaluation runs that were started for a run. */
    evaluationRuns: (run: string) => ces.runs().filter(({ displayName }) => displayName.startsWith(`${run} `)),
    /** What arrived about a run. */
    messages: (run: string): readonly InboxMessage[] =>
      inbox.messages().filter((message) => JSON.stringify(message).includes(run)),
    allMessages: () => inbox.messages(),
    close: async () => {
      await Promise.all(children.map(killed));
      await Promise.all([ces.close(), inbox.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The value as soon as there is one. */
export async function eventually<T>(what: string, read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const endAt = Date.now() + 20_000; Date.now() < endAt; await sleep(20)) {
    const value = await read();
    if (value !== undefined) return value;
  }
  throw new Error(`waited in vain for ${what}`);
}

/** The run that a command talks about first. */
export function runIn(text: string): string {
  const id = /\b[a-z]+-[A-Za-z0-9-]*\d{8}T\d{6}Z-[a-z0-9]{8}\b/.exec(text)?.[0];
  if (id === undefined) throw new Error(`no run in: ${text}`);
  return id;
}
