import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

import { describe, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['shared', 'functions', 'infra', 'cli'];

interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly lines: number;
  /** The same for our own files; packages by their name. */
  readonly imports: readonly string[];
}

const posix = (path: string): string => path.split(sep).join('/');

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const specifiers = text.matchAll(/\bfrom\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g);
  return {
    path,
    lines: text.trimEnd().split('\n').length,
    imports: [...specifiers].map(([, from, bare]) => {
      const specifier = from ?? bare ?? '';
      return specifier.startsWith('.') ? posix(relative(ROOT, resolve(ROOT, dirname(path), specifier))) : specifier;
    }),
  };
}

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${posix(name)}`)
    .filter((path) => path.endsWith('.ts') && !path.includes('/node_modules/')),
).map(read);

/** `shared/adapters/ces` of `shared/adapters/ces/session.ts`. */
const adapterOf = (path: string): string => path.split('/').slice(0, 3).join('/');
const under = (path: string, ...folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));

interface Layer {
  readonly name: string;
  readonly holds: (path: string) => boolean;
  readonly mayImport: (imported: string, from: string) => boolean;
  /** Fewer files than that are not what the rule was written for: then the test looks in the wrong place. */
  readonly leastFiles: number;
}

const OUTSIDE_OF_SHARED = ['functions', 'infra', 'cli'];

const LAYERS: readonly Layer[] = [
  {
    name: 'the domain imports the domain, node:crypto and croner',
    holds: (path) => under(path, 'shared/domain'),
    mayImport: (imported) => under(imported, 'shared/domain') || ['node:crypto', 'croner'].includes(imported),
    leastFiles: 16,
  },
  {
    name: 'ports, messages and configuration import no adapter and nothing outside of shared',
    holds: (path) => under(path, 'shared') && !under(path, 'shared/domain', 'shared/adapters'),
    mayImport: (imported) => !under(imported, 'shared/adapters', ...OUTSIDE_OF_SHARED),
    leastFiles: 3,
  },
  {
    name: 'an adapter imports no other adapter and nothing outside of shared',
    holds: (path) => under(path, 'shared/adapters'),
    mayImport: (imported, from) =>
      under(imported, 'shared/adapters')
        ? adapterOf(imported) === adapterOf(from)
        : !under(imported, ...OUTSIDE_OF_SHARED),
    leastFiles: 2,
  },
  {
    name: 'functions import no adapter, no infrastructure and no command; only their composition names adapters',
    holds: (path) => under(path, 'functions') && !under(path, 'functions/compose'),
    mayImport: (imported) => !under(imported, 'shared/adapters', 'infra', 'cli'),
    leastFiles: 8,
  },
];

describe('imports point inwards', () => {
  test.each(LAYERS)('$name', ({ holds, mayImport, leastFiles }) => {
    const files = sources.filter(({ path }) => holds(path));
    const forbidden = files.flatMap(({ path, imports }) =>
      imports.filter((imported) => !mayImport(imported, path)).map((imported) => `${path} imports ${imported}`),
    );

    expect(forbidden).toEqual([]);
    expect(files.length).toBeGreaterThanOrEqual(leastFiles);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(leastFiles);
  });
});

test('no file is longer than 300 lines', () => {
  expect(sources.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path}: ${lines} lines`)).toEqual([]);
  expect(sources.length).toBeGreaterThanOrEqual(40);
});
