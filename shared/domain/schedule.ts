import { Cron } from 'croner';

import type { Schedule } from './plan.ts';

/**
 * The clock changes: a time of day that is skipped runs once, at the next minute that exists; one that comes twice runs
 * the first time only. A schedule of every so many minutes goes on through the hour that comes twice. That is what
 * croner does; test/domain/schedule.test.ts holds it to it.
 */
const pattern = (schedule: Pick<Schedule, 'cron' | 'timezone'>): Cron =>
  new Cron(schedule.cron, { timezone: schedule.timezone, paused: true, mode: '5-part' });

/** The next `count` slots strictly after `after`; fewer when the expression never fires again. */
export const nextSlots = (schedule: Pick<Schedule, 'cron' | 'timezone'>, after: Date, count: number): readonly Date[] =>
  pattern(schedule).nextRuns(count, after);

/** Undefined for five valid fields in a known time zone; otherwise what is wrong with them. */
export function scheduleProblem(schedule: Pick<Schedule, 'cron' | 'timezone'>, now: Date): string | undefined {
  if (schedule.cron.trim().split(/\s+/).length !== 5) {
    return 'a schedule has five fields: minute, hour, day of month, month, day of week';
  }
  if (!isTimezone(schedule.timezone)) {
    return `there is no time zone '${schedule.timezone}': use an IANA name such as Europe/Berlin`;
  }
  try {
    return nextSlots(schedule, now, 1).length === 0 ? 'this schedule never fires' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A slot that is older than this when it is found is not made up for. */
export const CATCH_UP_MS = 6 * 60 * 60 * 1000;

export type SlotDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'due'; readonly slot: Date }
  /** Found so late that it is passed over. */
  | { readonly kind: 'missed'; readonly slot: Date };

/**
 * The slot to run now. After an outage that is the latest one only: a night's worth of missed runs is not replayed.
 * @param since the slot that was handled last, or the moment when the plan was first seen
 */
export function dueSlot(schedule: Schedule, since: Date, now: Date): SlotDecision {
  const slot = latestSlot(schedule, since, now);
  if (slot === undefined) return { kind: 'none' };
  return now.getTime() - slot.getTime() > CATCH_UP_MS ? { kind: 'missed', slot } : { kind: 'due', slot };
}

/** The latest slot in (since, now]. A clock that was set back finds none, since `since` is ahead of it. */
function latestSlot(schedule: Schedule, since: Date, now: Date): Date | undefined {
  // croner looks strictly before the given instant, and a slot is due from its very first millisecond.
  const [slot] = pattern(schedule).previousRuns(1, new Date(now.getTime() + 1));
  return slot !== undefined && slot.getTime() > since.getTime() ? slot : undefined;
}
