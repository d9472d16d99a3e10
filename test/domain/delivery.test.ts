import { describe, expect, test } from '@jest/globals';

import {
  afterDoubt,
  afterSending,
  holdToResolve,
  holdToSend,
  redrive,
  stepOf,
  suppress,
  type Delivery,
  type Doubt,
  type SendOutcome,
} from '../../shared/domain/delivery.ts';
import { deliveryOf, runOf } from '../fixtures.ts';

const CREATED_AT = '2026-11-30T02:09:05.000Z';
const NOW = new Date('2026-11-30T02:10:00.000Z');
const UNTIL = new Date('2026-11-30T02:10:35.000Z');

const pending = deliveryOf('nightly-20261130T020000Z.oncall.failed', runOf('nightly-20261130T020000Z'), {
  createdAt: CREATED_AT,
  nextAt: CREATED_AT,
});
const { nextAt: _none, ...settled } = pending;
/** As it is while a worker sends it for the first time. */
const sending: Delivery = {
  ...pending,
  state: 'sending',
  attempts: 1,
  at: NOW.toISOString(),
  nextAt: UNTIL.toISOString(),
};
const { nextAt: _lease, ...released } = sending;
const doubtful: Delivery = { ...sending, state: 'unknown', error: 'no answer within 10 s' };

describe('what is to be done with a delivery', () => {
  test.each<[string, Delivery, Date, ReturnType<typeof stepOf>]>([
    ['pending and due', pending, NOW, 'send'],
    ['due to the millisecond', { ...pending, nextAt: NOW.toISOString() }, NOW, 'send'],
    ['waiting for its retry', { ...pending, nextAt: UNTIL.toISOString() }, NOW, 'leave'],
    ['held by another worker', sending, NOW, 'leave'],
    ['left behind by a worker that died', sending, UNTIL, 'resolve'],
    ['in doubt', { ...doubtful, nextAt: NOW.toISOString() }, NOW, 'resolve'],
    ['in doubt, held while the channel finds out', doubtful, NOW, 'leave'],
    ['in doubt for a person to decide', { ...released, state: 'unknown' }, NOW, 'leave'],
    ['sent', { ...released, state: 'sent' }, NOW, 'leave'],
    ['undeliverable', { ...released, state: 'undeliverable' }, NOW, 'leave'],
    ['suppressed', { ...settled, state: 'suppressed' }, NOW, 'leave'],
  ])('%s', (_name, delivery, now, step) => {
    expect(stepOf(delivery, now)).toBe(step);
  });

  test('an attempt is marked before it is made', () => {
    expect(holdToSend(pending, NOW, UNTIL)).toEqual(sending);
  });

  test('a delivery in doubt is held while its channel finds out', () => {
    expect(holdToResolve({ ...sending, nextAt: NOW.toISOString() }, UNTIL)).toEqual({ ...sending, state: 'unknown' });
  });
});

describe('what comes of an attempt', () => {
  test.each<[string, SendOutcome, Partial<Delivery>]>([
    ['sent', { kind: 'sent', receipt: '1764468605.000100' }, { state: 'sent', receipt: '1764468605.000100' }],
    [
      'refused for good',
      { kind: 'refused', problem: 'channel_not_found: invite the app to C0123456789' },
      { state: 'undeliverable', error: 'channel_not_found: invite the app to C0123456789' },
    ],
    [
      'not known: to be resolved at once',
      { kind: 'unknown', problem: 'no answer within 10 s' },
      { state: 'unknown', error: 'no answer within 10 s', nextAt: '2026-11-30T02:10:00.000Z' },
    ],
    [
      'to be tried again',
      { kind: 'retry', problem: 'answered 503' },
      { state: 'pending', error: 'answered 503', nextAt: '2026-11-30T02:10:05.000Z' },
    ],
    [
      'to be tried again when the provider says',
      { kind: 'retry', problem: 'answered 429', afterMs: 30_000 },
      { state: 'pending', error: 'answered 429', nextAt: '2026-11-30T02:10:30.000Z' },
    ],
    [
      'to be tried again sooner than we would',
      { kind: 'retry', problem: 'answered 429', afterMs: 1_000 },
      { state: 'pending', error: 'answered 429', nextAt: '2026-11-30T02:10:05.000Z' },
    ],
    [
      'to be tried again in two days, which is too late',
      { kind: 'retry', problem: 'answered 429', afterMs: 172_800_000 },
      { state: 'undeliverable', error: 'given up after 1 attempt: answered 429' },
    ],
    [
      'refused in many words',
      { kind: 'refused', problem: 'x'.repeat(1_001) },
      { state: 'undeliverable', error: `${'x'.repeat(950)}… (51 more characters)` },
    ],
  ])('%s', (_name, outcome, change) => {
    expect(afterSending({ ...sending, error: 'answered 500' }, outcome, NOW)).toEqual({ ...released, ...change });
  });

  test.each([
    [1, '2026-11-30T02:10:05.000Z'],
    [2, '2026-11-30T02:10:10.000Z'],
    [3, '2026-11-30T02:10:20.000Z'],
    [8, '2026-11-30T02:20:40.000Z'],
    [9, '2026-11-30T02:25:00.000Z'],
    [90, '2026-11-30T02:25:00.000Z'],
    [5_000, '2026-11-30T02:25:00.000Z'],
  ])('attempt %i is followed by the next at %s', (attempts, nextAt) => {
    expect(afterSending({ ...sending, attempts }, { kind: 'retry', problem: 'answered 503' }, NOW).nextAt).toBe(nextAt);
  });

  test.each<[string, string, Partial<Delivery>]>([
    [
      'the next attempt falls on the last millisecond',
      '2026-12-01T01:54:05.000Z',
      { state: 'pending', error: 'answered 503', nextAt: '2026-12-01T02:09:05.000Z' },
    ],
    [
      'the next attempt falls behind it',
      '2026-12-01T01:54:05.001Z',
      { state: 'undeliverable', error: 'given up after 99 attempts: answered 503' },
    ],
  ])('a channel is given up after a day: %s', (_name, now, change) => {
    const tried = { ...sending, attempts: 99 };

    expect(afterSending(tried, { kind: 'retry', problem: 'answered 503' }, new Date(now))).toEqual({
      ...released,
      attempts: 99,
      ...change,
    });
  });
});

