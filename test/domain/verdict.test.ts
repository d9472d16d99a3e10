import { describe, expect, test } from '@jest/globals';

import type { Gate } from '../../shared/domain/plan.ts';
import { judge } from '../../shared/domain/verdict.ts';
import { EVERYTHING, NO_COUNTS, baseline, check, evidence, met, score, twenty } from './verdicts.ts';

describe('a run without results is inconclusive', () => {
  test.each(['run_timed_out', 'run_abandoned', 'start_failed', 'results_unavailable'] as const)('%s', (code) => {
    expect(judge({ kind: 'none', code, message: 'why' }, EVERYTHING, baseline({}))).toEqual({
      outcome: 'inconclusive',
      passRate: null,
      reasons: [{ code, message: 'why' }],
    });
  });
});

describe('the pass rate', () => {
  check([
    {
      name: 'everything passed',
      evidence: twenty(20),
      outcome: 'passed',
      passRate: 1,
      reasons: met('100.0% of 20 results passed'),
    },
    {
      name: 'one result',
      evidence: evidence({ refund: score({ passed: 1 }) }),
      outcome: 'passed',
      passRate: 1,
      reasons: met('100.0% of 1 result passed'),
    },
    {
      name: '19 of 20 and 95 % asked',
      evidence: twenty(19),
      gate: { minPassRate: 0.95 },
      outcome: 'passed',
      passRate: 0.95,
      reasons: met('95.0% of 20 results passed'),
    },
    {
      name: '18 of 20 and 95 % asked',
      evidence: twenty(18),
      gate: { minPassRate: 0.95 },
      outcome: 'failed',
      passRate: 0.9,
      reasons: [{ code: 'pass_rate_below_minimum', message: '90.0% of 20 results passed; the plan asks for 95.0%' }],
    },
    {
      name: 'just below the minimum, which the message does not round away',
      evidence: evidence({ refund: score({ passed: 1187, failed: 63 }) }),
      gate: { minPassRate: 0.95 },
      outcome: 'failed',
      passRate: 0.9496,
      reasons: [
        { code: 'pass_rate_below_minimum', message: '94.96% of 1250 results passed; the plan asks for 95.00%' },
      ],
    },
    {
      name: 'just below everything, which the message does not round up',
      evidence: evidence({ refund: score({ passed: 9999, failed: 1 }) }),
      gate: { minPassRate: 0.9 },
      outcome: 'passed',
      passRate: 0.9999,
      reasons: met('99.99% of 10000 results passed'),
    },
    {
      name: 'nothing passed, where the plan asks for nothing',
      evidence: twenty(0),
      gate: { minPassRate: 0 },
      outcome: 'failed',
      passRate: 0,
      reasons: [
        { code: 'pass_rate_below_minimum', message: '0.0% of 20 results passed; the plan asks for at least one' },
      ],
    },
    {
      name: 'errors and cancellations count in the denominator, skipped results do not',
      evidence: evidence({ refund: score({ passed: 16, failed: 2, errored: 1, cancelled: 1, skipped: 9 }) }),
      gate: { maxErrorRate: 0.1 },
      outcome: 'failed',
      passRate: 0.8,
      reasons: [{ code: 'pass_rate_below_minimum', message: '80.0% of 20 results passed; the plan asks for 100.0%' }],
    },
  ]);
});

describe('the error rate', () => {
  const broken = evidence({ refund: score({ passed: 19 }), greeting: score({ cancelled: 1 }) });
  check([
    {
      name: 'exactly met',
      evidence: broken,
      gate: { maxErrorRate: 0.05, minPassRate: 0.9 },
      outcome: 'passed',
      passRate: 0.95,
      reasons: met('95.0% of 20 results passed'),
    },
    {
      name: 'just exceeded',
      evidence: broken,
      gate: { maxErrorRate: 0.0499, minPassRate: 0.9 },
      outcome: 'inconclusive',
      passRate: 0.95,
      reasons: [
        {
          code: 'error_rate_above_maximum',
          message: '5.00% of 20 results ended in an error; the plan allows 4.99%',
        },
      ],
    },
    {
      name: 'a quota outage is no failure of the agent, and the failures beside it are told too',
      evidence: evidence({ refund: score({ passed: 5, failed: 1, errored: 14 }) }),
      outcome: 'inconclusive',
      passRate: 0.25,
      reasons: [
        { code: 'error_rate_above_maximum', message: '70.0% of 20 results ended in an error; the plan allows 0.0%' },
        { code: 'pass_rate_below_minimum', message: '25.0% of 20 results passed; the plan asks for 100.0%' },
      ],
    },
  ]);
});

