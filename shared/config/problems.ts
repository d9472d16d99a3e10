import type { Document, LineCounter } from 'yaml';

import { clip, oneLine } from '../domain/alert-format.ts';
import { createLocator } from './locate.ts';
import { redact } from './secrets.ts';

export type Path = readonly (string | number)[];

/** Something that is wrong with a place of the file. */
export interface Flaw {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  /** The key is wrong, not its value. */
  readonly atKey?: true;
  /** The offset in the text, where the path does not lead to it. */
  readonly at?: number;
  /** Nothing else is to be said about the place, as about a secret, which must not be repeated. */
  readonly silences?: true;
}

/** A flaw with its place: lines and columns count from 1. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  /** `plans.nightly.schedule`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** `evals.yaml:12:5 plans.nightly.schedul: unknown key; did you mean "schedule"?`, always on one line. */
export function formatProblem(file: string, { line, column, path, message, hint }: Problem): string {
  const text = [message, ...(hint === undefined ? [] : [hint])].join('; ');
  return oneLine(`${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${text}`);
}

/** By place. The same thing about the same place is told once, and nothing is told of a value that is a secret but that. */
export function inOrder(flaws: readonly Flaw[], doc: Document, lines: LineCounter): readonly Problem[] {
  const silent = new Set(flaws.filter(({ silences }) => silences).map(({ path }) => path.join('.')));
  const offsetOf = createLocator(doc);
  const problems = flaws
    .filter(({ path, silences }) => silences || !silent.has(path.join('.')))
    .map((flaw) => problemAt(lines.linePos(offsetOf(flaw)), flaw))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

export const problemAt = ({ line, col }: { readonly line: number; readonly col: number }, flaw: Flaw): Problem => ({
  line: Math.max(1, line),
  column: Math.max(1, col),
  path: cut(redact(flaw.path.join('.'))),
  message: cut(redact(flaw.message)),
  ...(flaw.hint === undefined ? {} : { hint: cut(redact(flaw.hint)) }),
});

/** Messages and paths may quote what stands in the file, which may be long. */
const LONGEST_TEXT_CHARACTERS = 300;
const cut = (text: string): string => clip(text, LONGEST_TEXT_CHARACTERS);
