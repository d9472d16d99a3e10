import { afterEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { createWebhookChannel, type WebhookOptions } from '../../shared/adapters/webhook/channel.ts';
import type { SendOutcome } from '../../shared/domain/delivery.ts';
import type { Subscriber } from '../../shared/domain/plan.ts';
import type { Log } from '../../shared/ports.ts';
import { deliveryOf, FAILED_ALERT, subscriberAt } from './alert-fixtures.ts';
import { channelConformance, recordingLog, type Scene } from './channel-conformance.ts';
import { closedPort, nothingToClose, serveHttp, type Loopback, type Reply } from './loopback.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLD_SECRET = 'whsec_plJ3nmyCDGBKInavdOK15jsl1rWbYaRE';
const PATH = '/hooks/t0ken-in-the-path';
const DELIVERY = deliveryOf(FAILED_ALERT);
const NOW = new Date('2026-11-30T02:15:00Z');

const botAt = (url: string): Subscriber => subscriberAt({ kind: 'webhook', url, secretEnv: 'RELEASE_BOT_SECRET' });

const webhooks = (options: Partial<WebhookOptions> = {}) =>
  createWebhookChannel({
    env: { RELEASE_BOT_SECRET: SECRET },
    allowLoopback: true,
    timeoutMs: 300,
    clock: { now: () => NOW },
    log: recordingLog().log,
    ...options,
  });

const servers: Loopback[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function receiver(reply: Reply): Promise<Loopback> {
  const server = await serveHttp(() => reply);
  servers.push(server);
  return server;
}

const scene =
  (reply: Reply) =>
  async (log: Log): Promise<Scene> => {
    const { origin, close } = await serveHttp(() => reply);
    return { channel: webhooks({ log }), delivery: DELIVERY, subscriber: botAt(origin + PATH), close };
  };

channelConformance(
  'a webhook',
  {
    accepted: {
      when: 'the receiver took the alert',
      scene: scene({ status: 202 }),
      expected: { kind: 'sent', receipt: 'HTTP 202 from 127.0.0.1:PORT' },
    },
    busy: {
      when: 'the receiver asks to wait',
      scene: scene({ status: 429, headers: { 'retry-after': '42' } }),
      expected: {
        kind: 'retry',
        problem: 'posting to the webhook at 127.0.0.1:PORT: HTTP 429',
        afterMs: 42_000,
      },
    },
    refused: {
      when: 'the receiver is gone',
      scene: scene({ status: 410 }),
      expected: {
        kind: 'refused',
        problem:
          'posting to the webhook at 127.0.0.1:PORT: HTTP 410: the endpoint says that it is gone; remove the subscriber from evals.yaml or correct its URL',
      },
    },
    answerLost: {
      when: 'the connection is cut after the request',
      scene: scene('reset'),
      expected: {
        kind: 'unknown',
        problem: 'posting to the webhook at 127.0.0.1:PORT: the request went out and no answer came back (ECONNRESET)',
      },
    },
    unreachable: {
      when: 'nobody listens',
      scene: async (log) => ({
        channel: webhooks({ log }),
        delivery: DELIVERY,
        subscriber: botAt(`http://127.0.0.1:${await closedPort()}${PATH}`),
        close: nothingToClose,
      }),
      expected: {
        kind: 'retry',
        problem: 'posting to the webhook at 127.0.0.1:PORT: no connection could be made (ECONNREFUSED); check the URL',
      },
    },
    notConfigured: {
      when: 'there is no secret',
      scene: async (log) => ({
        channel: webhooks({ log, env: {} }),
        delivery: DELIVERY,
        subscriber: botAt(`https://ci.acme.example${PATH}`),
        close: nothingToClose,
      }),
      expected: {
        kind: 'refused',
        problem: 'posting to the webhook of oncall: there is no secret; set RELEASE_BOT_SECRET',
      },
    },
  },
  { secrets: [SECRET, 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 't0ken-in-the-path'], doubt: { kind: 'send_again' } },
);

describe('posting to a webhook', () => {
  test('sends the alert document, signed over id, time and body', async () => {
    const server = await receiver({ status: 204 });

    await webhooks().send(DELIVERY, botAt(server.origin + PATH));

    expect(server.received).toHaveLength(1);
    const { path, body, headers } = server.received[0]!;
    expect({
      path,
      type: headers['content-type'],
      id: headers['webhook-id'],
      at: headers['webhook-timestamp'],
    }).toEqual({
      path: PATH,
      type: 'application/json',
      id: 'nightly-20261130T020000Z.oncall.failed',
      at: '1796004900',
    });
    expect(JSON.parse(body)).toEqual(FAILED_ALERT);
    expect(headers['webhook-signature']).toBe(new Webhook(SECRET).sign(DELIVERY.id, NOW, body));
  });

  test('signs with each secret while one is exchanged for another', async () => {
    const server = await receiver({ status: 204 });

    await webhooks({ env: { RELEASE_BOT_SECRET: ` ${SECRET}  ${OLD_SECRET}\n` } }).send(DELIVERY, botAt(server.origin));

    const { body, headers } = server.received[0]!;
    const signature = [SECRET, OLD_SECRET].map((secret) => new Webhook(secret).sign(DELIVERY.id, NOW, body)).join(' ');
    expect(headers['webhook-signature']).toBe(signature);
  });

  test('says which variable holds no secret, and not what it holds', async () => {
    const outcome = await webhooks({ env: { RELEASE_BOT_SECRET: 'hunter2!' } }).send(
      DELIVERY,
      botAt('https://ci.acme.example'),
    );

    expect(outcome).toEqual({
      kind: 'refused',
      problem:
        'posting to the webhook of oncall: RELEASE_BOT_SECRET holds no secret of the form whsec_ and base64; correct it',
    });
  });

  const answers: readonly (readonly [string, Reply, Partial<SendOutcome>])[] = [
    [
      'HTTP 200 with a body without an end',
      { status: 200, headers: { 'content-length': '9000' }, body: 'x' },
      { kind: 'sent' },
    ],
    ['HTTP 408', { status: 408 }, { kind: 'retry' }],
    ['HTTP 409', { status: 409 }, { kind: 'retry' }],
    ['HTTP 425', { status: 425 }, { kind: 'retry' }],
    ['HTTP 500', { status: 500 }, { kind: 'retry' }],
    [
      'HTTP 503 until a date',
      { status: 503, headers: { 'retry-after': 'Mon, 30 Nov 2026 02:16:30 GMT' } },
      { kind: 'retry', afterMs: 90_000 },
    ],
    [
      'HTTP 503 for a year',
      { status: 503, headers: { 'retry-after': '31536000' } },
      { kind: 'retry', afterMs: 86_400_000 },
    ],
    ['HTTP 400', { status: 400 }, { kind: 'refused' }],
    ['HTTP 401', { status: 401 }, { kind: 'refused' }],
    ['HTTP 404', { status: 404 }, { kind: 'refused' }],
    ['silence', 'hang', { kind: 'unknown' }],
  ];
  test.each(answers)('%s', async (_name, reply, expected) => {
    const server = await receiver(reply);

    expect(await webhooks().send(DELIVERY, botAt(server.origin))).toMatchObject(expected);
    expect(server.received).toHaveLength(1);
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await receiver({ status: 200 });
    const server = await receiver({ status: 307, headers: { location: elsewhere.origin } });

    const outcome = await webhooks().send(DELIVERY, botAt(server.origin));

    expect(outcome).toEqual({ kind: 'refused', problem: expect.stringContaining('a redirect, which is not followed') });
    expect(elsewhere.received).toEqual([]);
  });
});
