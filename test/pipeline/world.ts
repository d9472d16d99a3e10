import { createNotify } from '../../functions/notifier/notify.ts';
import { createPoll } from '../../functions/poller/poll.ts';
import { createTick } from '../../functions/scheduler/tick.ts';
import { createJudge } from '../../functions/sink/judge.ts';
import { createStart } from '../../functions/starter/start.ts';
import { createSqliteStore } from '../../shared/adapters/sqlite/store.ts';
import type { Delivery, Doubt, SendOutcome } from '../../shared/domain/delivery.ts';
import type { Config } from '../../shared/domain/plan.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { Message, Topic } from '../../shared/messages.ts';
import type { Channel, Deps, Settings } from '../../shared/ports.ts';
import { CONFIG, silentLog, testClock, type TestClock } from '../fixtures.ts';
import { createFakeCes } from './fake-ces.ts';

/** The process died here: nothing after this point happened, and what it had in memory is gone. */
export class Crash extends Error {}

const SETTINGS: Settings = {
  pollMinMs: 5_000,
  pollMaxMs: 60_000,
  rescueAfterMs: 2_000,
  cesTimeoutMs: 15_000,
  sendTimeoutMs: 10_000,
  webhookSecrets: [],
};
const TICK_MS = 30_000;

interface Waiting {
  readonly topic: Topic;
  readonly message: Message;
  readonly at: number;
}

export interface Sent {
  readonly to: string;
  readonly reason: string;
  readonly run: string;
}

/** The real use cases and store on a clock of their own; only CES and the channels are the test's. */
export function createWorld(options: { readonly config?: Config; readonly start?: string } = {}) {
  const clock: TestClock = testClock(options.start ?? '2026-11-30T01:59:00.000Z');
  const store = createSqliteStore(':memory:');
  const ces = createFakeCes(clock);
  const sent: Sent[] = [];
  const asideReasons: string[] = [];
  let queue: Waiting[] = [];
  let nonces = 0;

  const channel: Channel = {
    send: async (delivery: Delivery): Promise<SendOutcome> => {
      sent.push({ to: delivery.subscriber, reason: delivery.reason, run: delivery.run });
      return { kind: 'sent', receipt: `receipt-${sent.length}` };
    },
    inDoubt: async (): Promise<Doubt> => ({ kind: 'hold', problem: 'nobody can tell' }),
  };
  const channels = { slack: { ...channel }, email: { ...channel }, webhook: { ...channel } };
  const deps: Deps = {
    config: options.config ?? CONFIG,
    settings: SETTINGS,
    evaluations: { ...ces.evaluations },
    results: { ...ces.results },
    datasets: { list: async () => [], create: async () => ({}) },
    store: { ...store },
    bus: {
      publish: async (topic, message, at) => {
        queue.push({ topic, message, at: at?.getTime() ?? clock.now().getTime() });
      },
      setAside: async (_topic, _body, reason) => {
        asideReasons.push(reason);
      },
    },
    channels,
    clock,
    log: silentLog,
    nonce: () => `nonce${String((nonces += 1)).padStart(3, '0')}`,
  };
  const tick = createTick(deps);
  const handlers: Record<Topic, (id: string) => Promise<void>> = {
    'run-requested': createStart(deps),
    'run-poll': createPoll(deps),
    'run-finished': createJudge(deps),
    'alert-due': createNotify(deps),
  };

  const survive = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      if (!causes.every((cause) => cause instanceof Crash)) throw error;
      queue = [];
    }
  };

  /** Lets time pass: messages arrive when they are due, the tick comes twice a minute. */
  const pass = async (ms: number): Promise<void> => {
    const end = clock.now().getTime() + ms;
    for (let nextTick = clock.now().getTime(); ;) {
      const next = queue.toSorted((a, b) => a.at - b.at)[0];
      const at = Math.min(next?.at ?? Infinity, nextTick);
      if (at > end) break;
      clock.set(new Date(Math.max(at, clock.now().getTime())));
      if (next !== undefined && next.at <= nextTick) {
        queue.splice(queue.indexOf(next), 1);
        await survive(handlers[next.topic](next.message.id));
      } else {
        nextTick += TICK_MS;
        await survive(tick());
      }
    }
    clock.set(new Date(end));
  };

  return {
    deps,
    clock,
    ces,
    sent,
    tick,
    handlers,
    asideReasons,
    pass,
    /** Messages on their way, without those for later. */
    pending: () => queue.map(({ topic, message }) => `${topic} ${message.id}`),
    forgetMessages: () => {
      queue = [];
    },
    run: async (id: string): Promise<Run> => {
      const stored = await store.get('run', id);
      if (stored === undefined) throw new Error(`there is no run ${id}`);
      return stored.doc;
    },
    deliveries: async (run: string) =>
      (await store.find('delivery', { run, limit: 100 }))
        .map(({ doc }) => doc)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** Replaces a method for its next call: the process dies before or after the real effect, or the call fails. */
export function once<T extends object, K extends keyof T>(port: T, method: K, instead: (real: T[K]) => T[K]): void {
  const real = port[method];
  port[method] = ((...args: unknown[]) => {
    port[method] = real;
    return (instead(real) as (...inner: unknown[]) => unknown)(...args);
  }) as T[K];
}

type Method = (...args: never[]) => unknown;

export const crashBefore =
  () =>
  <T extends Method>(_real: T): T =>
    (async () => {
      throw new Crash();
    }) as unknown as T;

export const crashAfter =
  () =>
  <T extends Method>(real: T): T =>
    (async (...args: never[]) => {
      await real(...args);
      throw new Crash();
    }) as unknown as T;

export const failWith =
  (error: Error) =>
  <T extends Method>(_real: T): T =>
    (async () => {
      throw error;
    }) as unknown as T;
