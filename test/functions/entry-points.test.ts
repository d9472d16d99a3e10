import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { getFunction, getTestServer } from '@google-cloud/functions-framework/testing';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { FUNCTIONS, register, type FunctionName } from '../../functions/register.ts';
import { TransientError } from '../../shared/errors.ts';
import { TOPICS, type Topic } from '../../shared/messages.ts';
import type { Deps } from '../../shared/ports.ts';
import { NIGHT, runOf } from '../fixtures.ts';
import { createWorld, failWith, once } from '../pipeline/world.ts';

type World = ReturnType<typeof createWorld>;

const RUN = 'nightly-20261130T020000Z';

let world: World;
let deps: Deps;
let aside: { topic: string; body: string; reason: string }[];
let logged: { level: string; fields: object; message: string }[];
let servers: Server[];
/** What the framework prints of an error that reaches it. */
let printed: jest.Spied<typeof console.error>;

beforeEach(() => {
  world = createWorld({ start: NIGHT.toISOString() });
  aside = [];
  logged = [];
  servers = [];
  const note = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message });
  deps = {
    ...world.deps,
    bus: {
      ...world.deps.bus,
      setAside: async (topic, body, reason) => void aside.push({ topic, body, reason }),
    },
    log: { debug: () => {}, info: () => {}, warn: note('warn'), error: note('error') },
  };
  printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  register(async () => deps);
});
afterEach(() => {
  printed.mockRestore();
  for (const server of servers) server.close().closeAllConnections();
});

