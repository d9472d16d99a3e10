import { composeLocal, type Local, type LocalOptions } from '../../functions/compose/local.ts';
import { register } from '../../functions/register.ts';
import type { Deps } from '../../shared/ports.ts';
import { pushEndpoint, startHost, tickEndpoint } from './host.ts';
import { startTicker } from './ticker.ts';

export interface RuntimeOptions extends Omit<LocalOptions, 'endpoint' | 'publicUrl'> {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Look after this one run only, and leave the schedules alone. */
  readonly only?: string;
}

export interface Runtime extends Local {
  readonly url: string;
  /** A tick out of turn. */
  readonly tick: () => Promise<void>;
}

/**
 * The whole product in this process: the functions on one port, the bus that pushes to them, and the ticker. The
 * functions framework knows functions by name for the whole process, so there is one runtime in a process at a time.
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { env, log, only } = options;
  // Elsewhere the framework answers an error that is its own with the stack.
  process.env['NODE_ENV'] ??= 'production';
  const composed = Promise.withResolvers<Deps>();
  register(() => composed.promise);
  const { host, port } = options;
  const server = await startHost({ host, port, ...(env.apiToken === undefined ? {} : { apiToken: env.apiToken }) });
  const local = await composeOr(() => server.close(), {
    ...options,
    endpoint: pushEndpoint(server.url),
    publicUrl: server.url,
  });
  composed.resolve(local.deps);
  const ticker = startTicker({
    url: tickEndpoint(server.url),
    everyMs: env.tickMs,
    log,
    ...(env.apiToken === undefined ? {} : { headers: { authorization: `Bearer ${env.apiToken}` } }),
    ...(only === undefined ? {} : { only }),
  });
  return {
    ...local,
    url: server.url,
    tick: ticker.tick,
    close: async () => {
      await ticker.stop();
      await local.settle();
      await server.close();
      await local.close();
    },
  };
}

/** A data directory that cannot be used must not leave a server behind. */
async function composeOr(giveUp: () => Promise<void>, options: LocalOptions): Promise<Local> {
  try {
    return composeLocal(options);
  } catch (error) {
    await giveUp();
    throw error;
  }
}
