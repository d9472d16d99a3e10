import { resolve } from 'node:path';

import { build, type Metafile, type Plugin } from 'esbuild';

import type { FunctionName } from '../../functions/register.ts';
import { absentAdapters, ownSources, googleClients } from './plugins.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The framework finds functions by a registry of its own, so there must be one copy of it: the one that runs them. */
export const FRAMEWORK = '@google-cloud/functions-framework';

/** Adapters that the composition loads late, and that most functions do without. */
export const LATE_ADAPTERS = ['pubsub', 'ces', 'slack', 'email', 'webhook'] as const;
export type LateAdapter = (typeof LATE_ADAPTERS)[number];

/** What each function reaches. Anything else is left out of its bundle, and fails with a clear word when it is called. */
export const USES: Readonly<Record<FunctionName, readonly LateAdapter[]>> = {
  scheduler: ['pubsub'],
  webhook: ['pubsub'],
  starter: ['pubsub', 'ces'],
  poller: ['pubsub', 'ces'],
  sink: ['pubsub', 'ces'],
  notifier: ['pubsub', 'slack', 'email', 'webhook'],
  dashboard: [],
};

export interface Bundle {
  readonly code: Buffer;
  readonly metafile: Metafile;
}

/** One function with everything it uses but the framework, as one CommonJS module. The same sources give the same bytes. */
export const bundle = (name: FunctionName): Promise<Bundle> =>
  bundleEntry(name, entryOf(name), [
    absentAdapters(
      name,
      LATE_ADAPTERS.filter((adapter) => !USES[name].includes(adapter)),
    ),
  ]);

/** @param contents of a TypeScript module in the root of the repository */
export async function bundleEntry(name: string, contents: string, plugins: readonly Plugin[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    // The Google libraries are CommonJS; as such, what is imported late is also run late.
    format: 'cjs',
    external: [FRAMEWORK],
    // Not minified: stacks in Error Reporting keep their names, and the libraries look at the names of their classes.
    minify: false,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'error',
    plugins: [...plugins, ownSources(), googleClients()],
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of ${name}`);
  return { code: Buffer.from(output.contents), metafile };
}

/** What functions/index.ts does, for one function. */
const entryOf = (name: FunctionName): string => `
import { deployed } from './functions/compose/cloud.ts';
import { ${name} } from './functions/register.ts';

const { deps, guard } = deployed(process.env);
${name}(deps, guard);
`;
