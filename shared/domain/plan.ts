/** What evals.yaml declares, after it was checked. Durations are milliseconds, rates are fractions of 1. */

/** The four kinds of components that a CES latency report measures. */
export type LatencyKind = 'llm' | 'tool' | 'callback' | 'guardrail';

/** The conditions under which a run passes. Defaults are those of docs/contract: everything must pass, nothing may error. */
export interface Gate {
  /** Smallest share of results that must pass, 0 to 1. */
  readonly minPassRate: number;
  /** Largest number of evaluations that may fail now and did not fail in the baseline; absent = not checked. */
  readonly maxNewlyFailing?: number;
  /** Largest share of results that may end in an error; above it the verdict is inconclusive. */
  readonly maxErrorRate: number;
  /** Evaluation ids that must pass in every repetition. */
  readonly mustPass: readonly string[];
  /** Upper bounds of the 90th percentile latency of any component of that kind. */
  readonly maxP90Ms: Readonly<Partial<Record<LatencyKind, number>>>;
}

/**
 * What a run was asked to do. It is copied into the run when the run is requested, so that an edit of evals.yaml
 * in mid-run changes neither what is running nor how it is judged.
 */
export interface RunSpec {
  /** Full resource name: projects/P/locations/L/apps/A. */
  readonly app: string;
  /** CES id of the dataset. Exactly one of `dataset` and `evaluations` is there. */
  readonly dataset?: string;
  /** CES ids of the evaluations. */
  readonly evaluations?: readonly string[];
  /** Id or full resource name; absent = the draft. */
  readonly appVersion?: string;
  /** Time from the request to the moment when we stop waiting. */
  readonly deadlineMs: number;
  readonly gate: Gate;
  /** Names of the subscribers. */
  readonly alerts: readonly string[];
}

export type Overlap = 'skip' | 'queue';

export interface Schedule {
  /** Five fields. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
  /** What happens to a slot while another run of the plan is still going on. */
  readonly overlap: Overlap;
}

export interface Plan {
  readonly name: string;
  readonly spec: RunSpec;
  /** Absent = the plan runs on demand only. */
  readonly schedule?: Schedule;
}

export interface Dataset {
  readonly name: string;
  /** Full resource name of the app. */
  readonly app: string;
  /** The id that CES knows the dataset by. */
  readonly id: string;
  readonly displayName: string;
  /** CES ids of the evaluations. */
  readonly evaluations: readonly string[];
}

export const ALERT_REASONS = [
  'started',
  'passed',
  'failed',
  'still_failing',
  'recovered',
  'inconclusive',
  'overdue',
] as const;
export type AlertReason = (typeof ALERT_REASONS)[number];

export type Address =
  | { readonly kind: 'slack'; readonly channel: string }
  | { readonly kind: 'email'; readonly to: string }
  | { readonly kind: 'webhook'; readonly url: string; readonly secretEnv: string };

export type ChannelKind = Address['kind'];

export interface Subscriber {
  readonly name: string;
  readonly address: Address;
  readonly on: readonly AlertReason[];
  /** BCP 47; governs how numbers and times are written. */
  readonly locale: string;
  /** IANA name; the file's default time zone. */
  readonly timezone: string;
}

export interface Config {
  readonly timezone: string;
  readonly apps: Readonly<Record<string, string>>;
  readonly datasets: Readonly<Record<string, Dataset>>;
  readonly plans: Readonly<Record<string, Plan>>;
  readonly subscribers: Readonly<Record<string, Subscriber>>;
}
