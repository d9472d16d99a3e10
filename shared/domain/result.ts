import { isRecord, lastSegment, textOf, type Json } from './json.ts';
import { errorOf, type RunError } from './observation.ts';

export type Outcome = 'passed' | 'failed' | 'errored' | 'cancelled' | 'skipped';

/** One evaluation result: one repetition of one evaluation, for one persona. */
export interface Result {
  /** Full resource name. */
  readonly name: string;
  /** CES id of the evaluation. */
  readonly evaluation: string;
  /** `unfinished` means that CES has no final word yet: nothing may be concluded from it. */
  readonly outcome: Outcome | 'unfinished';
  readonly persona?: string;
  readonly error?: RunError;
}

/** Reads an `EvaluationResult` as CES gave it, or undefined when it does not even have a usable name. */
export function readResult(result: Json): Result | undefined {
  const name = textOf(result['name']);
  const evaluation = name === undefined ? undefined : /\/evaluations\/([^/]+)\/results\/[^/]+$/.exec(name)?.[1];
  if (name === undefined || evaluation === undefined) return undefined;
  const persona = isRecord(result['persona']) ? textOf(result['persona']['name']) : undefined;
  const error = errorOf(result);
  return {
    name,
    evaluation,
    outcome: outcomeOf(textOf(result['executionState']), textOf(result['evaluationStatus'])),
    ...(persona === undefined ? {} : { persona: lastSegment(persona) }),
    ...(error === undefined ? {} : { error }),
  };
}

function outcomeOf(execution: string | undefined, status: string | undefined): Result['outcome'] {
  switch (execution) {
    case 'ERROR':
      return 'errored';
    case 'CANCELLED':
      return 'cancelled';
    case 'COMPLETED':
      break;
    default:
      return 'unfinished';
  }
  switch (status) {
    case 'PASS':
      return 'passed';
    case 'FAIL':
      return 'failed';
    case 'SKIPPED':
      return 'skipped';
    default:
      // Completed with an outcome that we cannot read is no pass and no fault of the agent.
      return 'errored';
  }
}

/** How often an evaluation came to each outcome in one run. */
export type Score = Readonly<Record<Outcome, number>>;

/** Scores by evaluation id, in an order of their own, so that equal results give equal documents. */
export type Scores = Readonly<Record<string, Score>>;

const NOTHING: Score = { passed: 0, failed: 0, errored: 0, cancelled: 0, skipped: 0 };

/** Of two words on one result the later in this list counts: never a pass over a failure, whichever came first. */
const PRECEDENCE: readonly Result['outcome'][] = ['unfinished', 'passed', 'skipped', 'cancelled', 'errored', 'failed'];

/** Adds up results; each result name counts once, and unfinished ones do not count. */
export function scoresOf(results: readonly Result[]): Scores {
  const byName = new Map<string, Result>();
  for (const result of results) {
    const other = byName.get(result.name);
    if (other === undefined || PRECEDENCE.indexOf(result.outcome) > PRECEDENCE.indexOf(other.outcome)) {
      byName.set(result.name, result);
    }
  }
  const scores = new Map<string, Score>();
  for (const { evaluation, outcome } of byName.values()) {
    if (outcome === 'unfinished') continue;
    const score = scores.get(evaluation) ?? NOTHING;
    scores.set(evaluation, { ...score, [outcome]: score[outcome] + 1 });
  }
  return Object.fromEntries([...scores].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Evaluations are named by people: `constructor` is a name like any other. */
export const scoreOf = (scores: Scores, evaluation: string): Score | undefined =>
  Object.hasOwn(scores, evaluation) ? scores[evaluation] : undefined;

export const sumOf = (scores: Scores): Score =>
  Object.values(scores).reduce(
    (sum, score) => ({
      passed: sum.passed + score.passed,
      failed: sum.failed + score.failed,
      errored: sum.errored + score.errored,
      cancelled: sum.cancelled + score.cancelled,
      skipped: sum.skipped + score.skipped,
    }),
    NOTHING,
  );
