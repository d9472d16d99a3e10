import type { Alert } from '../../shared/domain/alert.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Address, AlertReason, Subscriber } from '../../shared/domain/plan.ts';
import type { RunDocument } from '../../shared/domain/run-document.ts';

const APP = 'projects/acme-cx/locations/us/apps/support-bot';

/** A nightly run of 20 results of which three did not pass. */
export const FAILED_RUN: RunDocument = {
  id: 'nightly-20261130T020000Z',
  plan: 'nightly',
  app: APP,
  trigger: { kind: 'schedule', slot: '2026-11-30T02:00:00Z', by: 'schedule' },
  state: 'finished',
  createdAt: '2026-11-30T02:00:03Z',
  deadlineAt: '2026-11-30T04:00:03Z',
  startedAt: '2026-11-30T02:00:05Z',
  finishedAt: '2026-11-30T02:14:35Z',
  judgedAt: '2026-11-30T02:14:40Z',
  operation: 'projects/acme-cx/locations/us/operations/operation-1764468005-61f',
  evaluationRun: `${APP}/evaluationRuns/5f2c9a1e-7d40-4a6b-9c11-1d2f3a4b5c6d`,
  appVersion: `${APP}/versions/v42`,
  progress: { total: 20, completed: 20, passed: 17, failed: 2, error: 1, cancelled: 0 },
  polls: 7,
  problem: null,
  verdict: {
    outcome: 'failed',
    passRate: 0.85,
    reasons: [
      { code: 'pass_rate_below_minimum', message: '85.0% of 20 results passed; the plan asks for 95.0%' },
      { code: 'must_pass_failed', message: 'refund must pass and failed 3 of 5 times' },
    ],
    baseline: 'nightly-20261129T020000Z',
    diff: {
      newlyFailing: ['cancel-order', 'refund'],
      stillFailing: ['small-talk'],
      fixed: ['greeting'],
      newlyErroring: ['handover'],
      flaky: ['refund'],
      added: [],
      removed: [],
    },
  },
  alerts: [],
  timeline: [],
};

export const alertAbout = (run: RunDocument, reason: AlertReason, more: Partial<Alert> = {}): Alert => ({
  v: 1,
  id: `${run.id}.oncall.${reason}`,
  reason,
  subscriber: 'oncall',
  createdAt: '2026-11-30T02:14:40Z',
  run,
  failing: [],
  errored: [],
  omitted: 0,
  links: {},
  ...more,
});

export const FAILED_ALERT: Alert = alertAbout(FAILED_RUN, 'failed', {
  failing: [
    { evaluation: 'small-talk', passed: 0, of: 1 },
    { evaluation: 'refund', passed: 2, of: 5 },
    { evaluation: 'cancel-order', passed: 3, of: 5 },
  ],
  errored: [{ evaluation: 'handover', passed: 4, of: 5, errorType: 'QUOTA_EXHAUSTED' }],
  links: { dashboard: 'https://evals.acme.example/runs/nightly-20261130T020000Z' },
});

export const RECOVERED_ALERT: Alert = alertAbout(
  {
    ...FAILED_RUN,
    id: 'nightly-20261201T020000Z',
    progress: { total: 20, completed: 20, passed: 20, failed: 0, error: 0, cancelled: 0 },
    verdict: {
      outcome: 'passed',
      passRate: 1,
      reasons: [{ code: 'gate_met', message: '100.0% of 20 results passed' }],
    },
  },
  'recovered',
  { failingSince: { run: 'nightly-20261128T020000Z', runs: 3 } },
);

export const INCONCLUSIVE_ALERT: Alert = alertAbout(
  {
    ...FAILED_RUN,
    progress: { total: 20, completed: 20, passed: 11, failed: 0, error: 9, cancelled: 0 },
    verdict: {
      outcome: 'inconclusive',
      passRate: 0.55,
      reasons: [
        {
          code: 'error_rate_above_maximum',
          message: '45.0% of 20 results ended in an error; the plan allows 5.0%',
        },
      ],
    },
  },
  'inconclusive',
);

export const subscriberAt = (address: Address): Subscriber => ({
  name: 'oncall',
  address,
  on: ['failed', 'recovered', 'inconclusive', 'overdue'],
  locale: 'en-GB',
  timezone: 'Europe/Berlin',
});

export const deliveryOf = (alert: Alert): Delivery => ({
  id: alert.id,
  run: alert.run.id,
  plan: alert.run.plan,
  subscriber: alert.subscriber,
  reason: alert.reason,
  channel: 'slack',
  state: 'sending',
  attempts: 1,
  createdAt: '2026-11-30T02:14:40Z',
  nextAt: '2026-11-30T02:16:00Z',
  at: '2026-11-30T02:15:00Z',
  alert,
});

/** An alert whose every text was written by somebody who wants to hurt, or is as long as nothing forbids. */
export function hostileAlert(text: string, count: number): Alert {
  const names = Array.from({ length: count }, (_, index) => `${text} ${index}`);
  return alertAbout(
    {
      ...FAILED_RUN,
      id: text,
      plan: text,
      app: `projects/acme-cx/locations/us/apps/${text}`,
      appVersion: text,
      evaluationRun: text,
      trigger: { kind: 'webhook', by: text, labels: { commit: text } },
      verdict: {
        outcome: 'failed',
        passRate: 0.85,
        reasons: names.map((message) => ({ code: 'must_pass_failed', message })),
        baseline: text,
        diff: {
          newlyFailing: names,
          stillFailing: names,
          fixed: names,
          newlyErroring: names,
          flaky: names,
          added: [],
          removed: [],
        },
      },
    },
    'still_failing',
    {
      failing: names.slice(0, 50).map((evaluation) => ({ evaluation, passed: 1, of: 5, errorType: text })),
      errored: names.slice(0, 50).map((evaluation) => ({ evaluation, passed: 1, of: 5, errorType: text })),
      omitted: 30,
      failingSince: { run: text, runs: 3 },
      links: { dashboard: 'https://evals.acme.example/runs?id=1&tab=<b>|x' },
    },
  );
}
