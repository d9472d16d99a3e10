import { decideStarted } from '../../shared/domain/alert-policy.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { displayNameOf } from '../../shared/domain/keys.ts';
import { noLaterThan, untilNextPoll, untilRetry } from '../../shared/domain/poll-policy.ts';
import type { Run, RunEvent } from '../../shared/domain/run.ts';
import { messageOf, PermanentError, TransientError } from '../../shared/errors.ts';
import type { Deps, StartedOperation } from '../../shared/ports.ts';
import { creationOf, deliveryOf, subscribersOf, wakeDeliveries } from '../pipeline/alerts.ts';
import { changeRun, takeRun } from '../pipeline/change-run.ts';
import { findStarted } from '../pipeline/find-started.ts';
import { boundsOf, retryAfterOf } from '../pipeline/retry.ts';
import { wake } from '../pipeline/wake.ts';

/**
 * Starts a requested run at CES. The mark "starting" is stored before the call, so whoever finds it later knows that
 * an evaluation run may exist already, and looks for it before asking for another.
 */
export function createStart(deps: Deps): (id: string) => Promise<void> {
  return async (id) => {
    const run = await takeRun(deps, id, 'start');
    if (run === undefined) return;
    const event = await tryToStart(deps, run);
    let alerts: readonly Delivery[] = [];
    const next = await changeRun(deps, id, event, (changed) => {
      alerts = event.kind === 'accepted' ? startedAlerts(deps, changed) : [];
      return alerts.map(creationOf);
    });
    if (next === undefined) return;
    deps.log.info({ runId: id, state: next.state, outcome: event.kind, attempt: run.startAttempts }, 'start attempted');
    await wake(deps, next);
    await wakeDeliveries(deps, alerts);
  };
}

const startedAlerts = (deps: Deps, run: Run): readonly Delivery[] =>
  decideStarted(subscribersOf(run, deps)).map((decision) => deliveryOf(deps, decision, { run }));

async function tryToStart(deps: Deps, run: Run): Promise<RunEvent> {
  const deadline = new Date(run.deadlineAt);
  if (deps.clock.now() >= deadline) return { kind: 'deadline_passed' };
  try {
    const earlier = run.startAttempts > 1 ? await findStarted(deps, run) : undefined;
    if (earlier !== undefined) return accepted(deps, earlier, { adopted: true, deadline });
    assertTimeLeft(deps, run);
    const started = await deps.evaluations.start(requestOf(run));
    if (started.failure !== undefined) return { kind: 'refused', problem: started.failure };
    return accepted(deps, started, { adopted: false, deadline });
  } catch (error) {
    if (error instanceof PermanentError) return { kind: 'refused', problem: error.message };
    if (!(error instanceof TransientError)) throw error;
    const waitMs = untilRetry(run.failuresInARow, retryAfterOf(error), boundsOf(deps));
    const nextAt = noLaterThan(new Date(deps.clock.now().getTime() + waitMs), deadline);
    return { kind: 'delayed', problem: messageOf(error), nextAt };
  }
}

/** A start that outlives its lease could meet that of the next starter: then there would be two evaluation runs. */
function assertTimeLeft({ clock, settings }: Deps, run: Run): void {
  const leftMs = Date.parse(run.nextAt ?? '') - clock.now().getTime();
  if (leftMs >= settings.cesTimeoutMs) return;
  throw new TransientError(`looking for an earlier start of ${run.id} took too long to start it as well`);
}

function accepted(
  deps: Deps,
  { operation, evaluationRun }: Partial<StartedOperation>,
  { adopted, deadline }: { readonly adopted: boolean; readonly deadline: Date },
): RunEvent {
  const firstPoll = new Date(deps.clock.now().getTime() + untilNextPoll(0, undefined, boundsOf(deps)));
  return {
    kind: 'accepted',
    adopted,
    nextAt: noLaterThan(firstPoll, deadline),
    ...(operation === undefined ? {} : { operation }),
    ...(evaluationRun === undefined ? {} : { evaluationRun }),
  };
}

const requestOf = (run: Run) => {
  const { app, dataset, evaluations, appVersion } = run.spec;
  return {
    app,
    displayName: displayNameOf(run),
    ...(dataset === undefined ? {} : { dataset }),
    ...(evaluations === undefined ? {} : { evaluations }),
    ...(appVersion === undefined ? {} : { appVersion }),
  };
};
