import type { Json } from '../../shared/domain/json.ts';
import type { Clock, EvaluationResults, EvaluationRuns, StartedOperation } from '../../shared/ports.ts';
import { PermanentError } from '../../shared/errors.ts';

/** Outcomes by evaluation: how many repetitions came to each. */
export type Outcomes = Readonly<Record<string, { pass?: number; fail?: number; error?: number; skipped?: number }>>;

export interface Life {
  readonly outcomes: Outcomes;
  readonly runningMs: number;
  /** A state that never changes, in place of a normal life. */
  readonly stuckIn?: string;
  readonly end: string;
  /** Whether the operation shows the run: at once, from the n-th time that it is asked, or never. */
  readonly namedAfter: number;
  /** Results appear this long after the end. */
  readonly resultsLateMs: number;
}

export const LIFE: Life = {
  outcomes: { greeting: { pass: 1 }, refund: { pass: 5 } },
  runningMs: 480_000,
  end: 'COMPLETED',
  namedAfter: 0,
  resultsLateMs: 0,
};

interface Started {
  readonly name: string;
  readonly operation: string;
  readonly app: string;
  readonly displayName: string;
  readonly at: number;
  readonly life: Life;
  asked: number;
}

/** CES on the test's clock, behind the ports; the wire is tested with the adapter. */
export function createFakeCes(clock: Clock): {
  readonly evaluations: EvaluationRuns;
  readonly results: EvaluationResults;
  readonly started: readonly Started[];
  /** The lives of the runs to come, in turn; the last one serves all further ones. */
  lives: Life[];
} {
  const started: Started[] = [];
  const ces = { lives: [LIFE] as Life[] };
  const ageOf = (run: Started): number => clock.now().getTime() - run.at;
  const byName = (name: string): Started => {
    const run = started.find((candidate) => candidate.name === name || candidate.operation === name);
    if (run === undefined) throw new PermanentError(`NOT_FOUND ${name}`);
    return run;
  };
  const named = (run: Started): StartedOperation =>
    run.asked >= run.life.namedAfter
      ? { operation: run.operation, evaluationRun: run.name }
      : { operation: run.operation };

  const evaluations: EvaluationRuns = {
    start: async ({ app, displayName }) => {
      const id = `er-${started.length + 1}`;
      const life = (ces.lives.length > 1 ? ces.lives.shift() : ces.lives[0]) ?? LIFE;
      const run: Started = {
        name: `${app}/evaluationRuns/${id}`,
        operation: `${app.split('/apps/')[0]}/operations/op-${id}`,
        app,
        displayName,
        at: clock.now().getTime(),
        life,
        asked: 0,
      };
      started.push(run);
      return named(run);
    },
    operation: async (name) => {
      const run = byName(name);
      run.asked += 1;
      return named(run);
    },
    get: async (name) => evaluationRunOf(byName(name), ageOf(byName(name))),
    newest: async function* newest(app) {
      for (const run of started.toReversed()) if (run.app === app) yield evaluationRunOf(run, ageOf(run));
    },
  };
  const resultsOf = (run: Started): readonly Json[] =>
    ageOf(run) < run.life.runningMs + run.life.resultsLateMs ? [] : itemsOf(run);
  const results: EvaluationResults = {
    list: async (evaluationRun) => resultsOf(byName(evaluationRun)),
    get: async (name) => {
      const found = started.flatMap(resultsOf).find((result) => result['name'] === name);
      if (found === undefined) throw new PermanentError(`NOT_FOUND ${name}`);
      return found;
    },
  };
  return Object.assign(ces, { evaluations, results, started });
}

const KINDS = [
  ['pass', 'COMPLETED', 'PASS'],
  ['fail', 'COMPLETED', 'FAIL'],
  ['error', 'ERROR', undefined],
  ['skipped', 'COMPLETED', 'SKIPPED'],
] as const;

const itemsOf = (run: Started): readonly Json[] =>
  Object.entries(run.life.outcomes).flatMap(([evaluation, counts]) =>
    KINDS.flatMap(([kind, executionState, evaluationStatus]) =>
      Array.from({ length: counts[kind] ?? 0 }, (_, index) => ({
        name: `${run.app}/evaluations/${evaluation}/results/${run.name.split('/').at(-1)}-${kind}-${index}`,
        evaluationRun: run.name,
        executionState,
        ...(evaluationStatus && { evaluationStatus }),
        ...(kind === 'error' && { errorInfo: { errorType: 'QUOTA_EXHAUSTED', errorMessage: 'out of tokens' } }),
      })),
    ),
  );

function evaluationRunOf(run: Started, ageMs: number): Json {
  const over = ageMs >= run.life.runningMs;
  const items = itemsOf(run);
  const seen = over ? items : [];
  const count = (test: (item: Json) => boolean): number => seen.filter(test).length;
  return {
    name: run.name,
    displayName: run.displayName,
    operation: run.operation,
    createTime: new Date(run.at).toISOString(),
    state: run.life.stuckIn ?? (over ? run.life.end : 'RUNNING'),
    progress: {
      totalCount: items.length,
      completedCount: count((item) => item['executionState'] === 'COMPLETED'),
      passedCount: count((item) => item['evaluationStatus'] === 'PASS'),
      failedCount: count((item) => item['evaluationStatus'] === 'FAIL'),
      errorCount: count((item) => item['executionState'] === 'ERROR'),
    },
    evaluationResults: seen.map((item) => item['name']),
  };
}
