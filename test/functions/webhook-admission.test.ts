import { createHmac } from 'node:crypto';

import { afterEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import type { HttpRequest } from '../../functions/edge/respond.ts';
import { createGithubVerifier } from '../../functions/webhook/github.ts';
import { createRateLimit } from '../../functions/webhook/rate-limit.ts';
import { createReceive } from '../../functions/webhook/receive.ts';
import {
  answerOf,
  closeAll,
  createWorld,
  DELIVERY,
  keptIn,
  MESSAGE,
  NEXT_SECRET,
  NIGHT,
  NIGHTLY_BODY,
  problem,
  PUSH,
  SECRET,
  serveWebhook,
  signed,
  signedByGithub,
  type Options,
} from './webhook-world.ts';

afterEach(closeAll);

const UNSIGNED = problem(
  401,
  'No valid signature',
  'Sign the request as Standard Webhooks specifies, with a timestamp at most five minutes off, or have GitHub sign it.',
);

/** What anybody can compute who guesses that a secret is empty. */
const EMPTY_KEY_SIGNATURE = createHmac('sha256', '').update(`${MESSAGE}.1796004000.${NIGHTLY_BODY}`).digest('base64');
const EMPTY_KEY_GITHUB_SIGNATURE = createHmac('sha256', '').update(NIGHTLY_BODY).digest('hex');

const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

describe('signatures', () => {
  test.each<{ name: string; clock: string }>([
    { name: 'five minutes old', clock: '2026-11-30T02:05:00.900Z' },
    { name: 'five minutes early', clock: '2026-11-30T01:55:00.000Z' },
  ])('a timestamp that is $name is good', async ({ clock: at }) => {
    const { post, clock } = await serveWebhook();
    clock.set(at);

    expect((await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY))).status).toBe(202);
  });

  test('any secret of a rotation is good', async () => {
    const { post } = await serveWebhook({ settings: { webhookSecrets: [SECRET, NEXT_SECRET] } });

    const before = await post(NIGHTLY_BODY, signed('msg_1', NIGHT, NIGHTLY_BODY, SECRET));
    const after = await post(NIGHTLY_BODY, signed('msg_2', NIGHT, NIGHTLY_BODY, NEXT_SECRET));

    expect([before.status, after.status]).toEqual([202, 202]);
  });

  test('one good signature among several is enough', async () => {
    const { post } = await serveWebhook();
    const good = signed(MESSAGE, NIGHT, NIGHTLY_BODY);
    const other = signed(MESSAGE, NIGHT, NIGHTLY_BODY, NEXT_SECRET);
    const several = `v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg== ${other['webhook-signature']} ${good['webhook-signature']}`;

    expect((await post(NIGHTLY_BODY, { ...good, 'webhook-signature': several })).status).toBe(202);
  });

  test('GitHub: the example of its documentation is verified, and a changed one is not', () => {
    const verify = createGithubVerifier("It's a Secret to Everybody");
    const headers = {
      'x-github-delivery': DELIVERY,
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };

    expect(verify({ headers, rawBody: Buffer.from('Hello, World!') })).toEqual({ ok: true, id: DELIVERY });
    expect(verify({ headers, rawBody: Buffer.from('Hello, World?') })).toEqual({
      ok: false,
      reason: 'the signature does not match',
    });
  });

  const good = signed(MESSAGE, NIGHT, NIGHTLY_BODY);
  const github = signedByGithub(DELIVERY, NIGHTLY_BODY);

  test.each<{ name: string; headers: Record<string, string>; options?: Options; clock?: string }>([
    { name: 'there is none', headers: { 'content-type': 'application/json' } },
    { name: 'webhook-id is missing', headers: without(good, 'webhook-id') },
    { name: 'webhook-timestamp is missing', headers: without(good, 'webhook-timestamp') },
    { name: 'webhook-signature is missing', headers: without(good, 'webhook-signature') },
    { name: 'the timestamp is stale', headers: good, clock: '2026-11-30T02:05:01.000Z' },
    { name: 'the timestamp is in the future', headers: good, clock: '2026-11-30T01:54:59.000Z' },
    { name: 'the timestamp is not a number', headers: { ...good, 'webhook-timestamp': '1796004000abc' } },
    { name: 'the timestamp is made fresh again', headers: { ...good, 'webhook-timestamp': '1796004001' } },
    { name: 'the id was changed', headers: { ...good, 'webhook-id': 'msg_another' } },
    { name: 'the body was changed', headers: signed(MESSAGE, NIGHT, '{"plan":"smoke"}') },
    { name: 'the secret is another', headers: signed(MESSAGE, NIGHT, NIGHTLY_BODY, NEXT_SECRET) },
    {
      name: 'the version is unknown',
      headers: { ...good, 'webhook-signature': good['webhook-signature']!.replace('v1', 'v2') },
    },
    {
      name: 'the signature is cut',
      headers: { ...good, 'webhook-signature': good['webhook-signature']!.slice(0, -4) },
    },
    { name: 'the signature is empty', headers: { ...good, 'webhook-signature': 'v1,' } },
    { name: 'no secret is configured', headers: good, options: { settings: { webhookSecrets: [] } } },
    {
      name: 'the secret is empty, and so is the key it is signed with',
      headers: { ...good, 'webhook-signature': `v1,${EMPTY_KEY_SIGNATURE}` },
      options: { settings: { webhookSecrets: ['', 'whsec_', 'whsec_A'] } },
    },
    {
      name: 'the full stops are set elsewhere than they were signed',
      headers: { ...signed(MESSAGE, NIGHT, `0.${NIGHTLY_BODY}`), 'webhook-timestamp': '1796004000.0' },
    },
    {
      name: 'the secret is not base64',
      headers: good,
      options: { settings: { webhookSecrets: ['whsec_not a secret'] } },
    },
    { name: 'GitHub: the delivery is missing', headers: without(github, 'x-github-delivery') },
    { name: 'GitHub: the signature is missing', headers: without(github, 'x-hub-signature-256') },
    { name: 'GitHub: the signature is of another body', headers: signedByGithub(DELIVERY, PUSH) },
    {
      name: 'GitHub: only the old SHA-1 signature is there',
      headers: {
        ...without(github, 'x-hub-signature-256'),
        'x-hub-signature': 'sha1=7d38cdd689735b008b3c702edd92eea23791c5f6',
      },
    },
    {
      name: 'GitHub: the secret is empty, and so is the key it is signed with',
      headers: { ...github, 'x-hub-signature-256': `sha256=${EMPTY_KEY_GITHUB_SIGNATURE}` },
      options: { settings: { githubWebhookSecret: '' } },
    },
  ])('401, always the same, when $name', async ({ headers, options, clock: at }) => {
    const { post, store, clock, logged } = await serveWebhook(options);
    if (at !== undefined) clock.set(at);

    const response = await post(NIGHTLY_BODY, headers, '?plan=nightly');

    expect(await answerOf(response)).toEqual(UNSIGNED);
    expect(await keptIn(store)).toEqual([]);
    expect(logged).toEqual([
      {
        level: 'warn',
        fields: { ip: '127.0.0.1', standard: expect.any(String), github: expect.any(String) },
        message: 'webhook request refused',
      },
    ]);
  });

  test('401 hides whether the plan exists and whether the body is any good', async () => {
    const { post } = await serveWebhook();

    const answers = await Promise.all(
      ['{"plan":"nightly"}', '{"plan":"no-such-plan"}', '{"plan":17}', ''].map(async (body) =>
        answerOf(await post(body, { 'content-type': 'application/json' })),
      ),
    );

    expect(answers).toEqual([UNSIGNED, UNSIGNED, UNSIGNED, UNSIGNED]);
  });
});

