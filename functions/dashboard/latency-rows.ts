import { countOf, isRecord, lastSegment, textOf, type Json } from '../../shared/domain/json.ts';
import type { LatencyKind } from '../../shared/domain/plan.ts';

/** Latencies of one component of the app, in milliseconds; absent where the report does not say. */
export interface LatencyRow {
  readonly kind: LatencyKind;
  readonly component: string;
  readonly p50Ms?: number;
  readonly p90Ms?: number;
  readonly p99Ms?: number;
  readonly calls: number;
}

const LISTS = [
  { kind: 'llm', list: 'llmCallLatencies', names: ['model'] },
  { kind: 'tool', list: 'toolLatencies', names: ['toolDisplayName', 'tool'] },
  { kind: 'callback', list: 'callbackLatencies', names: ['stage'] },
  { kind: 'guardrail', list: 'guardrailLatencies', names: ['guardrailDisplayName', 'guardrail'] },
] as const;

/** The components of `EvaluationRun.latencyReport`; none when the run has no report. */
export function latencyRows(evaluationRun: Json): readonly LatencyRow[] {
  const report = evaluationRun['latencyReport'];
  if (!isRecord(report)) return [];
  return LISTS.flatMap(({ kind, list, names }) => {
    const entries: unknown = report[list];
    return Array.isArray(entries) ? entries.filter(isRecord).map((entry) => rowOf(entry, kind, names)) : [];
  });
}

function rowOf(entry: Json, kind: LatencyKind, names: readonly string[]): LatencyRow {
  const metrics = isRecord(entry['latencyMetrics']) ? entry['latencyMetrics'] : {};
  const component = names.map((name) => textOf(entry[name])).find((name) => name !== undefined) ?? kind;
  const [p50Ms, p90Ms, p99Ms] = ['p50Latency', 'p90Latency', 'p99Latency'].map((field) => msOf(metrics[field]));
  return {
    kind,
    component: lastSegment(component),
    calls: countOf(metrics['callCount']),
    ...(p50Ms === undefined ? {} : { p50Ms }),
    ...(p90Ms === undefined ? {} : { p90Ms }),
    ...(p99Ms === undefined ? {} : { p99Ms }),
  };
}

/** A ProtoJSON duration such as `"3.5s"`, to the millisecond. */
function msOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(value)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}
