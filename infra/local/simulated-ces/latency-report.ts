import type { Json } from '../../../shared/domain/json.ts';
import type { Life } from './life.ts';
import { within } from './names.ts';
import { duration } from './proto-json.ts';

/** Usual medians, and how much slower the slow calls are: a plausible shape, not a measurement. */
const MEDIANS_MS = { llm: 900, tool: 250, callback: 20, guardrail: 120 } as const;
const P90_FACTOR = 2;
const P99_FACTOR = 4;
/** A conversation asks the model about this often. */
const LLM_CALLS_PER_SESSION = 4;

/** A `LatencyReport` in which everything takes `factor` times as long as usual. */
export function latencyReport(life: Life, factor: number): Json {
  const sessionCount = life.results.length;
  const metrics = (medianMs: number, callCount: number): Json => ({
    latencyMetrics: {
      p50Latency: duration(medianMs * factor),
      p90Latency: duration(medianMs * factor * P90_FACTOR),
      p99Latency: duration(medianMs * factor * P99_FACTOR),
      callCount,
    },
  });
  const calls = sessionCount * LLM_CALLS_PER_SESSION;
  return {
    toolLatencies: Object.entries(callsByTool(life)).map(([tool, callCount]) => ({
      tool: within(life.app, 'tools', tool),
      toolDisplayName: tool,
      ...metrics(MEDIANS_MS.tool, callCount),
    })),
    callbackLatencies: [{ stage: 'before_model_callback', ...metrics(MEDIANS_MS.callback, calls) }],
    guardrailLatencies: [
      {
        guardrail: within(life.app, 'guardrails', 'prompt-injection'),
        guardrailDisplayName: 'Prompt injection',
        ...metrics(MEDIANS_MS.guardrail, sessionCount),
      },
    ],
    llmCallLatencies: [{ model: 'gemini-2.5-flash', ...metrics(MEDIANS_MS.llm, calls) }],
    sessionCount,
  };
}

function callsByTool(life: Life): Readonly<Record<string, number>> {
  const tools = life.results.flatMap(({ evaluation }) => evaluation.tool ?? []);
  return Object.fromEntries([...new Set(tools)].map((tool) => [tool, tools.filter((one) => one === tool).length]));
}
