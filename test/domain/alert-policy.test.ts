import { describe, expect, test } from '@jest/globals';

import { afterVerdict, decideAlerts, decideStarted } from '../../shared/domain/alert-policy.ts';
import type { Failing, PlanState } from '../../shared/domain/plan-state.ts';
import type { AlertReason, Subscriber } from '../../shared/domain/plan.ts';
import type { VerdictOutcome } from '../../shared/domain/verdict.ts';

const subscriber = (name: string, on: readonly AlertReason[]): Subscriber => ({
  name,
  address: { kind: 'slack', channel: 'C0123456789' },
  on,
  locale: 'en',
  timezone: 'Europe/Berlin',
});

const DEFAULT: readonly AlertReason[] = ['failed', 'recovered', 'inconclusive', 'overdue'];
const ALL: readonly AlertReason[] = [
  'started',
  'passed',
  'failed',
  'still_failing',
  'recovered',
  'inconclusive',
  'overdue',
];
const FAILING: Failing = { since: 'nightly-20261128T020000Z', runs: 1, told: {} };

describe('what one subscriber is told about a verdict', () => {
  const [FINE, FAILS] = [undefined, FAILING];
  test.each<[string, VerdictOutcome, Failing | undefined, boolean, readonly AlertReason[], AlertReason | 'nothing']>([
    ['a pass, nothing before', 'passed', FINE, false, DEFAULT, 'nothing'],
    ['a pass, to one who wants them', 'passed', FINE, false, ALL, 'passed'],
    ['a pass after a failure', 'passed', FAILS, true, DEFAULT, 'recovered'],
    ['a pass after a failure, to one who wants passes too', 'passed', FAILS, true, ALL, 'recovered'],
    ['a pass after a failure, to one who wants passes only', 'passed', FAILS, true, ['passed'], 'passed'],
    ['a pass after a failure that never reached them', 'passed', FAILS, false, DEFAULT, 'nothing'],
    ['a pass after an unheard failure, to one who wants passes', 'passed', FAILS, false, ALL, 'passed'],
    ['a first failure', 'failed', FINE, false, DEFAULT, 'failed'],
    ['a first failure, whatever was heard of an old one', 'failed', FINE, true, ALL, 'failed'],
    ['a first failure, to one who wants reminders only', 'failed', FINE, false, ['still_failing'], 'nothing'],
    ['a failure after a failure', 'failed', FAILS, true, DEFAULT, 'nothing'],
    ['a failure after a failure, to one who wants reminders', 'failed', FAILS, true, ALL, 'still_failing'],
    ['a failure after one that never reached them', 'failed', FAILS, false, ALL, 'failed'],
    [
      'a failure after a failure, to one who wants reminders only',
      'failed',
      FAILS,
      false,
      ['still_failing'],
      'still_failing',
    ],
    ['a failure, to one who wants the ends only', 'failed', FINE, false, ['recovered'], 'nothing'],
    ['an inconclusive run', 'inconclusive', FINE, false, DEFAULT, 'inconclusive'],
    ['an inconclusive run amid failures', 'inconclusive', FAILS, true, ALL, 'inconclusive'],
    ['an inconclusive run, to one who wants failures only', 'inconclusive', FAILS, true, ['failed'], 'nothing'],
    ['anything, to one who wants nothing', 'failed', FINE, false, [], 'nothing'],
  ])('%s', (_name, outcome, failing, told, on, reason) => {
    const oncall = subscriber('oncall', on);

    const decisions = decideAlerts(outcome, failing, [oncall], () => told);

    expect(decisions).toEqual(reason === 'nothing' ? [] : [{ subscriber: oncall, reason }]);
  });

  test('a start is told to those who asked for it', () => {
    const watcher = subscriber('watcher', ALL);

    expect(decideStarted([subscriber('oncall', DEFAULT), watcher])).toEqual([
      { subscriber: watcher, reason: 'started' },
    ]);
  });
});

