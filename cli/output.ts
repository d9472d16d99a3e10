import { stripVTControlCharacters } from 'node:util';

/** One JSON document on stdout, and nothing else. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
};

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** For what is neither the result nor a log line: progress and hints. */
export const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
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

/** Text from outside must not move the cursor or fill the screen. */
export const plain = (text: string): string => stripVTControlCharacters(text).replaceAll(/\s+/g, ' ');

const MARKS = { passed: '✓', failed: '✗', inconclusive: '?' } as const;
export const markOf = (outcome: keyof typeof MARKS): string => MARKS[outcome];

export const percent = (rate: number | null): string => (rate === null ? '–' : `${(rate * 100).toFixed(1)}%`);

const two = (value: number): string => String(value).padStart(2, '0');

/** `1h 02m`, `2m 14s`, `8s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s` : `${seconds}s`;
}
