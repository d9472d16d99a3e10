import { countOf, isRecord, textOf, type Json } from './json.ts';
import { cut } from './text.ts';

/** Counts of results, as `EvaluationRun.progress` defines them; absent fields of ProtoJSON are 0. */
export interface Progress {
  readonly total: number;
  readonly completed: number;
  readonly passed: number;
  readonly failed: number;
  readonly error: number;
  readonly cancelled: number;
}

/** How CES itself ends an evaluation run. */
export type RunEnd = 'completed' | 'error' | 'cancelled';

/** What CES said about an evaluation run at one poll. */
export interface Observation {
  /** The state as CES wrote it. */
  readonly state: string;
  /** `unknown` is a state that this product has never heard of. It counts as not finished: the deadline bounds it. */
  readonly phase: 'queued' | 'running' | 'ended' | 'unknown';
  readonly end?: RunEnd;
  readonly progress: Progress;
  readonly appVersion?: string;
  readonly operation?: string;
  /** What CES said about an error of the run as a whole. */
  readonly error?: RunError;
  /** Names of the results that CES has for the run. */
  readonly results: readonly string[];
}

export interface RunError {
  /** For example QUOTA_EXHAUSTED. An open enumeration. */
  readonly type: string;
  readonly message: string;
}

const ENDS: Readonly<Record<string, RunEnd>> = { COMPLETED: 'completed', ERROR: 'error', CANCELLED: 'cancelled' };
const QUEUED = new Set(['QUEUED', 'EVALUATION_RUN_STATE_UNSPECIFIED', '']);

/** Reads an `EvaluationRun` as CES gave it. Whatever is missing or of another type is taken as not said. */
export function observe(run: Json): Observation {
  const state = textOf(run['state']) ?? '';
  const end = Object.hasOwn(ENDS, state) ? ENDS[state] : undefined;
  const appVersion = textOf(run['appVersion']);
  const operation = textOf(run['operation']);
  const error = errorOf(run);
  return {
    state,
    phase: end !== undefined ? 'ended' : QUEUED.has(state) ? 'queued' : state === 'RUNNING' ? 'running' : 'unknown',
    progress: progressOf(run['progress']),
    results: Array.isArray(run['evaluationResults'])
      ? run['evaluationResults'].filter((name): name is string => typeof name === 'string')
      : [],
    ...(end === undefined ? {} : { end }),
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(operation === undefined ? {} : { operation }),
    ...(error === undefined ? {} : { error }),
  };
}

function progressOf(value: unknown): Progress {
  const progress = isRecord(value) ? value : {};
  return {
    total: countOf(progress['totalCount']),
    completed: countOf(progress['completedCount']),
    passed: countOf(progress['passedCount']),
    failed: countOf(progress['failedCount']),
    error: countOf(progress['errorCount']),
    cancelled: countOf(progress['cancelledCount']),
  };
}

/**
 * `errorInfo` is the newer field, `error` (a google.rpc.Status) the deprecated one. Undefined when neither says
 * anything: an empty message is what ProtoJSON makes of "no error".
 */
export function errorOf(resource: Json): RunError | undefined {
  const info = isRecord(resource['errorInfo']) ? resource['errorInfo'] : {};
  const type = textOf(info['errorType']);
  const message = textOf(info['userFacingErrorMessage']) ?? textOf(info['errorMessage']);
  if (type !== undefined || message !== undefined) {
    return { type: type ?? 'ERROR_TYPE_UNSPECIFIED', message: cut(message ?? '') };
  }
  const status = isRecord(resource['error']) ? resource['error'] : {};
  const code = countOf(status['code']);
  const text = textOf(status['message']);
  return code === 0 && text === undefined ? undefined : { type: `code ${code}`, message: cut(text ?? '') };
}
