import { afterEach, describe, expect, test } from '@jest/globals';
import PostalMime, { type Email as ParsedEmail } from 'postal-mime';

import { createEmailChannel } from '../../shared/adapters/email/channel.ts';
import type { Log } from '../../shared/ports.ts';
import { deliveryOf, FAILED_ALERT, hostileAlert, subscriberAt } from './alert-fixtures.ts';
import { channelConformance, recordingLog, type Scene } from './channel-conformance.ts';
import { closedPort, nothingToClose } from './loopback.ts';
import { DIALOGUE, mailServer, scriptedServer, until, type Letter, type MailServer } from './mail-server.ts';

const PASSWORD = 's3cret-not-real';
const FROM = 'CES evals <evals@acme.example>';
const QA = subscriberAt({ kind: 'email', to: 'qa@acme.example' });
const DELIVERY = deliveryOf(FAILED_ALERT);

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const replying = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode });

const channelAt = (port: number, log: Log = recordingLog().log, from: string = FROM) =>
  createEmailChannel({ smtpUrl: `smtp://evals:${PASSWORD}@127.0.0.1:${port}`, from, timeoutMs: 500, log });

const scene =
  (start: () => Promise<Omit<MailServer, 'letters'>>) =>
  async (log: Log): Promise<Scene> => {
    const { port, close } = await start();
    return { channel: channelAt(port, log), delivery: DELIVERY, subscriber: QA, close };
  };

channelConformance(
  'e-mail',
  {
    accepted: {
      when: 'the mail server took the message',
      scene: scene(mailServer),
      expected: {
        kind: 'sent',
        receipt: '250 queued as 4c1f0a <nightly-20261130T020000Z.oncall.failed@ces-evals>',
      },
    },
    busy: {
      when: 'the mail server greylists',
      scene: scene(() => scriptedServer({ ...DIALOGUE, RCPT: '451 4.7.1 Greylisting in action, try again later' })),
      expected: {
        kind: 'retry',
        problem:
          'sending e-mail to qa@acme.example: the mail server answered 451 4.7.1 Greylisting in action, try again later',
        afterMs: 300_000,
      },
    },
    refused: {
      when: 'there is no such mailbox',
      scene: scene(() => scriptedServer({ ...DIALOGUE, RCPT: '550 5.1.1 No such user' })),
      expected: {
        kind: 'refused',
        problem:
          'sending e-mail to qa@acme.example: the mail server answered 550 5.1.1 No such user; check the address in evals.yaml',
      },
    },
    answerLost: {
      when: 'the connection is cut after the final dot',
      scene: scene(() => scriptedServer(until('.'))),
      expected: {
        kind: 'unknown',
        problem:
          'sending e-mail to qa@acme.example: the connection was lost after the message went out and before the server answered (ECONNECTION)',
      },
    },
    unreachable: {
      when: 'nobody listens',
      scene: scene(async () => ({ port: await closedPort(), close: nothingToClose })),
      expected: {
        kind: 'retry',
        problem:
          'sending e-mail to qa@acme.example: the mail server could not be reached (ESOCKET, ECONNREFUSED); check SMTP_URL and the network',
      },
    },
    notConfigured: {
      when: 'there is no mail server',
      scene: async (log) => ({
        channel: createEmailChannel({ smtpUrl: undefined, from: FROM, timeoutMs: 500, log }),
        delivery: DELIVERY,
        subscriber: QA,
        close: nothingToClose,
      }),
      expected: { kind: 'refused', problem: 'sending e-mail to oncall: there is no mail server; set SMTP_URL' },
    },
  },
  {
    secrets: [PASSWORD],
    doubt: {
      kind: 'hold',
      problem:
        'the e-mail to oncall may have been sent, and a mail server cannot be asked. Ask the subscriber; if it did not ' +
        'arrive, "ces-evals deliveries redrive nightly-20261130T020000Z.oncall.failed" sends it again',
    },
  },
);

