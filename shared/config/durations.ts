const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** What a duration looks like, here and in the JSON Schema: `500ms`, `30s`, `15m`, `2h`, `1d`. */
export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

const isUnit = (text: string | undefined): text is keyof typeof UNITS_MS =>
  text !== undefined && Object.hasOwn(UNITS_MS, text);

/** Milliseconds, or undefined for what is not a duration or is longer than can be counted exactly. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || !isUnit(unit)) return undefined;
  const ms = Number(count) * UNITS_MS[unit];
  return Number.isSafeInteger(ms) ? ms : undefined;
}
