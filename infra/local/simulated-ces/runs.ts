import type { Json } from '../../../shared/domain/json.ts';
import type { Clock } from '../../../shared/ports.ts';
import type { CatalogueEntry } from './catalogue.ts';
import type { Datasets } from './datasets.ts';
import { resultsAt, type Life } from './life.ts';
import { within } from './names.ts';
import { page, type Listing } from './paging.ts';
import { planLife } from './plan-life.ts';
import type { Chance } from './random.ts';
import { badRequest, notFound } from './refusal.ts';
import { viewResult } from './result-view.ts';
import { viewOperation, viewRun } from './run-view.ts';
import { entryFor, type Script } from './script.ts';

export interface Runs {
  /** The lives of all runs, oldest first. */
  readonly lives: readonly Life[];
  start(request: RunRequest): Json;
  operation(name: string): Json;
  get(name: string): Json;
  list(parent: string, listing: Listing): Json;
  result(name: string): Json;
  /** @param parent an evaluation, or `…/evaluations/-` for all */
  results(parent: string, filter: string, listing: Listing): Json;
}

export interface RunRequest {
  readonly app: string;
  /** Ids or full resource names, as the two below; empty = not said. */
  readonly evaluations: readonly string[];
  readonly evaluationDataset: string;
  readonly appVersion: string;
  readonly displayName: string;
}

interface Deps {
  readonly app: string;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly script: Script | undefined;
  readonly timeScale: number;
  readonly datasets: Datasets;
  /** Throws for an evaluation that does not exist. */
  readonly evaluation: (name: string) => CatalogueEntry;
}

export function createRuns({ app, clock, chance, script, timeScale, datasets, evaluation }: Deps): Runs {
  const lives: Life[] = [];

  const find = (test: (life: Life) => boolean, name: string): Life => {
    const life = lives.find(test);
    if (life === undefined) throw notFound(name);
    return life;
  };

  const start = (request: RunRequest): Json => {
    if (request.app !== app) throw notFound(request.app);
    if ((request.evaluations.length === 0) === (request.evaluationDataset === '')) {
      throw badRequest('Exactly one of evaluations and evaluation_dataset has to be set.');
    }
    const dataset = request.evaluationDataset === '' ? undefined : datasets.find(request.evaluationDataset);
    const chosen =
      dataset?.evaluations ?? request.evaluations.map((one) => evaluation(within(app, 'evaluations', one)));
    const nth = lives.length + 1;
    const createdAt = clock.now();
    const displayName =
      request.displayName || `${dataset?.displayName ?? 'Evaluation'} run - ${createdAt.toISOString()}`;
    const run = {
      app,
      nth,
      displayName,
      createdAt,
      evaluations: [...new Set(chosen)],
      ...(dataset === undefined ? {} : { dataset: dataset.name }),
      ...(request.appVersion === '' ? {} : { appVersion: within(app, 'versions', request.appVersion) }),
    };
    const life = planLife(run, entryFor(script, nth, displayName), chance, timeScale);
    lives.push(life);
    return viewOperation(life, createdAt);
  };

  const results = (parent: string, filter: string, listing: Listing): Json => {
    const only = parent === `${app}/evaluations/-` ? undefined : within(app, 'evaluations', evaluation(parent).id);
    const run = runOfFilter(filter);
    const now = clock.now();
    const items = lives
      .filter((life) => run === undefined || life.name === within(app, 'evaluationRuns', run))
      .flatMap((life) =>
        resultsAt(life, now).map(({ plan }) => ({
          name: plan.name,
          createdAt: new Date(life.createdAt.getTime() + plan.startsAfterMs),
          life,
        })),
      )
      .filter(({ name }) => only === undefined || name.startsWith(`${only}/results/`));
    return page('evaluationResults', items, listing, ({ life, name }) => viewResult(life, name, now, 'listed') ?? {});
  };

  return {
    lives,
    start,
    results,
    operation: (name) =>
      viewOperation(
        find((life) => life.operation === name, name),
        clock.now(),
      ),
    get: (name) =>
      viewRun(
        find((life) => life.name === name, name),
        clock.now(),
      ),
    list: (parent, listing) => {
      if (parent !== app) throw notFound(parent);
      const now = clock.now();
      return page('evaluationRuns', lives, listing, (life) => viewRun(life, now));
    },
    result: (name) => {
      const life = find(({ results: planned }) => planned.some((plan) => plan.name === name), name);
      const view = viewResult(life, name, clock.now(), 'full');
      if (view === undefined) throw notFound(name);
      return view;
    },
  };
}

/** The only filter that is documented by use: `evaluation_run:"projects/…/evaluationRuns/…"`, or the id alone. */
function runOfFilter(filter: string): string | undefined {
  if (filter === '') return undefined;
  const run = /^\s*evaluation_run\s*[:=]\s*"?([^"\s]+)"?\s*$/.exec(filter)?.[1];
  if (run === undefined) throw badRequest(`Invalid filter: ${filter}`);
  return run;
}
