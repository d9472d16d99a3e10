import type { CatalogueEntry, Persona } from './catalogue.ts';
import type { RunEnd } from './script.ts';

/** All that will ever happen to an evaluation run, decided when it starts. What it looks like depends on the instant. */
export interface Life {
  readonly app: string;
  /** Full resource names, as in all fields below. */
  readonly name: string;
  readonly operation: string;
  readonly displayName: string;
  readonly createdAt: Date;
  readonly evaluations: readonly string[];
  readonly dataset?: string;
  /** Absent = the draft was evaluated, as of `changelog`. */
  readonly appVersion?: string;
  readonly changelog?: { readonly name: string; readonly createdAt: Date };
  readonly unnamedMs: number;
  readonly queuedMs: number;
  readonly runningMs: number;
  readonly runningState: string;
  readonly end: RunEnd;
  /** Why it ends in ERROR. */
  readonly errorType: string;
  readonly results: readonly PlannedResult[];
  /** Absent = the run has no latency report. */
  readonly latencyFactor?: number;
}

/** One repetition of one evaluation. Times count from the creation of the run. */
export interface PlannedResult {
  readonly name: string;
  readonly evaluation: CatalogueEntry;
  /** Counted from 1. */
  readonly repetition: number;
  readonly persona?: Persona;
  readonly outcome: 'passed' | 'failed' | 'errored' | 'skipped';
  readonly errorType: string;
  readonly startsAfterMs: number;
  /** Later than the end of the run for what a run that ends early leaves unfinished. */
  readonly endsAfterMs: number;
}

export type ResultState = 'RUNNING' | 'COMPLETED' | 'ERROR' | 'CANCELLED';

export interface VisibleResult {
  readonly plan: PlannedResult;
  readonly state: ResultState;
}

export const isOver = (life: Life, at: Date): boolean => ageMs(life, at) >= overAfterMs(life);

export const isNamed = (life: Life, at: Date): boolean => ageMs(life, at) >= life.unnamedMs;

export const endedAt = (life: Life): Date => new Date(life.createdAt.getTime() + overAfterMs(life));

/** An `EvaluationRun.state`. */
export function stateAt(life: Life, at: Date): string {
  if (isOver(life, at)) return life.end;
  return ageMs(life, at) < life.queuedMs ? 'QUEUED' : life.runningState;
}

/** The results that exist at an instant, in the order in which they began. */
export const resultsAt = (life: Life, at: Date): readonly VisibleResult[] =>
  life.results.flatMap((plan) => {
    const state = resultStateAt(life, plan, ageMs(life, at));
    return state === undefined ? [] : [{ plan, state }];
  });

/**
 * A result comes into being when its conversation begins. When a run breaks off, what was under way becomes an error
 * and the rest never comes to exist; when it is cancelled, everything that is left is cancelled.
 */
function resultStateAt(life: Life, plan: PlannedResult, age: number): ResultState | undefined {
  const over = overAfterMs(life);
  if (plan.endsAfterMs <= Math.min(age, over)) return plan.outcome === 'errored' ? 'ERROR' : 'COMPLETED';
  const begun = plan.startsAfterMs <= Math.min(age, over);
  if (age < over) return begun ? 'RUNNING' : undefined;
  if (life.end === 'CANCELLED') return 'CANCELLED';
  return begun ? 'ERROR' : undefined;
}

const ageMs = (life: Life, at: Date): number => at.getTime() - life.createdAt.getTime();

const overAfterMs = (life: Life): number => life.queuedMs + life.runningMs;
