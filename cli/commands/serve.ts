import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from 'commander';

import { servingIn, takeServeLock, type ServeLock } from '../../infra/local/serve-lock.ts';
import { UsageError } from '../../shared/errors.ts';
import { checkedConfiguration, environment, systemClock } from '../context.ts';
import { createLog } from '../log.ts';
import { portOption } from '../options.ts';
import { count, print, say } from '../output.ts';
import { untilStopped } from '../signals.ts';

interface Options {
  readonly config?: string;
  readonly dataDir?: string;
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the schedules, poll the runs, judge them and send the alerts, on this machine')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .option('--data-dir <dir>', 'where all state is kept, default DATA_DIR or .ces-evals')
    .option('--host <address>', 'address to listen on; any other than loopback needs API_TOKEN', '127.0.0.1')
    .option('--port <number>', 'port of the dashboard, the API and the webhook', portOption, 8080)
    .action(serve);
}

async function serve(options: Options): Promise<void> {
  const env = environment(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir });
  const { config, warnings } = checkedConfiguration(options.config ?? env.configFile);
  for (const warning of warnings) say(`warning: ${warning}`);
  const { host, port } = options;
  if (!LOOPBACK.has(host) && env.apiToken === undefined) {
    throw new UsageError(`--host ${host} lets other machines in: set API_TOKEN to a long random text first`);
  }
  const lock = await lockFor(env.dataDir);
  const log = createLog(env.logLevel);
  const { startRuntime } = await import('../../infra/local/runtime.ts');
  const runtime = await startRuntime({ config, env, secrets: process.env, host, port, clock: systemClock, log });
  lock.announce({ pid: process.pid, url: runtime.url });
  const scheduled = Object.values(config.plans).filter(({ schedule }) => schedule !== undefined).length;
  print(`ces-evals serves ${count(Object.keys(config.plans).length, 'plan')}, ${scheduled} scheduled`);
  print(`dashboard ${runtime.url}/  webhook ${runtime.url}/webhook  data ${env.dataDir}`);

  await untilStopped();
  log.info({}, 'stopping');
  await runtime.close();
  lock.release();
}

/** A command that asks whether somebody serves holds the lock for an instant, which must not keep a server from starting. */
const LOCK_ATTEMPTS = 5;
const LOCK_RETRY_MS = 50;

async function lockFor(dataDir: string): Promise<ServeLock> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt += 1) {
    const lock = takeServeLock(dataDir);
    if (lock !== undefined) return lock;
    await sleep(LOCK_RETRY_MS);
  }
  const other = servingIn(dataDir);
  const who = other === undefined ? '' : ` (process ${other.pid}, ${other.url})`;
  throw new UsageError(`another \`ces-evals serve\` already works in ${dataDir}${who}; it does what this one would do`);
}
