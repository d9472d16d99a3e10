import { lastSegment, type Json } from '../../../shared/domain/json.ts';
import { latencyReport } from './latency-report.ts';
import { endedAt, isNamed, isOver, resultsAt, stateAt, type Life, type VisibleResult } from './life.ts';
import { errorInfo, initiator } from './result-view.ts';
import { message } from './proto-json.ts';

/** google.rpc.Code of an operation whose run did not complete. */
const STATUS_CODE = { CANCELLED: 1, ERROR: 13 } as const;
const TYPES = 'type.googleapis.com/google.cloud.ces.v1beta.';

/** The `EvaluationRun` as it is at an instant. */
export function viewRun(life: Life, at: Date): Json {
  const results = resultsAt(life, at);
  const over = isOver(life, at);
  return message({
    name: life.name,
    displayName: life.displayName,
    evaluationResults: results.map(({ plan }) => plan.name),
    createTime: life.createdAt.toISOString(),
    initiatedBy: initiator(life),
    appVersion: life.appVersion,
    appVersionDisplayName: life.appVersion === undefined ? undefined : lastSegment(life.appVersion),
    changelog: life.changelog?.name,
    changelogCreateTime: life.changelog?.createdAt.toISOString(),
    ...(life.dataset === undefined ? { evaluations: life.evaluations } : { evaluationDataset: life.dataset }),
    evaluationType: typeOf(life),
    state: stateAt(life, at),
    progress: progressOf(life, results),
    errorInfo: over && life.end === 'ERROR' ? errorInfo(life.errorType) : undefined,
    evaluationRunSummaries: over ? summariesOf(life, results) : undefined,
    latencyReport: over && life.latencyFactor !== undefined ? latencyReport(life, life.latencyFactor) : undefined,
    operation: life.operation,
  });
}

/** The `Operation` that started the run. It spans the run, and learns its name after `unnamedMs`. */
export function viewOperation(life: Life, at: Date): Json {
  const over = isOver(life, at);
  const evaluationRun = isNamed(life, at) ? life.name : undefined;
  return {
    name: life.operation,
    metadata: message({
      '@type': `${TYPES}RunEvaluationOperationMetadata`,
      evaluations: life.evaluations,
      evaluationRun,
      createTime: life.createdAt.toISOString(),
      endTime: over ? endedAt(life).toISOString() : undefined,
      verb: 'run',
      cancelRequested: over && life.end === 'CANCELLED',
    }),
    ...(over ? { done: true, ...outcomeOf(life, evaluationRun) } : {}),
  };
}

const outcomeOf = (life: Life, evaluationRun: string | undefined): Json =>
  life.end === 'COMPLETED'
    ? { response: message({ '@type': `${TYPES}RunEvaluationResponse`, evaluationRun }) }
    : { error: { code: STATUS_CODE[life.end], message: `The evaluation run ended as ${life.end}.` } };

function typeOf(life: Life): string | undefined {
  const kinds = new Set(life.results.map(({ evaluation }) => evaluation.kind));
  if (kinds.size === 0) return undefined;
  return kinds.size === 2 ? 'MIXED' : kinds.has('golden') ? 'GOLDEN' : 'SCENARIO';
}

const count = (results: readonly VisibleResult[], test: (result: VisibleResult) => boolean): number =>
  results.filter(test).length;

const hasPassed = ({ state, plan }: VisibleResult) => state === 'COMPLETED' && plan.outcome === 'passed';
const hasFailed = ({ state, plan }: VisibleResult) => state === 'COMPLETED' && plan.outcome === 'failed';
const hasErred = ({ state }: VisibleResult) => state === 'ERROR';

const progressOf = (life: Life, results: readonly VisibleResult[]): Json =>
  message({
    totalCount: life.results.length,
    completedCount: count(results, ({ state }) => state === 'COMPLETED'),
    passedCount: count(results, hasPassed),
    failedCount: count(results, hasFailed),
    errorCount: count(results, hasErred),
    cancelledCount: count(results, ({ state }) => state === 'CANCELLED'),
  });

const summariesOf = (life: Life, results: readonly VisibleResult[]): Json =>
  Object.fromEntries(
    life.evaluations.map((evaluation) => {
      const own = results.filter(({ plan }) => plan.name.startsWith(`${evaluation}/results/`));
      return [
        evaluation,
        message({
          passedCount: count(own, hasPassed),
          failedCount: count(own, hasFailed),
          errorCount: count(own, hasErred),
        }),
      ];
    }),
  );
