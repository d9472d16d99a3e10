import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

import { ENV_VARIABLES } from '../../shared/config/env-variables.ts';
import { configJsonSchema } from '../../shared/config/json-schema.ts';
import { changed, GOOD, problemsOf, warningsOf } from './files.ts';

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | false;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
}

interface Key {
  readonly path: string;
  readonly node: Node;
  readonly isRequired: boolean;
}

const schema = configJsonSchema() as Node;

const keysOf = (node: Node, path: string): Key[] =>
  Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    { path: path + name, node: child, isRequired: node.required?.includes(name) ?? false },
    ...keysOf(child, `${path}${name}.`),
    ...(child.additionalProperties ? keysOf(child.additionalProperties, `${path}${name}.NAME.`) : []),
  ]);

const keys = keysOf(schema, '');

/** The rows of the table under a heading, without the backticks around whole cells. */
function tableUnder(heading: string): string[][] {
  const section =
    read('configuration.md')
      .split(/^## /m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replace(/^`([^`]*)`$/, '$1')),
  );
}

const asText = (value: unknown): string => {
  if (value === undefined) return '–';
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

describe('docs/evals.example.yaml', () => {
  const example = read('evals.example.yaml');

  test('has neither problems nor warnings', () => {
    expect(problemsOf(example)).toEqual([]);
    expect(warningsOf(example)).toEqual([]);
  });

  test('tells editors where its schema is', () => {
    expect(example.split('\n')[0]).toBe('# yaml-language-server: $schema=evals.schema.json');
  });

  test('has every key in it', () => {
    const used = new Set<string>();
    const walk = (value: unknown, node: Node | undefined, path: string): void => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      for (const [name, child] of Object.entries(value)) {
        const known = node?.properties?.[name];
        const here = `${path}${known === undefined ? 'NAME' : name}`;
        if (known !== undefined) used.add(here);
        walk(child, known ?? (node?.additionalProperties || undefined), `${here}.`);
      }
    };

    walk(parse(example), schema, '');

    expect([...used].toSorted()).toEqual(keys.map(({ path }) => path).toSorted());
  });
});

describe('the JSON Schema', () => {
  test('is in docs/evals.schema.json; `npx ces-evals config schema > docs/evals.schema.json` writes it', () => {
    expect(JSON.stringify(JSON.parse(read('evals.schema.json')))).toBe(JSON.stringify(schema));
  });

  test('has its title and dialect, and no id on a domain that is not ours', () => {
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'ces-evals' });
    expect(Object.keys(schema)).not.toContain('$id');
  });

  test('explains every key, with an example', () => {
    expect(keys.filter(({ node }) => !node.description || !node.examples?.length)).toEqual([]);
    expect(keys).toHaveLength(38);
  });

  const validate = new Ajv2020({ strictTypes: false }).compile(schema);

  test.each<[string, string, boolean]>([
    ['the good file', GOOD, true],
    ['the example', read('evals.example.yaml'), true],
    ['an unknown key', changed('schedule:', 'schedul:'), false],
    ['a deadline without a unit', changed('45m', '90'), false],
    ['a deadline with a unit that we do not know', changed('45m', '90min'), false],
    ['percent for a rate', changed('0.95', '95'), false],
    ['a dataset and evaluations', changed('dataset: smoke', 'dataset: smoke\n    evaluations: [refund]'), false],
    ['a subscriber without a channel', changed('{ slack: { channel: C0123456789 } }', '{}'), false],
    ['an evaluation that is there twice', changed('[greeting, refund] }', '[refund, refund] }'), false],
    ['a name that does not fit into an id', changed('nightly:', '"every night":'), false],
    ['no version', changed('version: 1\n', ''), false],
  ])('judges %s as the command does', (_name, text, isFine) => {
    expect(validate(parse(text))).toBe(isFine);
    expect(problemsOf(text).length === 0).toBe(isFine);
  });

  test('has only examples that it allows itself', () => {
    const wrong = keys.flatMap(({ path, node }) =>
      (node.examples ?? [])
        .filter((example) => !new Ajv2020({ strictTypes: false }).compile(node)(example))
        .map((example) => [path, example]),
    );

    expect(wrong).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  test('has every key of the file, as the schema explains it', () => {
    const rows = tableUnder('The file').map(([key, , fallback, meaning]) => [key, fallback, meaning]);

    expect(rows).toEqual(
      keys.map(({ path, node, isRequired }) => [
        path,
        isRequired ? 'required' : asText(node.default),
        node.description,
      ]),
    );
  });

  test('has every environment variable, as the command knows it', () => {
    expect(tableUnder('The environment')).toEqual(
      Object.values(ENV_VARIABLES).map((variable) => [
        variable.name,
        variable.meaning,
        variable.default === '' ? '–' : variable.default,
      ]),
    );
  });
});