describe('a run that says nothing', () => {
  check([
    {
      name: 'no results',
      evidence: evidence({}),
      outcome: 'inconclusive',
      passRate: null,
      reasons: [{ code: 'no_results', message: 'the run has no result that passed or failed' }],
    },
    {
      name: 'only skipped results',
      evidence: evidence({ refund: score({ skipped: 2 }), greeting: score({ skipped: 1 }) }),
      gate: { minPassRate: 0 },
      outcome: 'inconclusive',
      passRate: null,
      reasons: [{ code: 'no_results', message: 'the run has no result that passed or failed; 3 were skipped' }],
    },
    {
      name: 'only errors, where the plan allows any number of them',
      evidence: evidence({ refund: score({ errored: 2, skipped: 1 }) }),
      gate: { minPassRate: 0, maxErrorRate: 1 },
      outcome: 'inconclusive',
      passRate: 0,
      reasons: [
        {
          code: 'no_results',
          message: 'the run has no result that passed or failed; 2 ended in an error; 1 was skipped',
        },
        { code: 'pass_rate_below_minimum', message: '0.0% of 2 results passed; the plan asks for at least one' },
      ],
    },
    {
      name: 'ended with an error, whatever its results',
      evidence: evidence(
        { refund: score({ passed: 20 }) },
        { end: 'error', error: { type: 'QUOTA_EXHAUSTED', message: 'The quota is used up.' } },
      ),
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [
        { code: 'run_error', message: 'CES ended the run with an error: QUOTA_EXHAUSTED, The quota is used up.' },
      ],
    },
    {
      name: 'completed, with an error of the run as a whole',
      evidence: evidence({ refund: score({ passed: 20 }) }, { error: { type: 'RUNTIME_FAILURE', message: '' } }),
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [{ code: 'run_error', message: 'CES completed the run, but reported an error: RUNTIME_FAILURE' }],
    },
    {
      name: 'cancelled at CES',
      evidence: evidence({ refund: score({ passed: 20 }) }, { end: 'cancelled' }),
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [{ code: 'run_cancelled', message: 'the run was cancelled at CES' }],
    },
  ]);
});

describe("the run's own counts", () => {
  const counts = { total: 20, completed: 19, passed: 17, failed: 2, error: 1, cancelled: 0 };
  const loose: Partial<Gate> = { minPassRate: 0.5, maxErrorRate: 0.5 };
  const agreeing = evidence({ refund: score({ passed: 17, failed: 2, errored: 1 }) }, { progress: counts });
  check([
    {
      name: 'agree with the results',
      evidence: agreeing,
      gate: loose,
      outcome: 'passed',
      passRate: 0.85,
      reasons: met('85.0% of 20 results passed'),
    },
    {
      name: 'include skipped results in the total only',
      evidence: evidence(
        { refund: score({ passed: 3, skipped: 2 }) },
        { progress: { ...NO_COUNTS, total: 5, completed: 5, passed: 3 } },
      ),
      outcome: 'passed',
      passRate: 1,
      reasons: met('100.0% of 3 results passed'),
    },
    {
      name: 'know of failures that the results do not show',
      evidence: evidence({ refund: score({ passed: 17 }) }, { progress: counts }),
      gate: loose,
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [
        {
          code: 'counts_disagree',
          message:
            'the results do not add up to what CES counted for the run: failed 2 at CES and 0 in the results; errors 1 at CES and 0 in the results; total 20 at CES and 17 in the results',
        },
      ],
    },
    {
      name: 'lack a total and still know of a failure',
      evidence: evidence({ refund: score({ passed: 1 }) }, { progress: { ...NO_COUNTS, passed: 1, failed: 2 } }),
      gate: loose,
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [
        {
          code: 'counts_disagree',
          message:
            'the results do not add up to what CES counted for the run: failed 2 at CES and 0 in the results; total 0 at CES and 1 in the results',
        },
      ],
    },
  ]);
});
