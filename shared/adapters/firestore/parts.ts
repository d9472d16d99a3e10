/**
 * UTF-16 units of one part. A unit takes at most three bytes of UTF-8, so a part stays below the 512 KiB that a document
 * may have (docs/contract, section 8), with room for the rest of the envelope.
 */
const PART_UNITS = 170_000;

/** Cuts a text into parts, never between the two halves of a character. */
export function splitText(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length || parts.length === 0;) {
    const end = Math.min(text.length, from + PART_UNITS);
    const to = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    parts.push(text.slice(from, to));
    from = to;
    if (text.length === 0) break;
  }
  return parts;
}

export const joinParts = (parts: readonly string[]): string => parts.join('');

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
