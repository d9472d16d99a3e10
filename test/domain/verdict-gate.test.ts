import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import type { Gate } from '../../shared/domain/plan.ts';
import { scoresOf, sumOf, type Result } from '../../shared/domain/result.ts';
import { judge, type Reason } from '../../shared/domain/verdict.ts';
import { BASELINE, EVERYTHING, baseline, check, evidence, gate, met, score, type Results } from './verdicts.ts';

const mustPassFailed = (times: string): Reason[] => [
  { code: 'must_pass_failed', message: `refund must pass and failed ${times} times` },
];
const unmeasured = (why: string): Reason[] => [
  { code: 'must_pass_not_measured', message: `refund must pass and ${why}` },
];
const mayNewlyFail = (maxNewlyFailing: number): Partial<Gate> => ({ minPassRate: 0.1, maxNewlyFailing });
const slow = (p90Ms: number): Results =>
  evidence(
    { refund: score({ passed: 1 }) },
    {
      latencies: [
        { kind: 'llm', component: 'gemini-3-flash', p90Ms: 9000, calls: 12 },
        { kind: 'tool', component: 'lookup_order', p90Ms, calls: 4 },
      ],
    },
  );
const read = (drawn: readonly { evaluation: string; id: number; outcome: Result['outcome'] }[]): Result[] =>
  drawn.map(({ evaluation, id, outcome }) => ({
    name: `projects/acme-cx/locations/us/apps/support-bot/evaluations/${evaluation}/results/${id}`,
    evaluation,
    outcome,
  }));

describe('evaluations that must pass', () => {
  const must: Partial<Gate> = { minPassRate: 0.1, maxErrorRate: 0.9, mustPass: ['refund'] };
  const rest = { greeting: score({ passed: 17 }) };
  check([
    {
      name: 'passed every time',
      evidence: evidence({ ...rest, refund: score({ passed: 3 }) }),
      gate: must,
      outcome: 'passed',
      passRate: 1,
      reasons: met('100.0% of 20 results passed'),
    },
    {
      name: 'failed',
      evidence: evidence({ ...rest, refund: score({ failed: 3 }) }),
      gate: must,
      outcome: 'failed',
      passRate: 0.85,
      reasons: mustPassFailed('3 of 3'),
    },
    {
      name: 'flaky',
      evidence: evidence({ ...rest, refund: score({ passed: 2, failed: 1 }) }),
      gate: must,
      outcome: 'failed',
      passRate: 0.95,
      reasons: mustPassFailed('1 of 3'),
    },
    {
      name: 'failed once and errored once: it failed',
      evidence: evidence({ ...rest, refund: score({ passed: 1, failed: 1, errored: 1 }) }),
      gate: must,
      outcome: 'failed',
      passRate: 0.9,
      reasons: mustPassFailed('1 of 2'),
    },
    {
      name: 'errored once',
      evidence: evidence({ ...rest, refund: score({ passed: 2, errored: 1 }) }),
      gate: must,
      outcome: 'inconclusive',
      passRate: 0.95,
      reasons: unmeasured('could not be measured in every repetition'),
    },
    {
      name: 'skipped',
      evidence: evidence({ ...rest, refund: score({ skipped: 3 }) }),
      gate: must,
      outcome: 'inconclusive',
      passRate: 1,
      reasons: unmeasured('could not be measured in every repetition'),
    },
    {
      name: 'missing',
      evidence: evidence(rest),
      gate: must,
      outcome: 'inconclusive',
      passRate: 1,
      reasons: unmeasured('has no result in this run'),
    },
    {
      name: 'missing, and named like something that every object has',
      evidence: evidence(rest),
      gate: { ...must, mustPass: ['constructor', '__proto__'] },
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [
        { code: 'must_pass_not_measured', message: 'constructor must pass and has no result in this run' },
        { code: 'must_pass_not_measured', message: '__proto__ must pass and has no result in this run' },
      ],
    },
    {
      name: 'there, and named like something that every object has',
      evidence: evidence(Object.fromEntries([['__proto__', score({ passed: 1, failed: 1 })]])),
      gate: { ...must, mustPass: ['__proto__'] },
      outcome: 'failed',
      passRate: 0.5,
      reasons: [{ code: 'must_pass_failed', message: '__proto__ must pass and failed 1 of 2 times' }],
    },
  ]);
});

