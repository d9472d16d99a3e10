import { scoreOf, type Score, type Scores } from './result.ts';

/** Evaluation ids, sorted. `flaky` is not a bucket of its own: a flaky evaluation stands in another one too. */
export interface Diff {
  /** Failed at least once now and never in the baseline. */
  readonly newlyFailing: readonly string[];
  /** Failed at least once in both. */
  readonly stillFailing: readonly string[];
  /** Failed in the baseline; now it passes and does not fail. */
  readonly fixed: readonly string[];
  /** Did not fail, but could not be measured in every repetition now; in the baseline it could, or was not there. */
  readonly newlyErroring: readonly string[];
  /** Passed and failed within this one run. */
  readonly flaky: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const fails = (score: Score | undefined): boolean => (score?.failed ?? 0) > 0;
const unmeasured = (score: Score | undefined): boolean => (score?.errored ?? 0) + (score?.cancelled ?? 0) > 0;

/** Sorted here, since an object lists ids that look like numbers first, whatever order they were put in. */
const idsOf = (scores: Scores): string[] => Object.keys(scores).toSorted();

/** Compares the scores of a run with those of its baseline. Without a baseline every failure is a new one. */
export function diffScores(now: Scores, baseline: Scores): Diff {
  const names = (keep: (score: Score, before: Score | undefined) => boolean): string[] =>
    idsOf(now).filter((name) => {
      const score = scoreOf(now, name);
      return score !== undefined && keep(score, scoreOf(baseline, name));
    });
  return {
    newlyFailing: names((score, before) => fails(score) && !fails(before)),
    stillFailing: names((score, before) => fails(score) && fails(before)),
    fixed: names((score, before) => fails(before) && !fails(score) && score.passed > 0),
    newlyErroring: names((score, before) => !fails(score) && unmeasured(score) && !unmeasured(before)),
    flaky: names((score) => score.passed > 0 && score.failed > 0),
    added: names((_score, before) => before === undefined),
    removed: idsOf(baseline).filter((name) => scoreOf(now, name) === undefined),
  };
}
