import { isMap, LineCounter, parseAllDocuments, type Document } from 'yaml';

import { isRecord, type Json } from '../domain/json.ts';
import { messageOf } from '../errors.ts';
import { inOrder, problemAt, type Flaw, type Problem } from './problems.ts';
import { aliasFlaws, treeFlaws } from './tree.ts';

/** More than any configuration needs. It bounds what a strange file can cost the machine that reads it. */
const LARGEST_FILE_CHARACTERS = 256 * 1024;
/** How often aliases may be followed in all, each counted with the aliases inside of it. */
const MOST_ALIASES = 100;
/** Some 500 plans. A problem may be told of each value, and each time that an alias repeats it. */
const MOST_VALUES = 10_000;

/** The later ones follow from the first. */
const MOST_SYNTAX_PROBLEMS = 10;

type Refused = { readonly ok: false; readonly problems: readonly Problem[] };

export type ReadDocument =
  | {
      readonly ok: true;
      readonly data: Json;
      /** What is wrong already with the text, whatever it means. */
      readonly flaws: readonly Flaw[];
      /** Flaws as problems, in the order of the file. */
      readonly place: (flaws: readonly Flaw[]) => readonly Problem[];
    }
  | Refused;

/** Reads one YAML 1.2 document (core schema, with the merge key) that is a group of keys. */
export function readDocument(text: string): ReadDocument {
  if (text.length > LARGEST_FILE_CHARACTERS) return refuse('is larger than 256 Ki characters');
  const lines = new LineCounter();
  const parsed = parse(text.startsWith('\uFEFF') ? text.slice(1) : text, lines);
  if (!parsed.ok) return parsed;
  const { doc } = parsed;
  // Warnings are tags that nobody knows: !ref and the like, which other tools would act on and we would ignore.
  const faults = [...doc.errors, ...doc.warnings].map(syntaxFlaw);
  const place = (flaws: readonly Flaw[]): readonly Problem[] => inOrder(flaws, doc, lines);
  if (faults.length > 0) return { ok: false, problems: place(faults).slice(0, MOST_SYNTAX_PROBLEMS) };
  const aliases = aliasFlaws(doc);
  if (aliases.length > 0) return { ok: false, problems: place(aliases) };
  const read = valuesOf(doc);
  return read.ok ? { ok: true, data: read.data, flaws: treeFlaws(doc.contents), place } : read;
}

type Parsed = { readonly ok: true; readonly doc: Document } | Refused;

function parse(text: string, lines: LineCounter): Parsed {
  try {
    // Keys are looked for twice in tree.ts: the parser compares each with each, which takes minutes for a long file.
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
      merge: true,
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      uniqueKeys: false,
    } as const;
    const [doc, next] = parseAllDocuments(text, options);
    if (doc === undefined) return refuse('is empty', START);
    return next === undefined ? { ok: true, doc } : refuse('holds several documents', 'keep one, without lines of ---');
  } catch (error) {
    // Nesting that is deep enough ends the stack, which is bad input like any other.
    return refuse(`is not YAML that can be read: ${messageOf(error)}`);
  }
}

function valuesOf(doc: Document): { readonly ok: true; readonly data: Json } | Refused {
  try {
    const data: unknown = doc.toJS({ maxAliasCount: MOST_ALIASES });
    if (data === null) return refuse('is empty', START);
    if (!isMap(doc.contents) || !isRecord(data)) return refuse('must hold keys such as version, apps and plans', START);
    return holdsTooMuch(data)
      ? refuse(`holds more than ${MOST_VALUES} values`, 'what an alias repeats counts each time')
      : { ok: true, data };
  } catch (error) {
    return refuse(`cannot be read: ${messageOf(error)}`);
  }
}

function holdsTooMuch(data: Json): boolean {
  const values: unknown[] = [data];
  for (const value of values) {
    if (values.length > MOST_VALUES) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const child of Object.values(value)) values.push(child);
  }
  return false;
}

const START = 'start from docs/evals.example.yaml';

const refuse = (message: string, hint?: string): Refused => ({
  ok: false,
  problems: [
    problemAt(
      { line: 1, col: 1 },
      { path: [], message: `the file ${message}`, ...(hint === undefined ? {} : { hint }) },
    ),
  ],
});

interface YamlFault {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

const syntaxFlaw = ({ code, message, pos }: YamlFault): Flaw => ({
  path: [],
  message,
  at: pos[0],
  ...SAID_BY_US[code],
});

/** What the parser says to programmers, in words for people. */
const SAID_BY_US: Readonly<Record<string, Partial<Flaw>>> = {
  TAB_AS_INDENT: { hint: 'indent with spaces' },
  TAG_RESOLVE_FAILED: { hint: 'remove the tag, and put text that begins with ! in quotes' },
  NON_STRING_KEY: { message: 'a key has to be text', hint: 'put it in quotes' },
  RESOURCE_EXHAUSTION: { message: 'the file is nested deeper than any configuration' },
};