describe('sending e-mail', () => {
  const outcomes: readonly (readonly [string, Readonly<Record<string, string>>, object])[] = [
    ['a cut before MAIL', until('MAIL'), { kind: 'retry' }],
    ['a cut before RCPT', until('RCPT'), { kind: 'retry' }],
    ['a cut before DATA', until('DATA'), { kind: 'retry' }],
    ['silence after the greeting', { EHLO: '' }, { kind: 'retry' }],
    ['silence after the final dot', { ...DIALOGUE, '.': '' }, { kind: 'unknown' }],
    ['a shutdown', { ...DIALOGUE, MAIL: '421 4.3.2 Shutting down' }, { kind: 'retry', afterMs: 300_000 }],
    ['a bad sequence', { ...DIALOGUE, DATA: '503 5.5.1 Bad sequence' }, { kind: 'retry', afterMs: 300_000 }],
    [
      'a full disk after the dot',
      { ...DIALOGUE, '.': '452 4.3.1 Out of storage' },
      { kind: 'retry', afterMs: 300_000 },
    ],
    ['a refusal after the dot', { ...DIALOGUE, '.': '554 5.7.1 Looks like spam' }, { kind: 'refused' }],
    ['a refusal of the sender', { ...DIALOGUE, MAIL: '553 5.1.8 Sender not allowed' }, { kind: 'refused' }],
  ];
  test.each(outcomes)('%s', async (_name, lines, expected) => {
    const { port, close } = await scriptedServer(lines);
    closers.push(close);

    expect(await channelAt(port).send(DELIVERY, QA)).toMatchObject(expected);
  });

  test.each([
    [
      'is wrong',
      535,
      { kind: 'refused', problem: expect.stringContaining('check the user and the password in SMTP_URL') },
    ],
    ['cannot be checked now', 454, { kind: 'retry', afterMs: 300_000 }],
  ] as const)('a login that %s', async (_name, code, expected) => {
    const { port, close } = await mailServer({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ password }, _session, done) => done(replying(code, `no login with ${password}`)),
    });
    closers.push(close);
    const { log, lines } = recordingLog();

    const outcome = await channelAt(port, log).send(DELIVERY, QA);

    expect(outcome).toMatchObject(expected);
    expect(`${JSON.stringify(outcome)}${lines()}`).not.toContain(PASSWORD);
  });

  test('a server on this machine is trusted with whatever certificate it has', async () => {
    const { port, letters, close } = await mailServer({ disabledCommands: ['AUTH'] });
    closers.push(close);

    expect(await channelAt(port).send(DELIVERY, QA)).toMatchObject({ kind: 'sent' });
    expect(letters).toHaveLength(1);
  });

  test.each([
    ['no URL', 'mail.acme.example', FROM, 'SMTP_URL is no smtp:// or smtps:// URL'],
    ['another scheme', 'https://mail.acme.example', FROM, 'SMTP_URL is no smtp:// or smtps:// URL'],
    ['no sender', 'smtp://127.0.0.1:9', '', 'set EMAIL_FROM'],
    ['a sender without an address', 'smtp://127.0.0.1:9', 'CES evals', 'EMAIL_FROM'],
  ])('%s is refused before anything is sent', async (_name, smtpUrl, from, part) => {
    const channel = createEmailChannel({ smtpUrl, from, timeoutMs: 500, log: recordingLog().log });

    expect(await channel.send(DELIVERY, QA)).toEqual({ kind: 'refused', problem: expect.stringContaining(part) });
  });

  test('the message has one recipient, two parts, and headers that keep machines from answering', async () => {
    const { port, letters, close } = await mailServer();
    closers.push(close);

    await channelAt(port).send(DELIVERY, QA);

    expect(letters.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'evals@acme.example', to: ['qa@acme.example'] },
    ]);
    const mail = await parsed(letters[0]);
    expect({ from: mail.from, to: mail.to, cc: mail.cc, bcc: mail.bcc }).toEqual({
      from: { name: 'CES evals', address: 'evals@acme.example' },
      to: [{ name: '', address: 'qa@acme.example' }],
    });
    expect(mail.subject).toBe('nightly failed: 17 of 20 passed (85.0%) [nightly-20261130T020000Z]');
    expect(mail.messageId).toBe('<nightly-20261130T020000Z.oncall.failed@ces-evals>');
    expect(mail.date).toBe('2026-11-30T02:15:00.000Z');
    expect(headersOf(mail)).toMatchObject({ 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' });
    expect(mail.text).toContain('Newly failing (2): refund (2 of 5 passed), cancel-order (3 of 5 passed)');
    expect(mail.html).toContain('refund must pass and failed 3 of 5 times');
  });

  test('no name becomes a header or a command', async () => {
    const { port, letters, close } = await mailServer();
    closers.push(close);
    const text = 'nightly\r\nBcc: eve@evil.example\r\n\r\n.\r\nMAIL FROM:<eve@evil.example>';

    const outcome = await channelAt(port).send(deliveryOf(hostileAlert(text, 2)), QA);

    expect(outcome).toMatchObject({ kind: 'sent' });
    expect(letters.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'evals@acme.example', to: ['qa@acme.example'] },
    ]);
    expect(Object.keys(headersOf(await parsed(letters[0]))).toSorted()).toEqual(HEADERS);
  });

  test.each([
    ['the sender', `${FROM}\r\nX-Evil: 1`, 'qa@acme.example'],
    ['the sender, twice', `${FROM}, <eve@evil.example>`, 'qa@acme.example'],
    ['the recipient', FROM, 'qa@acme.example\r\nBcc: eve@evil.example'],
    ['the recipient, twice', FROM, 'qa@acme.example, eve@evil.example'],
    ['the recipient, with a command', FROM, 'qa@acme.example>\r\nRCPT TO:<eve@evil.example'],
  ])('a second address or a header in %s reaches nobody', async (_name, from, to) => {
    const { port, letters, close } = await mailServer();
    closers.push(close);

    const outcome = await channelAt(port, recordingLog().log, from).send(DELIVERY, subscriberAt({ kind: 'email', to }));

    expect(outcome).toEqual({ kind: 'refused', problem: expect.not.stringContaining('\n') });
    expect(letters).toEqual([]);
  });
});

const HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
  'x-auto-response-suppress',
];

const parsed = (letter: Letter | undefined): Promise<ParsedEmail> => PostalMime.parse(letter?.raw ?? '');

const headersOf = (mail: ParsedEmail): Record<string, string> =>
  Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
