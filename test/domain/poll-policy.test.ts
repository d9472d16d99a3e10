import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import type { Progress } from '../../shared/domain/observation.ts';
import { noLaterThan, untilNextPoll, untilRetry } from '../../shared/domain/poll-policy.ts';

const BOUNDS = { minMs: 5_000, maxMs: 60_000 };
const NONE: Progress = { total: 20, completed: 0, passed: 0, failed: 0, error: 0, cancelled: 0 };
const done = (counts: Partial<Progress>): Progress => ({ ...NONE, ...counts });

describe('the time to the next poll', () => {
  test.each<[string, number, Progress | undefined, number]>([
    ['just accepted: the least', 0, undefined, 5_000],
    ['nothing finished: a quarter of the age', 100_000, NONE, 25_000],
    ['nothing finished for long: the most', 3_600_000, NONE, 60_000],
    ['half of it finished: part of the time that the rest will take', 100_000, done({ completed: 10 }), 40_000],
    ['errors and cancellations are finished too', 100_000, done({ completed: 8, error: 1, cancelled: 1 }), 40_000],
    ['little left: the least', 400_000, done({ completed: 19 }), 8_421],
    ['all results there, and the run not ended: the least', 400_000, done({ completed: 20 }), 5_000],
    ['more finished than there are', 400_000, done({ completed: 21 }), 5_000],
    ['finished results of an unknown total', 400_000, done({ total: 0, completed: 3 }), 5_000],
    ['the clock was set back', -90_000, NONE, 5_000],
  ])('%s', (_name, ageMs, progress, waitMs) => {
    expect(Math.round(untilNextPoll(ageMs, progress, BOUNDS))).toBe(waitMs);
  });

  test('stays within its bounds, whatever CES says', () => {
    const count = fc.nat({ max: 10_000 });
    const progress = fc.record({
      total: count,
      completed: count,
      passed: count,
      failed: count,
      error: count,
      cancelled: count,
    });
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e12 }), fc.option(progress, { nil: undefined }), (ageMs, seen) => {
        const waitMs = untilNextPoll(ageMs, seen, BOUNDS);

        expect([waitMs >= 5_000, waitMs <= 60_000]).toEqual([true, true]);
      }),
    );
  });
});

describe('the time until a failed step is tried again', () => {
  test.each<[string, number, number | undefined, number]>([
    ['the first failure', 0, undefined, 5_000],
    ['the second', 1, undefined, 10_000],
    ['the fourth', 3, undefined, 40_000],
    ['the fifth: the most', 4, undefined, 60_000],
    ['the ten-thousandth', 9_999, undefined, 60_000],
    ['the server asks for less', 2, 1_000, 20_000],
    ['the server asks for more', 0, 30_000, 30_000],
    ['the server asks for more than the most', 0, 900_000, 900_000],
    ['the server asks for nothing', 0, 0, 5_000],
  ])('%s', (_name, failuresInARow, retryAfterMs, waitMs) => {
    expect(untilRetry(failuresInARow, retryAfterMs, BOUNDS)).toBe(waitMs);
  });
});

describe('the deadline', () => {
  const deadline = new Date('2026-11-30T04:00:00.000Z');

  test.each([
    ['before it', '2026-11-30T03:59:59.999Z', '2026-11-30T03:59:59.999Z'],
    ['at it', '2026-11-30T04:00:00.000Z', '2026-11-30T04:00:00.000Z'],
    ['behind it: the last look is at the deadline itself', '2026-11-30T04:00:00.001Z', '2026-11-30T04:00:00.000Z'],
  ])('of a step that is planned %s', (_name, at, planned) => {
    expect(noLaterThan(new Date(at), deadline)).toEqual(new Date(planned));
  });
});
