import { isRecord, type Json } from '../domain/json.ts';
import { nearest } from './nearest.ts';
import type { Flaw, Path } from './problems.ts';

/** Ways into a file whose shape is not known to be right, so that all of its flaws can be told at once. */

export const group = (data: Json, name: string): Json => {
  const value = own(data, name);
  return isRecord(value) ? value : {};
};

export function member(of: Json, name: unknown): Json | undefined {
  const value = typeof name === 'string' ? own(of, name) : undefined;
  return isRecord(value) ? value : undefined;
}

/** Names such as `constructor` are declared by nobody, though every object has them. */
export const own = (of: Json, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);

export const each = (data: Json, name: string): readonly { readonly path: Path; readonly value: Json }[] =>
  Object.entries(group(data, name)).flatMap(([key, value]) => (isRecord(value) ? [{ path: [name, key], value }] : []));

export const items = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

export function repeated(list: unknown, path: Path): readonly Flaw[] {
  const seen = new Set<string>();
  return items(list).flatMap((item, index) => {
    if (typeof item !== 'string') return [];
    const again = seen.has(item);
    seen.add(item);
    return again ? [{ path: [...path, index], message: `${item} is there twice`, hint: 'keep one' }] : [];
  });
}

export function undeclared(name: unknown, known: Json, path: Path, noun: string): readonly Flaw[] {
  if (typeof name !== 'string' || Object.hasOwn(known, name)) return [];
  return [{ path, message: `there is no ${noun} ${name}`, ...hintFor(name, Object.keys(known)) }];
}

export function hintFor(name: string, known: readonly string[]): { readonly hint?: string } {
  const close = nearest(name, known);
  return close === undefined ? {} : { hint: `did you mean "${close}"?` };
}
