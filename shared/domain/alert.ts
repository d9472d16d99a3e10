import type { AlertReason } from './plan.ts';
import type { Failing } from './plan-state.ts';
import type { Result, Scores } from './result.ts';
import { runDocument, type RunDocument } from './run-document.ts';
import type { Run } from './run.ts';

/** How one evaluation did in a run that is alerted about. */
export interface AlertedEvaluation {
  readonly evaluation: string;
  /** Repetitions that passed. */
  readonly passed: number;
  /** Repetitions that passed, failed, errored or were cancelled. */
  readonly of: number;
  /** For example QUOTA_EXHAUSTED; there when repetitions ended in an error. */
  readonly errorType?: string;
}

/**
 * The alert document: everything that a subscriber is told, made once with the verdict. Slack messages and e-mails are
 * drawn from it, webhook subscribers get it as it is. It holds no text of a conversation.
 */
export interface Alert {
  readonly v: 1;
  /** The delivery's key; also `webhook-id` and the base of `Message-ID`. */
  readonly id: string;
  readonly reason: AlertReason;
  readonly subscriber: string;
  readonly createdAt: string;
  readonly run: RunDocument;
  /** Failing evaluations by id; at most 50, worst first. */
  readonly failing: readonly AlertedEvaluation[];
  /** Evaluations that did not fail, but with repetitions that errored or were cancelled; at most 50. */
  readonly errored: readonly AlertedEvaluation[];
  /** How many of either were left out above. */
  readonly omitted: number;
  /** For `still_failing` and `recovered`: the run that failed first, and how many have failed since. */
  readonly failingSince?: { readonly run: string; readonly runs: number };
  /** Where the run can be looked at: the evaluation run in the CES console's terms, and our own page. */
  readonly links: { readonly dashboard?: string };
}

/** What an alert is made from. */
export interface AlertFacts {
  readonly run: Run;
  /** Absent before the verdict. */
  readonly scores?: Scores;
  readonly results?: readonly Result[];
  readonly failing?: Failing;
}

const LISTED_EVALUATIONS = 50;

export function alertOf(
  { run, scores = {}, results = [], failing }: AlertFacts,
  head: Pick<Alert, 'id' | 'reason' | 'subscriber' | 'createdAt'> & { readonly dashboard?: string },
): Alert {
  const { dashboard, ...fields } = head;
  const errorTypes = new Map(
    results.flatMap(({ evaluation, error }) => (error === undefined ? [] : [[evaluation, error.type] as const])),
  );
  const evaluations = Object.entries(scores).map(
    ([evaluation, score]): AlertedEvaluation & { readonly failed: number } => {
      const broken = score.errored + score.cancelled;
      const errorType = broken > 0 ? errorTypes.get(evaluation) : undefined;
      return {
        evaluation,
        passed: score.passed,
        of: score.passed + score.failed + broken,
        failed: score.failed,
        ...(errorType === undefined ? {} : { errorType }),
      };
    },
  );
  const listed = (all: typeof evaluations): readonly AlertedEvaluation[] =>
    all
      .toSorted((a, b) => a.passed / a.of - b.passed / b.of)
      .slice(0, LISTED_EVALUATIONS)
      .map(({ failed: _failed, ...evaluation }) => evaluation);
  const failed = evaluations.filter((evaluation) => evaluation.failed > 0);
  const errored = evaluations.filter((evaluation) => evaluation.failed === 0 && evaluation.passed < evaluation.of);
  return {
    v: 1,
    ...fields,
    run: runDocument(run),
    failing: listed(failed),
    errored: listed(errored),
    omitted: Math.max(0, failed.length - LISTED_EVALUATIONS) + Math.max(0, errored.length - LISTED_EVALUATIONS),
    links: dashboard === undefined ? {} : { dashboard },
    ...(failing === undefined ? {} : { failingSince: { run: failing.since, runs: failing.runs } }),
  };
}
