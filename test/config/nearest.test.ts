import { expect, test } from '@jest/globals';

import { nearest } from '../../shared/config/nearest.ts';

test.each<[string, string, readonly string[], string | undefined]>([
  ['a letter too few', 'schedul', ['schedule', 'deadline'], 'schedule'],
  ['another case', 'SKIP', ['skip', 'queue'], 'skip'],
  ['two letters of six', 'refnud', ['refund'], 'refund'],
  ['three letters of six', 'rufnud', ['refund'], undefined],
  ['the nearer of two', 'nightly2', ['nightly1x', 'nightly'], 'nightly'],
  ['a short word with one letter wrong', 'om', ['on', 'to'], 'on'],
  ['nothing in common', 'x', ['a'], undefined],
  ['nothing known', 'nightly', [], undefined],
  ['a page of text', 'x'.repeat(10_000), ['nightly'], undefined],
])('%s', (_name, word, known, expected) => {
  expect(nearest(word, known)).toBe(expected);
});
