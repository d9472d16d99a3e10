import { describe, expect, test } from '@jest/globals';

import { diffScores, type Diff } from '../../shared/domain/diff.ts';
import type { Score, Scores } from '../../shared/domain/result.ts';

const NONE: Diff = {
  newlyFailing: [],
  stillFailing: [],
  fixed: [],
  newlyErroring: [],
  flaky: [],
  added: [],
  removed: [],
};
const score = (counts: Partial<Score>): Score => ({
  passed: 0,
  failed: 0,
  errored: 0,
  cancelled: 0,
  skipped: 0,
  ...counts,
});
const PASSES = score({ passed: 3 });
const FAILS = score({ failed: 3 });
const FLAKY = score({ passed: 2, failed: 1 });
const ERRS = score({ errored: 3 });
const HALF = score({ passed: 2, cancelled: 1 });
const SKIPPED = score({ skipped: 3 });

const scores = (of: Score | undefined): Scores => (of === undefined ? {} : { refund: of });

describe('an evaluation beside its baseline', () => {
  test.each<[string, Score | undefined, Score | undefined, Partial<Diff>]>([
    ['passes and passed', PASSES, PASSES, {}],
    ['fails and passed', FAILS, PASSES, { newlyFailing: ['refund'] }],
    ['fails and could not be measured', FAILS, ERRS, { newlyFailing: ['refund'] }],
    ['fails and failed', FAILS, FAILS, { stillFailing: ['refund'] }],
    ['is flaky and passed', FLAKY, PASSES, { newlyFailing: ['refund'], flaky: ['refund'] }],
    ['is flaky and failed', FLAKY, FAILS, { stillFailing: ['refund'], flaky: ['refund'] }],
    ['fails and was flaky', FAILS, FLAKY, { stillFailing: ['refund'] }],
    ['passes and failed', PASSES, FAILS, { fixed: ['refund'] }],
    ['passes in part and failed', HALF, FAILS, { fixed: ['refund'], newlyErroring: ['refund'] }],
    ['errs and failed: that is not fixed', ERRS, FAILS, { newlyErroring: ['refund'] }],
    ['is skipped and failed: that is not fixed', SKIPPED, FAILS, {}],
    ['errs and passed', ERRS, PASSES, { newlyErroring: ['refund'] }],
    ['errs and erred', ERRS, HALF, {}],
    [
      'errs in part while it fails: that is a failure',
      score({ failed: 1, errored: 2 }),
      FAILS,
      { stillFailing: ['refund'] },
    ],
    ['passes and was not there', PASSES, undefined, { added: ['refund'] }],
    ['fails and was not there', FAILS, undefined, { newlyFailing: ['refund'], added: ['refund'] }],
    ['errs and was not there', ERRS, undefined, { newlyErroring: ['refund'], added: ['refund'] }],
    ['is not there and failed: that is not fixed', undefined, FAILS, { removed: ['refund'] }],
  ])('%s', (_name, now, before, diff) => {
    expect(diffScores(scores(now), scores(before))).toEqual({ ...NONE, ...diff });
  });

  test('stands in sorted lists, even when its id looks like a number', () => {
    const ids = ['refund', '10', '9', 'greeting'];
    const failing = Object.fromEntries(ids.map((id) => [id, FAILS]));

    expect(diffScores(failing, {}).newlyFailing).toEqual(['10', '9', 'greeting', 'refund']);
    expect(diffScores({}, failing).removed).toEqual(['10', '9', 'greeting', 'refund']);
  });

  test.each(['constructor', '__proto__'])('may be named %s', (name) => {
    const failing = Object.fromEntries([[name, FAILS]]);

    expect(diffScores(failing, {})).toEqual({ ...NONE, newlyFailing: [name], added: [name] });
    expect(diffScores({}, failing)).toEqual({ ...NONE, removed: [name] });
    expect(diffScores(failing, failing)).toEqual({ ...NONE, stillFailing: [name] });
  });
});
