import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PubSub } from '@google-cloud/pubsub';
import { status } from '@grpc/grpc-js';

import { createPubSubBus, type PubSubBus } from '../../shared/adapters/pubsub/bus.ts';
import { PermanentError, TransientError } from '../../shared/errors.ts';
import type { Emulator } from '../emulators/emulator.ts';
import { startPubSubEmulator } from '../emulators/pubsub.ts';
import { silentLog, testClock } from '../fixtures.ts';
import { startFakeGoogle, type FakeGoogle } from './pubsub-fake.ts';

// Without it the clients look for a metadata server first.
process.env['METADATA_SERVER_DETECTION'] = 'none';

const OPTIONS = {
  projectId: 'acme-evals',
  topicPrefix: 'ces-evals-',
  queue: 'waits',
  location: 'europe-west1',
  tasksServiceAccount: 'tasks@acme-evals.iam.gserviceaccount.com',
};
const QUEUE = 'projects/acme-evals/locations/europe-west1/queues/waits';
const RUN = { v: 1, id: 'nightly-20261130T020000Z' } as const;
const IN_30_SECONDS = new Date('2026-11-30T02:00:30.250Z');

describe('against a small fake of Publisher and CloudTasks over gRPC', () => {
  const clock = testClock('2026-11-30T02:00:00.000Z');
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (fields: object, message: string) => logged.push({ ...fields, message }) };
  let google: FakeGoogle;
  let bus: PubSubBus;

  beforeEach(async () => {
    logged.length = 0;
    google = await startFakeGoogle();
    bus = createPubSubBus({ ...OPTIONS, clock, log, clients: google.clients });
  });
  afterEach(async () => {
    await bus.close();
    await google.close();
  });

  test.each([
    ['without a time', undefined],
    ['for a time that has passed', new Date('2026-11-30T01:59:00.000Z')],
    ['for this very moment', new Date('2026-11-30T02:00:00.000Z')],
  ])('a message %s is with Pub/Sub when publish answers', async (_, at) => {
    await bus.publish('run-poll', RUN, at);

    expect(google.published).toEqual([
      {
        topic: 'projects/acme-evals/topics/ces-evals-run-poll',
        data: '{"v":1,"id":"nightly-20261130T020000Z"}',
        attributes: {},
      },
    ]);
    expect(google.tasks).toEqual([]);
  });

  test('a message for later is a task that publishes it then', async () => {
    await bus.publish('run-poll', RUN, IN_30_SECONDS);

    expect(google.published).toEqual([]);
    expect(google.tasks).toEqual([
      {
        parent: QUEUE,
        name: `${QUEUE}/tasks/55d96de87af8a38210cfe968e8f38bb38a151584853f8772a3abc4e98273b767`,
        scheduleTime: '2026-11-30T02:00:30.250Z',
        dispatchDeadlineSeconds: 15,
        httpMethod: 'POST',
        url: 'https://pubsub.googleapis.com/v1/projects/acme-evals/topics/ces-evals-run-poll:publish',
        headers: { 'content-type': 'application/json' },
        body: { messages: [{ data: 'eyJ2IjoxLCJpZCI6Im5pZ2h0bHktMjAyNjExMzBUMDIwMDAwWiJ9' }] },
        oauthToken: {
          serviceAccountEmail: 'tasks@acme-evals.iam.gserviceaccount.com',
          scope: 'https://www.googleapis.com/auth/pubsub',
        },
      },
    ]);
  });

  test('a message for less than a second from now waits as well, so that nobody finds it too early', async () => {
    await bus.publish('run-poll', RUN, new Date('2026-11-30T02:00:00.400Z'));

    expect(google.published).toEqual([]);
    expect(google.tasks.map(({ scheduleTime }) => scheduleTime)).toEqual(['2026-11-30T02:00:00.400Z']);
  });

  test('the same message for the same second is one task, and the second publish succeeds', async () => {
    await bus.publish('run-poll', RUN, IN_30_SECONDS);
    await bus.publish('run-poll', RUN, new Date('2026-11-30T02:00:30.900Z'));

    expect(google.calls()).toBe(2);
    expect(google.tasks).toHaveLength(1);
  });

  test('another second, topic or document is another task', async () => {
    await bus.publish('run-poll', RUN, IN_30_SECONDS);
    await bus.publish('run-poll', RUN, new Date('2026-11-30T02:00:31.000Z'));
    await bus.publish('run-finished', RUN, IN_30_SECONDS);
    await bus.publish('run-poll', { v: 1, id: 'nightly-20261130T020000Z/with a space' }, IN_30_SECONDS);

    expect(google.tasks).toHaveLength(4);
    expect(google.tasks.filter(({ name }) => !/\/tasks\/[A-Za-z0-9_-]{1,500}$/.test(name))).toEqual([]);
  });

  test('a wait that is longer than Cloud Tasks allows becomes thirty days, less a minute for the clocks', async () => {
    await bus.publish('run-poll', RUN, new Date('2027-03-01T00:00:00.000Z'));

    expect(google.tasks.map(({ scheduleTime }) => scheduleTime)).toEqual(['2026-12-30T01:59:00.000Z']);
  });

  describe.each([
    ['publish', undefined],
    ['make a task', IN_30_SECONDS],
  ])('%s', (_, at) => {
    test.each(['UNKNOWN', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'ABORTED', 'INTERNAL'] as const)(
      'succeeds after one answer of %s',
      async (code) => {
        google.fail(status[code]);

        await bus.publish('run-poll', RUN, at);

        expect(google.calls()).toBe(2);
        expect(google.published.length + google.tasks.length).toBe(1);
      },
    );

    test.each(['NOT_FOUND', 'PERMISSION_DENIED', 'INVALID_ARGUMENT', 'FAILED_PRECONDITION'] as const)(
      'fails for good, at once, when the answer is %s',
      async (code) => {
        google.fail(status[code]);

        await expect(bus.publish('run-poll', RUN, at)).rejects.toBeInstanceOf(PermanentError);

        expect(google.calls()).toBe(1);
      },
    );

    test('an answer of UNAUTHENTICATED is no reason to give up: tokens are renewed', async () => {
      google.fail(status.UNAUTHENTICATED);

      await expect(bus.publish('run-poll', RUN, at)).rejects.toBeInstanceOf(TransientError);
    });
  });

  test.each([
    [
      'a topic that does not exist',
      'NOT_FOUND',
      undefined,
      'could not publish to projects/acme-evals/topics/ces-evals-run-poll: the topic does not exist; apply infra/gcp, or correct GOOGLE_CLOUD_PROJECT and TOPIC_PREFIX',
    ],
    [
      'a topic that we may not publish to',
      'PERMISSION_DENIED',
      undefined,
      "could not publish to projects/acme-evals/topics/ces-evals-run-poll: permission denied; give the function's service account the role roles/pubsub.publisher on the topic",
    ],
    [
      'a queue that does not exist',
      'NOT_FOUND',
      IN_30_SECONDS,
      'could not make a task in projects/acme-evals/locations/europe-west1/queues/waits for projects/acme-evals/topics/ces-evals-run-poll: the queue does not exist; apply infra/gcp, or correct TASKS_QUEUE and TASKS_LOCATION',
    ],
    [
      'a queue that we may not use',
      'PERMISSION_DENIED',
      IN_30_SECONDS,
      "could not make a task in projects/acme-evals/locations/europe-west1/queues/waits for projects/acme-evals/topics/ces-evals-run-poll: permission denied; give the function's service account the role roles/cloudtasks.enqueuer on the queue, and roles/iam.serviceAccountUser on the account of TASKS_SERVICE_ACCOUNT",
    ],
  ] as const)('%s is told with the remedy', async (_, code, at, message) => {
    google.fail(status[code]);

    await expect(bus.publish('run-poll', RUN, at)).rejects.toMatchObject({ name: 'PermanentError', message });
  });

  test('a service that stays away or never answers is told within ten seconds, as what may work another time', async () => {
    const outcomes = await Promise.all(
      [undefined, IN_30_SECONDS].flatMap((at) =>
        ([status.UNAVAILABLE, 'hang'] as const).map(async (fault) => {
          const silent = await startFakeGoogle();
          silent.fail(...Array.from({ length: 100 }, () => fault));
          const patient = createPubSubBus({ ...OPTIONS, clock, log, clients: silent.clients });
          const startedMs = performance.now();
          const error: unknown = await patient.publish('run-poll', RUN, at).catch((thrown: unknown) => thrown);
          const inTime = performance.now() - startedMs < 10_000;
          await patient.close();
          await silent.close();
          return { transient: error instanceof TransientError, inTime };
        }),
      ),
    );

    expect(outcomes).toEqual([
      { transient: true, inTime: true },
      { transient: true, inTime: true },
      { transient: true, inTime: true },
      { transient: true, inTime: true },
    ]);
  }, 20_000);

  test('what cannot be used goes to the dead-letter topic with the reason, and into the log as an error', async () => {
    await bus.setAside('run-poll', '{"v":2,"id":"nightly"}', 'the message is not understood: v');

    expect(google.published).toEqual([
      {
        topic: 'projects/acme-evals/topics/ces-evals-dead-letter',
        data: '{"v":2,"id":"nightly"}',
        attributes: { reason: 'the message is not understood: v', topic: 'run-poll' },
      },
    ]);
    expect(logged).toEqual([
      {
        topic: 'run-poll',
        reason: 'the message is not understood: v',
        bytes: 22,
        message: 'message put into the dead-letter topic',
      },
    ]);
  });

  test('what is larger than a message may be is cut, without tearing a character', async () => {
    await bus.setAside('run-poll', 'é'.repeat(6_000_000), 'ä'.repeat(1_000) + 'ö');

    const [letter] = google.published;
    expect(letter!.data.length).toBe(4_997_952);
    expect(letter!.data.endsWith('é')).toBe(true);
    expect(letter!.attributes).toEqual({ reason: 'ä'.repeat(512), topic: 'run-poll' });
  });

  test('a dead letter that could not be published is no success, and is not logged as one', async () => {
    google.fail(status.NOT_FOUND);

    await expect(bus.setAside('run-poll', 'x', 'the message is not JSON')).rejects.toBeInstanceOf(PermanentError);
    expect(logged).toEqual([]);
  });

  test('after close nothing is taken any more', async () => {
    await bus.publish('run-poll', RUN);
    await bus.close();

    await expect(bus.publish('run-poll', RUN)).rejects.toBeInstanceOf(TransientError);
    await expect(bus.publish('run-poll', RUN, IN_30_SECONDS)).rejects.toBeInstanceOf(TransientError);
  });

  test('close waits for what is on its way', async () => {
    const publishing = bus.publish('run-poll', RUN);
    await bus.close();
    await publishing;

    expect(google.published).toHaveLength(1);
  });
});

