import { observe } from '../../shared/domain/observation.ts';
import { noLaterThan, untilNextPoll, untilRetry } from '../../shared/domain/poll-policy.ts';
import type { Run, RunEvent } from '../../shared/domain/run.ts';
import { messageOf, PermanentError, TransientError } from '../../shared/errors.ts';
import type { Deps, Write } from '../../shared/ports.ts';
import { changeRun, takeRun } from '../pipeline/change-run.ts';
import { boundsOf, retryAfterOf } from '../pipeline/retry.ts';
import { wake } from '../pipeline/wake.ts';
import { nameOf } from './name.ts';

/** Looks at a run once, stores what was seen, and arranges the next look or the judgement. */
export function createPoll(deps: Deps): (id: string) => Promise<void> {
  return async (id) => {
    const run = await takeRun(deps, id, 'poll');
    if (run === undefined) return;
    const { event, writes } = await look(deps, run);
    const next = await changeRun(deps, id, event, () => writes);
    if (next === undefined) return;
    const ended = await endAtDeadline(deps, next);
    deps.log.debug({ runId: id, state: ended.state, outcome: event.kind, progress: ended.progress }, 'run polled');
    await wake(deps, ended);
  };
}

interface Look {
  readonly event: RunEvent;
  readonly writes: readonly Write[];
}

async function look(deps: Deps, run: Run): Promise<Look> {
  const deadline = new Date(run.deadlineAt);
  const inMs = (ms: number): Date => noLaterThan(new Date(deps.clock.now().getTime() + ms), deadline);
  try {
    const name = await nameOf(deps, run);
    if (name.kind === 'failed') {
      return { event: { kind: 'refused', problem: name.problem, operation: run.operation }, writes: [] };
    }
    if (name.kind === 'unknown') {
      const nextAt = inMs(untilRetry(run.failuresInARow, undefined, boundsOf(deps)));
      return { event: { kind: 'delayed', problem: 'CES has not named the evaluation run yet', nextAt }, writes: [] };
    }
    if (run.evaluationRun === undefined) {
      await changeRun(deps, run.id, { kind: 'named', evaluationRun: name.evaluationRun });
    }
    const evaluationRun = await deps.evaluations.get(name.evaluationRun);
    const observation = observe(evaluationRun);
    const nextAt = inMs(untilNextPoll(ageMs(deps, run), observation.progress, boundsOf(deps)));
    const createdAt = deps.clock.now().toISOString();
    return {
      event: { kind: 'observed', observation, nextAt },
      writes: [{ op: 'put', kind: 'snapshot', id: run.id, doc: { run: run.id, createdAt, evaluationRun } }],
    };
  } catch (error) {
    // A refusal is no end: permissions are repaired, and only the deadline ends a run that CES has accepted.
    if (!(error instanceof TransientError || error instanceof PermanentError)) throw error;
    const nextAt = inMs(untilRetry(run.failuresInARow, retryAfterOf(error), boundsOf(deps)));
    return { event: { kind: 'delayed', problem: messageOf(error), nextAt }, writes: [] };
  }
}

const ageMs = ({ clock }: Pick<Deps, 'clock'>, run: Run): number =>
  clock.now().getTime() - Date.parse(run.startedAt ?? run.createdAt);

/** The deadline is looked at after the observation: a run that ended in time is not timed out by a late poll. */
async function endAtDeadline(deps: Deps, run: Run): Promise<Run> {
  if (deps.clock.now() < new Date(run.deadlineAt)) return run;
  return (await changeRun(deps, run.id, { kind: 'deadline_passed' })) ?? run;
}