describe('what comes of a doubt', () => {
  test.each<[string, Doubt, Partial<Delivery>]>([
    ['it was sent', { kind: 'sent', receipt: '1764468605.000100' }, { state: 'sent', receipt: '1764468605.000100' }],
    [
      'it may be sent again, though not in a tight loop',
      { kind: 'send_again' },
      { state: 'pending', error: 'no answer within 10 s', nextAt: '2026-11-30T02:10:05.000Z' },
    ],
    [
      'the channel cannot tell yet',
      { kind: 'later', problem: 'conversations.history answered 503', afterMs: 60_000 },
      { state: 'unknown', error: 'conversations.history answered 503', nextAt: '2026-11-30T02:11:00.000Z' },
    ],
    [
      'a person has to decide',
      { kind: 'hold', problem: 'the mail may have been accepted' },
      { state: 'unknown', error: 'the mail may have been accepted' },
    ],
  ])('%s', (_name, doubt, change) => {
    expect(afterDoubt(doubtful, doubt, NOW)).toEqual({ ...released, ...change });
  });

  test('an attempt of which nothing is known says so when it is repeated', () => {
    expect(afterDoubt({ ...sending, state: 'unknown' }, { kind: 'send_again' }, NOW)).toEqual({
      ...released,
      state: 'pending',
      error: 'the outcome of the last attempt is not known',
      nextAt: '2026-11-30T02:10:05.000Z',
    });
  });

  test.each<[string, Doubt, string]>([
    ['a receiver that never answers', { kind: 'send_again' }, 'given up after 99 attempts: no answer within 10 s'],
    [
      'a channel that never finds out',
      { kind: 'later', problem: 'answered 503', afterMs: 60_000 },
      'given up after 99 attempts: answered 503',
    ],
  ])('%s is left to a person after a day', (_name, doubt, error) => {
    const late = new Date('2026-12-01T02:09:00.000Z');

    expect(afterDoubt({ ...doubtful, attempts: 99 }, doubt, late)).toEqual({
      ...released,
      attempts: 99,
      state: 'unknown',
      error,
    });
  });
});

describe('a delivery that a person or the configuration takes up', () => {
  test('is suppressed when its subscriber is gone', () => {
    expect(suppress(pending, 'oncall is no longer a subscriber')).toEqual({
      ...settled,
      state: 'suppressed',
      error: 'oncall is no longer a subscriber',
    });
  });

  test.each<[string, Delivery]>([
    ['waiting', { ...pending, nextAt: UNTIL.toISOString() }],
    ['in doubt', { ...released, state: 'unknown', error: 'no answer within 10 s' }],
    ['undeliverable', { ...released, state: 'undeliverable', error: 'channel_not_found' }],
    ['suppressed', { ...settled, state: 'suppressed', error: 'oncall is no longer a subscriber' }],
  ])('is due at once when it is redriven: %s', (_name, delivery) => {
    expect(redrive(delivery, NOW)).toEqual({
      ...delivery,
      state: 'pending',
      nextAt: '2026-11-30T02:10:00.000Z',
      redrivenAt: '2026-11-30T02:10:00.000Z',
    });
  });

  test.each<[string, Delivery]>([
    ['sent', { ...released, state: 'sent' }],
    ['being sent', sending],
  ])('is left alone when it is %s', (_name, delivery) => {
    expect(redrive(delivery, NOW)).toBe(delivery);
  });

  test('has a day of its own again after it was redriven', () => {
    const nextDay = new Date('2026-12-02T09:00:00.000Z');
    const again = holdToSend(redrive({ ...released, state: 'undeliverable' }, nextDay), nextDay, UNTIL);

    expect(afterSending(again, { kind: 'retry', problem: 'answered 429', afterMs: 20_000 }, nextDay)).toEqual({
      ...released,
      state: 'pending',
      attempts: 2,
      at: '2026-12-02T09:00:00.000Z',
      redrivenAt: '2026-12-02T09:00:00.000Z',
      error: 'answered 429',
      nextAt: '2026-12-02T09:00:20.000Z',
    });
  });
});
