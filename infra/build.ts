import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { FUNCTIONS, type FunctionName } from '../functions/register.ts';
import { bundle, ROOT } from './build/bundle.ts';
import { manifestOf } from './build/manifest.ts';
import { zip } from './build/zip.ts';

export interface Built {
  readonly name: FunctionName;
  /** By their names: the bundle, package.json and its lock file. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** The same files, as Cloud Run functions takes them. */
  readonly archive: Buffer;
}

/** What is deployed for one function. The same sources give the same bytes, so an unchanged function is not deployed again. */
export async function buildFunction(name: FunctionName): Promise<Built> {
  const { code } = await bundle(name);
  const { packageJson, packageLock } = manifestOf(name);
  const files = {
    'index.js': code,
    'package.json': Buffer.from(packageJson),
    'package-lock.json': Buffer.from(packageLock),
  };
  const archive = zip(Object.entries(files).map(([file, content]) => ({ name: file, content })));
  return { name, files, archive };
}

/** Writes `<name>.zip` for every function, and what is in it to `<name>/`. */
export async function buildAll(folder: string): Promise<readonly Built[]> {
  await rm(folder, { recursive: true, force: true });
  const all: Built[] = [];
  for (const { name } of FUNCTIONS) {
    const built = await buildFunction(name);
    await mkdir(join(folder, name), { recursive: true });
    for (const [file, content] of Object.entries(built.files)) await writeFile(join(folder, name, file), content);
    await writeFile(join(folder, `${name}.zip`), built.archive);
    all.push(built);
  }
  return all;
}

const kibibytes = (bytes: Buffer | undefined): string => `${Math.round((bytes?.length ?? 0) / 1024)} KiB`.padStart(9);

if (import.meta.main) {
  const folder = resolve(ROOT, process.argv[2] ?? 'dist');
  for (const { name, files, archive } of await buildAll(folder)) {
    process.stdout.write(`${name.padEnd(10)} bundle ${kibibytes(files['index.js'])}, zip ${kibibytes(archive)}\n`);
  }
  process.stdout.write(`written to ${folder}\n`);
}
