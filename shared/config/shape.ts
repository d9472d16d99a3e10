import * as z from 'zod';

import { isRecord } from '../domain/json.ts';
import { nearest } from './nearest.ts';
import type { Flaw, Path } from './problems.ts';
import { fileSchema } from './schema.ts';

/** Every place where the file has not the shape that the schema asks for. */
export function shapeFlaws(data: unknown): readonly Flaw[] {
  const parsed = fileSchema.safeParse(data, { error: () => NO_MESSAGE });
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => flawsOf(issue, data));
}

/** The message of an issue for which the schema has none of its own; an answer in our words is made from its code. */
const NO_MESSAGE = '';

function flawsOf(issue: z.core.$ZodIssue, data: unknown): readonly Flaw[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], key));
    case 'invalid_type':
      return [wrongType(path, issue, valueAt(data, path))];
    case 'invalid_value':
      return [wrongValue(path, issue.values.map(String), valueAt(data, path), issue.message)];
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? issue.message, atKey: true }];
    default:
      return [{ path, message: issue.message === NO_MESSAGE ? 'is not valid' : issue.message }];
  }
}

function unknownKey(path: Path, key: string): Flaw {
  const known = keysAt(path.slice(0, -1));
  const close = nearest(key, known);
  const hint = close === undefined ? `known are ${known.join(', ')}` : `did you mean "${close}"?`;
  return { path, message: 'unknown key', hint, atKey: true };
}

function wrongType(path: Path, issue: z.core.$ZodIssueInvalidType, value: unknown): Flaw {
  if (value === undefined) {
    const hint = path.join('.') === 'version' ? { hint: 'add "version: 1"' } : {};
    return { path, message: 'is missing', ...hint };
  }
  const expected = NAMES[issue.expected] ?? issue.expected;
  const hint = issue.message === NO_MESSAGE ? wayOut(issue.expected, value) : issue.message;
  return {
    path,
    message: `must be ${expected}, not ${nameOf(value, issue.expected)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** How a value of the wrong type was probably meant. */
function wayOut(expected: string, value: unknown): string | undefined {
  if (value === null) return 'give it a value or remove the key';
  if (expected === 'array' && typeof value === 'string') return 'put it in [brackets]';
  if (expected !== 'string') return undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? `put it in quotes: "${value}"` : undefined;
}

function wrongValue(path: Path, options: readonly string[], value: unknown, message: string): Flaw {
  if (value === undefined) return { path, message: 'is missing', hint: `add "${path.at(-1)}: ${options[0]}"` };
  if (options.length === 1) return { path, message };
  const close = typeof value === 'string' ? nearest(value, options) : undefined;
  const hint = close === undefined ? {} : { hint: `did you mean "${close}"?` };
  return { path, message: `must be one of ${options.join(', ')}`, ...hint };
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  object: 'a group of keys',
  record: 'a group of names',
  array: 'a list',
};

function nameOf(value: unknown, expected: string): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isFinite(value) && expected === 'int' ? 'a fraction' : String(value);
  const names: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false' };
  return names[typeof value] ?? 'a group of keys';
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
    return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, data);
}

/** The keys that the schema knows at a place. */
function keysAt(path: Path): readonly string[] {
  let schema: z.core.$ZodType | undefined = fileSchema;
  for (const step of path) schema = schema === undefined ? undefined : childOf(unwrap(schema), String(step));
  const here = schema === undefined ? undefined : unwrap(schema);
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;

function childOf(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodObject ? schema.shape[key] : undefined;
}
