/** A JSON object from outside, kept whole. Every field of it is unknown until it is read with one of these. */
export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A string that says something; ProtoJSON means the same by an empty string and a missing field. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A count of 0 or more. ProtoJSON leaves zeros out, and writes 64-bit integers as strings. */
export function countOf(value: unknown): number {
  const count = typeof value === 'string' ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** The last segment of a resource name: `er-1` of `projects/…/evaluationRuns/er-1`. */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
