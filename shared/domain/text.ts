/** Longest text from outside that is kept in a run or a delivery: a hundred of them fit into a document. */
const LIMIT = 1_000;
/** The rest is for the mark, so that a text that was cut is not cut again. */
const KEPT = 950;

/** Bounds a text that somebody else wrote, and says how much of it is missing. Counts code points, so none is torn. */
export function cut(text: string): string {
  if (text.length <= LIMIT) return text;
  const points = Array.from(text);
  if (points.length <= LIMIT) return text;
  return `${points.slice(0, KEPT).join('')}… (${points.length - KEPT} more characters)`;
}

const UNITS = [
  ['d', 24 * 60 * 60 * 1000],
  ['h', 60 * 60 * 1000],
  ['m', 60 * 1000],
  ['s', 1000],
] as const;

/** Milliseconds as evals.yaml writes them: `90s`, `2h`, `500ms`. */
export function durationText(ms: number): string {
  const unit = UNITS.find(([, lengthMs]) => ms >= lengthMs && ms % lengthMs === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}
