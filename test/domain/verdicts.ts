/** Evidence, gates and tables of verdicts. */
import { expect, test } from '@jest/globals';

import type { Gate } from '../../shared/domain/plan.ts';
import type { Score, Scores } from '../../shared/domain/result.ts';
import { judge, type Baseline, type Evidence, type Reason, type Verdict } from '../../shared/domain/verdict.ts';

export type Results = Evidence & { kind: 'results' };

export const EVERYTHING: Gate = { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} };
export const NO_COUNTS = { total: 0, completed: 0, passed: 0, failed: 0, error: 0, cancelled: 0 };
export const BASELINE = 'nightly-20261129T020000Z';

export const score = (counts: Partial<Score>): Score => ({
  passed: 0,
  failed: 0,
  errored: 0,
  cancelled: 0,
  skipped: 0,
  ...counts,
});
export const gate = (change: Partial<Gate>): Gate => ({ ...EVERYTHING, ...change });
export const evidence = (scores: Scores, change: Partial<Results> = {}): Results => ({
  kind: 'results',
  end: 'completed',
  progress: NO_COUNTS,
  scores,
  latencies: [],
  asked: [],
  ...change,
});
export const baseline = (scores: Scores): Baseline => ({ run: BASELINE, scores });
export const twenty = (passed: number): Results => evidence({ refund: score({ passed, failed: 20 - passed }) });

export interface Case {
  readonly name: string;
  readonly evidence: Results;
  readonly gate?: Partial<Gate>;
  readonly baseline?: Scores;
  readonly outcome: Verdict['outcome'];
  readonly passRate: number | null;
  readonly reasons: readonly Reason[];
}

/** One test for each case: the outcome, the pass rate and the reasons, all of them. */
export function check(cases: readonly Case[]): void {
  test.each(cases)('$name: $outcome', ({ evidence: of, gate: change = {}, baseline: before, ...expected }) => {
    const { outcome, passRate, reasons } = judge(of, gate(change), before && baseline(before));

    expect({ outcome, passRate, reasons }).toEqual({
      outcome: expected.outcome,
      passRate: expected.passRate,
      reasons: expected.reasons,
    });
  });
}

export const met = (message: string): Reason[] => [{ code: 'gate_met', message }];