describe('too many requests', () => {
  const unsigned = { 'content-type': 'application/json' };

  test('429 to the twenty-first forgery of a minute, while signed requests from there go through', async () => {
    const { post, clock } = await serveWebhook();
    for (let count = 0; count < 20; count += 1) await post(NIGHTLY_BODY, unsigned);

    const refused = await post(NIGHTLY_BODY, unsigned);
    const welcome = await post(NIGHTLY_BODY, signed(MESSAGE, NIGHT, NIGHTLY_BODY));
    const elsewhere = await post(NIGHTLY_BODY, { ...unsigned, 'x-forwarded-for': '203.0.113.7' });
    clock.advance(3_000);
    const later = await post(NIGHTLY_BODY, unsigned);

    expect(refused.headers.get('retry-after')).toBe('3');
    expect(await answerOf(refused)).toEqual(problem(429, 'Too many requests', 'Try again in 3 s.'));
    expect([welcome.status, elsewhere.status, later.status]).toEqual([202, 401, 401]);
  });

  test('429 to the hundred-and-twenty-first signed request of a minute', async () => {
    const { post, store } = await serveWebhook();
    const send = (id: string) => post(NIGHTLY_BODY, signed(id, NIGHT, NIGHTLY_BODY));
    for (let count = 0; count < 120; count += 1) await send('msg_1');

    const refused = await send('msg_2');

    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await answerOf(refused)).toEqual(problem(429, 'Too many requests', 'Try again in 1 s.'));
    expect(await store.find('run', { limit: 10 })).toHaveLength(1);
  });

  test('a clock that is set back locks nobody out for longer than a token takes', () => {
    const limit = createRateLimit(20);
    limit.take('198.51.100.4', new Date('2026-11-30T03:00:00Z'));

    expect(limit.take('198.51.100.4', new Date('2026-11-30T02:00:00Z'))).toBe(3);
    expect(limit.take('198.51.100.4', new Date('2026-11-30T02:00:03Z'))).toBe(0);
  });

  test('only ten thousand sources are remembered, those that were heard of last', () => {
    const limit = createRateLimit(1);
    const now = new Date(NIGHT);
    limit.take('first', now);
    limit.take('second', now);
    limit.take('first', now);
    for (let count = 0; count < 9_999; count += 1) limit.take(`source ${count}`, now);

    expect([limit.take('first', now), limit.take('second', now)]).toEqual([60, 0]);
  });
});

