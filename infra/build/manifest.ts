import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as z from 'zod';

import { FRAMEWORK, ROOT } from './bundle.ts';

const entry = z.looseObject({
  version: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const lockFile = z.object({ packages: z.record(z.string(), entry) });
const packageFile = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()),
});

type Packages = z.infer<typeof lockFile>['packages'];

export interface Manifest {
  /** The text of the package.json that is deployed. */
  readonly packageJson: string;
  /** And of its lock file: what is installed in the cloud is what was tested here. */
  readonly packageLock: string;
}

/** What a deployed function needs beside its bundle: the framework, at the version of our own lock file. */
export function manifestOf(name: string): Manifest {
  const { version, license, dependencies } = packageFile.parse(readJson('package.json'));
  const { packages } = lockFile.parse(readJson('package-lock.json'));
  const framework = dependencies[FRAMEWORK];
  if (framework === undefined) throw new Error(`package.json does not depend on ${FRAMEWORK}`);
  const root = {
    name: `ces-evals-${name}`,
    version,
    license,
    dependencies: { [FRAMEWORK]: framework },
    engines: { node: '24.x' },
  };
  return {
    packageJson: text({ ...root, private: true, type: 'commonjs', main: 'index.js' }),
    packageLock: text({
      name: root.name,
      version,
      lockfileVersion: 3,
      requires: true,
      packages: { '': root, ...closureOf(packages, FRAMEWORK) },
    }),
  };
}

/** The entries of a package and of everything that it depends on, at the places where npm put them. */
function closureOf(packages: Packages, name: string): Packages {
  const found = new Map<string, Packages[string]>();
  const waiting = [`node_modules/${name}`];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const current = packages[place];
    if (current === undefined || found.has(place)) continue;
    found.set(place, current);
    for (const dependency of Object.keys(current.dependencies ?? {}))
      waiting.push(placeOf(packages, place, dependency));
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Node.js looks for it: beside the one who asks, then further and further out. */
function placeOf(packages: Packages, from: string, dependency: string): string {
  const inner = `${from}/node_modules/${dependency}`;
  if (packages[inner] !== undefined) return inner;
  const end = from.lastIndexOf('/node_modules/');
  if (end !== -1) return placeOf(packages, from.slice(0, end), dependency);
  const outer = `node_modules/${dependency}`;
  if (packages[outer] === undefined) throw new Error(`package-lock.json has no ${dependency}, which ${from} asks for`);
  return outer;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const text = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
