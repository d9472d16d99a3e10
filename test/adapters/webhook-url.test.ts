import { afterEach, describe, expect, test } from '@jest/globals';

import { createWebhookChannel, type WebhookOptions } from '../../shared/adapters/webhook/channel.ts';
import type { Subscriber } from '../../shared/domain/plan.ts';
import { deliveryOf, FAILED_ALERT, subscriberAt } from './alert-fixtures.ts';
import { recordingLog } from './channel-conformance.ts';
import { serveHttp, type Loopback, type Reply } from './loopback.ts';

const PATH = '/hooks/t0ken-in-the-path';
const DELIVERY = deliveryOf(FAILED_ALERT);

const botAt = (url: string): Subscriber => subscriberAt({ kind: 'webhook', url, secretEnv: 'RELEASE_BOT_SECRET' });

const webhooks = (options: Partial<WebhookOptions> = {}) =>
  createWebhookChannel({
    env: { RELEASE_BOT_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    allowLoopback: true,
    timeoutMs: 300,
    clock: { now: () => new Date('2026-11-30T02:15:00Z') },
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

describe('a webhook URL', () => {
  const forbidden: readonly (readonly [string, string])[] = [
    ['plain http', 'http://ci.acme.example/'],
    ['another scheme', 'file:///etc/passwd'],
    ['no URL', 'ci.acme.example'],
    ['a user and a password', 'https://bot:hunter2@ci.acme.example/'],
    ['this machine', 'https://127.0.0.1/'],
    ['this machine by name', 'https://localhost/'],
    ['this machine as a number', 'https://2130706433/'],
    ['this machine in hexadecimal', 'https://0x7f.1/'],
    ['this machine in octal', 'https://0177.0.0.1/'],
    ['this machine by IPv6', 'https://[::1]/'],
    ['any address', 'https://0.0.0.0/'],
    ['the metadata server', 'https://169.254.169.254/computeMetadata/v1/'],
    ['the metadata server by name', 'https://metadata.google.internal/'],
    ['the metadata server with a final dot', 'https://METADATA.google.internal./'],
    ['the metadata server as IPv4 in IPv6', 'https://[::ffff:169.254.169.254]/'],
    ['the metadata server by IPv6', 'https://[fd20:ce::254]/'],
    ['10.0.0.0/8', 'https://10.1.2.3/'],
    ['172.16.0.0/12', 'https://172.31.255.255/'],
    ['192.168.0.0/16', 'https://192.168.1.1/'],
    ['carrier NAT', 'https://100.64.0.1/'],
    ['link-local IPv6', 'https://[fe80::1]/'],
    ['unique local IPv6', 'https://[fc00::1]/'],
    ['IPv4 behind 6to4', 'https://[2002:a00:1::]/'],
    ['IPv4 behind NAT64', 'https://[64:ff9b::a00:1]/'],
    ['multicast', 'https://224.0.0.1/'],
  ];
  test.each(forbidden)('may not be %s', async (_name, url) => {
    const lookedUp: string[] = [];
    const channel = webhooks({
      allowLoopback: false,
      lookup: async (host) => {
        lookedUp.push(host);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });

    expect(await channel.send(DELIVERY, botAt(url))).toEqual({
      kind: 'refused',
      problem: expect.stringMatching(
        /^posting to the webhook of oncall: the URL is not allowed: .+; correct it in evals\.yaml$/,
      ),
    });
    expect(lookedUp).toEqual([]);
  });

  const resolved: readonly (readonly [string, string, 4 | 6])[] = [
    ['this machine', '127.0.0.1', 4],
    ['a private network', '10.0.0.7', 4],
    ['the metadata server', '169.254.169.254', 4],
    ['a link-local address', 'fe80::1%eth0', 6],
    ['IPv4 in IPv6', '::ffff:10.0.0.7', 6],
  ];
  test.each(resolved)('may not have a name that leads to %s, even among others', async (_name, address, family) => {
    const channel = webhooks({
      lookup: async () => [
        { address: '93.184.215.14', family: 4 },
        { address, family },
      ],
    });

    expect(await channel.send(DELIVERY, botAt(`https://ci.acme.example${PATH}`))).toEqual({
      kind: 'refused',
      problem: `posting to the webhook at ci.acme.example: the name leads to ${address}, which is not a public address; correct the URL in evals.yaml`,
    });
  });

  test('may be public by its addresses, which are resolved once', async () => {
    const lookedUp: string[] = [];
    const channel = webhooks({
      allowLoopback: false,
      lookup: async (host) => {
        lookedUp.push(host);
        return [];
      },
    });

    expect(await channel.send(DELIVERY, botAt('https://ci.acme.example/'))).toMatchObject({
      kind: 'retry',
      problem: expect.stringContaining('ENOTFOUND'),
    });
    expect(lookedUp).toEqual(['ci.acme.example']);
  });

  test('may be localhost for local use, and only as long as that is this machine', async () => {
    const server = await receiver({ status: 200 });
    const url = server.origin.replace('127.0.0.1', 'localhost');
    const here = webhooks({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
    const elsewhere = webhooks({ lookup: async () => [{ address: '93.184.215.14', family: 4 }] });

    expect(await here.send(DELIVERY, botAt(url))).toMatchObject({ kind: 'sent' });
    expect(await elsewhere.send(DELIVERY, botAt(url))).toMatchObject({ kind: 'refused' });
    expect(server.received).toHaveLength(1);
  });

  test('is tried again while its name cannot be resolved', async () => {
    const channel = webhooks({
      lookup: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' })),
    });

    expect(await channel.send(DELIVERY, botAt('https://ci.acme.example/'))).toMatchObject({
      kind: 'retry',
      problem: expect.stringContaining('EAI_AGAIN'),
    });
  });
});
