import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import { deliveryId, displayNameOf, runIdOfKey, runIdOfMoment, runIdOfSlot } from '../../shared/domain/keys.ts';

const SLOT = new Date('2026-11-30T02:00:00.000Z');

const planName = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/);
const anyKey = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('', '/', '../..', '20261130T020000Z', '🚦'.repeat(10), 'refs/heads/main', 'x'.repeat(10_240)),
);
const instant = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2099-12-31T23:59:59Z'),
  noInvalidDate: true,
});
const nonce = fc.stringMatching(/^[a-z0-9]{8}$/);
const source = fc.constantFrom('manual' as const, 'webhook' as const);

describe('the id of a run', () => {
  test('of a slot is the plan and the slot in UTC', () => {
    expect(runIdOfSlot('nightly', SLOT)).toBe('nightly-20261130T020000Z');
    expect(runIdOfSlot('nightly', new Date('2026-11-30T03:30:00.000+05:30'))).toBe('nightly-20261129T220000Z');
  });

  test('of no key is the plan, the moment and the nonce', () => {
    expect(runIdOfMoment('nightly', new Date('2026-11-30T09:41:07.512Z'), 'k3x9q2ab')).toBe(
      'nightly-20261130T094107Z-k3x9q2ab',
    );
  });

  test.each([
    ['a word', 'pr-1234', 'nightly-pr-1234-d03dd0e397'],
    [
      'a delivery id of GitHub',
      '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'nightly-72d3162e-cc78-11e3-81ab-4c9367dc0958-ab64d02723',
    ],
    ['a branch', 'refs/heads/feature/über-refund', 'nightly-refs-heads-feature-ber-refund-794fd2389c'],
    ['nothing but signs', '../..', 'nightly-d4685bfb7c'],
    ['nothing', '', 'nightly-e5a45f36cf'],
    ['another script', '夜間', 'nightly-83df41e425'],
  ])('of a key that is %s stays the same for ever', (_name, key, id) => {
    expect(runIdOfKey('nightly', 'manual', key)).toBe(id);
  });

  test('of a key is cut to a length that every store takes', () => {
    expect(runIdOfKey('nightly', 'webhook', 'x'.repeat(10_240))).toMatch(/^nightly-x{40}-[0-9a-f]{10}$/);
  });

  test('is made of letters, digits, dots, underscores and hyphens, whatever the key', () => {
    fc.assert(
      fc.property(planName, source, anyKey, (plan, from, key) => {
        expect(runIdOfKey(plan, from, key)).toMatch(/^[A-Za-z0-9._-]{1,100}$/);
      }),
    );
  });

  test('tells apart keys that look alike, their sources and their plans', () => {
    const ids = [
      runIdOfKey('nightly', 'manual', 'a/b'),
      runIdOfKey('nightly', 'manual', 'a-b'),
      runIdOfKey('nightly', 'manual', 'a b'),
      runIdOfKey('nightly', 'manual', 'A-b'),
      runIdOfKey('nightly', 'webhook', 'a-b'),
      runIdOfKey('nightly-a', 'manual', 'b'),
      runIdOfKey('nightly', 'manual', '\u00e9'),
      runIdOfKey('nightly', 'manual', 'e\u0301'),
    ];

    expect(new Set(ids).size).toBe(8);
  });

  test('is never that of a run of another kind, whatever the plans are called', () => {
    const slotId = fc.tuple(planName, instant).map(([plan, at]) => runIdOfSlot(plan, at));
    const plansLikeSlots = fc.oneof(
      planName,
      slotId.map((id) => id.toLowerCase()),
      fc.constantFrom('nightly', 'nightly-20261130T020000Z'),
    );
    fc.assert(
      fc.property(
        fc.tuple(plansLikeSlots, instant),
        fc.tuple(plansLikeSlots, source, fc.oneof(anyKey, slotId)),
        fc.tuple(plansLikeSlots, instant, nonce),
        ([slotPlan, slot], [keyPlan, from, key], [momentPlan, moment, random]) => {
          const ids = [
            runIdOfSlot(slotPlan, slot),
            runIdOfKey(keyPlan, from, key),
            runIdOfMoment(momentPlan, moment, random),
          ];

          expect(new Set(ids).size).toBe(3);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

test('the display name at CES holds the id and the nonce', () => {
  expect(displayNameOf({ id: 'nightly-20261130T020000Z', nonce: 'k3x9q2ab' })).toBe(
    'nightly-20261130T020000Z k3x9q2ab',
  );
});

test('a delivery is named after its run, its subscriber and its reason', () => {
  expect(deliveryId('nightly-20261130T020000Z', 'oncall', 'still_failing')).toBe(
    'nightly-20261130T020000Z.oncall.still_failing',
  );
});
