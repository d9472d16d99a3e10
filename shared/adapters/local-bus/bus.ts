import type { Bus, Clock, Log } from '../../ports.ts';
import type { Message, Topic } from '../../messages.ts';
import { messageOf } from '../../errors.ts';

export interface LocalBus extends Bus {
  /** Stops taking messages, forgets those that wait, and answers when the ones on their way have arrived. */
  readonly close: () => Promise<void>;
}

export interface LocalBusOptions {
  /** Where the subscriber of a topic takes push requests; asked for at each delivery. */
  readonly endpoint: (topic: Topic) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly keep: (topic: string, body: string, reason: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Requests on their way at one time. One machine has few cores, and CES a quota of some ten requests a second. */
const CONCURRENCY = 32;
/** Like Pub/Sub's own minimum; doubled at each try. */
const FIRST_RETRY_MS = 1_000;
/** After the last try the message is dropped: the tick looks at the same run again anyway. */
const ATTEMPTS = 5;
/** The longest that a Node.js timer can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Waiting {
  readonly topic: Topic;
  readonly message: Message;
  readonly attempt: number;
}

/**
 * Pub/Sub for one process: messages live in memory and reach the functions as push requests over HTTP, in the same
 * form as from a push subscription. A message that dies with the process is made up for by the tick.
 */
export function createLocalBus(options: LocalBusOptions): LocalBus {
  const timers = new Set<NodeJS.Timeout>();
  // By topic and id: the tick asks again and again for what is overdue, and once in the queue is enough.
  const queue = new Map<string, Waiting>();
  const onTheirWay = new Set<Promise<void>>();
  let sequence = 0;
  let closed = false;

  const enqueue = (waiting: Waiting): void => {
    if (closed) return;
    const key = `${waiting.topic} ${waiting.message.id}`;
    if (!queue.has(key)) queue.set(key, waiting);
    drain();
  };

  const later = (waiting: Waiting, delayMs: number): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        enqueue(waiting);
      },
      Math.min(delayMs, LONGEST_TIMER_MS),
    );
    timers.add(timer);
  };

  const drain = (): void => {
    while (onTheirWay.size < CONCURRENCY) {
      const [next] = queue;
      if (next === undefined) return;
      queue.delete(next[0]);
      const delivery = deliver(next[1]).finally(() => {
        onTheirWay.delete(delivery);
        drain();
      });
      onTheirWay.add(delivery);
    }
  };

  const deliver = async (waiting: Waiting): Promise<void> => {
    const { topic, message, attempt } = waiting;
    sequence += 1;
    const problem = await push(options, topic, message, String(sequence));
    if (problem === undefined || closed) return;
    if (attempt >= ATTEMPTS) {
      options.log.warn({ topic, id: message.id, attempts: attempt, problem }, 'message dropped, the tick takes over');
      return;
    }
    later({ ...waiting, attempt: attempt + 1 }, FIRST_RETRY_MS * 2 ** (attempt - 1));
  };

  return {
    publish: async (topic, message, at) => {
      const delayMs = at === undefined ? 0 : at.getTime() - options.clock.now().getTime();
      const waiting: Waiting = { topic, message, attempt: 1 };
      if (closed) return;
      if (delayMs > 0) later(waiting, delayMs);
      else enqueue(waiting);
    },
    setAside: options.keep,
    close: async () => {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      queue.clear();
      await Promise.all(onTheirWay);
    },
  };
}

/** One push request, as a push subscription makes it. Answers what went wrong, if anything did. */
async function push(
  options: LocalBusOptions,
  topic: Topic,
  message: Message,
  messageId: string,
): Promise<string | undefined> {
  const publishTime = options.clock.now().toISOString();
  const data = Buffer.from(JSON.stringify(message)).toString('base64');
  const subscription = `projects/local/subscriptions/${topic}`;
  try {
    const answer = await fetch(options.endpoint(topic), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options.headers },
      body: JSON.stringify({ message: { data, messageId, publishTime, attributes: {} }, subscription }),
    });
    await answer.arrayBuffer();
    return answer.ok ? undefined : `HTTP ${answer.status}`;
  } catch (error) {
    return messageOf(error);
  }
}
