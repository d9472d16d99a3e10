import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { parse } from '@cdktf/hcl2json';

/** A block or a value of Terraform as JSON; expressions are text in `${…}`. */
export type Block = Readonly<Record<string, unknown>>;

export interface Resource {
  /** `type.name`. */
  readonly address: string;
  readonly type: string;
  readonly body: Block;
}

export interface Terraform {
  /** Text by file name, of the `.tf` files. */
  readonly files: ReadonlyMap<string, string>;
  readonly locals: Block;
  readonly resources: readonly Resource[];
  readonly variables: Readonly<Record<string, Block>>;
  readonly outputs: Readonly<Record<string, Block>>;
  readonly modules: readonly string[];
  readonly settings: Block;
}

export const FOLDER = resolve(import.meta.dirname, '../../infra/gcp');

export async function readTerraform(): Promise<Terraform> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.tf'));
  const files = new Map(names.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]));
  const parsed: Block[] = [];
  for (const [name, text] of files) parsed.push((await parse(name, text)) as Block);

  const all = (key: string): readonly (readonly [string, Block])[] =>
    parsed.flatMap((file) => Object.entries((file[key] ?? {}) as Block)) as [string, Block][];
  const named = (key: string): Record<string, Block> =>
    Object.fromEntries(all(key).map(([name, blocks]) => [name, only(blocks)]));

  return {
    files,
    locals: Object.assign({}, ...parsed.flatMap((file) => (file['locals'] ?? []) as Block[])) as Block,
    resources: all('resource').flatMap(([type, byName]) =>
      Object.entries(byName).map(([name, blocks]) => ({ address: `${type}.${name}`, type, body: only(blocks) })),
    ),
    variables: named('variable'),
    outputs: named('output'),
    modules: all('module').map(([name]) => name),
    settings: only(parsed.flatMap((file) => (file['terraform'] ?? []) as Block[])),
  };
}

/** The one block of its kind; the parser gives a list of them. */
export function only(blocks: unknown): Block {
  if (!Array.isArray(blocks) || blocks.length !== 1) throw new Error(`one block expected: ${JSON.stringify(blocks)}`);
  return blocks[0] as Block;
}

export const ofType = ({ resources }: Terraform, type: string): readonly Resource[] =>
  resources.filter((resource) => resource.type === type);

export const bodyOf = ({ resources }: Terraform, address: string): Block => {
  const found = resources.find((resource) => resource.address === address);
  if (found === undefined) throw new Error(`no resource ${address}`);
  return found.body;
};
