import { lastSegment, textOf, type Json } from '../../domain/json.ts';
import type { Dataset } from '../../domain/plan.ts';
import { TransientError } from '../../errors.ts';
import type { Datasets, EvaluationResults, EvaluationRuns, Log, StartRequest } from '../../ports.ts';
import { createConnection, type Call } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { Refusal } from './failure.ts';
import { readOperation } from './operation.ts';
import { allOf, pagesOf } from './pages.ts';

export interface CesOptions {
  /** The MCP endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly fetch?: typeof fetch;
  /** Longest time of one tool call, with connecting and all that is tried within it. */
  readonly timeoutMs: number;
  /** Sent as `x-goog-user-project`; without it the project of the app. */
  readonly quotaProject?: string;
  readonly log: Log;
}

export interface Ces {
  readonly evaluations: EvaluationRuns;
  readonly results: EvaluationResults;
  readonly datasets: Datasets;
  /** One cheap read. Throws what every other call would throw for this app. */
  probe(app: string): Promise<void>;
  close(): Promise<void>;
}

/** CES through its MCP server. Nothing is sent before the first call, and nothing that CES said is kept. */
export function createCes(options: CesOptions): Ces {
  const connection = createConnection({
    ...options,
    fetch: options.fetch ?? globalThis.fetch,
    quotaProject: options.quotaProject,
  });
  const { call } = connection;
  return {
    evaluations: createEvaluationRuns(call),
    results: createEvaluationResults(call),
    datasets: createDatasets(call),
    async probe(app) {
      await call('list_evaluation_datasets', { parent: app, pageSize: 1 });
    },
    close: () => connection.close(),
  };
}

/** 5000 runs of 100 a page: a run that a crash left behind is among the newest, or it will not be found at all. */
const MOST_PAGES_OF_RUNS = 50;

function createEvaluationRuns(call: Call): EvaluationRuns {
  return {
    async start(request) {
      const operation = await call('run_evaluation', startArguments(request));
      const name = textOf(operation['name']);
      if (name === undefined) {
        throw new TransientError(
          `run_evaluation on ${request.app} answered without the name of an operation; the run may have been started`,
        );
      }
      return readOperation(name, operation);
    },
    async operation(name) {
      return readOperation(name, await call('get_operation', { name }));
    },
    get: (name) => call('get_evaluation_run', { name }),
    async *newest(app) {
      const listing = {
        tool: 'list_evaluation_runs',
        entries: 'evaluationRuns',
        // By CES's documentation create_time is sorted newest first, and no direction can be given.
        args: { parent: app, orderBy: 'create_time' },
      };
      let pages = 0;
      for await (const page of pagesOf(call, listing)) {
        yield* page;
        if (++pages === MOST_PAGES_OF_RUNS) return;
      }
    },
  };
}

const startArguments = ({ app, displayName, dataset, evaluations, appVersion }: StartRequest): Json => ({
  app,
  displayName,
  ...(evaluations === undefined ? {} : { evaluations }),
  ...(dataset === undefined ? {} : { evaluationDataset: dataset }),
  ...(appVersion === undefined ? {} : { appVersion }),
});

const createEvaluationResults = (call: Call): EvaluationResults => ({
  get: (name) => call('get_evaluation_result', { name }),
  async list(evaluationRun) {
    const app = evaluationRun.slice(0, evaluationRun.indexOf('/evaluationRuns/'));
    const results = await allOf(call, {
      tool: 'list_evaluation_results',
      entries: 'evaluationResults',
      args: { parent: `${app}/evaluations/-`, filter: `evaluation_run:"${evaluationRun}"` },
    });
    // The filter's syntax is not documented: results of other runs must not count if it is not understood.
    return results.filter((result) => (textOf(result['evaluationRun']) ?? evaluationRun) === evaluationRun);
  },
});

function createDatasets(call: Call): Datasets {
  const list = (app: string): Promise<readonly Json[]> =>
    allOf(call, { tool: 'list_evaluation_datasets', entries: 'evaluationDatasets', args: { parent: app } });
  return {
    list,
    async create(dataset) {
      try {
        return await call('create_evaluation_dataset', createArguments(dataset));
      } catch (error) {
        if (!isAlreadyThere(error)) throw error;
        const existing = (await list(dataset.app)).find((candidate) => isSame(candidate, dataset));
        if (existing === undefined) throw error;
        return existing;
      }
    },
  };
}

const createArguments = (dataset: Dataset): Json => ({
  parent: dataset.app,
  evaluationDatasetId: dataset.id,
  evaluationDataset: {
    displayName: dataset.displayName,
    evaluations: dataset.evaluations.map((evaluation) => `${dataset.app}/evaluations/${evaluation}`),
  },
});

const isAlreadyThere = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Refusal && error.cause.codes.includes('ALREADY_EXISTS');

const isSame = (candidate: Json, dataset: Dataset): boolean =>
  lastSegment(textOf(candidate['name']) ?? '') === dataset.id || candidate['displayName'] === dataset.displayName;
