import { isMap, isNode, isScalar, type Document, type LineCounter, type YAMLMap } from 'yaml';

export type Path = readonly (string | number)[];

/** Something that is wrong with a place of the file. */
export interface Flaw {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
  /** The key is wrong, not its value. */
  readonly atKey?: true;
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
  return `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${text}`.replaceAll(/\s+/g, ' ');
}

export function locate(flaw: Flaw, doc: Document, lines: LineCounter): Problem {
  const { line, col } = lines.linePos(offsetOf(flaw, doc));
  return {
    line: Math.max(1, line),
    column: Math.max(1, col),
    path: flaw.path.join('.'),
    message: flaw.message,
    ...(flaw.hint === undefined ? {} : { hint: flaw.hint }),
  };
}

/** The offset of the value, or of the nearest place around it that exists: what is missing has no place of its own. */
function offsetOf({ path, atKey }: Flaw, doc: Document): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const key = keyOffset(doc, path.slice(0, depth));
    if (key === undefined) continue;
    const value: unknown = doc.getIn(path.slice(0, depth), true);
    const offset = isNode(value) ? value.range?.[0] : undefined;
    // A block below its key is found at the key; a value on the same line at itself.
    return depth < path.length || atKey || isMap(value) || offset === undefined ? key : offset;
  }
  return 0;
}

function keyOffset(doc: Document, path: Path): number | undefined {
  const parent: unknown = path.length === 1 ? doc.contents : doc.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(parent)) return pairOffset(parent, last);
  const item: unknown = doc.getIn(path, true);
  return isNode(item) ? item.range?.[0] : undefined;
}

function pairOffset(map: YAMLMap, key: string | number | undefined): number | undefined {
  const pair = map.items.find((item) => (isScalar(item.key) ? String(item.key.value) : undefined) === String(key));
  return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
}
