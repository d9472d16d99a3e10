import { describe, expect, test } from '@jest/globals';

import { clip, clipDrawn, formatsOf, oneLine } from '../../shared/domain/alert-format.ts';

describe('formats', () => {
  const { percent, duration } = formatsOf({ locale: 'en', timezone: 'UTC' });

  test.each([
    [0, '0.0%'],
    [2 / 3, '66.7%'],
    [0.9994, '99.9%'],
    [0.9999, '99.9%'],
    [1, '100.0%'],
  ])('a rate of %d is %s', (rate, expected) => {
    expect(percent(rate)).toBe(expected);
  });

  test.each([
    [0, '0 s'],
    [499, '0 s'],
    [5_000, '5 s'],
    [60_000, '1 min'],
    [4_470_000, '1 h 14 min'],
    [3_605_000, '1 h'],
    [-5_000, '0 s'],
  ])('%d ms are %s', (ms, expected) => {
    expect(duration(ms)).toBe(expected);
  });

  test.each([
    ['ends of lines and tabs', 'a\r\n\tb\u2028c\u0085d', 'a b c d'],
    ['controls', 'a\u0000\u001b[31mb', 'a [31mb'],
    ['marks of direction', 'a\u202egnp.exe\u2066b', 'agnp.exeb'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['an emoji of several code points', '👩\u200d💻 ok', '👩\u200d💻 ok'],
  ])('%s do not outlive the way into one line', (_name, text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  test.each([
    ['what fits', 'refund', 6, 'refund'],
    ['what does not', 'refunds', 6, 'refun…'],
    ['a pair of surrogates at the cut', 'abc😀😀', 6, 'abc😀…'],
    ['a pair of surrogates that does not fit', 'abcd😀😀', 6, 'abcd…'],
  ])('%s is cut to whole code points', (_name, text, limit, expected) => {
    expect(clip(text, limit)).toBe(expected);
  });

  test('an entity is not cut either', () => {
    expect(clipDrawn('a&&&', 10, (point) => (point === '&' ? '&amp;' : point))).toBe('a&amp;…');
  });
});
