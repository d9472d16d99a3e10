/** Runs of one plan in every state, and the events that can come to them. */
import type { Observation, Progress } from '../../shared/domain/observation.ts';
import { requestRun, type Run, type RunEvent, type RunState } from '../../shared/domain/run.ts';
import type { Verdict } from '../../shared/domain/verdict.ts';

export const APP = 'projects/acme-cx/locations/us/apps/support-bot';
export const OPERATION = 'projects/acme-cx/locations/us/operations/operation-1764468003';
export const EVALUATION_RUN = `${APP}/evaluationRuns/7d0f6c1e`;

export const CREATED = new Date('2026-11-30T02:00:00.000Z');
export const NOW = new Date('2026-11-30T02:10:00.000Z');
export const LATER = new Date('2026-11-30T02:10:30.000Z');
export const DEADLINE = new Date('2026-11-30T04:00:00.000Z');

export const requested: Run = requestRun(
  {
    id: 'nightly-20261130T020000Z',
    plan: 'nightly',
    trigger: { kind: 'schedule', slot: '2026-11-30T02:00:00.000Z', by: 'schedule 0 2 * * *' },
    spec: {
      app: APP,
      dataset: 'smoke',
      deadlineMs: 7_200_000,
      gate: { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} },
      alerts: ['oncall'],
    },
    nonce: 'k3x9q2ab',
  },
  CREATED,
);

export const starting: Run = { ...requested, state: 'starting', startAttempts: 1, nextAt: '2026-11-30T02:01:05.000Z' };
export const queued: Run = {
  ...starting,
  state: 'queued',
  startedAt: '2026-11-30T02:00:03.000Z',
  operation: OPERATION,
  evaluationRun: EVALUATION_RUN,
  nextAt: '2026-11-30T02:10:00.000Z',
};
export const running: Run = { ...queued, state: 'running' };
export const end = (state: RunState): Run => ({
  ...running,
  state,
  finishedAt: '2026-11-30T02:09:00.000Z',
  nextAt: '2026-11-30T02:09:00.000Z',
});
export const timedOut: Run = {
  ...end('timed_out'),
  problem: "not finished within the plan's deadline of 2h, still running",
};

export const PASSED: Verdict = {
  outcome: 'passed',
  passRate: 1,
  reasons: [{ code: 'gate_met', message: '100.0% passed' }],
};
const FAILED: Verdict = {
  outcome: 'failed',
  passRate: 0.5,
  reasons: [{ code: 'pass_rate_below_minimum', message: '50.0% of 20 results passed; the plan asks for 100.0%' }],
};
const { nextAt: _done, ...unheld } = end('finished');
export const judged: Run = { ...unheld, judgedAt: '2026-11-30T02:09:05.000Z', verdict: PASSED };

export const PROGRESS: Progress = { total: 20, completed: 12, passed: 11, failed: 1, error: 0, cancelled: 0 };
export const seen = (state: string, phase: Observation['phase'], more: Partial<Observation> = {}): Observation => ({
  state,
  phase,
  progress: PROGRESS,
  results: [],
  ...more,
});

export const EVENTS = {
  'held to start': { kind: 'held', step: 'start', until: LATER },
  'held to poll': { kind: 'held', step: 'poll', until: LATER },
  'held to judge': { kind: 'held', step: 'judge', until: LATER },
  accepted: {
    kind: 'accepted',
    operation: OPERATION,
    evaluationRun: EVALUATION_RUN,
    adopted: false,
    nextAt: LATER,
  },
  refused: { kind: 'refused', problem: 'no such app' },
  named: { kind: 'named', evaluationRun: EVALUATION_RUN },
  'seen queued': { kind: 'observed', observation: seen('QUEUED', 'queued'), nextAt: LATER },
  'seen running': { kind: 'observed', observation: seen('RUNNING', 'running'), nextAt: LATER },
  'seen in an unknown state': { kind: 'observed', observation: seen('PAUSED', 'unknown'), nextAt: LATER },
  'seen completed': {
    kind: 'observed',
    observation: seen('COMPLETED', 'ended', { end: 'completed' }),
    nextAt: LATER,
  },
  delayed: { kind: 'delayed', problem: 'CES answered 503', nextAt: LATER },
  'deadline passed': { kind: 'deadline_passed' },
  abandoned: { kind: 'abandoned', by: 'alice' },
  repoll: { kind: 'repoll', by: 'alice' },
  judged: { kind: 'judged', verdict: FAILED },
} as const satisfies Record<string, RunEvent>;
