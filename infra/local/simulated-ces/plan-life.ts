import { PERSONAS, REPETITIONS, type CatalogueEntry } from './catalogue.ts';
import type { Life, PlannedResult } from './life.ts';
import { within } from './names.ts';
import type { Chance } from './random.ts';
import type { ScriptedOutcome, ScriptedRun } from './script.ts';

export interface StartedRun {
  readonly app: string;
  /** Counted from 1. */
  readonly nth: number;
  readonly displayName: string;
  readonly createdAt: Date;
  readonly evaluations: readonly CatalogueEntry[];
  /** Full resource names. */
  readonly dataset?: string;
  readonly appVersion?: string;
}

type Plan = Pick<PlannedResult, 'outcome' | 'errorType'>;

/** Share of repetitions that break for reasons of the service. */
const ERROR_RATE = 0.004;
/** Share of repetitions that take much longer than the others. */
const STRAGGLERS = 0.15;
/** A run that ends early is over at this share of the time that it would have needed. */
const EARLY_END = 0.5;
const DAY_MS = 86_400_000;
/** The draft was last changed at 18:00 UTC. */
const LAST_CHANGE_MS = 18 * 3_600_000;

/** @param timeScale how many times faster than the real service everything happens */
export function planLife(run: StartedRun, entry: ScriptedRun, chance: Chance, timeScale: number): Life {
  const { app, nth, displayName, createdAt } = run;
  const id = chance.id('run', nth);
  const queuedMs = (entry.queuedMs ?? chance.between(5_000, 45_000, 'queued', nth)) / timeScale;
  const runningMs = (entry.runningMs ?? chance.between(90_000, 300_000, 'running', nth)) / timeScale;
  const end = entry.end ?? 'COMPLETED';
  const neededMs = end === 'COMPLETED' ? runningMs : runningMs / EARLY_END;
  return {
    app,
    name: within(app, 'evaluationRuns', id),
    operation: `${app.slice(0, app.indexOf('/apps/'))}/operations/operation-${id}`,
    displayName,
    createdAt,
    evaluations: run.evaluations.map((evaluation) => within(app, 'evaluations', evaluation.id)),
    unnamedMs: (entry.unnamedMs ?? 0) / timeScale,
    queuedMs,
    runningMs,
    runningState: entry.runningState ?? 'RUNNING',
    end,
    errorType: entry.errorType ?? 'RUNTIME_FAILURE',
    results: run.evaluations
      .flatMap((evaluation) => resultsOf(run, evaluation, entry, chance, { queuedMs, neededMs }))
      .toSorted((a, b) => a.startsAfterMs - b.startsAfterMs),
    ...(run.dataset === undefined ? {} : { dataset: run.dataset }),
    ...(run.appVersion === undefined
      ? { changelog: changelogOf(app, createdAt, chance) }
      : { appVersion: run.appVersion }),
    ...(entry.latencyFactor === undefined ? {} : { latencyFactor: entry.latencyFactor }),
  };
}

interface Times {
  readonly queuedMs: number;
  readonly neededMs: number;
}

function resultsOf(
  run: StartedRun,
  evaluation: CatalogueEntry,
  entry: ScriptedRun,
  chance: Chance,
  times: Times,
): readonly PlannedResult[] {
  const plans =
    entry.outcomes === undefined
      ? byChance(run.nth, evaluation, chance)
      : byScript(evaluation, Object.hasOwn(entry.outcomes, evaluation.id) ? entry.outcomes[evaluation.id] : undefined);
  return plans.map((plan, index) => {
    const about = [run.nth, evaluation.id, index];
    const persona = PERSONAS[index % PERSONAS.length];
    const straggles = chance.fraction('straggles', ...about) < STRAGGLERS;
    const ends = straggles ? chance.between(0.6, 1, 'ends', ...about) : chance.between(0.1, 0.6, 'ends', ...about);
    const starts = ends * chance.between(0, 0.8, 'starts', ...about);
    return {
      name: `${within(run.app, 'evaluations', evaluation.id)}/results/${chance.id('result', ...about)}`,
      evaluation,
      repetition: index + 1,
      ...plan,
      startsAfterMs: times.queuedMs + starts * times.neededMs,
      endsAfterMs: times.queuedMs + ends * times.neededMs,
      ...(evaluation.kind === 'golden' || persona === undefined ? {} : { persona }),
    };
  });
}

function byScript(evaluation: CatalogueEntry, scripted: ScriptedOutcome = {}): readonly Plan[] {
  const { failed = 0, errored = 0, skipped = 0, errorType = usualErrorType(evaluation) } = scripted;
  const count = Math.max(scripted.of ?? REPETITIONS[evaluation.kind], failed + errored + skipped);
  return Array.from({ length: count }, (_, index) => {
    if (index < failed) return { outcome: 'failed', errorType };
    if (index < failed + errored) return { outcome: 'errored', errorType };
    return { outcome: index < failed + errored + skipped ? 'skipped' : 'passed', errorType };
  });
}

function byChance(nth: number, evaluation: CatalogueEntry, chance: Chance): readonly Plan[] {
  const errorType = usualErrorType(evaluation);
  return Array.from({ length: REPETITIONS[evaluation.kind] }, (_, index) => {
    if (chance.fraction('errs', nth, evaluation.id, index) < ERROR_RATE) return { outcome: 'errored', errorType };
    const fails = chance.fraction('fails', nth, evaluation.id, index) < evaluation.failureRate;
    return { outcome: fails ? 'failed' : 'passed', errorType };
  });
}

const usualErrorType = (evaluation: CatalogueEntry): string =>
  evaluation.kind === 'scenario' ? 'USER_SIMULATION_FAILURE' : 'QUOTA_EXHAUSTED';

/** Somebody works on the draft every day, so runs of one night see the same changelog and those of the next another. */
function changelogOf(app: string, at: Date, chance: Chance): NonNullable<Life['changelog']> {
  const day = Math.floor((at.getTime() - LAST_CHANGE_MS) / DAY_MS);
  return {
    name: within(app, 'changelogs', chance.id('changelog', day)),
    createdAt: new Date(day * DAY_MS + LAST_CHANGE_MS),
  };
}
