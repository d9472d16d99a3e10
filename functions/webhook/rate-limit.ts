/** More sources than this are not remembered: the one that was heard of longest ago makes room. */
const MAX_SOURCES = 10_000;
const MINUTE_MS = 60_000;

export interface RateLimit {
  /** Takes one of the source's tokens. Answers 0, or when there was none the seconds until there is one, at least 1. */
  take(source: string, now: Date): number;
}

/** A token bucket for each source, in the memory of this instance: it holds a minute's worth and fills up steadily. */
export function createRateLimit(perMinute: number): RateLimit {
  const tokenMs = MINUTE_MS / perMinute;
  // When the bucket will be full again, in the order of last use. As an instant it adds up without rounding.
  const fullAtMs = new Map<string, number>();
  return {
    take: (source, now) => {
      const nowMs = now.getTime();
      // Never more than a minute away, should the clock have been set back.
      const missingMs = Math.min(MINUTE_MS, Math.max(0, (fullAtMs.get(source) ?? nowMs) - nowMs));
      const waitMs = Math.max(0, missingMs + tokenMs - MINUTE_MS);
      fullAtMs.delete(source);
      fullAtMs.set(source, nowMs + missingMs + (waitMs === 0 ? tokenMs : 0));
      for (const oldest of fullAtMs.keys()) {
        if (fullAtMs.size <= MAX_SOURCES) break;
        fullAtMs.delete(oldest);
      }
      return Math.ceil(waitMs / 1000);
    },
  };
}
