import { alertOf } from './alert.ts';
import type { Delivery } from './delivery.ts';
import type { Subscriber } from './plan.ts';
import { advance, requestRun } from './run.ts';

/** An alert as it would look for a run that failed, marked as a test wherever a person reads it. */
export function testDelivery(subscriber: Subscriber, now: Date): Delivery {
  const id = `test-${now.getTime()}.${subscriber.name}.failed`;
  const requested = requestRun(
    {
      id: `test-${now.getTime()}`,
      plan: 'test-alert',
      trigger: { kind: 'manual', by: 'ces-evals subscribers test' },
      spec: {
        app: 'projects/example/locations/us/apps/test-alert',
        evaluations: ['this-is-a-test'],
        deadlineMs: 60_000,
        gate: { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} },
        alerts: [subscriber.name],
      },
      nonce: 'test',
    },
    now,
  );
  const ended = advance(requested, { kind: 'abandoned', by: 'ces-evals subscribers test' }, now);
  const message = 'This is a test alert. Nothing was evaluated; alerts to this subscriber arrive.';
  const run = advance(
    ended,
    {
      kind: 'judged',
      verdict: { outcome: 'failed', passRate: 0.5, reasons: [{ code: 'pass_rate_below_minimum', message }] },
    },
    now,
  );
  const createdAt = now.toISOString();
  const scores = { 'this-is-a-test': { passed: 1, failed: 1, errored: 0, cancelled: 0, skipped: 0 } };
  return {
    id,
    run: run.id,
    plan: run.plan,
    subscriber: subscriber.name,
    reason: 'failed',
    channel: subscriber.address.kind,
    state: 'sending',
    attempts: 1,
    createdAt,
    at: createdAt,
    alert: alertOf({ run, scores }, { id, reason: 'failed', subscriber: subscriber.name, createdAt }),
  };
}