describe('newly failing evaluations', () => {
  const now = evidence({
    refund: score({ passed: 1, failed: 1 }),
    greeting: score({ failed: 2 }),
    handoff: score({ passed: 6 }),
  });
  check([
    {
      name: 'as many as allowed',
      evidence: now,
      gate: mayNewlyFail(1),
      baseline: { greeting: score({ failed: 1 }), refund: score({ passed: 2 }) },
      outcome: 'passed',
      passRate: 0.7,
      reasons: met('70.0% of 10 results passed'),
    },
    {
      name: 'one too many',
      evidence: now,
      gate: mayNewlyFail(0),
      baseline: { greeting: score({ failed: 1 }), refund: score({ passed: 2 }) },
      outcome: 'failed',
      passRate: 0.7,
      reasons: [
        {
          code: 'too_many_newly_failing',
          message: '1 newly failing (compared with nightly-20261129T020000Z); the plan allows 0',
        },
      ],
    },
    {
      name: 'every failure is new without a baseline',
      evidence: now,
      gate: mayNewlyFail(1),
      outcome: 'failed',
      passRate: 0.7,
      reasons: [
        {
          code: 'too_many_newly_failing',
          message: '2 newly failing (there is no passing run to compare with); the plan allows 1',
        },
      ],
    },
  ]);

  test('are shown beside the run that they are compared with, and only then', () => {
    const before = baseline({ greeting: score({ failed: 1 }), old: score({ passed: 1 }) });

    expect(judge(now, gate({ minPassRate: 0.1 }), before)).toEqual({
      outcome: 'passed',
      passRate: 0.7,
      reasons: [{ code: 'gate_met', message: '70.0% of 10 results passed' }],
      baseline: BASELINE,
      diff: {
        newlyFailing: ['refund'],
        stillFailing: ['greeting'],
        fixed: [],
        newlyErroring: [],
        flaky: ['refund'],
        added: ['handoff', 'refund'],
        removed: ['old'],
      },
    });
    expect(judge(now, gate({ minPassRate: 0.1 }), undefined)).toEqual({
      outcome: 'passed',
      passRate: 0.7,
      reasons: [{ code: 'gate_met', message: '70.0% of 10 results passed' }],
    });
  });
});

describe('the latency', () => {
  const limit: Partial<Gate> = { maxP90Ms: { tool: 2000 } };
  check([
    {
      name: 'exactly at the limit',
      evidence: slow(2000),
      gate: limit,
      outcome: 'passed',
      passRate: 1,
      reasons: met('100.0% of 1 result passed'),
    },
    {
      name: 'a millisecond above it',
      evidence: slow(2001),
      gate: limit,
      outcome: 'failed',
      passRate: 1,
      reasons: [{ code: 'latency_above_maximum', message: 'p90 of tool lookup_order is 2.001 s; the plan allows 2 s' }],
    },
    {
      name: 'of a run without a report is not checked',
      evidence: evidence({ refund: score({ passed: 1 }) }),
      gate: limit,
      outcome: 'passed',
      passRate: 1,
      reasons: met('100.0% of 1 result passed'),
    },
  ]);
});

describe('whatever the results', () => {
  const results = fc.array(
    fc.record({
      evaluation: fc.constantFrom('greeting', 'refund', 'constructor', '__proto__'),
      id: fc.integer({ min: 1, max: 9 }),
      outcome: fc.constantFrom<Result['outcome']>('passed', 'passed', 'failed', 'errored', 'cancelled', 'skipped'),
    }),
    { maxLength: 12 },
  );
  const anyGate = fc.record({
    minPassRate: fc.double({ min: 0, max: 1, noNaN: true }),
    maxErrorRate: fc.double({ min: 0, max: 1, noNaN: true }),
    mustPass: fc.subarray(['greeting', '__proto__']),
    maxP90Ms: fc.constant({}),
  });

  test('nothing but passes passes the default gate', () => {
    fc.assert(
      fc.property(results, (drawn) => {
        const scores = scoresOf(read(drawn));
        const { passed, failed, errored, cancelled } = sumOf(scores);

        expect(judge(evidence(scores), EVERYTHING, undefined).outcome === 'passed').toBe(
          passed > 0 && failed + errored + cancelled === 0,
        );
      }),
    );
  });

  test('a run in which nothing passed is never green, whatever the gate', () => {
    fc.assert(
      fc.property(results, anyGate, (drawn, asked) => {
        const scores = scoresOf(read(drawn.filter(({ outcome }) => outcome !== 'passed')));

        expect(judge(evidence(scores), asked, undefined).outcome).not.toBe('passed');
      }),
    );
  });

  test('the verdict does not depend on their order, nor on results that come twice', () => {
    fc.assert(
      fc.property(results, anyGate, fc.nat(), (drawn, asked, turn) => {
        const all = read(drawn);
        const turned = [...all.slice(turn % (all.length + 1)), ...all.slice(0, turn % (all.length + 1))];
        const before = baseline({ greeting: score({ passed: 1 }), refund: score({ failed: 1 }) });

        expect(judge(evidence(scoresOf([...turned, ...all])), asked, before)).toEqual(
          judge(evidence(scoresOf(all)), asked, before),
        );
      }),
    );
  });
});

describe('an evaluation that was asked for', () => {
  const greeting = { greeting: score({ passed: 1 }) };
  check([
    {
      name: 'and has no result',
      evidence: evidence(greeting, { asked: ['greeting', 'refund'] }),
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [{ code: 'evaluation_not_measured', message: '1 of 2 evaluations have no result in this run: refund' }],
    },
    {
      name: 'and was skipped',
      evidence: evidence({ ...greeting, refund: score({ skipped: 1 }) }, { asked: ['greeting', 'refund'] }),
      outcome: 'passed',
      passRate: 1,
      reasons: [{ code: 'gate_met', message: '100.0% of 1 result passed' }],
    },
    {
      name: 'and must pass, is told once',
      evidence: evidence(greeting, { asked: ['greeting', 'refund'] }),
      gate: { mustPass: ['refund'] },
      outcome: 'inconclusive',
      passRate: 1,
      reasons: [{ code: 'must_pass_not_measured', message: 'refund must pass and has no result in this run' }],
    },
  ]);
});
