import { textOf } from '../../domain/json.ts';
import type { Clock, Log } from '../../ports.ts';
import type { Trace } from './trace.ts';

export interface CloudLogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly projectId: string;
  /** Of the request that is being handled. */
  readonly trace: () => Trace | undefined;
  readonly clock: Clock;
  /** Takes one line without its end. */
  readonly write: (line: string) => void;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

const SEVERITIES = { debug: 'DEBUG', info: 'INFO', warn: 'WARNING', error: 'ERROR' } as const;

/** With it Error Reporting takes a line even when there is no stack: cloud.google.com/error-reporting/docs/formatting-error-messages */
const ERROR_EVENT = 'type.googleapis.com/google.devtools.clouderrorreporting.v1beta1.ReportedErrorEvent';

/**
 * Lines of JSON as Cloud Logging reads them from the output of a function: cloud.google.com/logging/docs/structured-logging.
 * Whatever is logged as an error reaches Error Reporting, with the stack of `err` where there is one.
 */
export function createCloudLog(options: CloudLogOptions): Log {
  const log =
    (level: Level) =>
    (fields: object, message: string): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(options.level)) return;
      options.write(lineOf(options, level, { ...fields }, message));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function lineOf(options: CloudLogOptions, level: Level, fields: Record<string, unknown>, message: string): string {
  const { err, ...rest } = fields;
  const runId = textOf(rest['runId']);
  const head = {
    severity: SEVERITIES[level],
    message,
    time: options.clock.now().toISOString(),
    ...(level === 'error' ? { '@type': ERROR_EVENT } : {}),
    ...(err === undefined ? {} : { stack_trace: stackOf(err) }),
    ...(runId === undefined ? {} : { 'logging.googleapis.com/labels': { run_id: runId } }),
    ...traceFields(options),
  };
  try {
    // The fields that Cloud Logging understands come last: nothing that is logged can take their place.
    return JSON.stringify({ ...rest, ...head });
  } catch {
    // A cycle or a bigint among the fields must not keep the message from the log.
    return JSON.stringify({ fields: Object.keys(rest).join(' '), ...head });
  }
}

/** Nothing but the stacks: errors of HTTP clients carry requests with their tokens. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  const known = causes.filter((cause) => cause !== undefined);
  return [stack, ...known.map((cause) => `Caused by: ${stackOf(cause)}`)].join('\n');
}

function traceFields({ projectId, trace }: CloudLogOptions): object {
  const current = trace();
  if (current === undefined) return {};
  return {
    'logging.googleapis.com/trace': `projects/${projectId}/traces/${current.traceId}`,
    ...(current.spanId === undefined ? {} : { 'logging.googleapis.com/spanId': current.spanId }),
    'logging.googleapis.com/trace_sampled': current.sampled,
  };
}
