import { expect, test } from '@jest/globals';

import { runIdOfSlot } from '../shared/domain/keys.ts';

test('the run of a slot is named after the plan and the slot in UTC', () => {
  expect(runIdOfSlot('nightly', new Date('2026-11-30T02:00:00Z'))).toBe('nightly-20261130T020000Z');
});