describe("against Google's emulator, where there is one", () => {
  let emulator: Emulator | undefined;

  beforeAll(async () => {
    emulator = await startPubSubEmulator();
    process.stdout.write(`Pub/Sub bus: ran on the gRPC fake and on ${emulator?.name ?? 'no emulator (none found)'}\n`);
  }, 40_000);
  afterAll(() => emulator?.close());

  test('a message and a dead letter arrive, and a topic that does not exist is refused for good', async () => {
    if (emulator === undefined) return;
    const projectId = `demo-${process.pid}`;
    const client = { apiEndpoint: emulator.host };
    const google = new PubSub({ ...client, projectId });
    const bus = createPubSubBus({
      ...OPTIONS,
      projectId,
      clock: testClock(),
      log: silentLog,
      clients: { pubsub: client },
    });
    const received = async (topic: string): Promise<Promise<unknown>> => {
      const [subscription] = await (await google.createTopic(topic))[0].createSubscription(`${topic}-test`);
      return new Promise((resolve) => {
        subscription.once('message', (message) => {
          message.ack();
          resolve({ data: message.data.toString('utf8'), attributes: message.attributes });
        });
      });
    };
    const arrivals = [received('ces-evals-run-poll'), received('ces-evals-dead-letter')];
    await untilSubscribed(google, 2);

    await bus.publish('run-poll', RUN);
    await bus.setAside('run-poll', 'no JSON', 'the message is not JSON');

    expect(await Promise.all(arrivals)).toEqual([
      { data: '{"v":1,"id":"nightly-20261130T020000Z"}', attributes: {} },
      { data: 'no JSON', attributes: { reason: 'the message is not JSON', topic: 'run-poll' } },
    ]);
    await expect(bus.publish('run-requested', RUN)).rejects.toBeInstanceOf(PermanentError);
    await bus.close();
    await google.close();
  }, 30_000);
});

async function untilSubscribed(google: PubSub, count: number): Promise<void> {
  for (;;) {
    const [subscriptions] = await google.getSubscriptions();
    if (subscriptions.length >= count) return;
  }
}
