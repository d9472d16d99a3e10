import { countOf, isRecord, lastSegment, textOf, type Json } from './json.ts';
import type { LatencyKind } from './plan.ts';

/** The 90th percentile latency of one component of the app, in milliseconds. */
export interface Latency {
  readonly kind: LatencyKind;
  readonly component: string;
  readonly p90Ms: number;
  readonly calls: number;
}

/** Where the report keeps each kind, and the fields that name a component there, the most readable first. */
const LISTS: readonly { readonly kind: LatencyKind; readonly list: string; readonly names: readonly string[] }[] = [
  { kind: 'llm', list: 'llmCallLatencies', names: ['model'] },
  { kind: 'tool', list: 'toolLatencies', names: ['toolDisplayName', 'tool'] },
  { kind: 'callback', list: 'callbackLatencies', names: ['stage'] },
  { kind: 'guardrail', list: 'guardrailLatencies', names: ['guardrailDisplayName', 'guardrail'] },
];

/** The components of `EvaluationRun.latencyReport`; none when the run has no report. */
export function latenciesOf(run: Json): readonly Latency[] {
  const report = run['latencyReport'];
  if (!isRecord(report)) return [];
  return LISTS.flatMap(({ kind, list, names }) => {
    const entries = report[list];
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown) => latencyOf(entry, kind, names) ?? []);
  });
}

function latencyOf(entry: unknown, kind: LatencyKind, names: readonly string[]): Latency | undefined {
  if (!isRecord(entry) || !isRecord(entry['latencyMetrics'])) return undefined;
  const p90Ms = millisecondsOf(entry['latencyMetrics']['p90Latency']);
  if (p90Ms === undefined) return undefined;
  const component = names.map((name) => textOf(entry[name])).find((name) => name !== undefined) ?? kind;
  return { kind, component: lastSegment(component), p90Ms, calls: countOf(entry['latencyMetrics']['callCount']) };
}

/** A ProtoJSON duration: `"3.5s"` is 3500. Whole nanoseconds, since 2.007 * 1000 is more than 2007 in binary. */
function millisecondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(value)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1e9) / 1e6;
}