describe('a plan over several nights', () => {
  const oncall = subscriber('oncall', DEFAULT);
  const qa = subscriber('qa', ALL);
  const FRESH: PlanState = { plan: 'nightly', createdAt: '2026-11-20T09:00:00.000Z', lastSlot: '2026-11-27T02:00:00Z' };

  /** Lives through nights, the first on November 27, and notes who was told what. */
  function live(
    nights: readonly VerdictOutcome[],
    subscribers: readonly Subscriber[],
    arrives: (delivery: string) => boolean = () => true,
  ): { readonly told: readonly (readonly string[])[]; readonly state: PlanState } {
    let state = FRESH;
    const told = nights.map((outcome, index) => {
      const { failing } = state;
      const heard = (name: string): boolean => {
        const delivery = failing?.told[name];
        return delivery !== undefined && arrives(delivery);
      };
      const decisions = decideAlerts(outcome, failing, subscribers, heard);
      const night = `202611${27 + index}`;
      const at = new Date(`2026-11-${27 + index}T02:09:05.000Z`);
      state = afterVerdict(state, { run: `nightly-${night}T020000Z`, outcome }, decisions, at);
      return decisions.map(({ subscriber: { name }, reason }) => `${name} ${reason}`);
    });
    return { told, state };
  }

  test('each is told once of the failure and once of its end, and an inconclusive night ends nothing', () => {
    const { told, state } = live(['passed', 'failed', 'failed', 'inconclusive'], [oncall, qa]);

    expect(told).toEqual([
      ['qa passed'],
      ['oncall failed', 'qa failed'],
      ['qa still_failing'],
      ['oncall inconclusive', 'qa inconclusive'],
    ]);
    expect(state).toEqual({
      ...FRESH,
      lastVerdict: { run: 'nightly-20261130T020000Z', outcome: 'inconclusive', at: '2026-11-30T02:09:05.000Z' },
      lastPassed: 'nightly-20261127T020000Z',
      failing: {
        since: 'nightly-20261128T020000Z',
        runs: 2,
        told: {
          oncall: 'nightly-20261128T020000Z.oncall.failed',
          qa: 'nightly-20261128T020000Z.qa.failed',
        },
      },
    });
  });

  test('the recovery is told once, and the plan remembers the run that passed', () => {
    const { told, state } = live(['failed', 'inconclusive', 'passed', 'passed'], [oncall, qa]);

    expect(told).toEqual([
      ['oncall failed', 'qa failed'],
      ['oncall inconclusive', 'qa inconclusive'],
      ['oncall recovered', 'qa recovered'],
      ['qa passed'],
    ]);
    expect(state).toEqual({
      ...FRESH,
      lastVerdict: { run: 'nightly-20261130T020000Z', outcome: 'passed', at: '2026-11-30T02:09:05.000Z' },
      lastPassed: 'nightly-20261130T020000Z',
    });
  });

  test('who was not reached is told of the failure again the next night, and then of its end', () => {
    const undeliverable = 'nightly-20261127T020000Z.oncall.failed';

    expect(live(['failed', 'failed', 'passed'], [oncall], (delivery) => delivery !== undeliverable).told).toEqual([
      ['oncall failed'],
      ['oncall failed'],
      ['oncall recovered'],
    ]);
  });

  test('who got the news is told of its end, even if a reminder did not arrive', () => {
    const undeliverable = 'nightly-20261128T020000Z.qa.still_failing';

    expect(live(['failed', 'failed', 'passed'], [qa], (delivery) => delivery !== undeliverable).told).toEqual([
      ['qa failed'],
      ['qa still_failing'],
      ['qa recovered'],
    ]);
  });

  test('who wants reminders and ends hears of both', () => {
    const patient = subscriber('patient', ['still_failing', 'recovered']);

    expect(live(['failed', 'failed', 'failed', 'passed'], [patient]).told).toEqual([
      [],
      ['patient still_failing'],
      ['patient still_failing'],
      ['patient recovered'],
    ]);
  });

  test('a subscriber may be named like something that every object has', () => {
    const names = ['constructor', '__proto__'];
    const { told, state } = live(
      ['failed', 'failed'],
      names.map((name) => subscriber(name, ALL)),
    );

    expect(told).toEqual([
      ['constructor failed', '__proto__ failed'],
      ['constructor still_failing', '__proto__ still_failing'],
    ]);
    expect(Object.keys(state.failing?.told ?? {})).toEqual(names);
  });
});
