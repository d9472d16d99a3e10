import { textOf, type Json } from '../../shared/domain/json.ts';
import { displayNameOf } from '../../shared/domain/keys.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { Deps, StartedOperation } from '../../shared/ports.ts';
import { TransientError } from '../../shared/errors.ts';

/** Runs at CES that are older than ours by more than clocks can differ cannot be it. */
const CLOCK_DIFFERENCE_MS = 60 * 60 * 1000;

/**
 * The evaluation run that CES made of ours, if it made one: found by the operation or by the display name, which holds
 * a random part and so is nobody else's.
 * @throws TransientError when the list could not be read to where the run must stand; then nothing is known
 */
export async function findStarted(
  { evaluations, clock, settings }: Pick<Deps, 'evaluations' | 'clock' | 'settings'>,
  run: Run,
): Promise<Partial<StartedOperation> | undefined> {
  const oldest = Date.parse(run.createdAt) - CLOCK_DIFFERENCE_MS;
  const giveUpAt = clock.now().getTime() + settings.cesTimeoutMs;
  for await (const candidate of evaluations.newest(run.spec.app)) {
    if (isOurs(candidate, run)) return startedOf(candidate);
    if (Date.parse(textOf(candidate['createTime']) ?? '') < oldest) return undefined;
    // The lease has room for one search and one start.
    if (clock.now().getTime() > giveUpAt) {
      throw new TransientError(`listing the evaluation runs of ${run.spec.app} took longer than one call may take`);
    }
  }
  return undefined;
}

const isOurs = (candidate: Json, run: Run): boolean =>
  textOf(candidate['name']) !== undefined &&
  (candidate['displayName'] === displayNameOf(run) ||
    (run.operation !== undefined && candidate['operation'] === run.operation));

function startedOf(candidate: Json): Partial<StartedOperation> {
  const evaluationRun = textOf(candidate['name']);
  const operation = textOf(candidate['operation']);
  return {
    ...(evaluationRun === undefined ? {} : { evaluationRun }),
    ...(operation === undefined ? {} : { operation }),
  };
}
