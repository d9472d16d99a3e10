import { describe, expect, test } from '@jest/globals';

import { junitXml } from '../../cli/junit.ts';
import { createProgress } from '../../cli/progress.ts';
import { runDocument } from '../../shared/domain/run-document.ts';
import { runOf } from '../fixtures.ts';
import { casesOf } from './junit-cases.ts';

describe('the JUnit report', () => {
  test('tells failures, errors and skipped ones apart, and escapes what XML cannot hold', () => {
    const judged = runOf('nightly-20261130T020000Z', {
      state: 'finished',
      startedAt: '2026-11-30T02:00:01.000Z',
      finishedAt: '2026-11-30T02:08:03.500Z',
      verdict: { outcome: 'failed', passRate: 0.5, reasons: [{ code: 'must_pass_failed', message: 'refund failed' }] },
    });
    const score = { passed: 0, failed: 0, errored: 0, cancelled: 0, skipped: 0 };

    const xml = junitXml(runDocument(judged), {
      'a<b & "c"\u0000\u001B[31m\uFFFF': { ...score, passed: 1, failed: 1 },
      'all-well': { ...score, passed: 5 },
      broken: { ...score, passed: 3, errored: 1, cancelled: 1 },
      later: { ...score, skipped: 5 },
    });

    expect(xml).toContain('tests="4" failures="1" errors="1" skipped="1" time="482.500"');
    expect(casesOf(xml)).toEqual([
      ['a&lt;b &amp; &quot;c&quot;[31m', '<failure message="1 of 2 passed, 1 failed"/>'],
      ['all-well', ''],
      ['broken', '<error message="3 of 5 passed, 1 error, 1 cancelled"/>'],
      ['later', '<skipped message="skipped in every repetition"/>'],
    ]);
  });

  test.each([
    {
      name: 'a start that was refused is an error',
      change: {
        state: 'start_failed',
        verdict: {
          outcome: 'inconclusive',
          passRate: null,
          reasons: [{ code: 'start_failed', message: 'the run could not be started' }],
        },
      },
      expected: '<error message="the run could not be started"/>',
    },
    {
      name: 'a gate that no evaluation explains is a failure',
      change: {
        state: 'finished',
        verdict: {
          outcome: 'failed',
          passRate: 1,
          reasons: [{ code: 'latency_above_maximum', message: 'llm: 5.1 s' }],
        },
      },
      expected: '<failure message="llm: 5.1 s"/>',
    },
    {
      name: 'a run without a verdict is an error',
      change: { state: 'running' },
      expected: '<error message="no verdict yet: the run is running"/>',
    },
  ] as const)('$name, so that no report looks green', ({ change, expected }) => {
    const xml = junitXml(runDocument(runOf('nightly-20261130T020000Z', change)), {});

    expect(casesOf(xml)).toEqual([['verdict', expected]]);
  });
});

describe('progress', () => {
  const running = runOf('nightly-20261130T020000Z', {
    state: 'running',
    progress: { total: 50, completed: 33, passed: 31, failed: 2, error: 1, cancelled: 0 },
    nextAt: '2026-11-30T02:01:20.000Z',
  });
  const now = new Date('2026-11-30T02:01:05.000Z');

  const show = (terminal: { isTTY: boolean; columns: number }) => {
    const written: string[] = [];
    const progress = createProgress({ ...terminal, write: (text: string) => written.push(text) });
    progress.show(running, now);
    progress.show(running, now);
    progress.end();
    return written;
  };

  test('is one line on a terminal that is written over and taken away at the end', () => {
    expect(show({ isTTY: true, columns: 100 })).toEqual([
      '\r\u001B[2K⠙ nightly-20261130T020000Z  RUNNING 34/50 ✓31 ✗2 ⚠1  1m 05s  next poll 15s',
      '\r\u001B[2K⠹ nightly-20261130T020000Z  RUNNING 34/50 ✓31 ✗2 ⚠1  1m 05s  next poll 15s',
      '\r\u001B[2K',
    ]);
  });

  test.each([
    { name: 'is cut on a narrow terminal, since a broken line cannot be written over', columns: 40, shown: 39 },
    { name: 'is shown on a terminal that does not know its width', columns: 0, shown: 74 },
  ])('$name', ({ columns, shown }) => {
    expect(show({ isTTY: true, columns })[0]).toHaveLength('\r\u001B[2K'.length + shown);
  });

  test('is a plain line elsewhere, and none when nothing is new', () => {
    expect(show({ isTTY: false, columns: 80 })).toEqual([
      'nightly-20261130T020000Z  RUNNING 34/50 ✓31 ✗2 ⚠1  1m 05s\n',
    ]);
  });
});
