import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

import { loadEnv, type Env } from '../shared/config/env.ts';
import { formatProblem, parseConfig } from '../shared/config/file.ts';
import type { Config, Plan } from '../shared/domain/plan.ts';
import { messageOf, UsageError } from '../shared/errors.ts';
import { nearest } from '../shared/config/nearest.ts';
import type { Clock } from '../shared/ports.ts';
import type { SqliteStore } from '../shared/adapters/sqlite/store.ts';

export const systemClock: Clock = { now: () => new Date() };

/** The environment, or a UsageError that names all that is wrong with it. */
export function environment(change: Partial<Record<string, string>> = {}): Env {
  const loaded = loadEnv({ ...process.env, ...change });
  if (loaded.ok) return loaded.env;
  const lines = loaded.problems.map(({ name, message }) => `  ${name}: ${message}`);
  throw new UsageError(`the environment is not usable:\n${lines.join('\n')}`);
}

/** The configuration, or a UsageError that names all that is wrong with it. */
export const configuration = (file: string): Config => checkedConfiguration(file).config;

/** The same with its warnings, a line each: for the commands whose business the whole file is. */
export function checkedConfiguration(file: string): { readonly config: Config; readonly warnings: readonly string[] } {
  const parsed = parseConfig(readConfig(file), { file, now: new Date() });
  if (parsed.ok) {
    return { config: parsed.config, warnings: parsed.warnings.map((warning) => formatProblem(file, warning)) };
  }
  const lines = parsed.problems.map((problem) => `  ${formatProblem(file, problem)}`);
  throw new UsageError(`${file} is not usable:\n${lines.join('\n')}`);
}

/** Who types the command. In a container the user often has no name. */
export function whoAmI(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function readConfig(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `could not read the configuration ${file}: ${messageOf(error)}. Name another file with --config or EVALS_CONFIG, ` +
        'or start from docs/evals.example.yaml.',
      { cause: error },
    );
  }
}

export function planOf(config: Config, name: string): Plan {
  const plan = Object.hasOwn(config.plans, name) ? config.plans[name] : undefined;
  if (plan !== undefined) return plan;
  throw new UsageError(`there is no plan ${name}${suggestion(name, Object.keys(config.plans))}`);
}

/** `; did you mean "nightly"?`, or the list when nothing is close. */
export function suggestion(name: string, known: readonly string[]): string {
  const close = nearest(name, known);
  if (close !== undefined) return `; did you mean "${close}"?`;
  return known.length === 0 ? '' : `; there are ${known.join(', ')}`;
}

/** Runs a piece of work with the store of DATA_DIR open. */
export async function withStore<T>(work: (store: SqliteStore, env: Env) => Promise<T>): Promise<T> {
  const env = environment();
  const { openStore } = await import('../functions/compose/local.ts');
  const store = openStore(env);
  try {
    return await work(store, env);
  } finally {
    store.close();
  }
}
