import { afterEach, describe, expect, test } from '@jest/globals';
import { LogLevel, WebClient } from '@slack/web-api';
import { createTransport } from 'nodemailer';

import { startInbox, type Inbox, type InboxOptions } from '../../infra/local/inbox/inbox.ts';
import type { InboxMessage } from '../../infra/local/inbox/message.ts';

const NIGHT = new Date('2026-11-30T02:05:30.250Z');
const open: Inbox[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((inbox) => inbox.close()));
});

async function inboxWith(options: Partial<InboxOptions> = {}): Promise<Inbox> {
  const inbox = await startInbox({ clock: { now: () => NIGHT }, ...options });
  open.push(inbox);
  return inbox;
}

const slackOf = (inbox: Inbox, retries = 0): WebClient =>
  new WebClient('xoxb-not-a-secret', {
    slackApiUrl: inbox.slackApiUrl,
    retryConfig: { retries, minTimeout: 1, maxTimeout: 1 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    logger: silent,
  });

/** What `chat.postMessage` of the client does, under a name that the linter does not take for a window's. */
const post = (slack: WebClient, args: Record<string, unknown>) => slack.apiCall('chat.postMessage', args);

const nothing = () => undefined;
const silent = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};

/** The error with which a promise was rejected, read as loosely as JSON. */
const rejection = (promise: Promise<unknown>): Promise<ReturnType<typeof JSON.parse>> =>
  promise.then(
    () => {
      throw new Error('it was expected to be rejected');
    },
    (error: unknown) => error,
  );

const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });

