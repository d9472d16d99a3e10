import { describe, expect, test } from '@jest/globals';

import { errorOf, observe, type Observation } from '../../shared/domain/observation.ts';

const APP = 'projects/acme-cx/locations/us/apps/support-bot';
const NOTHING = { total: 0, completed: 0, passed: 0, failed: 0, error: 0, cancelled: 0 };

describe('an evaluation run as CES gives it', () => {
  test('is read field by field', () => {
    expect(
      observe({
        name: `${APP}/evaluationRuns/7d0f6c1e`,
        displayName: 'nightly-20261130T020000Z k3x9q2ab',
        state: 'RUNNING',
        appVersion: `${APP}/versions/v42`,
        operation: 'projects/acme-cx/locations/us/operations/operation-1764468003',
        progress: {
          totalCount: 20,
          completedCount: 12,
          passedCount: 10,
          failedCount: 2,
          errorCount: 1,
          cancelledCount: 3,
        },
        evaluationResults: [`${APP}/evaluations/greeting/results/r1`, `${APP}/evaluations/refund/results/r2`],
        aFieldOfNextYear: { anything: true },
      }),
    ).toEqual({
      state: 'RUNNING',
      phase: 'running',
      appVersion: `${APP}/versions/v42`,
      operation: 'projects/acme-cx/locations/us/operations/operation-1764468003',
      progress: { total: 20, completed: 12, passed: 10, failed: 2, error: 1, cancelled: 3 },
      results: [`${APP}/evaluations/greeting/results/r1`, `${APP}/evaluations/refund/results/r2`],
    });
  });

  test('without any field is a queued run without counts', () => {
    expect(observe({})).toEqual({ state: '', phase: 'queued', progress: NOTHING, results: [] });
  });

  test('with fields of other types is taken as if they were absent', () => {
    expect(
      observe({
        state: 5,
        appVersion: { id: 'v42' },
        operation: ['operations/1'],
        progress: [20],
        evaluationResults: 'none',
        errorInfo: 'QUOTA_EXHAUSTED',
        error: 8,
      }),
    ).toEqual({ state: '', phase: 'queued', progress: NOTHING, results: [] });
  });

  test('keeps the names among its results', () => {
    const name = `${APP}/evaluations/greeting/results/r1`;

    expect(observe({ evaluationResults: [name, null, 7, { name }] }).results).toEqual([name]);
  });

  test.each<[string, unknown, number]>([
    ['a number', 20, 20],
    ['a 64-bit integer, which ProtoJSON writes as a string', '20', 20],
    ['a zero that is written out', 0, 0],
    ['absent, which is zero', undefined, 0],
    ['null', null, 0],
    ['negative', -1, 0],
    ['not whole', 1.5, 0],
    ['beyond the safe integers', '9007199254740993', 0],
    ['no number', 'twenty', 0],
    ['an empty string', '', 0],
    ['a truth value', true, 0],
  ])('a count that is %s', (_name, totalCount, total) => {
    expect(observe({ progress: { totalCount } }).progress).toEqual({ ...NOTHING, total });
  });

  test.each<[string, Observation['phase'], Observation['end']]>([
    ['EVALUATION_RUN_STATE_UNSPECIFIED', 'queued', undefined],
    ['QUEUED', 'queued', undefined],
    ['RUNNING', 'running', undefined],
    ['COMPLETED', 'ended', 'completed'],
    ['ERROR', 'ended', 'error'],
    ['CANCELLED', 'ended', 'cancelled'],
    ['PAUSED', 'unknown', undefined],
    ['completed', 'unknown', undefined],
    ['constructor', 'unknown', undefined],
    ['__proto__', 'unknown', undefined],
  ])('state %s: %s', (state, phase, end) => {
    expect(observe({ state })).toEqual({
      state,
      phase,
      progress: NOTHING,
      results: [],
      ...(end === undefined ? {} : { end }),
    });
  });
});

describe('an error of a run or a result', () => {
  test.each<[string, Record<string, unknown>, ReturnType<typeof errorOf>]>([
    ['is not there', {}, undefined],
    ['is empty, which is how ProtoJSON may write none', { errorInfo: {}, error: {} }, undefined],
    [
      'for people comes first',
      {
        errorInfo: {
          errorType: 'QUOTA_EXHAUSTED',
          errorMessage: 'RESOURCE_EXHAUSTED: evaluation_llm_token_consumption',
          userFacingErrorMessage: 'The evaluation quota is used up.',
        },
      },
      { type: 'QUOTA_EXHAUSTED', message: 'The evaluation quota is used up.' },
    ],
    [
      'has only the technical message',
      { errorInfo: { errorType: 'RUNTIME_FAILURE', errorMessage: 'tool lookup_order failed' } },
      { type: 'RUNTIME_FAILURE', message: 'tool lookup_order failed' },
    ],
    ['has only a type', { errorInfo: { errorType: 'RUNTIME_FAILURE' } }, { type: 'RUNTIME_FAILURE', message: '' }],
    [
      'has only a message',
      { errorInfo: { errorMessage: 'tool lookup_order failed' } },
      { type: 'ERROR_TYPE_UNSPECIFIED', message: 'tool lookup_order failed' },
    ],
    [
      'is in both fields: the newer one counts',
      { errorInfo: { errorType: 'RUNTIME_FAILURE' }, error: { code: 13, message: 'internal' } },
      { type: 'RUNTIME_FAILURE', message: '' },
    ],
    [
      'is in the deprecated field only',
      { errorInfo: {}, error: { code: 8, message: 'quota exceeded' } },
      { type: 'code 8', message: 'quota exceeded' },
    ],
    ['is in the deprecated field without words', { error: { code: 13 } }, { type: 'code 13', message: '' }],
    [
      'is longer than a thousand characters',
      { errorInfo: { errorType: 'RUNTIME_FAILURE', errorMessage: 'x'.repeat(2_000) } },
      { type: 'RUNTIME_FAILURE', message: `${'x'.repeat(950)}… (1050 more characters)` },
    ],
  ])('%s', (_name, resource, error) => {
    expect(errorOf(resource)).toEqual(error);
  });
});
