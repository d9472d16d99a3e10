import { distance } from 'fastest-levenshtein';

/** The known word that was probably meant: at most a third of its letters differ. Undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, letters: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.letters - b.letters);
  return best !== undefined && best.letters <= Math.max(1, Math.floor(best.candidate.length / 3))
    ? best.candidate
    : undefined;
}
