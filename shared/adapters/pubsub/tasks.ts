import { createHash } from 'node:crypto';

import type { CloudTasksClient } from '@google-cloud/tasks';

import { ALREADY_EXISTS, codeOf, createCall, PATIENCE, type Remedies } from './call.ts';

export interface TasksOptions {
  /** Full resource name. */
  readonly queue: string;
  readonly serviceAccount: string;
  readonly client: ConstructorParameters<typeof CloudTasksClient>[0];
}

export interface LaterMessage {
  /** Id of the document that the message is about. */
  readonly id: string;
  readonly data: Buffer;
  readonly at: Date;
  readonly now: Date;
}

export interface Tasks {
  /**
   * Makes the task that publishes the message to a topic at the given time, or thirty days from now when that is
   * sooner. A task for the same message and second is enough: that there is one already is success.
   * @param topic full resource name
   */
  publishAt(topic: string, message: LaterMessage): Promise<void>;
  close(): Promise<void>;
}

/**
 * The farthest that a task may be scheduled ahead: https://cloud.google.com/tasks/docs/quotas, "maximum schedule time
 * for a task". A minute less, because clocks differ.
 */
const FARTHEST_MS = 30 * 24 * 60 * 60 * 1_000 - 60_000;

/** Pub/Sub answers a publish in well under a second; 15 s is the least that Cloud Tasks takes as a deadline. */
const DISPATCH_DEADLINE_SECONDS = 15;

const REMEDIES: Remedies = {
  notFound: 'the queue does not exist; apply infra/gcp, or correct TASKS_QUEUE and TASKS_LOCATION',
  denied:
    "give the function's service account the role roles/cloudtasks.enqueuer on the queue, and " +
    'roles/iam.serviceAccountUser on the account of TASKS_SERVICE_ACCOUNT',
};

export function createTasks({ queue, serviceAccount, client }: TasksOptions): Tasks {
  const call = createCall<CloudTasksClient>(async () => {
    const { CloudTasksClient } = await import('@google-cloud/tasks');
    return new CloudTasksClient(client);
  });

  return {
    publishAt: (topic, { id, data, at, now }) =>
      call.run({ what: `make a task in ${queue} for ${topic}`, remedies: REMEDIES }, async (tasks) => {
        const runsAtMs = Math.min(at.getTime(), now.getTime() + FARTHEST_MS);
        const task = {
          name: `${queue}/tasks/${taskId(topic, id, runsAtMs)}`,
          scheduleTime: timestamp(runsAtMs),
          dispatchDeadline: { seconds: DISPATCH_DEADLINE_SECONDS },
          httpRequest: publishRequest(topic, data, serviceAccount),
        };
        try {
          await tasks.createTask({ parent: queue, task }, PATIENCE);
        } catch (error) {
          if (codeOf(error) !== ALREADY_EXISTS) throw error;
        }
      }),
    close: () => call.close((tasks) => tasks.close()),
  };
}

/**
 * Hashed, because ids that begin alike make the service slow and a task's id may hold [A-Za-z0-9_-] only. The second
 * is the one when the task runs: an id stays refused for an hour after its task ran, so the next wait needs another.
 */
const taskId = (topic: string, id: string, runsAtMs: number): string =>
  createHash('sha256')
    .update(JSON.stringify([topic, id, Math.floor(runsAtMs / 1_000)]))
    .digest('hex');

const timestamp = (ms: number): { readonly seconds: number; readonly nanos: number } => ({
  seconds: Math.floor(ms / 1_000),
  nanos: (ms % 1_000) * 1_000_000,
});

const publishRequest = (topic: string, data: Buffer, serviceAccountEmail: string) => ({
  httpMethod: 'POST' as const,
  url: `https://pubsub.googleapis.com/v1/${topic}:publish`,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ messages: [{ data: data.toString('base64') }] })),
  oauthToken: { serviceAccountEmail, scope: 'https://www.googleapis.com/auth/pubsub' },
});
