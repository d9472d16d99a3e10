import { createHash } from 'node:crypto';

/** What chance says about something, the same whenever it is asked. */
export interface Chance {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  fraction(...about: readonly (string | number)[]): number;
  between(low: number, high: number, ...about: readonly (string | number)[]): number;
  /** An id in the form of a UUID, as CES gives them. */
  id(...about: readonly (string | number)[]): string;
}

/**
 * Chance without a state: the answer depends only on the seed and on what is asked about, so neither the order of the
 * calls nor an added evaluation changes the rest of a history.
 */
export function createChance(seed: number): Chance {
  const hash = (about: readonly (string | number)[]) =>
    createHash('sha256')
      .update(JSON.stringify([seed, ...about]))
      .digest();
  const fraction: Chance['fraction'] = (...about) => hash(about).readUInt32BE(0) / 2 ** 32;
  return {
    fraction,
    between: (low, high, ...about) => low + (high - low) * fraction(...about),
    id: (...about) =>
      hash(about)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
  };
}
