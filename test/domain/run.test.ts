import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import { advance, type Run, type RunEvent, type RunState } from '../../shared/domain/run.ts';
import {
  APP,
  CREATED,
  DEADLINE,
  EVALUATION_RUN,
  EVENTS,
  LATER,
  NOW,
  OPERATION,
  PASSED,
  PROGRESS,
  end,
  judged,
  queued,
  requested,
  running,
  seen,
  starting,
  timedOut,
} from './runs.ts';

/** `-` is: the very same object comes back. The deadline is two hours away. */
const AFTER = `
                         | requested    | starting     | queued    | running   | finished | timed_out | judged
held to start            | starting     | starting     | -         | -         | -        | -         | -
held to poll             | -            | -            | queued    | running   | -        | -         | -
held to judge            | -            | -            | -         | -         | finished | timed_out | -
accepted                 | queued       | queued       | -         | -         | -        | -         | -
refused                  | start_failed | start_failed | -         | -         | -        | -         | -
named                    | requested    | starting     | -         | -         | -        | -         | -
seen queued              | -            | -            | queued    | running   | -        | -         | -
seen running             | -            | -            | running   | running   | -        | -         | -
seen in an unknown state | -            | -            | queued    | running   | -        | -         | -
seen completed           | -            | -            | finished  | finished  | -        | -         | -
delayed                  | requested    | starting     | queued    | running   | finished | timed_out | -
deadline passed          | -            | -            | -         | -         | -        | -         | -
abandoned                | abandoned    | abandoned    | abandoned | abandoned | -        | -         | -
repoll                   | -            | -            | queued    | running   | finished | timed_out | -
judged                   | -            | -            | -         | -         | finished | timed_out | -
`;
const BEFORE: Readonly<Record<string, Run>> = {
  requested,
  starting,
  queued,
  running,
  finished: end('finished'),
  timed_out: timedOut,
  judged,
};

const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());
const [head, ...lines] = AFTER.slice(1, -1).split('\n').map(cells);
const rows = lines.flatMap(([event, ...states]) =>
  states.map((after, index) => ({ event: event!, name: head![index + 1]!, after })),
);

describe('a run after an event', () => {
  test('the table has a row for every event', () => {
    expect(lines.map(([event]) => event)).toEqual(Object.keys(EVENTS));
  });

  test.each(rows)('$name, $event: $after', ({ event, name, after }) => {
    const run = BEFORE[name]!;

    const next = advance(run, EVENTS[event as keyof typeof EVENTS], NOW);

    expect(next === run ? '-' : next.state).toBe(after);
  });

  test.each([
    ['requested', requested],
    ['starting', starting],
    ['queued', queued],
    ['running', running],
  ])('%s times out at the very millisecond of the deadline, and not before', (_name, run) => {
    expect(advance(run, { kind: 'deadline_passed' }, new Date(DEADLINE.getTime() - 1))).toBe(run);
    expect(advance(run, { kind: 'deadline_passed' }, DEADLINE).state).toBe('timed_out');
  });

  test('a run is requested with its first step due at once and its deadline armed', () => {
    expect(requested).toEqual({
      id: 'nightly-20261130T020000Z',
      plan: 'nightly',
      trigger: { kind: 'schedule', slot: '2026-11-30T02:00:00.000Z', by: 'schedule 0 2 * * *' },
      spec: {
        app: APP,
        dataset: 'smoke',
        deadlineMs: 7_200_000,
        gate: { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} },
        alerts: ['oncall'],
      },
      nonce: 'k3x9q2ab',
      state: 'requested',
      createdAt: '2026-11-30T02:00:00.000Z',
      deadlineAt: '2026-11-30T04:00:00.000Z',
      nextAt: '2026-11-30T02:00:00.000Z',
      startAttempts: 0,
      polls: 0,
      failuresInARow: 0,
      timeline: [{ at: '2026-11-30T02:00:00.000Z', event: 'requested', detail: 'schedule: schedule 0 2 * * *' }],
    });
  });

  test('an accepted start forgets the problem of the attempts before it', () => {
    const delayed = advance(starting, EVENTS.delayed, NOW);

    expect(advance(delayed, { ...EVENTS.accepted, adopted: true }, LATER)).toEqual({
      ...starting,
      state: 'queued',
      startedAt: '2026-11-30T02:10:30.000Z',
      operation: OPERATION,
      evaluationRun: EVALUATION_RUN,
      nextAt: '2026-11-30T02:10:30.000Z',
      failuresInARow: 0,
      timeline: [
        { at: '2026-11-30T02:00:00.000Z', event: 'requested', detail: 'schedule: schedule 0 2 * * *' },
        { at: '2026-11-30T02:10:00.000Z', event: 'delayed', detail: 'CES answered 503' },
        { at: '2026-11-30T02:10:30.000Z', event: 'adopted', detail: EVALUATION_RUN },
      ],
    });
  });

  test('an observation fills in what was not known, and ends the run when CES has ended it', () => {
    const { operation: _operation, ...adopted } = queued;
    const observation = seen('COMPLETED', 'ended', {
      end: 'completed',
      operation: OPERATION,
      appVersion: `${APP}/versions/v42`,
    });

    expect(advance(adopted, { kind: 'observed', observation, nextAt: LATER }, NOW)).toEqual({
      ...queued,
      state: 'finished',
      end: 'completed',
      appVersion: `${APP}/versions/v42`,
      progress: PROGRESS,
      finishedAt: '2026-11-30T02:10:00.000Z',
      nextAt: '2026-11-30T02:10:00.000Z',
      timeline: [...requested.timeline, { at: '2026-11-30T02:10:00.000Z', event: 'finished', detail: 'completed' }],
    });
  });

  test('an operation that ended without a run fails the start, unless the run has a name by now', () => {
    const { evaluationRun: _evaluationRun, ...unnamed } = queued;
    const refused: RunEvent = { kind: 'refused', problem: 'the dataset is empty', operation: OPERATION };

    expect(advance(unnamed, refused, NOW)).toEqual({
      ...unnamed,
      state: 'start_failed',
      problem: 'the dataset is empty',
      finishedAt: '2026-11-30T02:10:00.000Z',
      nextAt: '2026-11-30T02:10:00.000Z',
      timeline: [
        ...requested.timeline,
        { at: '2026-11-30T02:10:00.000Z', event: 'start_failed', detail: 'the dataset is empty' },
      ],
    });
    expect(advance(queued, refused, NOW)).toBe(queued);
    expect(advance(unnamed, { kind: 'refused', problem: 'no such app' }, NOW)).toBe(unnamed);
  });

  test('a run that CES once showed running does not fall back into the queue', () => {
    expect(advance(running, EVENTS['seen queued'], NOW)).toEqual({
      ...running,
      progress: PROGRESS,
      nextAt: '2026-11-30T02:10:30.000Z',
    });
  });
});

