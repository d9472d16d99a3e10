import { stripVTControlCharacters } from 'node:util';

/** One JSON document on stdout, and nothing else. JSON escapes control characters below U+0020 itself. */
export const printJson = (value: unknown): void => {
  const json = JSON.stringify(value, undefined, 2);
  process.stdout.write(`${json.replaceAll(/[\u007F-\u009F]/g, escaped)}\n`);
};

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const print = (lines: string): void => {
  process.stdout.write(`${harmless(lines)}\n`);
};

/** For what is neither the result nor a log line: progress and hints. */
export const say = (lines: string): void => {
  process.stderr.write(`${harmless(lines)}\n`);
};

/** Columns as wide as their widest cell; the last one is left as it is. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.map(plain));
  const widths = header.map((_title, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Names and messages come from CES and from chat: they must not move the cursor, colour the screen or turn the
 * direction of writing. Line breaks stay.
 */
const harmless = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '');

/** The same, on one line. */
export const plain = (text: string): string => harmless(text.replaceAll(/\s+/g, ' '));

const MARKS = { passed: '✓', failed: '✗', inconclusive: '?' } as const;
export const markOf = (outcome: keyof typeof MARKS): string => MARKS[outcome];

export const percent = (rate: number | null): string => (rate === null ? '–' : `${(rate * 100).toFixed(1)}%`);

/** `1 plan`, `2 plans`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const two = (value: number): string => String(value).padStart(2, '0');

/** `1h 02m`, `2m 14s`, `8s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s` : `${seconds}s`;
}
