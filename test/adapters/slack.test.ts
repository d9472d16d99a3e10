import { afterEach, describe, expect, test } from '@jest/globals';

import { createSlackChannel } from '../../shared/adapters/slack/channel.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Log } from '../../shared/ports.ts';
import { deliveryOf, FAILED_ALERT, subscriberAt } from './alert-fixtures.ts';
import { channelConformance, recordingLog, type Scene } from './channel-conformance.ts';
import { closedPort, nothingToClose, serveHttp, type Loopback, type Received, type Reply } from './loopback.ts';

const TOKEN = 'xoxb-2026-not-a-real-token';
const ONCALL = subscriberAt({ kind: 'slack', channel: 'C0123456789' });
const DELIVERY = deliveryOf(FAILED_ALERT);
const POSTED = { ok: true, channel: 'C0123456789', ts: '1764468901.000200', message: { text: 'nightly failed' } };
const ACCEPTED: Reply = { status: 200, body: JSON.stringify(POSTED) };

const servers: Loopback[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const says = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

const channelAt = (origin: string, log: Log, { token = TOKEN, now = '2026-11-30T02:20:00Z' } = {}) =>
  createSlackChannel({ token, apiUrl: `${origin}/api/`, timeoutMs: 300, clock: { now: () => new Date(now) }, log });

async function slack(reply: (request: Received, index: number) => Reply, options = {}) {
  const server = await serveHttp(reply);
  servers.push(server);
  const { log, lines } = recordingLog();
  return { server, channel: channelAt(server.origin, log, options), lines };
}

const scene =
  (reply: Reply) =>
  async (log: Log): Promise<Scene> => {
    const server = await serveHttp(() => reply);
    return { channel: channelAt(server.origin, log), delivery: DELIVERY, subscriber: ONCALL, close: server.close };
  };

/** The arguments of a call, as the API reads them. */
const argumentsOf = (request: Received | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(request?.body ?? ''));

channelConformance(
  'Slack',
  {
    accepted: {
      when: 'Slack took the message',
      scene: scene(ACCEPTED),
      expected: { kind: 'sent', receipt: '1764468901.000200' },
    },
    busy: {
      when: 'Slack asks to wait',
      scene: scene(says({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': '17' })),
      expected: { kind: 'retry', problem: 'posting to Slack channel C0123456789: Slack asks to wait', afterMs: 17_000 },
    },
    refused: {
      when: 'the app is not in the channel',
      scene: scene(says({ ok: false, error: 'not_in_channel' })),
      expected: {
        kind: 'refused',
        problem:
          'posting to Slack channel C0123456789: Slack answered not_in_channel; invite the app to the channel (/invite @app)',
      },
    },
    answerLost: {
      when: 'the connection is cut after the request',
      scene: scene('reset'),
      expected: {
        kind: 'unknown',
        problem: 'posting to Slack channel C0123456789: the request went out and no answer came back',
      },
    },
    unreachable: {
      when: 'nobody listens',
      scene: async (log) => ({
        channel: channelAt(`http://127.0.0.1:${await closedPort()}`, log),
        delivery: DELIVERY,
        subscriber: ONCALL,
        close: nothingToClose,
      }),
      expected: {
        kind: 'retry',
        problem:
          'posting to Slack channel C0123456789: Slack could not be reached (ECONNREFUSED); check SLACK_API_URL and the network',
      },
    },
    notConfigured: {
      when: 'there is no token',
      scene: async (log) => ({
        channel: channelAt('http://127.0.0.1:9', log, { token: '' }),
        delivery: DELIVERY,
        subscriber: ONCALL,
        close: nothingToClose,
      }),
      expected: {
        kind: 'refused',
        problem: 'no token for Slack, which subscriber oncall is reached through; set SLACK_BOT_TOKEN',
      },
    },
  },
  {
    secrets: [TOKEN],
    doubt: {
      kind: 'later',
      problem: 'looking into Slack channel C0123456789 for the message: no answer that could be read came back',
      afterMs: 60_000,
    },
  },
);

describe('sending to Slack', () => {
  const outcomes: readonly (readonly [string, Reply, 'retry' | 'refused' | 'unknown', string])[] = [
    ['an unknown channel', says({ ok: false, error: 'channel_not_found' }), 'refused', 'the id of a channel'],
    ['an archived channel', says({ ok: false, error: 'is_archived' }), 'refused', 'restore the channel'],
    ['a revoked token', says({ ok: false, error: 'token_revoked' }), 'refused', 'set SLACK_BOT_TOKEN'],
    ['a missing scope', says({ ok: false, error: 'missing_scope', needed: 'chat:write' }), 'refused', 'chat:write'],
    ['a restricted channel', says({ ok: false, error: 'restricted_action' }), 'refused', 'an administrator'],
    ['an outage', says({ ok: false, error: 'service_unavailable' }), 'retry', 'service_unavailable'],
    ['an error that is new', says({ ok: false, error: 'moon_in_the_way' }), 'retry', 'moon_in_the_way'],
    ['an error after which it may be there', says({ ok: false, error: 'internal_error' }), 'unknown', 'may be there'],
    ['HTTP 503', says({}, 503), 'retry', 'HTTP 503'],
    ['HTTP 504', says({}, 504), 'unknown', 'HTTP 504'],
    ['HTTP 404', says({}, 404), 'refused', 'SLACK_API_URL'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'refused', 'SLACK_API_URL'],
    ['a page of a proxy', { status: 200, body: '<html>Please log in</html>' }, 'unknown', 'no answer'],
    ['success without a message', says({ ok: true }), 'unknown', 'no answer'],
    ['half an answer', { status: 200, headers: { 'content-length': '900' }, body: '{"ok":' }, 'unknown', 'no answer'],
    ['no answer', 'hang', 'unknown', 'no answer'],
  ];
  test.each(outcomes)('%s', async (_name, reply, kind, part) => {
    const { channel } = await slack(() => reply);

    const outcome = await channel.send(DELIVERY, ONCALL);

    expect(outcome).toEqual({ kind, problem: expect.stringContaining(part) });
  });

  test('a 429 without a time is tried again after half a minute', async () => {
    const { channel } = await slack(() => says({}, 429));

    expect(await channel.send(DELIVERY, ONCALL)).toMatchObject({ kind: 'retry', afterMs: 30_000 });
  });

  test('each attempt is one request, marked with the delivery, that turns no name into a link', async () => {
    const { channel, server } = await slack(() => says({ ok: false, error: 'service_unavailable' }));

    await channel.send(DELIVERY, ONCALL);

    expect(server.received.map(({ path }) => path)).toEqual(['/api/chat.postMessage']);
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    const { blocks, text, ...rest } = argumentsOf(server.received[0]);
    expect(rest).toEqual({
      channel: 'C0123456789',
      mrkdwn: 'false',
      parse: 'none',
      link_names: 'false',
      unfurl_links: 'false',
      unfurl_media: 'false',
      metadata:
        '{"event_type":"ces_evals_alert","event_payload":{"delivery":"nightly-20261130T020000Z.oncall.failed"}}',
    });
    expect(text).toMatch(/^❌ nightly failed: 17 of 20 passed \(85\.0%\)\. /);
    expect(JSON.parse(blocks ?? '')).toHaveLength(10);
  });

  test('blocks that Slack does not take are sent as plain text, once', async () => {
    const { channel, server, lines } = await slack((_request, index) =>
      index === 0 ? says({ ok: false, error: 'msg_blocks_too_long' }) : ACCEPTED,
    );

    expect(await channel.send(DELIVERY, ONCALL)).toEqual({ kind: 'sent', receipt: '1764468901.000200' });
    const [, second] = server.received.map(argumentsOf);
    expect(server.received).toHaveLength(2);
    expect(second).not.toHaveProperty('blocks');
    expect(second?.['text']).toContain('Newly failing (2): refund (2 of 5 passed), cancel-order (3 of 5 passed)');
    expect(second?.['metadata']).toContain('nightly-20261130T020000Z.oncall.failed');
    expect(lines()).toContain('Slack refused the blocks; posting plain text instead');
  });

  test('plain text that Slack does not take either is an error like any other', async () => {
    const { channel, server } = await slack(() => says({ ok: false, error: 'invalid_blocks' }));

    expect(await channel.send(DELIVERY, ONCALL)).toMatchObject({ kind: 'retry' });
    expect(server.received).toHaveLength(2);
  });
});

const mark = (delivery: string) => ({ event_type: 'ces_evals_alert', event_payload: { delivery } });

describe('a Slack message whose answer was lost', () => {
  const ours = { ts: '1764468901.000200', metadata: mark('nightly-20261130T020000Z.oncall.failed') };
  const others = [
    { ts: '1764468902.000100', text: 'hello' },
    { ts: '1764468903.000100', metadata: mark('nightly-20261129T020000Z.oncall.failed') },
  ];
  const page = (messages: readonly object[], next?: string): Reply =>
    says({ ok: true, messages, ...(next === undefined ? {} : { response_metadata: { next_cursor: next } }) });

  test('is found by its mark, on whatever page it stands', async () => {
    const { channel, server } = await slack((request) =>
      argumentsOf(request)['cursor'] === 'page2' ? page([ours]) : page(others, 'page2'),
    );

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toEqual({ kind: 'sent', receipt: '1764468901.000200' });
    expect(server.received.map(({ path }) => path)).toEqual([
      '/api/conversations.history',
      '/api/conversations.history',
    ]);
    expect(argumentsOf(server.received[0])).toEqual({
      channel: 'C0123456789',
      // A minute before the attempt of 2026-11-30T02:15:00Z.
      oldest: '1796004840.000000',
      include_all_metadata: 'true',
      limit: '100',
    });
  });

  test('is sent again when it is not there', async () => {
    const { channel } = await slack(() => page(others));

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toEqual({ kind: 'send_again' });
  });

  test('is looked for once more when the attempt is so fresh that it may still appear', async () => {
    const { channel } = await slack(() => page(others), { now: '2026-11-30T02:15:05Z' });

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toEqual({
      kind: 'later',
      problem: 'the message is not in Slack channel C0123456789 yet; it is looked for again before it is sent again',
      afterMs: 15_300,
    });
  });

  test('is left to a person when the app may not look', async () => {
    const { channel } = await slack(() => says({ ok: false, error: 'missing_scope', needed: 'channels:history' }));

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toEqual({
      kind: 'hold',
      problem:
        'the message may be in Slack channel C0123456789, and it could not be looked for: Slack answered missing_scope. ' +
        'With the scope channels:history (groups:history for a private channel) the app could know. ' +
        'Look into the channel; if it is not there, ' +
        '"ces-evals deliveries redrive nightly-20261130T020000Z.oncall.failed" sends it again',
    });
  });

  test('is left to a person when the channel is too busy to be searched', async () => {
    const { channel, server } = await slack(() => page(others, 'more'));

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toMatchObject({ kind: 'hold' });
    expect(server.received).toHaveLength(10);
  });

  const passing: readonly (readonly [string, Reply, number])[] = [
    ['Slack asks to wait', says({}, 429, { 'retry-after': '42' }), 42_000],
    ['Slack is out of order', says({ ok: false, error: 'service_unavailable' }), 60_000],
    ['a gateway answers', says({}, 502), 60_000],
    ['nothing answers', 'hang', 60_000],
    ['the answer holds no messages', says({ ok: true }), 60_000],
  ];
  test.each(passing)('is looked for later when %s', async (_name, reply, afterMs) => {
    const { channel } = await slack(() => reply);

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toEqual({ kind: 'later', problem: expect.any(String), afterMs });
  });

  test('is not looked for without a token', async () => {
    const { channel } = await slack(() => ACCEPTED, { token: '' });

    expect(await channel.inDoubt(DELIVERY, ONCALL)).toMatchObject({
      kind: 'hold',
      problem: expect.stringContaining('set SLACK_BOT_TOKEN'),
    });
  });

  test('is looked for from the first attempt on when the time of the last one is missing', async () => {
    const { channel, server } = await slack(() => page([]));
    const { at: _unknown, ...delivery }: Delivery = DELIVERY;

    await channel.inDoubt(delivery, ONCALL);

    expect(argumentsOf(server.received[0])['oldest']).toBe('1796004820.000000');
  });
});
