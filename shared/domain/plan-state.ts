import type { VerdictOutcome } from './verdict.ts';

/** What is remembered of a plan from one run to the next. */
export interface PlanState {
  readonly plan: string;
  readonly createdAt: string;
  /** The slot that was handled last; for a new schedule the moment when it was first seen. */
  readonly lastSlot?: string;
  /** The cron expression and zone that `lastSlot` belongs to: an edited schedule starts afresh. */
  readonly schedule?: string;
  /** The latest slot that did not become a run, and why. */
  readonly lastSkip?: { readonly slot: string; readonly reason: string };
  readonly lastVerdict?: { readonly run: string; readonly outcome: VerdictOutcome; readonly at: string };
  /** The run that later ones are compared with. */
  readonly lastPassed?: string;
  /** There while the plan fails: from its first failed verdict to the next passed one. */
  readonly failing?: Failing;
}

export interface Failing {
  /** Id of the run that failed first. */
  readonly since: string;
  /** Failed verdicts so far. */
  readonly runs: number;
  /** Subscriber to the delivery that told it so. */
  readonly told: Readonly<Record<string, string>>;
}