describe('whatever comes', () => {
  const text = fc.string({ unit: 'binary', maxLength: 80 });
  const headerNames = [
    'content-type',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-hub-signature-256',
    'x-github-delivery',
    'x-github-event',
  ];
  const headerValue = fc.oneof(
    text,
    fc.constantFrom('application/json', '1796004000', 'v1,', 'v1', 'v1,MQ== v1,AA==', 'sha256=', 'ping', MESSAGE),
    fc.array(text, { maxLength: 3 }),
    fc.base64String({ minLength: 44, maxLength: 44 }).map((signature) => `v1,${signature}`),
  );
  const headers = fc.dictionary(fc.constantFrom(...headerNames), headerValue);
  const json = fc.oneof(
    fc.json(),
    fc
      .record(
        {
          plan: fc.oneof(fc.constantFrom('nightly', 'smoke', '__proto__', 'toString'), text),
          appVersion: fc.oneof(text, fc.jsonValue()),
          labels: fc.oneof(fc.dictionary(text, text), fc.jsonValue()),
        },
        { requiredKeys: [] },
      )
      .map((body) => JSON.stringify(body)),
  );
  const body = fc.oneof(
    json.map((written) => Buffer.from(written)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );

  test('nothing without a valid signature makes a run, and nothing fails', async () => {
    const { deps, store } = createWorld();
    const receive = createReceive(deps);

    await fc.assert(
      fc.asyncProperty(headers, body, text, fc.ipV4(), async (given, rawBody, plan, ip) => {
        const query = new URLSearchParams({ plan });
        const answer = await receive(
          requestOf({ headers: { 'content-type': 'application/json', ...given }, rawBody, query, ip }),
        );

        expect([401, 415, 429]).toContain(answer.status);
      }),
      { numRuns: 1_000 },
    );
    expect(await keptIn(store)).toEqual([]);
  });

  test('a signed request is accepted, known or refused with a reason, and only an accepted one makes a run', async () => {
    const { deps, store } = createWorld();
    const receive = createReceive(deps);
    const counts = new Map<number, number>();

    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom('msg_1', 'msg_2', 'msg_3'), fc.ipV4(), async (written, id, ip) => {
        const given = signed(id, NIGHT, written);
        const { status } = await receive(requestOf({ headers: given, rawBody: Buffer.from(written), ip }));

        counts.set(status, (counts.get(status) ?? 0) + 1);
        expect([200, 202, 400, 404, 409]).toContain(status);
      }),
      { numRuns: 1_000 },
    );
    expect(await store.find('run', { limit: 1_000 })).toHaveLength(counts.get(202) ?? 0);
  });
});

function requestOf(given: Partial<HttpRequest>): HttpRequest {
  return {
    method: 'POST',
    path: '/webhook',
    query: new URLSearchParams(),
    headers: {},
    rawBody: Buffer.alloc(0),
    ip: '198.51.100.4',
    signal: new AbortController().signal,
    ...given,
  };
}
