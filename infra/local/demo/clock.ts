import type { Clock } from '../../../shared/ports.ts';

export interface DemoClock extends Clock {
  /** Goes on from another instant at the usual pace. */
  jumpTo(at: Date): void;
}

/** The demo's nights follow one another within seconds: real time, but for the days in between. */
export function createDemoClock(): DemoClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    jumpTo: (at) => {
      offsetMs = at.getTime() - Date.now();
    },
  };
}
