import type { Progress } from './observation.ts';

export interface PollBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * While nothing is finished, the next look comes after a quarter of the run's age; then after this share of the time
 * that the rest will take at the pace so far. Over 4,000 modelled runs of eight minutes (median) this makes 28 polls a
 * run and sees the end 3 s late (median; 13 s at the 95th percentile), where a fixed 30 s makes 24 and sees it 15 s
 * late (28 s): `node test/bench-polling.ts`.
 */
const SHARE_OF_AGE = 0.25;
const SHARE_OF_REST = 0.4;

/**
 * Milliseconds from one look at a run to the next.
 * @param ageMs time since CES accepted the run
 */
export function untilNextPoll(ageMs: number, progress: Progress | undefined, bounds: PollBounds): number {
  return clamp(wishMs(ageMs, progress), bounds);
}

function wishMs(ageMs: number, progress: Progress | undefined): number {
  const done = progress === undefined ? 0 : progress.completed + progress.error + progress.cancelled;
  if (progress === undefined || done === 0) return ageMs * SHARE_OF_AGE;
  const restMs = (ageMs * Math.max(0, progress.total - done)) / done;
  return restMs * SHARE_OF_REST;
}

const clamp = (ms: number, { minMs, maxMs }: PollBounds): number => Math.min(maxMs, Math.max(minMs, ms));

/**
 * Milliseconds until a failed step is tried again: doubling from the smallest poll time, at most the largest, and never
 * before the server's own `Retry-After`, which may exceed it.
 * @param failuresInARow failures before this one
 */
export function untilRetry(failuresInARow: number, retryAfterMs: number | undefined, bounds: PollBounds): number {
  const backoffMs = clamp(bounds.minMs * 2 ** Math.min(failuresInARow, 20), bounds);
  return Math.max(backoffMs, retryAfterMs ?? 0);
}

/** The last look comes at the deadline itself: a run that ended in its last minute is not timed out unseen. */
export const noLaterThan = (at: Date, deadline: Date): Date => (at.getTime() > deadline.getTime() ? deadline : at);
