import { setTimeout as sleep } from 'node:timers/promises';

import type { Delivery } from '../shared/domain/delivery.ts';
import { systemClock } from './context.ts';
import type { Worker } from './worker.ts';
import { UsageError } from '../shared/errors.ts';

const LOOK_EVERY_MS = 100;
const ATTEMPT_WITHIN_MS = 45_000;

/** The delivery after its next attempt, or as it is when none was made in time. */
export async function waitForDelivery(worker: Worker, id: string): Promise<Delivery> {
  const endAt = systemClock.now().getTime() + ATTEMPT_WITHIN_MS;
  const first = await read(worker, id);
  for (let current = first; ; current = await read(worker, id)) {
    const attempted = current.attempts > first.attempts && current.state !== 'sending';
    if (attempted || current.nextAt === undefined || systemClock.now().getTime() > endAt) return current;
    await sleep(LOOK_EVERY_MS);
  }
}

async function read(worker: Worker, id: string): Promise<Delivery> {
  const stored = await worker.deps.store.get('delivery', id);
  if (stored === undefined) throw new UsageError(`there is no delivery ${id}`);
  return stored.doc;
}