const textOf = (length: number, type: 'mrkdwn' | 'plain_text' = 'mrkdwn') => ({ type, text: 'x'.repeat(length) });
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('Slack', () => {
  test('a token is looked at by auth.test', async () => {
    const inbox = await inboxWith();

    expect(await slackOf(inbox).auth.test()).toMatchObject({
      ok: true,
      team: 'Simulated',
      team_id: 'T0SIMULATED',
      user: 'ces-evals',
      user_id: 'U0CESEVALS',
      bot_id: 'B0CESEVALS',
    });
  });

  test('a call without a token is not authed', async () => {
    const inbox = await inboxWith();

    const response = await fetch(`${inbox.slackApiUrl}auth.test`, { method: 'POST' });

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: false, error: 'not_authed' });
  });

  test('a posted message is answered, kept and announced', async () => {
    const inbox = await inboxWith();
    const heard: InboxMessage[] = [];
    inbox.onMessage((message) => heard.push(message));
    const metadata = {
      event_type: 'ces_evals_delivery',
      event_payload: { delivery: 'nightly-20261130T020000Z.oncall' },
    };

    const answer = await post(slackOf(inbox), {
      channel: 'C0123456789',
      text: 'nightly failed',
      blocks: [section('*nightly* failed')],
      metadata,
    });

    expect(answer).toMatchObject({
      ok: true,
      channel: 'C0123456789',
      ts: '1796004330.250000',
      message: {
        type: 'message',
        text: 'nightly failed',
        ts: '1796004330.250000',
        bot_id: 'B0CESEVALS',
        blocks: [section('*nightly* failed')],
        metadata,
      },
    });
    expect(inbox.messages()).toEqual([
      {
        kind: 'slack',
        receivedAt: NIGHT,
        channel: 'C0123456789',
        ts: '1796004330.250000',
        text: 'nightly failed',
        blocks: [section('*nightly* failed')],
        metadata,
      },
    ]);
    expect(heard).toEqual(inbox.messages());
  });

  test('a JSON body says the same as a form', async () => {
    const inbox = await inboxWith();

    const response = await fetch(`${inbox.slackApiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: 'Bearer xoxb-not-a-secret' },
      body: JSON.stringify({ channel: 'C0123456789', text: 'nightly failed', blocks: [section('*nightly* failed')] }),
    });

    expect(await response.json()).toMatchObject({ ok: true, ts: '1796004330.250000' });
    expect(inbox.messages()).toMatchObject([{ text: 'nightly failed', blocks: [section('*nightly* failed')] }]);
  });

  test('history is newest first, of one channel, page by page, and shows metadata only when asked', async () => {
    const inbox = await inboxWith();
    const slack = slackOf(inbox);
    const metadata = { event_type: 'ces_evals_delivery', event_payload: { delivery: 'd-1' } };
    await post(slack, { channel: 'C0123456789', text: 'one', metadata });
    await post(slack, { channel: 'C9876543210', text: 'elsewhere' });
    await post(slack, { channel: 'C0123456789', text: 'two' });

    const plain = await slack.conversations.history({ channel: 'C0123456789' });
    const full = await slack.conversations.history({ channel: 'C0123456789', include_all_metadata: true });
    const first = await slack.conversations.history({ channel: 'C0123456789', limit: 1 });
    const second = await slack.conversations.history({
      channel: 'C0123456789',
      limit: 1,
      cursor: first.response_metadata!.next_cursor!,
    });
    const since = await slack.conversations.history({ channel: 'C0123456789', oldest: '1796004330.250000' });

    expect(plain.messages!.map(({ text, ts }) => [text, ts])).toEqual([
      ['two', '1796004330.250002'],
      ['one', '1796004330.250000'],
    ]);
    expect(plain.messages![1]).not.toHaveProperty('metadata');
    expect(full.messages![1]).toMatchObject({ text: 'one', metadata });
    expect([first.has_more, first.messages!.map(({ text }) => text)]).toEqual([true, ['two']]);
    expect([second.has_more, second.messages!.map(({ text }) => text)]).toEqual([false, ['one']]);
    expect(since.messages!.map(({ text }) => text)).toEqual(['two']);
  });

  test('a channel that does not exist is not found', async () => {
    const inbox = await inboxWith({ channels: ['C0123456789'] });

    const error = await rejection(post(slackOf(inbox), { channel: 'C0000000000', text: 'hello' }));

    expect(error.data).toMatchObject({ ok: false, error: 'channel_not_found' });
    expect(inbox.messages()).toEqual([]);
  });

  test.each([
    { what: '50 blocks', blocks: times(50, { type: 'divider' }) },
    { what: 'a section of 3,000 characters', blocks: [{ type: 'section', text: textOf(3_000) }] },
    { what: 'a header of 150 characters', blocks: [{ type: 'header', text: textOf(150, 'plain_text') }] },
    { what: '10 fields', blocks: [{ type: 'section', fields: times(10, textOf(1_000)) }] },
    { what: 'a field of 2,000 characters', blocks: [{ type: 'section', fields: [textOf(2_000)] }] },
    {
      what: 'a button with a link',
      blocks: [
        {
          type: 'actions',
          elements: [{ type: 'button', text: textOf(75, 'plain_text'), url: 'https://evals.acme.example/runs/1' }],
        },
      ],
    },
  ])('$what may be posted', async ({ blocks }) => {
    const inbox = await inboxWith();

    const answer = await slackOf(inbox).apiCall('chat.postMessage', { channel: 'C0123456789', text: 'x', blocks });

    expect(answer.ok).toBe(true);
  });

  test.each([
    {
      what: '51 blocks',
      blocks: times(51, { type: 'divider' }),
      complaint: '[ERROR] no more than 50 items allowed [json-pointer:/blocks]',
    },
    {
      what: 'a section of 3,001 characters',
      blocks: [{ type: 'divider' }, { type: 'section', text: textOf(3_001) }],
      complaint: '[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]',
    },
    {
      what: 'a header of 151 characters',
      blocks: [{ type: 'header', text: textOf(151, 'plain_text') }],
      complaint: '[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]',
    },
    {
      what: 'a header in mrkdwn',
      blocks: [{ type: 'header', text: textOf(10) }],
      complaint: '[ERROR] unsupported type [json-pointer:/blocks/0/text/type]',
    },
    {
      what: '11 fields',
      blocks: [{ type: 'section', fields: times(11, textOf(1)) }],
      complaint: '[ERROR] no more than 10 items allowed [json-pointer:/blocks/0/fields]',
    },
    {
      what: 'a field of 2,001 characters',
      blocks: [{ type: 'section', fields: [textOf(1), textOf(2_001)] }],
      complaint: '[ERROR] must be less than 2001 characters [json-pointer:/blocks/0/fields/1/text]',
    },
    {
      what: 'an empty section',
      blocks: [{ type: 'section', text: textOf(0) }],
      complaint: '[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]',
    },
    {
      what: 'a block of a type that does not exist',
      blocks: [{ type: 'banner' }],
      complaint: '[ERROR] unsupported type: banner [json-pointer:/blocks/0/type]',
    },
  ])('$what: invalid_blocks', async ({ blocks, complaint }) => {
    const inbox = await inboxWith();

    const error = await rejection(
      slackOf(inbox).apiCall('chat.postMessage', { channel: 'C0123456789', text: 'x', blocks }),
    );

    expect(error.data).toMatchObject({
      ok: false,
      error: 'invalid_blocks',
      response_metadata: { messages: [complaint] },
    });
    expect(inbox.messages()).toEqual([]);
  });

  test.each([
    {
      what: 'blocks that are too long together',
      args: { blocks: times(5, section('x'.repeat(2_700))) },
      error: 'msg_blocks_too_long',
    },
    { what: 'blocks that are no list', args: { blocks: '{"type":"section"}' }, error: 'invalid_blocks_format' },
    {
      what: 'metadata without an event type',
      args: { text: 'x', metadata: { a: 1 } },
      error: 'invalid_metadata_format',
    },
    { what: 'nothing to say', args: {}, error: 'no_text' },
  ])('$what: $error', async ({ args, error }) => {
    const inbox = await inboxWith();

    const rejected = await rejection(slackOf(inbox).apiCall('chat.postMessage', { channel: 'C0123456789', ...args }));

    expect(rejected.data.error).toBe(error);
  });

  test('429 carries Retry-After, and the next call goes through', async () => {
    const faults = [{ kind: 'http' as const, status: 429, retryAfterSeconds: 30 }];
    const inbox = await inboxWith({ slackFault: () => faults.shift() });
    const slack = slackOf(inbox);

    const error = await rejection(post(slack, { channel: 'C0123456789', text: 'hello' }));
    await post(slack, { channel: 'C0123456789', text: 'hello' });

    expect([error.code, error.retryAfter]).toEqual(['slack_webapi_rate_limited_error', 30]);
    expect(inbox.messages()).toHaveLength(1);
  });

  test('an outage is an HTTP error, and a told error is Slack’s own', async () => {
    const faults = [
      { kind: 'http' as const, status: 500 },
      { kind: 'error' as const, error: 'token_revoked' },
    ];
    const inbox = await inboxWith({ slackFault: () => faults.shift() });
    const slack = slackOf(inbox);

    const outage = await rejection(slack.auth.test());
    const revoked = await rejection(slack.auth.test());

    expect([outage.code, outage.statusCode]).toEqual(['slack_webapi_http_error', 500]);
    expect(revoked.data.error).toBe('token_revoked');
  });

  test('a dropped answer leaves a message that the sender does not know of', async () => {
    const inbox = await inboxWith({
      slackFault: (method) => (method === 'chat.postMessage' ? { kind: 'acceptThenDrop' } : undefined),
    });
    const slack = slackOf(inbox);

    const error = await rejection(post(slack, { channel: 'C0123456789', text: 'hello' }));

    expect(error.code).toBe('slack_webapi_request_error');
    const { messages } = await slack.conversations.history({ channel: 'C0123456789' });
    expect(messages!.map((message) => message.text)).toEqual(['hello']);
  });
});

describe('e-mail', () => {
  const mail = {
    from: 'ces-evals <evals@acme.example>',
    to: 'qa@acme.example',
    bcc: 'archive@acme.example',
    subject: 'nightly: reprovação 🔴',
    text: 'Reembolso falhou.',
    html: '<p>Reembolso falhou.</p>',
    messageId: '<nightly-20261130T020000Z.qa@ces-evals.invalid>',
    headers: { 'Auto-Submitted': 'auto-generated' },
  };

  test('a mail is kept with its envelope and decoded', async () => {
    const inbox = await inboxWith();
    const heard: InboxMessage[] = [];
    inbox.onMessage((message) => heard.push(message));
    const transport = createTransport(inbox.smtpUrl);

    const sent = await transport.sendMail(mail);

    expect(sent.accepted).toEqual(['qa@acme.example', 'archive@acme.example']);
    expect(inbox.messages()).toEqual([
      {
        kind: 'email',
        receivedAt: NIGHT,
        from: 'evals@acme.example',
        to: ['qa@acme.example', 'archive@acme.example'],
        subject: 'nightly: reprovação 🔴',
        text: 'Reembolso falhou.\n',
        html: '<p>Reembolso falhou.</p>\n',
        messageId: '<nightly-20261130T020000Z.qa@ces-evals.invalid>',
        headers: expect.objectContaining({ 'auto-submitted': 'auto-generated', to: 'qa@acme.example' }),
      },
    ]);
    expect(heard).toEqual(inbox.messages());
  });

  test('a user may log in, whoever it is', async () => {
    const inbox = await inboxWith();
    const transport = createTransport(inbox.smtpUrl.replace('smtp://', 'smtp://evals:not-a-secret@'));

    expect(await transport.verify()).toBe(true);
    await transport.sendMail(mail);

    expect(inbox.messages()).toHaveLength(1);
  });

  test.each([{ code: 451 }, { code: 550 }])('$code is answered, and nothing is kept', async ({ code }) => {
    const faults = [{ kind: 'reply' as const, code }];
    const asked: (readonly string[])[] = [];
    const inbox = await inboxWith({
      smtpFault: (recipients) => {
        asked.push(recipients);
        return faults.shift();
      },
    });
    const transport = createTransport(inbox.smtpUrl);

    const error = await rejection(transport.sendMail(mail));
    expect(inbox.messages()).toEqual([]);
    await transport.sendMail(mail);

    expect(error.responseCode).toBe(code);
    expect(asked).toEqual([
      ['qa@acme.example', 'archive@acme.example'],
      ['qa@acme.example', 'archive@acme.example'],
    ]);
    expect(inbox.messages()).toHaveLength(1);
  });

  test('a dropped answer leaves a mail that the sender does not know of', async () => {
    const inbox = await inboxWith({ smtpFault: () => ({ kind: 'acceptThenDrop' }) });

    const error = await rejection(createTransport(inbox.smtpUrl).sendMail(mail));

    expect(error.responseCode).toBeUndefined();
    expect(inbox.messages()).toHaveLength(1);
  });

  test('a client that stays connected does not keep the inbox from closing', async () => {
    const inbox = await inboxWith();
    const transport = createTransport({ url: inbox.smtpUrl, pool: true } as never);
    await transport.sendMail(mail);

    await expect(open.pop()!.close()).resolves.toBeUndefined();
    transport.close();
  });
});
