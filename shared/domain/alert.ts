import type { AlertReason } from './plan.ts';
import type { RunDocument } from './run-document.ts';

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
  /** Evaluations that ended in errors only; at most 50. */
  readonly errored: readonly AlertedEvaluation[];
  /** How many of either were left out above. */
  readonly omitted: number;
  /** For `still_failing` and `recovered`: the run that failed first, and how many have failed since. */
  readonly failingSince?: { readonly run: string; readonly runs: number };
  /** Where the run can be looked at: the evaluation run in the CES console's terms, and our own page. */
  readonly links: { readonly dashboard?: string };
}
