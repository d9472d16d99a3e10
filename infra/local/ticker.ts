import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/ports.ts';

export interface TickerOptions {
  /** The scheduler function. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly everyMs: number;
  /** Look after this one run only. */
  readonly only?: string;
  readonly log: Log;
}

export interface Ticker {
  /** Ticks at once, on top of the rhythm. */
  readonly tick: () => Promise<void>;
  /** Waits for a tick under way. */
  readonly stop: () => Promise<void>;
}

/** Cloud Scheduler for one machine: calls the scheduler function over HTTP. A tick that is late delays the next one. */
export function startTicker({ url, headers, everyMs, only, log }: TickerOptions): Ticker {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let lastProblem: string | undefined;

  const tick = async (): Promise<void> => {
    const problem = await call(url, headers, only);
    // Told when it starts and when it ends, not at every tick in between.
    if (problem !== undefined && problem !== lastProblem) log.error({ problem }, 'tick failed');
    if (problem === undefined && lastProblem !== undefined) log.info({}, 'ticks work again');
    lastProblem = problem;
  };

  let current = Promise.resolve();
  const loop = (): void => {
    current = tick().then(() => {
      if (!stopped) timer = setTimeout(loop, everyMs);
    });
  };
  loop();

  return {
    tick,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

async function call(
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
  only: string | undefined,
): Promise<string | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(only === undefined ? {} : { run: only }),
    });
    await answer.arrayBuffer();
    return answer.ok ? undefined : `the scheduler function answered HTTP ${answer.status}`;
  } catch (error) {
    return messageOf(error);
  }
}
