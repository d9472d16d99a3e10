import { cut } from './text.ts';

export interface TimelineEntry {
  readonly at: string;
  readonly event: string;
  readonly detail: string;
}

/** A run that is polled for days with a new problem at each poll must not outgrow a document: the middle is dropped. */
const ENTRIES = 100;

export function note<T extends { readonly timeline: readonly TimelineEntry[] }>(
  of: T,
  now: Date,
  event: string,
  detail: string,
): T {
  const timeline = [...of.timeline, { at: now.toISOString(), event, detail: cut(detail) }];
  const half = ENTRIES / 2;
  return {
    ...of,
    timeline: timeline.length <= ENTRIES ? timeline : [...timeline.slice(0, half), ...timeline.slice(-half)],
  };
}
