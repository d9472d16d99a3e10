import { isMap, LineCounter, parseAllDocuments, type Document } from 'yaml';

import { isRecord } from '../domain/json.ts';
import type { Config } from '../domain/plan.ts';
import { messageOf } from '../errors.ts';
import { buildConfig } from './build.ts';
import { locate, type Flaw, type Problem } from './problems.ts';
import { referenceFlaws } from './references.ts';
import { fileSchema } from './schema.ts';
import { secretFlaws } from './secrets.ts';
import { shapeFlaws } from './shape.ts';
import { warningsAbout } from './warnings.ts';

export { formatProblem, type Problem } from './problems.ts';

export type Parsed =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** More than any configuration needs. It bounds what aliases and nesting can cost, on a machine that reads a stranger's file. */
const LARGEST_FILE_CHARACTERS = 1_000_000;
const MOST_ALIASES = 100;

/**
 * Reads evals.yaml and checks it as a whole: every problem at once, in the order of the file.
 * @param now schedules that never fire again are told by it
 */
export function parseConfig(text: string, { now }: { readonly file?: string; readonly now: Date }): Parsed {
  if (text.length > LARGEST_FILE_CHARACTERS) return refuse('is larger than one million characters');
  const lines = new LineCounter();
  const read = readYaml(text, lines);
  if (!read.ok) return read;
  const { doc, data } = read;
  if (!isMap(doc.contents) || !isRecord(data)) {
    return refuse('must hold keys such as version, apps and plans', 'start from docs/evals.example.yaml');
  }
  const flaws = [...secretFlaws(data), ...shapeFlaws(data), ...referenceFlaws(data, now)];
  if (flaws.length > 0) return { ok: false, problems: inOrder(flaws, doc, lines) };
  const file = fileSchema.parse(data);
  return { ok: true, config: buildConfig(file), warnings: inOrder(warningsAbout(file), doc, lines) };
}

const refuse = (message: string, hint?: string): { readonly ok: false; readonly problems: readonly Problem[] } => ({
  ok: false,
  problems: [{ line: 1, column: 1, path: '', message: `the file ${message}`, ...(hint === undefined ? {} : { hint }) }],
});

type Read =
  | { readonly ok: true; readonly doc: Document; readonly data: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function readYaml(text: string, lines: LineCounter): Read {
  const parsed = parse(text, lines);
  if ('problem' in parsed) return refuse(`is not YAML that can be read: ${parsed.problem}`);
  const { docs } = parsed;
  const [doc] = docs;
  if (doc === undefined) return refuse('is empty', 'start from docs/evals.example.yaml');
  if (docs.length > 1) return refuse('holds several documents', 'keep one, and remove the lines that are ---');
  if (doc.errors.length > 0) {
    const problems = doc.errors.map(({ message, pos: [offset] }) => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col), path: '', message };
    });
    return { ok: false, problems };
  }
  try {
    return { ok: true, doc, data: doc.toJS({ maxAliasCount: MOST_ALIASES }) };
  } catch (error) {
    return refuse(`cannot be read: ${messageOf(error)}`);
  }
}

/** Deep nesting ends the parser's stack with a RangeError, which is bad input like any other. */
function parse(
  text: string,
  lines: LineCounter,
): { readonly docs: readonly Document[] } | { readonly problem: string } {
  try {
    const options = { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true } as const;
    return { docs: [...parseAllDocuments(text, options)] };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** By place; a key that is wrong in two ways is told once for each. */
const inOrder = (flaws: readonly Flaw[], doc: Document, lines: LineCounter): readonly Problem[] =>
  flaws
    .map((flaw) => locate(flaw, doc, lines))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .filter((problem, index, all) => index === 0 || JSON.stringify(problem) !== JSON.stringify(all[index - 1]));
