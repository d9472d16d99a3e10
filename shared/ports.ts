import type { Delivery, Doubt, SendOutcome } from './domain/delivery.ts';
import type { Json } from './domain/json.ts';
import type { PlanState } from './domain/plan-state.ts';
import type { ChannelKind, Config, Dataset, Subscriber } from './domain/plan.ts';
import type { Scores } from './domain/result.ts';
import type { Run } from './domain/run.ts';
import type { Message, Topic } from './messages.ts';

/**
 * What the pipeline asks of the world. Every method may throw TransientError (try again later) or PermanentError (never
 * will); anything else is a defect. Resources of CES come whole, as `Json`: what we do not know is not thrown away.
 */

/** Evaluation runs at CES. Reads are never answered from a cache. */
export interface EvaluationRuns {
  /**
   * Starts an evaluation run. There is no idempotency key: after a TransientError the run may have been started all
   * the same, so the caller looks for its `displayName` with `newest` before it asks again.
   */
  start(request: StartRequest): Promise<StartedOperation>;
  /** Asks an operation for the name of its run. */
  operation(name: string): Promise<StartedOperation>;
  /** The `EvaluationRun`. */
  get(name: string): Promise<Json>;
  /** The app's evaluation runs, newest first, page by page as they are asked for. */
  newest(app: string): AsyncIterable<Json>;
}

export interface StartRequest {
  /** Full resource name. */
  readonly app: string;
  /** CES id; exactly one of `dataset` and `evaluations`. */
  readonly dataset?: string;
  readonly evaluations?: readonly string[];
  /** Id or full resource name. */
  readonly appVersion?: string;
  readonly displayName: string;
}

export interface StartedOperation {
  /** Full resource name. */
  readonly operation: string;
  /** Not there until CES knows it. */
  readonly evaluationRun?: string;
  /** The operation is over and failed: no run will come. */
  readonly failure?: string;
}

export interface EvaluationResults {
  /** The full `EvaluationResult`. */
  get(name: string): Promise<Json>;
  /** What CES lists for a run; entries may lack fields that `get` has, and late ones may be missing. */
  list(evaluationRun: string): Promise<readonly Json[]>;
}

export interface Datasets {
  /** All `EvaluationDataset`s of an app. */
  list(app: string): Promise<readonly Json[]>;
  create(dataset: Dataset): Promise<Json>;
}

/** What is kept, by kind. Ids are unique within a kind; ids of `result` are `run id/number`. */
export interface Documents {
  readonly run: Run;
  /** The last `EvaluationRun` of a run, exactly as CES gave it. */
  readonly snapshot: { readonly run: string; readonly createdAt: string; readonly evaluationRun: Json };
  readonly scores: { readonly run: string; readonly createdAt: string; readonly scores: Scores };
  readonly result: { readonly run: string; readonly createdAt: string; readonly result: Json };
  readonly delivery: Delivery;
  readonly plan: PlanState;
  /** What a webhook's id was used for: the replay guard. Whoever reads it looks at `expiresAt`, a store may forget later. */
  readonly trigger: {
    readonly createdAt: string;
    readonly expiresAt: string;
    /** Of all that the caller asked for: the body, and for GitHub the query too. */
    readonly bodySha256: string;
    readonly run: string;
  };
  /** A message that could not be used, with the reason. */
  readonly deadletter: {
    readonly createdAt: string;
    readonly reason: string;
    readonly topic: string;
    readonly body: string;
  };
}

export type Kind = keyof Documents;

export interface Stored<K extends Kind> {
  readonly doc: Documents[K];
  /** Changes with every write. */
  readonly version: number;
}

/**
 * One write of a commit. `create` asks that there is no such document yet, `replace` that it still has the version
 * that was read, `put` asks nothing.
 */
export type Write = { [K in Kind]: WriteOf<K> }[Kind];

export type WriteOf<K extends Kind> = { readonly kind: K; readonly id: string; readonly doc: Documents[K] } & (
  { readonly op: 'create' } | { readonly op: 'replace'; readonly version: number } | { readonly op: 'put' }
);

export interface Query {
  readonly run?: string;
  readonly plan?: string;
  /** Runs without a verdict, deliveries that are not settled: what has a `nextAt`. */
  readonly open?: true;
  readonly limit: number;
}

/** Where all truth lives. A write that was acknowledged survives the death of the process. */
export interface Store {
  get<K extends Kind>(kind: K, id: string): Promise<Stored<K> | undefined>;
  /** All of the writes, or none and `false` when one of their conditions does not hold. */
  commit(writes: readonly Write[]): Promise<boolean>;
  /** Runs and deliveries whose `nextAt` is not after `now`, longest overdue first. */
  due(now: Date, limit: number): Promise<readonly Due[]>;
  /** Documents that match, newest first (`createdAt`, then id), without a cursor: history is read in one page. */
  find<K extends Kind>(kind: K, query: Query): Promise<readonly Stored<K>[]>;
}

export type Due = { readonly kind: 'run'; readonly doc: Run } | { readonly kind: 'delivery'; readonly doc: Delivery };

/**
 * Carries "look at run X". At least once, in any order; a message that is lost is healed by the tick, so a bus may
 * forget, but it must not report success for what it did not take.
 */
export interface Bus {
  /** @param at not before this instant; absent = now */
  publish(topic: Topic, message: Message, at?: Date): Promise<void>;
  /** Puts a message that cannot be used where a person finds it. */
  setAside(topic: string, body: string, reason: string): Promise<void>;
}

/** A way to reach subscribers. It renders the delivery's alert itself, and never throws for what a provider says. */
export interface Channel {
  send(delivery: Delivery, to: Subscriber): Promise<SendOutcome>;
  /** Asked after an attempt whose outcome is not known. */
  inDoubt(delivery: Delivery, to: Subscriber): Promise<Doubt>;
}

export type Channels = Readonly<Record<ChannelKind, Channel>>;

export interface Clock {
  now(): Date;
}

/** Fields first, the message a constant. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything a function may ask for. The composition roots make it; nothing else names an adapter. */
export interface Deps {
  readonly config: Config;
  readonly settings: Settings;
  readonly evaluations: EvaluationRuns;
  readonly results: EvaluationResults;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly bus: Bus;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly log: Log;
  /** Eight characters of [a-z0-9], never the same twice. */
  readonly nonce: () => string;
}

export interface Settings {
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** Longest time that one call to CES may take; leases are longer. */
  readonly cesTimeoutMs: number;
  /** How long after its time a step counts as forgotten. Longer than a message takes. */
  readonly rescueAfterMs: number;
  /** Longest time that one call to a provider of alerts may take. */
  readonly sendTimeoutMs: number;
  /** Where the dashboard can be reached, for links in alerts. */
  readonly publicUrl?: string;
  /** What the API and the dashboard ask for; absent on a loopback address only. */
  readonly apiToken?: string;
  /** Standard Webhooks secrets, `whsec_…`; several during a rotation, none = no such request is accepted. */
  readonly webhookSecrets: readonly string[];
  readonly githubWebhookSecret?: string;
}
