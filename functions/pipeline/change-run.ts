import { advance, type Run, type RunEvent } from '../../shared/domain/run.ts';
import { TransientError } from '../../shared/errors.ts';
import type { Deps, Write } from '../../shared/ports.ts';

type StoreAndClock = Pick<Deps, 'store' | 'clock'>;

/** A worker that comes this much before the agreed instant is not early: clocks and timers differ by some milliseconds. */
const EARLY_MS = 250;

/** Whether a step is due. Before `nextAt` another worker holds the run, or it is to wait. */
export const isDue = (run: Run, now: Date): boolean =>
  run.nextAt !== undefined && Date.parse(run.nextAt) <= now.getTime() + EARLY_MS;

/**
 * The lease for one step: two calls to CES one after the other, and some time for our own store. A worker that dies
 * is missed no longer than this.
 */
export const holdUntil = ({ settings, clock }: Pick<Deps, 'settings' | 'clock'>): Date =>
  new Date(clock.now().getTime() + 2 * settings.cesTimeoutMs + 5_000);

/**
 * Takes a run for one step, or answers undefined when there is nothing to do: no such run, not due, in another state,
 * or another worker was faster. Then the message has done its work and is acknowledged.
 */
export async function takeRun(
  deps: Pick<Deps, 'store' | 'clock' | 'settings'>,
  id: string,
  step: 'start' | 'poll' | 'judge',
): Promise<Run | undefined> {
  const stored = await deps.store.get('run', id);
  const now = deps.clock.now();
  if (stored === undefined || !isDue(stored.doc, now)) return undefined;
  const held = advance(stored.doc, { kind: 'held', step, until: holdUntil(deps) }, now);
  if (held === stored.doc) return undefined;
  const taken = await deps.store.commit([{ op: 'replace', kind: 'run', id, version: stored.version, doc: held }]);
  return taken ? held : undefined;
}

/** How often a write is tried anew after somebody else wrote in between. */
const ATTEMPTS = 8;

/**
 * Applies an event to the run as it is now, together with other writes. Answers the run as it stands afterwards; when
 * the event has nothing to say to it any more, that is the run as it was, and nothing is written.
 */
export async function changeRun(
  { store, clock }: StoreAndClock,
  id: string,
  event: RunEvent,
  alongside: (run: Run) => readonly Write[] = () => [],
): Promise<Run | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const stored = await store.get('run', id);
    if (stored === undefined) return undefined;
    const next = advance(stored.doc, event, clock.now());
    if (next === stored.doc) return next;
    const writes: readonly Write[] = [
      { op: 'replace', kind: 'run', id, version: stored.version, doc: next },
      ...alongside(next),
    ];
    if (await store.commit(writes)) return next;
  }
  throw new TransientError(`run ${id} is being written by too many at once`);
}