/** The function as it is deployed: the framework's server, without a host of ours in front. */
async function serve(name: FunctionName): Promise<string> {
  const server = getTestServer(name);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = async (
  name: FunctionName,
  body: string | undefined,
  headers: Record<string, string> = { 'content-type': 'application/json' },
  path = '/',
): Promise<Response> =>
  fetch(`${await serve(name)}${path}`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const SUBSCRIPTION = 'projects/acme-evals/subscriptions/ces-evals-run-requested';

/** The forms in which Pub/Sub messages reach a function. */
const FORMS: Readonly<Record<string, (name: FunctionName, topic: Topic, data: string) => Promise<Response>>> = {
  'a push subscription': (name, topic, data) =>
    post(
      name,
      JSON.stringify({
        message: {
          data,
          messageId: '13061872345678901',
          message_id: '13061872345678901',
          publishTime: '2026-11-30T02:00:00.123Z',
          publish_time: '2026-11-30T02:00:00.123Z',
        },
        subscription: SUBSCRIPTION,
        deliveryAttempt: 1,
      }),
      { 'content-type': 'application/json', 'user-agent': 'CloudPubSub-Google' },
      `/projects/acme-evals/topics/${topic}?__GCP_CloudEventsMode=CUSTOM_PUBSUB_projects%2Facme-evals`,
    ),
  'an Eventarc trigger': (name, topic, data) =>
    post(
      name,
      JSON.stringify({
        message: { data, messageId: '13061872345678901', publishTime: '2026-11-30T02:00:00.123Z' },
        subscription: SUBSCRIPTION,
      }),
      {
        'content-type': 'application/json',
        'ce-id': '13061872345678901',
        'ce-specversion': '1.0',
        'ce-type': 'google.cloud.pubsub.topic.v1.messagePublished',
        'ce-source': `//pubsub.googleapis.com/projects/acme-evals/topics/${topic}`,
        'ce-time': '2026-11-30T02:00:00.123Z',
      },
    ),
  'a structured CloudEvent': (name, topic, data) =>
    post(
      name,
      JSON.stringify({
        specversion: '1.0',
        id: '13061872345678901',
        type: 'google.cloud.pubsub.topic.v1.messagePublished',
        source: `//pubsub.googleapis.com/projects/acme-evals/topics/${topic}`,
        data: { message: { data, messageId: '13061872345678901' }, subscription: SUBSCRIPTION },
      }),
      { 'content-type': 'application/cloudevents+json' },
    ),
  'an event of the first generation': (name, topic, data) =>
    post(
      name,
      JSON.stringify({
        context: {
          eventId: '13061872345678901',
          timestamp: '2026-11-30T02:00:00.123Z',
          eventType: 'google.pubsub.topic.publish',
          resource: {
            service: 'pubsub.googleapis.com',
            name: `projects/acme-evals/topics/${topic}`,
            type: 'type.googleapis.com/google.pubsub.v1.PubsubMessage',
          },
        },
        data: { '@type': 'type.googleapis.com/google.pubsub.v1.PubsubMessage', attributes: {}, data },
      }),
    ),
};

const push = FORMS['a push subscription']!;

async function requested({ deps }: World): Promise<string> {
  await deps.store.commit([{ op: 'create', kind: 'run', id: RUN, doc: runOf(RUN) }]);
  return RUN;
}

async function started(at: World): Promise<string> {
  const id = await requested(at);
  await at.handlers['run-requested'](id);
  at.clock.advance(60_000);
  return id;
}

async function over(at: World): Promise<string> {
  at.ces.lives = [{ ...at.ces.lives[0]!, outcomes: { greeting: { pass: 1 }, refund: { pass: 4, fail: 1 } } }];
  const id = await started(at);
  at.clock.advance(480_000);
  await at.handlers['run-poll'](id);
  return id;
}

async function alerted(at: World): Promise<string> {
  const id = await over(at);
  await at.handlers['run-finished'](id);
  const [delivery] = await at.deliveries(id);
  return delivery!.id;
}

interface Step {
  readonly name: FunctionName;
  readonly topic: Topic;
  /** Brings a run to where the function takes over, and answers the id of the message. */
  readonly prepare: (at: World) => Promise<string>;
  /** What is to be seen of the step: before it, and after it. */
  readonly seen: (at: World) => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

const STEPS: readonly Step[] = [
  {
    name: 'starter',
    topic: 'run-requested',
    prepare: requested,
    seen: async ({ ces }) => ces.started.map(({ displayName }) => displayName),
    before: [],
    after: ['nightly-20261130T020000Z k3x9q2ab'],
  },
  {
    name: 'poller',
    topic: 'run-poll',
    prepare: started,
    seen: async (at) => (await at.run(RUN)).polls,
    before: 0,
    after: 1,
  },
  {
    name: 'sink',
    topic: 'run-finished',
    prepare: over,
    seen: async (at) => (await at.run(RUN)).verdict?.outcome,
    before: undefined,
    after: 'failed',
  },
  {
    name: 'notifier',
    topic: 'alert-due',
    prepare: alerted,
    seen: async ({ sent }) => [...sent],
    before: [],
    after: [{ to: 'oncall', reason: 'failed', run: RUN }],
  },
];

describe('the table of functions', () => {
  test('is what is registered; a subscriber has the one parameter without which its request would never end', () => {
    expect(FUNCTIONS.map(({ name }) => [name, getFunction(name)?.length])).toEqual([
      ['scheduler', 2],
      ['webhook', 2],
      ['starter', 1],
      ['poller', 1],
      ['sink', 1],
      ['notifier', 1],
      ['dashboard', 2],
    ]);
  });

  test('has one subscriber for each topic', () => {
    expect(FUNCTIONS.map(({ trigger }) => trigger).filter((trigger) => trigger !== 'http')).toEqual([...TOPICS]);
    expect(STEPS.map(({ name, topic }) => [name, topic])).toEqual(
      FUNCTIONS.filter(({ trigger }) => trigger !== 'http').map(({ name, trigger }) => [name, trigger]),
    );
  });

  test('can be registered again: from then on the functions have the later dependencies', async () => {
    const later = createWorld({ start: NIGHT.toISOString() });
    await requested(later);
    register(async () => later.deps);

    const answer = await push('starter', 'run-requested', base64(`{"v":1,"id":"${RUN}"}`));

    expect(answer.status).toBe(204);
    expect([world.ces.started.length, later.ces.started.length]).toEqual([0, 1]);
  });
});

describe.each(STEPS)('$name', ({ name, topic, prepare, seen, before, after }) => {
  test.each(Object.keys(FORMS))('takes its step with a message from %s', async (form) => {
    const id = await prepare(world);
    const untouched = await seen(world);

    const answer = await FORMS[form]!(name, topic, base64(JSON.stringify({ v: 1, id, later: 'field' })));

    expect(answer.status).toBe(204);
    expect(untouched).toEqual(before);
    expect(await seen(world)).toEqual(after);
    expect(aside).toEqual([]);
  });

  test('acknowledges a message about nothing, and one that comes twice does nothing twice', async () => {
    const id = await prepare(world);

    const answers = [
      await push(name, topic, base64('{"v":1,"id":"nobody-20261130T020000Z"}')),
      await push(name, topic, base64(JSON.stringify({ v: 1, id }))),
      await push(name, topic, base64(JSON.stringify({ v: 1, id }))),
    ];

    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await seen(world)).toEqual(after);
  });

  test('sets aside under its topic what is no message, and acknowledges it', async () => {
    const answer = await push(name, topic, base64('run nightly'));

    expect(answer.status).toBe(204);
    expect(aside).toEqual([{ topic, body: 'run nightly', reason: 'the message is not JSON' }]);
    expect(logged).toEqual([
      { level: 'error', fields: { topic, reason: 'the message is not JSON' }, message: 'message set aside' },
    ]);
  });

  test('has a message come again when the store fails, and tells nobody but the log why', async () => {
    const id = await prepare(world);
    const untouched = await seen(world);
    const lost = new TransientError('the database at 10.1.2.3 does not answer');
    once(world.deps.store, 'get', failWith(lost));

    const failed = await push(name, topic, base64(JSON.stringify({ v: 1, id })));
    const untouchedStill = await seen(world);
    const again = await push(name, topic, base64(JSON.stringify({ v: 1, id })));

    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('10.1.2.3');
    expect(untouchedStill).toEqual(untouched);
    expect(logged).toEqual([
      {
        level: 'error',
        fields: { topic, id, problem: 'the database at 10.1.2.3 does not answer', err: lost },
        message: 'message not handled, it comes again',
      },
    ]);
    expect(again.status).toBe(204);
    expect(await seen(world)).toEqual(after);
    expect(aside).toEqual([]);
  });
});

describe('a message that nobody can use', () => {
  const pushed = (message: object): string => JSON.stringify({ message, subscription: SUBSCRIPTION });
  const EMPTY = { messageId: '13061872345678901', attributes: { plan: 'nightly' } };
  const HUGE = `{"v":1,"id":"${'n'.repeat(10_000_000)}"}`;

  test.each([
    {
      what: 'of a version that is not known',
      body: pushed({ data: base64('{"v":2,"id":"nightly-1"}'), messageId: '1' }),
      kept: '{"v":2,"id":"nightly-1"}',
      reason: expect.stringMatching(/^the message is not understood: .*expected 1.*v$/),
    },
    {
      what: 'without an id',
      body: pushed({ data: base64('{"v":1}'), messageId: '1' }),
      kept: '{"v":1}',
      reason: expect.stringMatching(/^the message is not understood: .*id$/),
    },
    {
      what: 'of ten megabytes',
      body: pushed({ data: base64(HUGE), messageId: '1' }),
      kept: HUGE,
      reason: expect.stringMatching(/^the message is not understood: .*1500.*id$/),
    },
    {
      what: 'with attributes and no data',
      body: pushed(EMPTY),
      kept: pushed(EMPTY),
      reason: 'no Pub/Sub message in the event',
    },
    {
      what: 'with bytes that are no text',
      body: pushed({ data: Buffer.from([0xff, 0xfe, 0x00]).toString('base64'), messageId: '1' }),
      kept: '\u{fffd}\u{fffd}\u0000',
      reason: 'the message is not JSON',
    },
  ])('$what is set aside with its reason, and acknowledged', async ({ body, kept, reason }) => {
    const answer = await post('starter', body, undefined, '/projects/acme-evals/topics/run-requested');

    expect(answer.status).toBe(204);
    expect(aside).toEqual([{ topic: 'run-requested', body: kept, reason }]);
    expect(printed).not.toHaveBeenCalled();
  });

  test('comes again when it cannot be set aside either', async () => {
    const lost = new TransientError('the topic dead-letter of acme-evals does not answer');
    deps.bus.setAside = async () => {
      throw lost;
    };

    const answer = await push('starter', 'run-requested', base64('run nightly'));

    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('acme-evals');
    expect(logged.at(-1)).toEqual({
      level: 'error',
      fields: { topic: 'run-requested', problem: lost.message, err: lost },
      message: 'message not handled, it comes again',
    });
  });
});

const problem = (status: number, title: string, detail: string) => ({
  status,
  type: 'application/problem+json',
  body: { title, status, detail },
});

const seenOf = async (response: Response) => ({
  status: response.status,
  type: response.headers.get('content-type'),
  body: await response.json(),
});

describe('scheduler', () => {
  test.each([
    ['no body', undefined],
    ['an empty object', '{}'],
    ['the run that it is about', `{"run":"${RUN}"}`],
  ])('ticks with %s', async (_, body) => {
    await requested(world);
    world.clock.advance(60_000);

    const answer = await post('scheduler', body, body === undefined ? {} : undefined);

    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
    expect(world.pending()).toEqual([`run-requested ${RUN}`]);
  });

  test('looks after no other run than the one that it is asked for', async () => {
    await requested(world);
    world.clock.advance(60_000);

    const answer = await post('scheduler', '{"run":"smoke-20261130T020000Z"}');

    expect(answer.status).toBe(204);
    expect(world.pending()).toEqual([]);
  });

  test('takes nothing but POST', async () => {
    const answer = await fetch(await serve('scheduler'));

    expect(answer.headers.get('allow')).toBe('POST');
    expect(await seenOf(answer)).toEqual(problem(405, 'Method not allowed', 'A tick is a POST.'));
  });

  test.each([
    ['an id that is no text', '{"run":5}', 'application/json'],
    ['an empty id', '{"run":""}', 'application/json'],
    ['a list', '[]', 'application/json'],
    ['no JSON', 'nightly', 'text/plain'],
    ['bytes', '\u0000', 'application/octet-stream'],
  ])('refuses %s', async (_, body, type) => {
    const answer = await post('scheduler', body, { 'content-type': type });

    expect(await seenOf(answer)).toEqual(problem(400, 'Malformed tick', 'The body is empty or {"run": "<run id>"}.'));
  });

  test('answers a failure without its reason, which is in the log', async () => {
    const lost = new TransientError('the database at 10.1.2.3 does not answer');
    once(world.deps.store, 'due', failWith(lost));

    const answer = await post('scheduler', '{}');

    expect(await seenOf(answer)).toEqual(
      problem(500, 'Internal error', 'The request could not be handled; the log says why. Try again.'),
    );
    expect(logged).toEqual([
      { level: 'error', fields: { path: '/', problem: lost.message, err: lost }, message: 'request failed' },
    ]);
  });
});

describe('an HTTP function', () => {
  test('whose dependencies cannot be made says that it failed, leaves the reason to the log, and tries again', async () => {
    const broken = new Error('evals.yaml in the bucket acme-evals-config is not usable');
    let attempts = 0;
    register(async () => {
      attempts += 1;
      if (attempts === 1) throw broken;
      return deps;
    });
    const url = await serve('dashboard');

    const failed = await fetch(`${url}/healthz`);
    const again = await fetch(`${url}/healthz`);

    expect(await seenOf(failed)).toEqual(
      problem(500, 'Internal error', 'The request could not be handled; the log says why. Try again.'),
    );
    expect(printed.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining(broken.message)]);
    expect(again.status).toBe(200);
  });

  test.each(['//', '//evil.example/healthz', '/?a=b?c', '/runs/%20'])('has an answer for the path %s', async (path) => {
    const url = await serve('dashboard');

    const answer = await fetch(`${url}${path}`);

    expect([200, 404]).toContain(answer.status);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(printed).not.toHaveBeenCalled();
  });

  test('takes as the address of its caller what the nearest proxy says, not what the caller says', async () => {
    const body = '{"plan":"nightly"}';

    await post('webhook', body, {
      'content-type': 'application/json',
      'x-forwarded-for': '192.0.2.66, 203.0.113.7',
    });
    await post('webhook', body);

    expect(logged).toEqual([
      expect.objectContaining({ fields: expect.objectContaining({ ip: '203.0.113.7' }) }),
      expect.objectContaining({ fields: expect.objectContaining({ ip: '127.0.0.1' }) }),
    ]);
  });
});

describe('with NODE_ENV=production', () => {
  const before = process.env['NODE_ENV'];
  beforeEach(() => {
    process.env['NODE_ENV'] = 'production';
  });
  afterEach(() => {
    process.env['NODE_ENV'] = before;
  });

  test('an error that only the framework sees is not told to the caller', async () => {
    register(async () => {
      throw new Error('evals.yaml in the bucket acme-evals-config is not usable');
    });

    const answer = await push('starter', 'run-requested', base64(`{"v":1,"id":"${RUN}"}`));

    expect([answer.status, await answer.text()]).toEqual([500, 'Internal Server Error']);
    expect(printed).toHaveBeenCalledTimes(1);
  });

  test('malformed JSON is refused by the framework itself, without a stack', async () => {
    const answer = await post('scheduler', '{"run":');
    const page = await answer.text();

    expect(answer.status).toBe(400);
    expect(page).toContain('Bad Request');
    expect(page).not.toMatch(/at |node_modules|\.js/);
  });
});
