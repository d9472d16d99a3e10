import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from '@jest/globals';

import type { Run } from '../../shared/domain/run.ts';
import type { Store } from '../../shared/ports.ts';
import { SPEC } from '../fixtures.ts';
import {
  answerOf,
  closeAll,
  DELIVERY,
  keptIn,
  MESSAGE,
  NIGHT,
  NIGHTLY_BODY,
  problem,
  PUSH,
  serveWebhook,
  signed,
  signedByGithub,
} from './webhook-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JSON_TYPE = 'application/json; charset=utf-8';
const RUN = 'nightly-standard-msg-2KWPBgLlAfxdpx2AI54pPJ85f4W-bd7877d036';
const GITHUB_RUN = 'nightly-github-72d3162e-cc78-11e3-81ab-4c9367dc0-549440384b';

afterEach(closeAll);

const accepted = (run: string) => ({
  status: 202,
  type: JSON_TYPE,
  body: { run, state: 'requested', statusUrl: `/api/runs/${run}` },
});

const duplicate = (run: string, state = 'requested') => ({
  status: 200,
  type: JSON_TYPE,
  body: { run, state, statusUrl: `/api/runs/${run}`, duplicate: true },
});

const CONFLICT = problem(
  409,
  'Id used before',
  'This id came before with another body or plan. Give each request its own id.',
);
describe('a signed request', () => {
  test('starts a run, which is stored before it is woken and before the answer', async () => {
    const { post, store, published } = await serveWebhook();
    const body = '{"plan":"nightly","appVersion":"v43","labels":{"commit":"6113728f27ae","branch":"main"}}';

    const response = await post(body, signed(MESSAGE, NIGHT, body));

    expect(await answerOf(response)).toEqual(accepted(RUN));
    expect((await store.get('run', RUN))?.doc).toEqual({
      id: RUN,
      plan: 'nightly',
      trigger: {
        kind: 'webhook',
        by: 'webhook msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
        labels: { commit: '6113728f27ae', branch: 'main' },
      },
      spec: { ...SPEC, appVersion: 'v43' },
      nonce: 'k3x9q2ab',
      state: 'requested',
      createdAt: NIGHT,
      deadlineAt: '2026-11-30T04:00:00.000Z',
      nextAt: NIGHT,
      startAttempts: 0,
      polls: 0,
      failuresInARow: 0,
      timeline: [{ at: NIGHT, event: 'requested', detail: 'webhook: webhook msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' }],
    } satisfies Run);
    expect((await store.get('trigger', 'standard:msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'))?.doc).toEqual({
      createdAt: NIGHT,
      expiresAt: '2026-12-01T02:00:00.000Z',
      bodySha256: '63021fb2d94b21cfeb7c0b9e131ba047e00d5b0b35cfd82e56f091743b4e0b31',
      run: RUN,
    });
    expect(published).toEqual([{ topic: 'run-requested', id: RUN, at: NIGHT, stored: 'requested' }]);
  });

  test('is told the public address of its run', async () => {
    const { post } = await serveWebhook({ settings: { publicUrl: 'https://evals.acme.example' } });

    const response = await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));

    expect(await response.json()).toEqual({
      run: RUN,
      state: 'requested',
      statusUrl: `https://evals.acme.example/api/runs/${RUN}`,
    });
  });

  test('is accepted when the run cannot be woken: the tick will', async () => {
    const { post, store, logged } = await serveWebhook({ publish: () => Promise.reject(new Error('the bus is away')) });

    const response = await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));

    expect(await answerOf(response)).toEqual(accepted(RUN));
    expect((await store.due(new Date(NIGHT), 10)).map(({ doc }) => doc.id)).toEqual([RUN]);
    expect(logged.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', fields: { runId: RUN, problem: 'the bus is away' }, message: 'run not woken, the tick will' },
    ]);
  });

  test('is not accepted when the run cannot be stored', async () => {
    const { post, store, published } = await serveWebhook({
      store: (real) => ({ ...real, commit: () => Promise.reject(new Error('the disk is full')) }),
    });

    const response = await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));

    expect(response.status).toBe(500);
    expect(published).toEqual([]);
    expect(await keptIn(store)).toEqual([]);
  });

  test.each<{ name: string; id: string; trigger: string }>([
    {
      name: 'a slash',
      id: 'acme/builds/17',
      trigger: 'standard-sha256:ab91cc9f2053d76130c7ad2b91474f5b1762c9fc28369511eb5eb807f14fef1e',
    },
    {
      name: 'three hundred characters',
      id: 'x'.repeat(300),
      trigger: 'standard-sha256:0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7',
    },
    {
      name: 'full stops, as our own deliveries have',
      id: 'nightly-1.oncall.failed',
      trigger: 'standard:nightly-1.oncall.failed',
    },
  ])('may have an id with $name', async ({ id, trigger }) => {
    const { post, store } = await serveWebhook();

    const first = await post(NIGHTLY_BODY, signed(id, NIGHT, NIGHTLY_BODY));
    const second = await post(NIGHTLY_BODY, signed(id, NIGHT, NIGHTLY_BODY));

    expect([first.status, second.status]).toEqual([202, 200]);
    expect(await store.get('trigger', trigger)).toBeDefined();
  });
});

