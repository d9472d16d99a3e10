import { isMap, isNode, isScalar, isSeq, type Document, type Pair, type YAMLMap } from 'yaml';

import type { Flaw } from './problems.ts';

/**
 * Finds the offset of a flaw: of the key or of the value, or of the nearest place around it that exists, since what is
 * missing has no place of its own. What an alias brings in is found at the alias.
 */
export function createLocator(doc: Document): (flaw: Flaw) => number {
  // Searching through all keys for each flaw would take minutes for a long file that is wrong throughout.
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  const pairsOf = (map: YAMLMap): ReadonlyMap<string, Pair> => {
    const pairs = known.get(map) ?? new Map(map.items.map((pair) => [nameOf(pair), pair]));
    known.set(map, pairs);
    return pairs;
  };

  return ({ path, at, atKey }) => {
    if (at !== undefined) return at;
    let node: unknown = doc.contents;
    let offset = 0;
    for (const [depth, step] of path.entries()) {
      const pair = isMap(node) ? pairsOf(node).get(String(step)) : undefined;
      const next = isSeq(node) && typeof step === 'number' ? node.items[step] : pair?.value;
      if (pair === undefined && next === undefined) return offset;
      const isLast = depth === path.length - 1;
      // A group of keys is found at the key above it; any other value at itself.
      offset = offsetOf(pair !== undefined && (!isLast || atKey || isMap(next)) ? pair.key : next) ?? offset;
      node = next;
    }
    return offset;
  };
}

const nameOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '');
const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
