import type { Run } from '../../shared/domain/run.ts';
import type { Deps } from '../../shared/ports.ts';
import { findStarted } from '../pipeline/find-started.ts';

export type Name =
  | { readonly kind: 'known'; readonly evaluationRun: string }
  /** CES ended the operation without a run. */
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'unknown' };

/** The name of the evaluation run: stored, or asked of its operation, or found in the list of runs. */
export async function nameOf(deps: Deps, run: Run): Promise<Name> {
  if (run.evaluationRun !== undefined) return { kind: 'known', evaluationRun: run.evaluationRun };
  const operation = run.operation === undefined ? undefined : await deps.evaluations.operation(run.operation);
  const found = operation?.evaluationRun ?? (await findStarted(deps, run))?.evaluationRun;
  if (found !== undefined) return { kind: 'known', evaluationRun: found };
  return operation?.failure === undefined ? { kind: 'unknown' } : { kind: 'failed', problem: operation.failure };
}
