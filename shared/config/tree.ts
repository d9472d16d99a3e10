import { isMap, isScalar, isSeq, visit, type Document, type Node, type YAMLMap } from 'yaml';

import type { Flaw, Path } from './problems.ts';
import { holdsSecret } from './secrets.ts';

/** Aliases that lead nowhere, or back into themselves; a document with one of these cannot be turned into values. */
export function aliasFlaws(doc: Document): readonly Flaw[] {
  const flaws: Flaw[] = [];
  visit(doc, {
    Alias: (_key, alias, ancestors) => {
      const target = alias.resolve(doc);
      if (target !== undefined && !ancestors.includes(target)) return;
      const wrong = target === undefined ? 'has no anchor before it' : 'stands within its own anchor';
      flaws.push({ path: [], message: `the alias *${alias.source} ${wrong}`, at: offsetOf(alias) });
    },
  });
  return flaws;
}

/**
 * What can only be seen in the text as it is written: a key that is there twice, a key that no object can have, a
 * secret. The value of a secret is not repeated.
 */
export function treeFlaws(node: unknown, path: Path = []): readonly Flaw[] {
  if (isMap(node)) return mapFlaws(node, path);
  if (isSeq(node)) return node.items.flatMap((item, index) => treeFlaws(item, [...path, index]));
  return isScalar(node) && typeof node.value === 'string' && holdsSecret(node.value) ? [secretAt(node, path)] : [];
}

function mapFlaws(map: YAMLMap, path: Path): readonly Flaw[] {
  const seen = new Set<string>();
  return map.items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    const here = [...path, name];
    const flaws = [...keyFlaws(key, name, here, seen), ...treeFlaws(value, here)];
    seen.add(name);
    return flaws;
  });
}

function keyFlaws(key: Node, name: string, path: Path, seen: ReadonlySet<string>): readonly Flaw[] {
  if (holdsSecret(name)) return [secretAt(key, path)];
  if (name === '__proto__') return [{ path, message: 'is not usable as a name', at: offsetOf(key), silences: true }];
  // The merge key may stand there as often as it likes.
  if (name === '<<' || !seen.has(name)) return [];
  return [{ path, message: 'is there twice', hint: 'keep one', at: offsetOf(key) }];
}

const secretAt = (node: Node, path: Path): Flaw => ({
  path,
  message: 'looks like a secret, and secrets never stand in this file',
  hint: 'put it into the environment, and take it out of the history of the file',
  at: offsetOf(node),
  silences: true,
});

const offsetOf = (node: Node): number => node.range?.[0] ?? 0;
