import type { Config, Plan, RunSpec, Subscriber } from '../shared/domain/plan.ts';
import { requestRun, type Run } from '../shared/domain/run.ts';
import type { Delivery } from '../shared/domain/delivery.ts';
import { runDocument } from '../shared/domain/run-document.ts';
import type { Clock, Log } from '../shared/ports.ts';

export const APP = 'projects/acme-cx/locations/us/apps/support-bot';

export const SPEC: RunSpec = {
  app: APP,
  evaluations: ['greeting', 'refund'],
  deadlineMs: 7_200_000,
  gate: { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} },
  alerts: ['oncall', 'qa'],
};

export const NIGHTLY: Plan = {
  name: 'nightly',
  spec: SPEC,
  schedule: { cron: '0 2 * * *', timezone: 'UTC', overlap: 'skip' },
};

export const ONCALL: Subscriber = {
  name: 'oncall',
  address: { kind: 'slack', channel: 'C0123456789' },
  on: ['failed', 'recovered', 'inconclusive', 'overdue'],
  locale: 'en',
  timezone: 'UTC',
};

export const QA: Subscriber = {
  name: 'qa',
  address: { kind: 'email', to: 'qa@acme.example' },
  on: ['failed', 'still_failing', 'recovered', 'inconclusive', 'passed'],
  locale: 'en',
  timezone: 'UTC',
};

export const CONFIG: Config = {
  timezone: 'UTC',
  apps: { support: APP },
  datasets: {},
  plans: { nightly: NIGHTLY },
  subscribers: { oncall: ONCALL, qa: QA },
};

export const NIGHT = new Date('2026-11-30T02:00:00.000Z');

export const runOf = (id: string, change: Partial<Run> = {}, at: Date = NIGHT): Run => ({
  ...requestRun({ id, plan: 'nightly', trigger: { kind: 'manual', by: 'ana' }, spec: SPEC, nonce: 'k3x9q2ab' }, at),
  ...change,
});

export const deliveryOf = (id: string, run: Run, change: Partial<Delivery> = {}): Delivery => ({
  id,
  run: run.id,
  plan: run.plan,
  subscriber: 'oncall',
  reason: 'failed',
  channel: 'slack',
  state: 'pending',
  attempts: 0,
  createdAt: NIGHT.toISOString(),
  nextAt: NIGHT.toISOString(),
  alert: {
    v: 1,
    id,
    reason: 'failed',
    subscriber: 'oncall',
    createdAt: NIGHT.toISOString(),
    run: runDocument(run),
    failing: [],
    errored: [],
    omitted: 0,
    links: {},
  },
  ...change,
});

/** A clock that stands still until it is told otherwise. */
export interface TestClock extends Clock {
  set(at: Date | string): void;
  advance(ms: number): void;
}

export function testClock(start: Date | string = NIGHT): TestClock {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    set: (next) => {
      at = new Date(next).getTime();
    },
    advance: (ms) => {
      at += ms;
    },
  };
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
