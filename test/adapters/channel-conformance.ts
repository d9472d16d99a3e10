import { afterEach, describe, expect, test } from '@jest/globals';

import type { Delivery, Doubt, SendOutcome } from '../../shared/domain/delivery.ts';
import type { Subscriber } from '../../shared/domain/plan.ts';
import type { Channel, Log } from '../../shared/ports.ts';

/** A channel with a provider that behaves in one way. */
export interface Scene {
  readonly channel: Channel;
  readonly delivery: Delivery;
  readonly subscriber: Subscriber;
  readonly close: () => Promise<void>;
}

export interface Situation {
  readonly when: string;
  readonly scene: (log: Log) => Promise<Scene>;
  readonly expected: SendOutcome;
}

/** What every channel has to tell apart. */
export type Situations = {
  readonly accepted: Situation & { readonly expected: { readonly kind: 'sent' } };
  readonly busy: Situation & { readonly expected: { readonly kind: 'retry' } };
  readonly refused: Situation & { readonly expected: { readonly kind: 'refused' } };
  readonly answerLost: Situation & { readonly expected: { readonly kind: 'unknown' } };
  readonly unreachable: Situation & { readonly expected: { readonly kind: 'retry' } };
  readonly notConfigured: Situation & { readonly expected: { readonly kind: 'refused' } };
};

/** Keeps what was logged, as it would be written. */
export function recordingLog(): { readonly log: Log; readonly lines: () => string } {
  const entries: string[] = [];
  const record = (fields: object, message: string): void => void entries.push(JSON.stringify({ ...fields, message }));
  return { log: { debug: record, info: record, warn: record, error: record }, lines: () => entries.join('\n') };
}

/** A loopback server has another port in each run; in what is expected it is called PORT. */
const withoutPort = (outcome: SendOutcome): unknown =>
  JSON.parse(JSON.stringify(outcome).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'));

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/**
 * The obligations of the port `Channel`.
 * @param secrets texts that no outcome and no log line may hold
 * @param doubt what the channel makes of an attempt whose answer was lost, in the scene `answerLost`
 */
export function channelConformance(
  name: string,
  situations: Situations,
  { secrets, doubt }: { readonly secrets: readonly string[]; readonly doubt: Doubt },
): void {
  describe(`${name}, as a channel`, () => {
    for (const { when, scene, expected } of Object.values(situations)) {
      test(`says "${expected.kind}" when ${when}`, async () => {
        const { log, lines } = recordingLog();
        const { channel, delivery, subscriber, close } = await scene(log);
        closers.push(close);

        const outcome = await channel.send(delivery, subscriber);

        expect(withoutPort(outcome)).toEqual(expected);
        for (const secret of secrets) expect(`${JSON.stringify(outcome)}\n${lines()}`).not.toContain(secret);
      });
    }

    test('has an answer to an attempt whose outcome is not known', async () => {
      const { log, lines } = recordingLog();
      const { channel, delivery, subscriber, close } = await situations.answerLost.scene(log);
      closers.push(close);

      const answer = await channel.inDoubt(delivery, subscriber);

      expect(answer).toEqual(doubt);
      for (const secret of secrets) expect(`${JSON.stringify(answer)}\n${lines()}`).not.toContain(secret);
    });

    test('refuses a subscriber of another kind', async () => {
      const { channel, delivery, subscriber, close } = await situations.accepted.scene(recordingLog().log);
      closers.push(close);
      const other: Subscriber =
        subscriber.address.kind === 'slack'
          ? { ...subscriber, address: { kind: 'email', to: 'qa@acme.example' } }
          : { ...subscriber, address: { kind: 'slack', channel: 'C0123456789' } };

      expect(await channel.send(delivery, other)).toMatchObject({ kind: 'refused' });
    });
  });
}