describe('a request that cannot be used', () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`label-${index}`, 'x'])));

  test.each<{ name: string; body: string; detail: string }>([
    { name: 'nothing', body: '', detail: 'the body is not JSON in UTF-8' },
    { name: 'a list', body: '[]', detail: 'the body: Invalid input: expected object, received array' },
    { name: 'no plan', body: '{}', detail: 'plan: Invalid input: expected string, received undefined' },
    { name: 'an empty plan', body: '{"plan":""}', detail: 'plan: is empty' },
    {
      name: 'an unknown field',
      body: '{"plan":"nightly","version":"v43"}',
      detail: 'the body: Unrecognized key: "version"',
    },
    {
      name: 'several mistakes',
      body: '{"plan":7,"appVersion":"","labels":{"commit":12},"x":1}',
      detail:
        'plan: Invalid input: expected string, received number; appVersion: is empty; labels.commit: Invalid input: expected string, received number; the body: Unrecognized key: "x"',
    },
    { name: 'too many labels', body: `{"plan":"nightly","labels":${many}}`, detail: 'labels: are more than 20' },
    {
      name: 'a long label',
      body: `{"plan":"nightly","labels":{"commit":"${'x'.repeat(101)}"}}`,
      detail: 'labels.commit: is longer than 100 characters',
    },
    {
      name: 'a label without a name',
      body: '{"plan":"nightly","labels":{"":"x"}}',
      detail: 'labels.: has an empty name',
    },
  ])('400 names all that is wrong: $name', async ({ body, detail }) => {
    const { post, store } = await serveWebhook();

    const response = await post(body, signed(MESSAGE, NIGHT, body));

    expect(await answerOf(response)).toEqual(problem(400, 'Malformed request', detail));
    expect(await keptIn(store)).toEqual([]);
  });

  test('400 for bytes that are not UTF-8: it is the bytes that are signed, not what they are read as', async () => {
    const { post, store } = await serveWebhook();
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const signature = createHmac('sha256', key).update('msg_1.1796004000.').update(bytes).digest('base64');

    const response = await post(bytes, {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1796004000',
      'webhook-signature': `v1,${signature}`,
    });

    expect(await answerOf(response)).toEqual(problem(400, 'Malformed request', 'the body is not JSON in UTF-8'));
    expect(await keptIn(store)).toEqual([]);
  });

  test('400 of the framework, before the function, for what is not JSON at all', async () => {
    const { post, store } = await serveWebhook();

    const response = await post('{oops', signed(MESSAGE, NIGHT, '{oops'));

    expect(response.status).toBe(400);
    expect(await keptIn(store)).toEqual([]);
  });

  test.each<{ name: string; plan: string }>([
    { name: 'one that nobody declared', plan: 'weekly' },
    { name: 'a name that every object has', plan: 'constructor' },
  ])('404 for an unknown plan: $name', async ({ plan }) => {
    const { post, store } = await serveWebhook();
    const body = JSON.stringify({ plan });

    const response = await post(body, signed(MESSAGE, NIGHT, body));

    expect(await answerOf(response)).toEqual(
      problem(404, 'Unknown plan', `evals.yaml has no plan ${plan}; it has: nightly, smoke.`),
    );
    expect(await keptIn(store)).toEqual([]);
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('405 for %s', async (method) => {
    const { url } = await serveWebhook();

    const response = await fetch(url, { method });

    expect(response.headers.get('allow')).toBe('POST');
    expect(await answerOf(response)).toEqual(problem(405, 'Method not allowed', 'A run is asked for with POST.'));
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', 'application/jsonp'])(
    '415 for %s',
    async (type) => {
      const { post, store } = await serveWebhook();

      const response = await post(NIGHTLY_BODY, { ...signed(MESSAGE, NIGHT, NIGHTLY_BODY), 'content-type': type });

      expect(await answerOf(response)).toEqual(
        problem(415, 'Not JSON', 'Send the body as application/json; GitHub does when the webhook is set to it.'),
      );
      expect(await keptIn(store)).toEqual([]);
    },
  );

  test('a media type may be written in capitals and with parameters', async () => {
    const { post } = await serveWebhook();
    const headers = { ...signed(MESSAGE, NIGHT, NIGHTLY_BODY), 'content-type': 'Application/JSON ; charset=UTF-8' };

    expect((await post(NIGHTLY_BODY, headers)).status).toBe(202);
  });

  test('64 KiB are accepted, one byte more is 413, however small it was on its way', async () => {
    const { post, store } = await serveWebhook();
    const largest = NIGHTLY_BODY.padEnd(65_536, ' ');
    const larger = `${largest} `;

    const packed = { ...signed('msg_3', NIGHT, larger), 'content-encoding': 'gzip' };
    const responses = [
      await post(largest, signed('msg_1', NIGHT, largest)),
      await post(larger, signed('msg_2', NIGHT, larger)),
      await post(new Uint8Array(gzipSync(larger)), packed),
    ];

    const tooLarge = problem(413, 'Body too large', 'The body has 65537 bytes; 65536 are allowed.');
    expect(responses[0]?.status).toBe(202);
    expect(await Promise.all(responses.slice(1).map(answerOf))).toEqual([tooLarge, tooLarge]);
    expect(await keptIn(store)).toHaveLength(2);
  });
});

describe('the same id again', () => {
  test('with the same body answers with the run as it is by now, and wakes nobody', async () => {
    const { post, store, published } = await serveWebhook();
    const headers = signed(MESSAGE, NIGHT, NIGHTLY_BODY);
    await post(NIGHTLY_BODY, headers);
    const stored = (await store.get('run', RUN))!;
    const doc: Run = { ...stored.doc, state: 'running' };
    await store.commit([{ op: 'replace', kind: 'run', id: RUN, version: stored.version, doc }]);

    const again = await post(NIGHTLY_BODY, headers);

    expect(await answerOf(again)).toEqual(duplicate(RUN, 'running'));
    expect(published).toHaveLength(1);
  });

  test('signed anew by a sender that tries again an hour later is the same request', async () => {
    const { post, clock } = await serveWebhook();
    await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));
    clock.advance(HOUR_MS);

    const again = await post(NIGHTLY_BODY, signed(MESSAGE, '2026-11-30T03:00:00.000Z', NIGHTLY_BODY));

    expect(await answerOf(again)).toEqual(duplicate(RUN));
  });

  test.each<{ name: string; body: string }>([
    { name: 'another plan', body: '{"plan":"smoke"}' },
    { name: 'another version', body: '{"plan":"nightly","appVersion":"v44"}' },
    { name: 'one space more', body: '{"plan": "nightly"}' },
  ])('409 with another body: $name', async ({ body }) => {
    const { post, store } = await serveWebhook();
    await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));

    const response = await post(body, signed(MESSAGE, NIGHT, body));

    expect(await answerOf(response)).toEqual(CONFLICT);
    expect(await keptIn(store)).toEqual([`memory of ${RUN}`, RUN]);
  });

  test('two at once: one 202 and one 200, one run, woken once', async () => {
    const { post, store, published } = await serveWebhook({ store: lookBeforeAnyoneWrites(2) });
    const headers = signed(MESSAGE, NIGHT, NIGHTLY_BODY);

    const responses = await Promise.all([post(NIGHTLY_BODY, headers), post(NIGHTLY_BODY, headers)]);

    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 202]);
    expect(await keptIn(store)).toEqual([`memory of ${RUN}`, RUN]);
    expect(published).toHaveLength(1);
  });

  test('two at once with different bodies: one 202 and one 409', async () => {
    const { post, store } = await serveWebhook({ store: lookBeforeAnyoneWrites(2) });
    const other = '{"plan":"smoke"}';

    const responses = await Promise.all([
      post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY)),
      post(other, signed(MESSAGE, NIGHT, other)),
    ]);

    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    expect(await keptIn(store)).toHaveLength(2);
  });

  test('is forgotten after a day, but the run of that id is not made twice', async () => {
    const { post, clock, store } = await serveWebhook();
    const tomorrow = '2026-12-01T02:00:00.000Z';
    const smoke = '{"plan":"smoke"}';
    await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));
    clock.set('2026-12-01T01:59:59.999Z');
    const before = await post(smoke, signed(MESSAGE, tomorrow, smoke));
    clock.set(tomorrow);

    const same = await post(NIGHTLY_BODY, signed(MESSAGE, tomorrow, NIGHTLY_BODY));
    const other = await post(smoke, signed(MESSAGE, tomorrow, smoke));
    const otherAgain = await post(smoke, signed(MESSAGE, tomorrow, smoke));

    expect(await answerOf(before)).toEqual(CONFLICT);
    expect(await answerOf(same)).toEqual(duplicate(RUN));
    expect([other.status, otherAgain.status]).toEqual([202, 200]);
    expect(await store.find('run', { limit: 10 })).toHaveLength(2);
  });
});

