import { composeLocal } from '../functions/compose/local.ts';
import { pushEndpoint } from '../infra/local/host.ts';
import { startRuntime } from '../infra/local/runtime.ts';
import { servingIn } from '../infra/local/serve-lock.ts';
import type { Env } from '../shared/config/env.ts';
import type { Config } from '../shared/domain/plan.ts';
import type { Deps } from '../shared/ports.ts';
import { systemClock } from './context.ts';
import { createLog } from './log.ts';
import { watchForStop, type StopCode } from './signals.ts';

/** Somebody who takes the steps of a run: the `serve` of this data directory, or this process where there is none. */
export interface Worker {
  readonly deps: Deps;
  /** Whether a `serve` does the work; false once this process has taken over. */
  isJoined(): boolean;
  /** Takes over when the `serve` that was joined is gone. */
  keepGoing(): Promise<void>;
  /** The exit code when this process was asked to stop. The steps under way are still ended by `close`. */
  stopped(): StopCode | undefined;
  close(): Promise<void>;
}

export async function workOn(run: string, env: Env, config: Config): Promise<Worker> {
  const stop = watchForStop();
  const worker = await steps(run, env, config);
  return {
    ...worker,
    stopped: stop.code,
    close: async () => {
      await worker.close();
      stop.release();
    },
  };
}

async function steps(run: string, env: Env, config: Config): Promise<Omit<Worker, 'stopped'>> {
  const options = { config, env, secrets: process.env, clock: systemClock, log: createLog(levelFor(env)) };
  const startOwn = () => startRuntime({ ...options, host: '127.0.0.1', port: 0, only: run });
  const server = servingIn(env.dataDir);
  if (server === undefined) {
    const own = await startOwn();
    return { deps: own.deps, isJoined: () => false, keepGoing: async () => {}, close: own.close };
  }
  const joined = composeLocal({ ...options, endpoint: pushEndpoint(server.url), publicUrl: server.url });
  let takenOver: Promise<{ close(): Promise<void> }> | undefined;
  return {
    deps: joined.deps,
    isJoined: () => takenOver === undefined,
    keepGoing: async () => {
      if (takenOver !== undefined || servingIn(env.dataDir) !== undefined) return;
      takenOver = startOwn();
      await takenOver;
    },
    close: async () => {
      await (await takenOver)?.close();
      await joined.close();
    },
  };
}

/** A command that waits shows its own progress; of the log it needs what went wrong, unless more is asked for. */
const levelFor = (env: Env): string => (process.env['LOG_LEVEL'] === undefined ? 'warn' : env.logLevel);
