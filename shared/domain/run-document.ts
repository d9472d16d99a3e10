import type { Delivery } from './delivery.ts';
import type { Progress } from './observation.ts';
import type { Run, RunState, TimelineEntry, Trigger } from './run.ts';
import type { Verdict } from './verdict.ts';

/** The run as the CLI (`--json`), the API and the alerts show it: docs/contract, section 6. Absent facts are null. */
export interface RunDocument {
  readonly id: string;
  readonly plan: string;
  readonly app: string;
  readonly trigger: Trigger;
  readonly state: RunState;
  readonly createdAt: string;
  readonly deadlineAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly judgedAt: string | null;
  readonly operation: string | null;
  readonly evaluationRun: string | null;
  readonly appVersion: string | null;
  readonly progress: Progress | null;
  readonly polls: number;
  readonly problem: string | null;
  readonly verdict: Verdict | null;
  readonly alerts: readonly AlertLine[];
  readonly timeline: readonly TimelineEntry[];
}

export interface AlertLine {
  readonly subscriber: string;
  readonly reason: string;
  readonly state: string;
  readonly attempts: number;
  readonly at: string | null;
  readonly error: string | null;
}

export function runDocument(run: Run, deliveries: readonly Delivery[] = []): RunDocument {
  return {
    id: run.id,
    plan: run.plan,
    app: run.spec.app,
    trigger: run.trigger,
    state: run.state,
    createdAt: run.createdAt,
    deadlineAt: run.deadlineAt,
    startedAt: run.startedAt ?? null,
    finishedAt: run.finishedAt ?? null,
    judgedAt: run.judgedAt ?? null,
    operation: run.operation ?? null,
    evaluationRun: run.evaluationRun ?? null,
    appVersion: run.appVersion ?? run.spec.appVersion ?? null,
    progress: run.progress ?? null,
    polls: run.polls,
    problem: run.problem ?? null,
    verdict: run.verdict ?? null,
    alerts: deliveries.map((delivery) => ({
      subscriber: delivery.subscriber,
      reason: delivery.reason,
      state: delivery.state,
      attempts: delivery.attempts,
      at: delivery.at ?? null,
      error: delivery.error ?? null,
    })),
    timeline: run.timeline,
  };
}
