import { describe, expect, test } from '@jest/globals';

import { advance, type Run } from '../../shared/domain/run.ts';
import { DEADLINE, EVENTS, LATER, NOW, end, queued, running, timedOut } from './runs.ts';

const delay = (run: Run, problem: string): Run => advance(run, { kind: 'delayed', problem, nextAt: LATER }, NOW);
const delays = (run: Run): string[] =>
  run.timeline.filter(({ event }) => event === 'delayed').map(({ detail }) => detail);

describe('problems', () => {
  test('are noted once for each distinct problem in a row', () => {
    const row = ['CES answered 503', 'CES answered 503', 'time-out', 'time-out', 'CES answered 503'];
    const run = row.reduce(delay, running);

    expect(delays(run)).toEqual(['CES answered 503', 'time-out', 'CES answered 503']);
    expect(run).toMatchObject({ failuresInARow: 5, problem: 'CES answered 503' });
  });

  test('are noted again after a step that succeeded, which takes the problem away', () => {
    const recovered = advance(delay(running, 'CES answered 503'), EVENTS['seen running'], NOW);

    expect(recovered).not.toHaveProperty('problem');
    expect(recovered.failuresInARow).toBe(0);
    expect(delays(delay(recovered, 'CES answered 503'))).toEqual(['CES answered 503', 'CES answered 503']);
  });

  test('of the judgement do not overwrite why the run ended', () => {
    expect(delay(timedOut, 'CES answered 503')).toEqual({
      ...timedOut,
      nextAt: '2026-11-30T02:10:30.000Z',
      failuresInARow: 1,
      timeline: [
        ...timedOut.timeline,
        { at: '2026-11-30T02:10:00.000Z', event: 'delayed', detail: 'CES answered 503' },
      ],
    });
  });

  test('of the judgement are gone once there is a verdict, and why the run ended is not', () => {
    const late = advance(delay(end('finished'), 'CES answered 503'), EVENTS.judged, LATER);

    expect(late).not.toHaveProperty('problem');
    expect(advance(timedOut, EVENTS.judged, LATER).problem).toBe(timedOut.problem);
  });

  test('longer than a thousand characters are cut, and say so', () => {
    const run = delay(running, '🚦'.repeat(1_200));

    expect(run.problem).toBe(`${'🚦'.repeat(950)}… (250 more characters)`);
    expect(delays(run)).toEqual([`${'🚦'.repeat(950)}… (250 more characters)`]);
  });

  test.each([
    ['two hours', 7_200_000, undefined, "not finished within the plan's deadline of 2h, still running"],
    ['ninety seconds', 90_000, undefined, "not finished within the plan's deadline of 90s, still running"],
    ['half a second', 500, undefined, "not finished within the plan's deadline of 500ms, still running"],
    [
      'the last step failed',
      900_000,
      'CES answered 503',
      "not finished within the plan's deadline of 15m, still running; last problem: CES answered 503",
    ],
  ])('a time-out names the deadline: %s', (_name, deadlineMs, problem, message) => {
    const run: Run = { ...running, spec: { ...running.spec, deadlineMs }, ...(problem && { problem }) };

    expect(advance(run, { kind: 'deadline_passed' }, DEADLINE).problem).toBe(message);
  });
});

describe('the timeline', () => {
  test('notes an unknown state once, however often it is seen', () => {
    const twice = [1, 2].reduce<Run>((run) => advance(run, EVENTS['seen in an unknown state'], NOW), queued);

    expect(twice.timeline).toEqual([
      ...queued.timeline,
      { at: '2026-11-30T02:10:00.000Z', event: 'unknown_state', detail: 'PAUSED: taken as not finished' },
    ]);
  });

  test('keeps its first and its last fifty entries', () => {
    const long = Array.from({ length: 149 }, (_, index) => `problem ${index + 1}`).reduce<Run>(
      (run, problem) => advance(run, { kind: 'delayed', problem, nextAt: LATER }, NOW),
      running,
    );

    expect(long.timeline.map(({ detail }) => detail)).toEqual([
      'schedule: schedule 0 2 * * *',
      ...Array.from({ length: 49 }, (_, index) => `problem ${index + 1}`),
      ...Array.from({ length: 50 }, (_, index) => `problem ${index + 100}`),
    ]);
  });
});
