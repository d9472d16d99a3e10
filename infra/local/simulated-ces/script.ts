export type RunEnd = 'COMPLETED' | 'ERROR' | 'CANCELLED';

/** What is to happen, as data. A run takes the first entry that matches it; without one, chance decides. */
export interface Script {
  readonly runs: readonly ScriptedRun[];
}

export interface ScriptedRun {
  /** The n-th start since the server came up, counted from 1. Absent = any. */
  readonly nth?: number;
  /** Absent = any. With `nth`, both have to match. */
  readonly displayNamePrefix?: string;
  /** Time until the operation tells the name of its run. Default 0. */
  readonly unnamedMs?: number;
  /** Absent = left to chance: 5 to 45 seconds. */
  readonly queuedMs?: number;
  /** Absent = left to chance: 90 to 300 seconds. */
  readonly runningMs?: number;
  /** What CES calls the state between queue and end, for states that clients have never heard of. Default RUNNING. */
  readonly runningState?: string;
  /** Default COMPLETED. The other ends come when about half of the results are there. */
  readonly end?: RunEnd;
  /** Why a run ends in ERROR: an `EvaluationErrorInfo.errorType`. Default RUNTIME_FAILURE. */
  readonly errorType?: string;
  /** By evaluation id. Evaluations that are not named here pass. Absent = left to chance. */
  readonly outcomes?: Readonly<Record<string, ScriptedOutcome>>;
  /** The run has a latency report, its values this many times the usual ones. Absent = no report. */
  readonly latencyFactor?: number;
}

/** How many repetitions end in which way; the others pass. */
export interface ScriptedOutcome {
  readonly failed?: number;
  readonly errored?: number;
  readonly skipped?: number;
  /** `EvaluationErrorInfo.errorType` of the errored ones. */
  readonly errorType?: string;
  /** Number of repetitions, if not the usual 1 of a golden and 5 of a scenario. Never fewer than the ones above. */
  readonly of?: number;
}

export const entryFor = (script: Script | undefined, nth: number, displayName: string): ScriptedRun =>
  script?.runs.find(
    (entry) =>
      (entry.nth === undefined || entry.nth === nth) &&
      (entry.displayNamePrefix === undefined || displayName.startsWith(entry.displayNamePrefix)),
  ) ?? {};
