import { describe, expect, test } from '@jest/globals';

import { decode, messageFor, TOPICS } from '../../shared/messages.ts';

const RUN = 'nightly-20261130T020000Z';
/** {"v":1,"id":"nightly-20261130T020000Z"} */
const BODY = 'eyJ2IjoxLCJpZCI6Im5pZ2h0bHktMjAyNjExMzBUMDIwMDAwWiJ9';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pushOf = (body: string) => ({ message: { data: base64(body) } });

describe('a message', () => {
  test('says which document to look at, and the version of what it says', () => {
    expect(messageFor(RUN)).toEqual({ v: 1, id: RUN });
  });

  test('goes to one of four topics', () => {
    expect(TOPICS).toEqual(['run-requested', 'run-poll', 'run-finished', 'alert-due']);
  });

  test.each<[string, unknown]>([
    [
      'a push subscription',
      {
        message: {
          data: BODY,
          messageId: '13219783654',
          message_id: '13219783654',
          publishTime: '2026-11-30T02:00:00.412Z',
          attributes: { attempt: '1' },
        },
        subscription: 'projects/acme-cx/subscriptions/ces-evals-run-poll',
        deliveryAttempt: 2,
      },
    ],
    ['the data of a CloudEvent', { message: { data: BODY, messageId: '13219783654' } }],
    ['the older event form', { '@type': 'type.googleapis.com/google.pubsub.v1.PubsubMessage', data: BODY }],
    ['a publisher that says more than we know', pushOf(`{"v":1,"id":"${RUN}","priority":"high"}`)],
  ])('is read from %s', (_name, event) => {
    expect(decode(event)).toEqual({ ok: true, message: { v: 1, id: RUN } });
  });

  test.each<[string, unknown, string, string]>([
    ['nothing', undefined, '', 'no Pub/Sub message in the event'],
    ['another event', { run: RUN }, `{"run":"${RUN}"}`, 'no Pub/Sub message in the event'],
    [
      'a message without data',
      { message: { attributes: { a: 'b' } } },
      '{"message":{"attributes":{"a":"b"}}}',
      'no Pub/Sub message in the event',
    ],
    ['data that is not JSON', pushOf('run it'), 'run it', 'the message is not JSON'],
    ['data that is empty', { message: { data: '' } }, '', 'the message is not JSON'],
    ['JSON that is not in base64', { message: { data: '!{}!' } }, '', 'the message is not JSON'],
    [
      'a version that is not ours',
      pushOf(`{"v":2,"id":"${RUN}"}`),
      `{"v":2,"id":"${RUN}"}`,
      'the message is not understood: ✖ Invalid input: expected 1   → at v',
    ],
    [
      'no version',
      pushOf(`{"id":"${RUN}"}`),
      `{"id":"${RUN}"}`,
      'the message is not understood: ✖ Invalid input: expected 1   → at v',
    ],
    [
      'no id',
      pushOf('{"v":1}'),
      '{"v":1}',
      'the message is not understood: ✖ Invalid input: expected string, received undefined   → at id',
    ],
    [
      'an empty id',
      pushOf('{"v":1,"id":""}'),
      '{"v":1,"id":""}',
      'the message is not understood: ✖ Too small: expected string to have >=1 characters   → at id',
    ],
    [
      'an id of 1,501 characters',
      pushOf(`{"v":1,"id":"${'x'.repeat(1_501)}"}`),
      `{"v":1,"id":"${'x'.repeat(1_501)}"}`,
      'the message is not understood: ✖ Too big: expected string to have <=1500 characters   → at id',
    ],
    ['a list', pushOf('[1]'), '[1]', 'the message is not understood: ✖ Invalid input: expected object, received array'],
  ])('that is %s is refused with the reason, and its body is kept', (_name, event, body, reason) => {
    expect(decode(event)).toEqual({ ok: false, body, reason });
  });
});
