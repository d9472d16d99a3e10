import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import type { Schedule } from '../../shared/domain/plan.ts';
import { dueSlot, nextSlots, scheduleProblem, type SlotDecision } from '../../shared/domain/schedule.ts';

const schedule = (cron: string, timezone: string): Schedule => ({ cron, timezone, overlap: 'skip' });

function slots(cron: string, timezone: string, after: string, count: number): string[] {
  return nextSlots(schedule(cron, timezone), new Date(after), count).map((slot) => slot.toISOString());
}

function decision(cron: string, timezone: string, since: string, now: string): [SlotDecision['kind'], string?] {
  const found = dueSlot(schedule(cron, timezone), new Date(since), new Date(now));
  return found.kind === 'none' ? ['none'] : [found.kind, found.slot.toISOString()];
}

const paris = (since: string, now: string) => decision('30 2 * * *', 'Europe/Paris', since, now);

describe('the slots of a schedule where the clock changes', () => {
  test.each<[string, string, string, string, string[]]>([
    [
      'Paris: 02:30 is skipped, and runs at 03:00',
      '30 2 * * *',
      'Europe/Paris',
      '2026-03-28T00:00:00Z',
      ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      'Paris: 02:30 comes twice, and runs the first time',
      '30 2 * * *',
      'Europe/Paris',
      '2026-10-24T00:00:00Z',
      ['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ],
    [
      'New York: 02:30 is skipped, and runs at 03:00',
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T00:00:00Z',
      ['2026-03-07T07:30:00.000Z', '2026-03-08T07:00:00.000Z', '2026-03-09T06:30:00.000Z'],
    ],
    [
      'New York: 01:30 comes twice, and runs the first time',
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T00:00:00Z',
      ['2026-10-31T05:30:00.000Z', '2026-11-01T05:30:00.000Z', '2026-11-02T06:30:00.000Z'],
    ],
    [
      'Lord Howe skips half an hour: 02:15 runs at 02:30',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T00:00:00Z',
      ['2026-10-02T15:45:00.000Z', '2026-10-03T15:30:00.000Z', '2026-10-04T15:15:00.000Z'],
    ],
    [
      'Lord Howe repeats half an hour: 01:45 runs the first time',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-03T00:00:00Z',
      ['2026-04-03T14:45:00.000Z', '2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z'],
    ],
    [
      'Sao Paulo had a summer time until 2019: midnight is skipped, and runs at 01:00',
      '0 0 * * *',
      'America/Sao_Paulo',
      '2018-11-03T00:00:00Z',
      ['2018-11-03T03:00:00.000Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
    ],
    [
      'Sao Paulo has none since',
      '0 0 * * *',
      'America/Sao_Paulo',
      '2026-10-31T00:00:00Z',
      ['2026-10-31T03:00:00.000Z', '2026-11-01T03:00:00.000Z', '2026-11-02T03:00:00.000Z'],
    ],
    [
      'Paris: every half hour goes on through the hour that comes twice',
      '*/30 * * * *',
      'Europe/Paris',
      '2026-10-25T00:00:00Z',
      ['2026-10-25T00:30:00.000Z', '2026-10-25T01:00:00.000Z', '2026-10-25T01:30:00.000Z', '2026-10-25T02:00:00.000Z'],
    ],
    [
      'Paris: every half hour leaves out the hour that is skipped',
      '*/30 * * * *',
      'Europe/Paris',
      '2026-03-29T00:00:00Z',
      ['2026-03-29T00:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-29T01:30:00.000Z'],
    ],
  ])('%s', (_name, cron, timezone, after, expected) => {
    expect(slots(cron, timezone, after, expected.length)).toEqual(expected);
  });
});

describe('the fields of a schedule', () => {
  test('a day of the month and a day of the week mean either', () => {
    expect(slots('0 9 13 * 5', 'UTC', '2026-11-09T00:00:00Z', 5)).toEqual([
      '2026-11-13T09:00:00.000Z',
      '2026-11-20T09:00:00.000Z',
      '2026-11-27T09:00:00.000Z',
      '2026-12-04T09:00:00.000Z',
      '2026-12-11T09:00:00.000Z',
    ]);
    expect(slots('0 9 16 * 5', 'UTC', '2026-11-14T00:00:00Z', 2)).toEqual([
      '2026-11-16T09:00:00.000Z',
      '2026-11-20T09:00:00.000Z',
    ]);
  });

  test('the 31st leaves out the months that have none', () => {
    expect(slots('0 9 31 * *', 'UTC', '2026-11-01T00:00:00Z', 4)).toEqual([
      '2026-12-31T09:00:00.000Z',
      '2027-01-31T09:00:00.000Z',
      '2027-03-31T09:00:00.000Z',
      '2027-05-31T09:00:00.000Z',
    ]);
  });

  test('Sunday is 0 and 7', () => {
    expect(slots('0 9 * * 7', 'UTC', '2026-11-30T00:00:00Z', 1)).toEqual(['2026-12-06T09:00:00.000Z']);
    expect(slots('0 9 * * 0', 'UTC', '2026-11-30T00:00:00Z', 1)).toEqual(['2026-12-06T09:00:00.000Z']);
  });

  test('a slot is strictly after the instant asked about', () => {
    expect(slots('0 2 * * *', 'UTC', '2026-11-30T02:00:00.000Z', 1)).toEqual(['2026-12-01T02:00:00.000Z']);
  });

  const FIVE = 'a schedule has five fields: minute, hour, day of month, month, day of week';
  test.each<[string, string, string, string | undefined]>([
    ['every night', '0 2 * * *', 'Europe/Paris', undefined],
    ['with more space than needed', ' 0  2 * * * ', 'UTC', undefined],
    ['every fourth year', '0 2 29 2 *', 'UTC', undefined],
    ['with seconds', '0 0 2 * * *', 'UTC', FIVE],
    ['with four fields', '0 2 * *', 'UTC', FIVE],
    ['a nickname', '@daily', 'UTC', FIVE],
    ['empty', '', 'UTC', FIVE],
    ['on a day that never comes', '0 2 31 2 *', 'UTC', 'this schedule never fires'],
    ['in minute 61', '61 2 * * *', 'UTC', 'Invalid value for minute: 61'],
    [
      'on Mars',
      '0 2 * * *',
      'Mars/Olympus',
      "there is no time zone 'Mars/Olympus': use an IANA name such as Europe/Berlin",
    ],
    ['nowhere', '0 2 * * *', '', "there is no time zone '': use an IANA name such as Europe/Berlin"],
  ])('%s', (_name, cron, timezone, problem) => {
    expect(scheduleProblem({ cron, timezone }, new Date('2026-11-30T00:00:00Z'))).toBe(problem);
  });
});

describe('the slot that is due', () => {
  const SINCE = '2026-11-29T02:00:00.000Z';
  test.each<[string, string, string, [SlotDecision['kind'], string?]]>([
    ['a millisecond before it', SINCE, '2026-11-30T01:59:59.999Z', ['none']],
    ['at its first millisecond', SINCE, '2026-11-30T02:00:00.000Z', ['due', '2026-11-30T02:00:00.000Z']],
    ['a tick later', SINCE, '2026-11-30T02:00:40.000Z', ['due', '2026-11-30T02:00:00.000Z']],
    ['six hours later', SINCE, '2026-11-30T08:00:00.000Z', ['due', '2026-11-30T02:00:00.000Z']],
    ['more than six hours later', SINCE, '2026-11-30T08:00:00.001Z', ['missed', '2026-11-30T02:00:00.000Z']],
    [
      'after three days without a tick: the latest',
      '2026-11-27T02:00:00.000Z',
      '2026-11-30T03:00:00.000Z',
      ['due', '2026-11-30T02:00:00.000Z'],
    ],
    [
      'after three days without a tick, too late for the latest',
      '2026-11-27T02:00:00.000Z',
      '2026-11-30T12:00:00.000Z',
      ['missed', '2026-11-30T02:00:00.000Z'],
    ],
    ['when it was handled already', '2026-11-30T02:00:00.000Z', '2026-11-30T02:00:00.500Z', ['none']],
    ['when the clock was set back', '2026-11-30T02:00:00.000Z', '2026-11-29T23:00:00.000Z', ['none']],
    ['when the plan was first seen after it', '2026-11-30T02:00:01.000Z', '2026-11-30T02:05:00.000Z', ['none']],
  ])('%s', (_name, since, now, expected) => {
    expect(decision('0 2 * * *', 'UTC', since, now)).toEqual(expected);
  });

  test('runs once where the time of day is skipped', () => {
    expect(paris('2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z')).toEqual(['due', '2026-03-29T01:00:00.000Z']);
    expect(paris('2026-03-29T01:00:00.000Z', '2026-03-29T01:30:30.000Z')).toEqual(['none']);
  });

  test('runs once where the time of day comes twice', () => {
    expect(paris('2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z')).toEqual(['due', '2026-10-25T00:30:00.000Z']);
    expect(paris('2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z')).toEqual(['none']);
  });

  test('is one that the preview shows, in every zone and at every time of the year', () => {
    const zones = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Kathmandu'];
    const crons = ['30 2 * * *', '15 2 * * *', '45 1 * * *', '0 0 * * *', '*/20 * * * *', '0 3 * * 0'];
    const now = fc.date({
      min: new Date('2026-01-01T00:00:00Z'),
      max: new Date('2027-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.constantFrom(...crons), fc.constantFrom(...zones), now, (cron, timezone, at) => {
        const weekBefore = new Date(at.getTime() - 8 * 24 * 60 * 60 * 1000);
        const found = dueSlot(schedule(cron, timezone), weekBefore, at);
        const shown = nextSlots(schedule(cron, timezone), weekBefore, 600).filter((slot) => slot <= at);

        expect(found).toMatchObject({ slot: shown.at(-1) });
      }),
      { numRuns: 40 },
    );
  });
});
