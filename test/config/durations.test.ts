import { expect, test } from '@jest/globals';

import { parseDuration } from '../../shared/config/durations.ts';

test.each<[string, number | undefined]>([
  ['500ms', 500],
  ['30s', 30_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0s', 0],
  ['104249991d', 9_007_199_222_400_000],
  ['104249992d', undefined],
  ['90', undefined],
  ['1.5h', undefined],
  ['-1s', undefined],
  ['1h30m', undefined],
  ['30 s', undefined],
  ['30S', undefined],
  ['30s\n', undefined],
  ['', undefined],
])('the duration %j is %p milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});
