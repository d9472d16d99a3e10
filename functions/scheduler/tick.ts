import type { Deps } from '../../shared/ports.ts';
import { rescue } from './rescue.ts';
import { requestDueSlots } from './slots.ts';

/**
 * The heartbeat: requests runs for the slots that are due and rescues what is overdue. It may come late, twice or with
 * another tick still under way.
 * @param only look after this one run, and leave the schedules alone: what a lone `run --wait` does
 */
export function createTick(deps: Deps): (only?: string) => Promise<void> {
  return async (only) => {
    // A schedule that cannot be looked at must not keep the runs of others waiting.
    const [slots, rescued] = await Promise.allSettled([
      only === undefined ? requestDueSlots(deps) : Promise.resolve(),
      rescue(deps, only),
    ]);
    if (slots.status === 'rejected') throw slots.reason;
    if (rescued.status === 'rejected') throw rescued.reason;
  };
}
