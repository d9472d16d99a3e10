import { distance } from 'fastest-levenshtein';

/** No word that we know is longer, and the distance to a page of text takes long to measure. */
const LONGEST_WORD_CHARACTERS = 100;
/** More than there are time zones. A long file that is wrong throughout would take minutes to compare. */
const MOST_WORDS = 1_000;

/**
 * The known word that was probably meant: at most a third of its letters differ, or one of a short word, and never all.
 * Undefined when none is close.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD_CHARACTERS || known.length > MOST_WORDS) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, letters: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate: { length }, letters }) => letters < length && letters <= Math.max(1, Math.floor(length / 3)))
    .toSorted((a, b) => a.letters - b.letters);
  return best?.candidate;
}