describe('GitHub', () => {
  test('a delivery starts the plan of the address, whatever its payload says', async () => {
    const { post, store } = await serveWebhook();

    const response = await post(PUSH, signedByGithub(DELIVERY, PUSH), '?plan=nightly&appVersion=v43');

    expect(await answerOf(response)).toEqual(accepted(GITHUB_RUN));
    const run = (await store.get('run', GITHUB_RUN))?.doc;
    expect([run?.trigger, run?.spec]).toEqual([
      { kind: 'webhook', by: 'GitHub delivery 72d3162e-cc78-11e3-81ab-4c9367dc0958' },
      { ...SPEC, appVersion: 'v43' },
    ]);
  });

  test.each<{ name: string; query: string; status: number; title: string; detail: string }>([
    {
      name: 'no plan',
      query: '',
      status: 400,
      title: 'Malformed request',
      detail: 'plan: Invalid input: expected string, received undefined',
    },
    {
      name: 'an empty version',
      query: '?plan=nightly&appVersion=',
      status: 400,
      title: 'Malformed request',
      detail: 'appVersion: is empty',
    },
    {
      name: 'an unknown plan',
      query: '?plan=weekly',
      status: 404,
      title: 'Unknown plan',
      detail: 'evals.yaml has no plan weekly; it has: nightly, smoke.',
    },
  ])('an address with $name is refused', async ({ query, status, title, detail }) => {
    const { post, store } = await serveWebhook();

    const response = await post(PUSH, signedByGithub(DELIVERY, PUSH), query);

    expect(await answerOf(response)).toEqual(problem(status, title, detail));
    expect(await keptIn(store)).toEqual([]);
  });

  test.each([29, 31, 365])('a redelivery after %i days starts nothing', async (days) => {
    const { post, clock, store } = await serveWebhook();
    await post(PUSH, signedByGithub(DELIVERY, PUSH), '?plan=nightly');
    clock.advance(days * DAY_MS);

    const again = await post(PUSH, signedByGithub(DELIVERY, PUSH), '?plan=nightly');

    expect(await answerOf(again)).toEqual(duplicate(GITHUB_RUN));
    expect(await store.find('run', { limit: 10 })).toHaveLength(1);
  });

  test.each<{ name: string; body: string; query: string }>([
    { name: 'body', body: '{"ref":"refs/heads/next"}', query: '?plan=nightly' },
    { name: 'plan, which GitHub does not sign', body: PUSH, query: '?plan=smoke' },
    { name: 'version, which GitHub does not sign', body: PUSH, query: '?plan=nightly&appVersion=v44' },
  ])('409 for a delivery that came before with another $name', async ({ body, query }) => {
    const { post, store } = await serveWebhook();
    await post(PUSH, signedByGithub(DELIVERY, PUSH), '?plan=nightly');

    const response = await post(body, signedByGithub(DELIVERY, body), query);

    expect(await answerOf(response)).toEqual(CONFLICT);
    expect(await keptIn(store)).toEqual([`memory of ${GITHUB_RUN}`, GITHUB_RUN]);
  });

  test('the ping of a new webhook is answered without a run', async () => {
    const { post, store } = await serveWebhook();
    const body = '{"zen":"Responsive is better than fast.","hook_id":109948940}';

    const response = await post(body, signedByGithub(DELIVERY, body, 'ping'), '?plan=nightly');

    expect(response.status).toBe(204);
    expect(await keptIn(store)).toEqual([]);
  });

  test('an id of GitHub and the same id of another sender are two', async () => {
    const { post, store } = await serveWebhook();

    const github = await post(NIGHTLY_BODY, signedByGithub(DELIVERY, NIGHTLY_BODY), '?plan=nightly');
    const standard = await post(NIGHTLY_BODY, signed(DELIVERY, NIGHT, NIGHTLY_BODY));

    expect([github.status, standard.status]).toEqual([202, 202]);
    expect(await store.find('run', { limit: 10 })).toHaveLength(2);
  });
});

/** Holds the first writes back until so many have looked and found nothing: the worst order in which they can come. */
function lookBeforeAnyoneWrites(count: number): (store: Store) => Store {
  return (store) => {
    const everyoneLooked = Promise.withResolvers<void>();
    let waiting = 0;
    return {
      ...store,
      commit: async (writes) => {
        waiting += 1;
        if (waiting >= count) everyoneLooked.resolve();
        await everyoneLooked.promise;
        return store.commit(writes);
      },
    };
  };
}
