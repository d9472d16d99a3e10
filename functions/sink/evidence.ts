import { latenciesOf } from '../../shared/domain/latency.ts';
import { noLaterThan, untilRetry } from '../../shared/domain/poll-policy.ts';
import { scoresOf, type Result, type Scores } from '../../shared/domain/result.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { Evidence } from '../../shared/domain/verdict.ts';
import { messageOf, PermanentError, TransientError } from '../../shared/errors.ts';
import type { Deps } from '../../shared/ports.ts';
import { boundsOf, retryAfterOf } from '../pipeline/retry.ts';
import { collect, type Collected } from './collect.ts';

/** How long results are waited for after the end of a run. Then it is judged without them, as inconclusive. */
const PATIENCE_MS = 15 * 60 * 1000;

export type Findings =
  | {
      readonly kind: 'ready';
      readonly evidence: Evidence;
      readonly scores: Scores;
      readonly results: readonly Result[];
    }
  | { readonly kind: 'not_yet'; readonly problem: string; readonly nextAt: Date };

/** What there is to judge an ended run by. */
export async function findEvidence(deps: Deps, run: Run): Promise<Findings> {
  switch (run.state) {
    case 'start_failed':
      return without('start_failed', `the run could not be started: ${run.problem ?? 'no reason was given'}`);
    case 'timed_out':
      return without('run_timed_out', run.problem ?? 'the run did not finish within its deadline');
    case 'abandoned':
      return without('run_abandoned', run.problem ?? 'the run was abandoned');
    default:
      return resultsOf(deps, run);
  }
}

async function resultsOf(deps: Deps, run: Run): Promise<Findings> {
  try {
    const collected = await collect(deps, run);
    if (collected === undefined)
      return without('results_unavailable', 'the run has no snapshot to find its results by');
    if (collected.missing === undefined) return judgeable(collected, run);
    return notYet(deps, run, collected.missing, undefined, collected);
  } catch (error) {
    // Permissions come back and results appear late: only time makes a refusal final.
    if (!(error instanceof TransientError || error instanceof PermanentError)) throw error;
    return notYet(deps, run, messageOf(error), retryAfterOf(error), undefined);
  }
}

function notYet(
  deps: Deps,
  run: Run,
  problem: string,
  retryAfterMs: number | undefined,
  collected: Collected | undefined,
): Findings {
  const now = deps.clock.now();
  const patienceEnds = new Date(Date.parse(run.finishedAt ?? run.createdAt) + PATIENCE_MS);
  if (now >= patienceEnds) {
    const message = `the results could not be had within ${PATIENCE_MS / 60_000} min of the end: ${problem}`;
    return without('results_unavailable', message, collected?.results);
  }
  const waitMs = untilRetry(run.failuresInARow, retryAfterMs, boundsOf(deps));
  return { kind: 'not_yet', problem, nextAt: noLaterThan(new Date(now.getTime() + waitMs), patienceEnds) };
}

const without = (
  code: (Evidence & { kind: 'none' })['code'],
  message: string,
  results: readonly Result[] = [],
): Findings => ({ kind: 'ready', evidence: { kind: 'none', code, message }, scores: scoresOf(results), results });

function judgeable({ observation, evaluationRun, results }: Collected, { spec }: Run): Findings {
  const scores = scoresOf(results);
  const { end = 'completed', error, progress } = observation;
  return {
    kind: 'ready',
    scores,
    results,
    evidence: {
      kind: 'results',
      end,
      progress,
      scores,
      latencies: latenciesOf(evaluationRun),
      asked: spec.evaluations ?? [],
      ...(error === undefined ? {} : { error }),
    },
  };
}
