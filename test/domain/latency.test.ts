import { describe, expect, test } from '@jest/globals';

import { latenciesOf } from '../../shared/domain/latency.ts';

const APP = 'projects/acme-cx/locations/us/apps/support-bot';

describe('the latency report of an evaluation run', () => {
  test('is read kind by kind, each component by its most readable name', () => {
    expect(
      latenciesOf({
        latencyReport: {
          toolLatencies: [
            {
              tool: `${APP}/tools/7`,
              toolDisplayName: 'lookup_order',
              latencyMetrics: { p50Latency: '0.4s', p90Latency: '1.250s', p99Latency: '2s', callCount: 40 },
            },
            { tool: `${APP}/tools/8`, latencyMetrics: { p90Latency: '2s', callCount: '3' } },
            { toolsetTool: { toolset: `${APP}/toolsets/crm` }, latencyMetrics: { p90Latency: '0s' } },
          ],
          callbackLatencies: [{ stage: 'BEFORE_AGENT', latencyMetrics: { p90Latency: '0.000000001s', callCount: 1 } }],
          guardrailLatencies: [
            { guardrail: `${APP}/guardrails/pii`, latencyMetrics: { p90Latency: '0.090s', callCount: 2 } },
          ],
          llmCallLatencies: [{ model: 'gemini-3-flash', latencyMetrics: { p90Latency: '3.5s', callCount: 120 } }],
          sessionCount: 20,
        },
      }),
    ).toEqual([
      { kind: 'llm', component: 'gemini-3-flash', p90Ms: 3500, calls: 120 },
      { kind: 'tool', component: 'lookup_order', p90Ms: 1250, calls: 40 },
      { kind: 'tool', component: '8', p90Ms: 2000, calls: 3 },
      { kind: 'tool', component: 'tool', p90Ms: 0, calls: 0 },
      { kind: 'callback', component: 'BEFORE_AGENT', p90Ms: 0.000001, calls: 1 },
      { kind: 'guardrail', component: 'pii', p90Ms: 90, calls: 2 },
    ]);
  });

  test.each<[string, unknown]>([
    ['absent', undefined],
    ['of another type', 'fast'],
    ['empty', {}],
    ['without lists', { llmCallLatencies: {}, toolLatencies: 4 }],
    ['without metrics', { llmCallLatencies: [null, {}, { model: 'gemini-3-flash' }] }],
    ['without a 90th percentile', { llmCallLatencies: [{ latencyMetrics: { p50Latency: '1s' } }] }],
  ])('that is %s has no components', (_name, latencyReport) => {
    expect(latenciesOf({ latencyReport })).toEqual([]);
  });

  test.each<[unknown, number | undefined]>([
    ['4s', 4000],
    ['2.007s', 2007],
    ['1.005s', 1005],
    ['3600.123456789s', 3600123.456789],
    ['-1s', undefined],
    ['4', undefined],
    ['4 s', undefined],
    ['', undefined],
    [4, undefined],
  ])('a duration of %j is %s ms', (p90Latency, p90Ms) => {
    const report = { llmCallLatencies: [{ model: 'gemini-3-flash', latencyMetrics: { p90Latency } }] };

    expect(latenciesOf({ latencyReport: report })[0]?.p90Ms).toBe(p90Ms);
  });
});
