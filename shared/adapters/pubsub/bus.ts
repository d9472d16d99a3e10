import { messageFor, type Topic } from '../../messages.ts';
import type { Bus, Clock, Log } from '../../ports.ts';
import { deadLetterOf } from './dead-letter.ts';
import { createPublisher, type PublisherOptions } from './publisher.ts';
import { createTasks, type TasksOptions } from './tasks.ts';

export interface PubSubBusOptions {
  readonly projectId: string;
  /** Put before the name of every topic as it is, for example `ces-evals-`. */
  readonly topicPrefix: string;
  /** Name of the Cloud Tasks queue, and the region where it is. */
  readonly queue: string;
  readonly location: string;
  /** E-mail of the account in whose name the tasks publish. */
  readonly tasksServiceAccount: string;
  readonly clock: Clock;
  readonly log: Log;
  /** For the constructors of the two clients: other endpoints, other credentials. */
  readonly clients?: { readonly pubsub?: PublisherOptions['client']; readonly tasks?: TasksOptions['client'] };
}

export interface PubSubBus extends Bus {
  /** Publishes nothing more, and answers when what was on its way has arrived. */
  readonly close: () => Promise<void>;
}

/** Name of the topic that holds what cannot be used, behind the prefix. */
export const DEAD_LETTER_TOPIC = 'dead-letter';

/**
 * Pub/Sub for what is to be done now, Cloud Tasks for what is to be done later: a task publishes the message when its
 * time has come. Nothing is published early, not even by a second: who takes a step before its time does nothing, and
 * the message is used up. The libraries are loaded when they are first needed.
 *
 * Throws TransientError for what may work another time, PermanentError with the remedy for what an operator has to
 * repair. A task that could not be made is not replaced by anything: the tick finds the run.
 */
export function createPubSubBus(options: PubSubBusOptions): PubSubBus {
  const { projectId, clock, log, clients = {} } = options;
  const topicName = (topic: string): string => `projects/${projectId}/topics/${options.topicPrefix}${topic}`;
  const publisher = createPublisher({ projectId, client: clients.pubsub });
  const tasks = createTasks({
    queue: `projects/${projectId}/locations/${options.location}/queues/${options.queue}`,
    serviceAccount: options.tasksServiceAccount,
    client: clients.tasks,
  });

  const publish = async (topic: Topic, id: string, at: Date | undefined): Promise<void> => {
    const data = Buffer.from(JSON.stringify(messageFor(id)));
    const now = clock.now();
    if (at === undefined || at <= now) await publisher.publish(topicName(topic), { data });
    else await tasks.publishAt(topicName(topic), { id, data, at, now });
  };

  return {
    publish: (topic, { id }, at) => publish(topic, id, at),
    setAside: async (topic, body, reason) => {
      const letter = deadLetterOf(topic, body, reason);
      await publisher.publish(topicName(DEAD_LETTER_TOPIC), letter);
      log.error({ topic, reason, bytes: letter.data.length }, 'message put into the dead-letter topic');
    },
    close: async () => {
      await Promise.all([publisher.close(), tasks.close()]);
    },
  };
}
