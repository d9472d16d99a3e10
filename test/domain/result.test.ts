import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import { readResult, scoreOf, scoresOf, sumOf, type Result } from '../../shared/domain/result.ts';

const APP = 'projects/acme-cx/locations/us/apps/support-bot';
const nameOf = (evaluation: string, id: string): string => `${APP}/evaluations/${evaluation}/results/${id}`;
const result = (evaluation: string, id: string, outcome: Result['outcome']): Result => ({
  name: nameOf(evaluation, id),
  evaluation,
  outcome,
});

describe('an evaluation result as CES gives it', () => {
  test('is read field by field', () => {
    expect(
      readResult({
        name: nameOf('refund', 'r1'),
        executionState: 'ERROR',
        persona: { name: `${APP}/evaluationPersonas/impatient` },
        errorInfo: { errorType: 'QUOTA_EXHAUSTED', errorMessage: 'no tokens left' },
      }),
    ).toEqual({
      name: nameOf('refund', 'r1'),
      evaluation: 'refund',
      outcome: 'errored',
      persona: 'impatient',
      error: { type: 'QUOTA_EXHAUSTED', message: 'no tokens left' },
    });
  });

  test.each<[string, unknown]>([
    ['no name', undefined],
    ['a name of another type', 7],
    ['the name of an evaluation', `${APP}/evaluations/refund`],
    ['a name that goes on', `${nameOf('refund', 'r1')}/spans/1`],
  ])('with %s is none', (_name, name) => {
    expect(readResult({ name, executionState: 'COMPLETED', evaluationStatus: 'PASS' })).toBeUndefined();
  });

  test.each<[string | undefined, string | undefined, Result['outcome']]>([
    ['COMPLETED', 'PASS', 'passed'],
    ['COMPLETED', 'FAIL', 'failed'],
    ['COMPLETED', 'SKIPPED', 'skipped'],
    ['COMPLETED', 'OUTCOME_UNSPECIFIED', 'errored'],
    ['COMPLETED', 'MOSTLY_PASS', 'errored'],
    ['COMPLETED', undefined, 'errored'],
    ['ERROR', 'PASS', 'errored'],
    ['CANCELLED', 'PASS', 'cancelled'],
    ['QUEUED', undefined, 'unfinished'],
    ['RUNNING', 'PASS', 'unfinished'],
    ['PAUSED', 'PASS', 'unfinished'],
    [undefined, 'PASS', 'unfinished'],
  ])('in state %s with outcome %s: %s', (executionState, evaluationStatus, outcome) => {
    expect(readResult({ name: nameOf('refund', 'r1'), executionState, evaluationStatus })?.outcome).toBe(outcome);
  });
});

describe('scores', () => {
  test('count the repetitions of each evaluation, and no unfinished one', () => {
    expect(
      scoresOf([
        result('refund', 'r1', 'passed'),
        result('refund', 'r2', 'failed'),
        result('greeting', 'r3', 'passed'),
        result('refund', 'r4', 'errored'),
        result('greeting', 'r5', 'unfinished'),
        result('handoff', 'r6', 'unfinished'),
        result('greeting', 'r7', 'cancelled'),
        result('greeting', 'r8', 'skipped'),
      ]),
    ).toEqual({
      greeting: { passed: 1, failed: 0, errored: 0, cancelled: 1, skipped: 1 },
      refund: { passed: 1, failed: 1, errored: 1, cancelled: 0, skipped: 0 },
    });
  });

  test.each<[string, Result['outcome'], Result['outcome'], Result['outcome']]>([
    ['a final word over none', 'passed', 'unfinished', 'passed'],
    ['a failure over a pass', 'passed', 'failed', 'failed'],
    ['an error over a pass', 'passed', 'errored', 'errored'],
    ['a failure over an error', 'errored', 'failed', 'failed'],
    ['a cancellation over a skip', 'skipped', 'cancelled', 'cancelled'],
  ])('of two words on one result take %s, whichever comes first', (_name, one, other, taken) => {
    const both = [result('refund', 'r1', one), result('refund', 'r1', other)];
    const counted = { refund: { passed: 0, failed: 0, errored: 0, cancelled: 0, skipped: 0, [taken]: 1 } };

    expect(scoresOf(both)).toEqual(counted);
    expect(scoresOf(both.toReversed())).toEqual(counted);
  });

  test('are the same document whatever the order of the results', () => {
    const some = fc.array(
      fc.record({
        evaluation: fc.constantFrom('greeting', 'refund', '__proto__', '42'),
        id: fc.constantFrom('r1', 'r2', 'r3'),
        outcome: fc.constantFrom<Result['outcome']>('passed', 'failed', 'errored', 'skipped', 'unfinished'),
      }),
    );
    fc.assert(
      fc.property(some, fc.nat(), (drawn, turn) => {
        const results = drawn.map(({ evaluation, id, outcome }) => result(evaluation, id, outcome));
        const turned = [
          ...results.slice(turn % (results.length + 1)),
          ...results.slice(0, turn % (results.length + 1)),
        ];

        expect(JSON.stringify(scoresOf([...turned, ...results]))).toBe(JSON.stringify(scoresOf(results)));
      }),
    );
  });

  test.each(['constructor', '__proto__', 'toString'])('have room for an evaluation named %s', (name) => {
    const scores = scoresOf([result(name, 'r1', 'failed')]);
    const score = { passed: 0, failed: 1, errored: 0, cancelled: 0, skipped: 0 };

    expect(Object.entries(scores)).toEqual([[name, score]]);
    expect(scoreOf(scores, name)).toEqual(score);
    expect(scoreOf({ ...scores }, name)).toEqual(score);
    expect(scoreOf(JSON.parse(JSON.stringify(scores)), name)).toEqual(score);
    expect(sumOf(scores)).toEqual(score);
    expect(scoreOf({}, name)).toBeUndefined();
  });

  test('add up', () => {
    expect(
      sumOf({
        greeting: { passed: 1, failed: 2, errored: 3, cancelled: 4, skipped: 5 },
        refund: { passed: 10, failed: 20, errored: 30, cancelled: 40, skipped: 50 },
      }),
    ).toEqual({ passed: 11, failed: 22, errored: 33, cancelled: 44, skipped: 55 });
    expect(sumOf({})).toEqual({ passed: 0, failed: 0, errored: 0, cancelled: 0, skipped: 0 });
  });
});
