import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { Plugin } from 'esbuild';

/** Our modules do nothing when they are imported, so what of them is not used can go, with all that it imports. */
export const ownSources = (): Plugin => ({
  name: 'own-sources',
  setup: (build) => {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path),
      sideEffects: false,
    }));
  },
});

/** Puts a refusal in the place of adapters that a function does not use. */
export const absentAdapters = (name: string, adapters: readonly string[]): Plugin => ({
  name: 'absent-adapters',
  setup: (build) => {
    if (adapters.length === 0) return;
    const filter = new RegExp(`/shared/adapters/(?:${adapters.join('|')})/`);
    build.onResolve({ filter }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: path.slice(path.indexOf('shared/')), namespace: 'absent' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `throw new Error('the function ${name} was built without ${path}; add it to USES in infra/build/bundle.ts');`,
    }));
  },
});

/**
 * What Google's client libraries need to be bundled, and to be small: they come in two module systems, and with every
 * message type a second time as code, half a bundle, which nobody but the Firestore client uses.
 */
export const googleClients = (): Plugin => ({
  name: 'google-clients',
  setup: (build) => {
    // Imported late they would be taken as ES modules, beside the CommonJS copies that they take of each other.
    build.onResolve({ filter: /^(?:@google-cloud\/tasks|google-auth-library)$/ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' ? build.resolve(path, { kind: 'require-call', resolveDir }) : undefined,
    );
    build.onLoad({ filter: /\/@google-cloud\/(?:tasks|pubsub|pubsub-api)\/build\/protos\/protos\.c?js$/ }, () => ({
      contents: 'module.exports = {};',
    }));
    build.onLoad(
      { filter: /\/@google-cloud\/tasks\/build\/cjs\/src\/v\w+\/cloud_tasks_client\.cjs$/ },
      async ({ path }) => ({
        contents: withRequiredJson(path, await readFile(path, 'utf8')),
      }),
    );
  },
});

/** Calls of the Cloud Tasks client that read a file of its own package; in a bundle there are no such files. */
const READ = /\(0, _jsonHelper\.getJSON\)\(_path\["default"\]\.join\(dirname, ([^)]+)\)\)/g;

/** Turns them into `require`, which esbuild follows. */
function withRequiredJson(path: string, source: string): string {
  const contents = source.replaceAll(READ, (_, parts: string) => `require('./${segmentsOf(parts).join('/')}')`);
  if (!contents.includes('getJSON)(')) return contents;
  throw new Error(
    `${path} reads its files in another way than before; adapt withRequiredJson in infra/build/plugins.ts`,
  );
}

const segmentsOf = (args: string): readonly string[] =>
  [...args.matchAll(/'([^']+)'/g)].map(([, segment]) => segment ?? '');