describe('one field is wake-up time and lease', () => {
  test.each<[string, Run, RunEvent, string | undefined]>([
    ['held to start', requested, EVENTS['held to start'], '2026-11-30T02:10:30.000Z'],
    ['accepted', starting, EVENTS.accepted, '2026-11-30T02:10:30.000Z'],
    ['held to poll', queued, EVENTS['held to poll'], '2026-11-30T02:10:30.000Z'],
    ['seen running', queued, EVENTS['seen running'], '2026-11-30T02:10:30.000Z'],
    ['delayed', running, EVENTS.delayed, '2026-11-30T02:10:30.000Z'],
    ['ended: the judgement is due at once', running, EVENTS['seen completed'], '2026-11-30T02:10:00.000Z'],
    ['abandoned: the judgement is due at once', running, EVENTS.abandoned, '2026-11-30T02:10:00.000Z'],
    ['held to judge', end('finished'), EVENTS['held to judge'], '2026-11-30T02:10:30.000Z'],
    ['a judgement that has to wait', end('finished'), EVENTS.delayed, '2026-11-30T02:10:30.000Z'],
    [
      'repoll: due at once',
      { ...running, nextAt: '2026-11-30T03:00:00.000Z' },
      EVENTS.repoll,
      '2026-11-30T02:10:00.000Z',
    ],
    ['judged: nothing is left', end('finished'), EVENTS.judged, undefined],
  ])('%s', (_name, run, event, nextAt) => {
    expect(advance(run, event, NOW).nextAt).toBe(nextAt);
  });
});

/** What each step of a story must keep, as the names of the rules that it breaks. */
function broken(before: Run, after: Run): string[] {
  return [
    ...(RANK[after.state] < RANK[before.state] ? ['it moved back'] : []),
    ...(RANK[before.state] === 4 && after.state !== before.state ? ['it left its end'] : []),
    ...(before.verdict !== undefined && after !== before ? ['it changed after its verdict'] : []),
    ...((after.nextAt === undefined) === (after.verdict === undefined)
      ? ['a next step, or none: not as it should']
      : []),
  ];
}

const RANK: Readonly<Record<RunState, number>> = {
  requested: 0,
  starting: 1,
  queued: 2,
  running: 3,
  finished: 4,
  timed_out: 4,
  abandoned: 4,
  start_failed: 4,
};

describe('whatever happens, in whatever order', () => {
  const event = fc.constantFrom<RunEvent>(
    ...Object.values(EVENTS),
    { kind: 'judged', verdict: PASSED },
    { kind: 'observed', observation: seen('ERROR', 'ended', { end: 'error' }), nextAt: LATER },
    { kind: 'refused', problem: 'the dataset is empty', operation: OPERATION },
  );
  /** Minutes after the request; from 120 on the deadline has passed. */
  const minutes = fc.integer({ min: 0, max: 130 });

  test('a run never moves back, stays as it ended, keeps its verdict, and has a next step until it is judged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, minutes), { maxLength: 40 }), (story) => {
        let run = requested;
        const problems = story.flatMap(([happened, minute]) => {
          const before = run;
          run = advance(before, happened, new Date(CREATED.getTime() + minute * 60_000));
          return broken(before, run);
        });

        expect(problems).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});
