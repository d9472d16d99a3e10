import type { Alert } from './alert.ts';
import type { AlertReason, ChannelKind } from './plan.ts';
import { cut } from './text.ts';

export type DeliveryState = 'pending' | 'sending' | 'sent' | 'unknown' | 'undeliverable' | 'suppressed';

/** One alert to one subscriber, and what became of it. All instants are ISO 8601 in UTC. */
export interface Delivery {
  readonly id: string;
  readonly run: string;
  readonly plan: string;
  readonly subscriber: string;
  readonly reason: AlertReason;
  readonly channel: ChannelKind;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: string;
  /** When a person last asked for another try: giving up is counted from then. */
  readonly redrivenAt?: string;
  /** As for a run: when the next step is due, and until then a lease. Absent = nothing is left to do. */
  readonly nextAt?: string;
  /** The last attempt. */
  readonly at?: string;
  readonly error?: string;
  /** The provider's own answer, for example Slack's `ts`. */
  readonly receipt?: string;
  readonly alert: Alert;
}

/** What came of one attempt. There is no silent success: `sent` needs the provider's answer. */
export type SendOutcome =
  | { readonly kind: 'sent'; readonly receipt: string }
  /** Certainly not delivered; worth another try, not before `afterMs` where the provider or the channel says so. */
  | { readonly kind: 'retry'; readonly problem: string; readonly afterMs?: number }
  /** Refused for good. The problem names the remedy. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** The request went out and no answer came back: it may have been delivered. */
  | { readonly kind: 'unknown'; readonly problem: string };

/** What a channel makes of an attempt whose outcome nobody knows. */
export type Doubt =
  | { readonly kind: 'sent'; readonly receipt: string }
  /** Either it certainly did not arrive, or the receiver tells duplicates apart. */
  | { readonly kind: 'send_again' }
  /** The channel could not find out yet, for example because its provider is down: it is asked again. */
  | { readonly kind: 'later'; readonly problem: string; readonly afterMs: number }
  /** A second message would be worse than none: a person decides (`deliveries redrive`). */
  | { readonly kind: 'hold'; readonly problem: string };

/** Time after which a channel that keeps failing is given up. Long enough for an outage over a night. */
export const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 15 * 60 * 1000;

export type DeliveryStep = 'leave' | 'send' | 'resolve';

/** What is to be done with a delivery now: nothing, an attempt, or an answer to what became of the last attempt. */
export function stepOf(delivery: Delivery, now: Date): DeliveryStep {
  if (delivery.nextAt === undefined || Date.parse(delivery.nextAt) > now.getTime()) return 'leave';
  // A lease that ran out means that the worker died between the provider's answer and its record.
  return delivery.state === 'pending' ? 'send' : 'resolve';
}

/** Marks the attempt before it is made: whoever finds the mark after `until` knows that the outcome is not known. */
export const holdToSend = (delivery: Delivery, now: Date, until: Date): Delivery => ({
  ...delivery,
  state: 'sending',
  attempts: delivery.attempts + 1,
  at: now.toISOString(),
  nextAt: until.toISOString(),
});

/** Holds a delivery in doubt while its channel finds out. */
export const holdToResolve = (delivery: Delivery, until: Date): Delivery => ({
  ...delivery,
  state: 'unknown',
  nextAt: until.toISOString(),
});

export function afterSending(delivery: Delivery, outcome: SendOutcome, now: Date): Delivery {
  const { nextAt: _released, error: _old, ...rest } = delivery;
  switch (outcome.kind) {
    case 'sent':
      return { ...rest, state: 'sent', receipt: outcome.receipt };
    case 'refused':
      return { ...rest, state: 'undeliverable', error: cut(outcome.problem) };
    case 'unknown':
      return { ...rest, state: 'unknown', error: cut(outcome.problem), nextAt: now.toISOString() };
    case 'retry':
      return untilGivenUp(rest, now, Math.max(outcome.afterMs ?? 0, backoffMs(rest)), {
        again: { state: 'pending', error: cut(outcome.problem) },
        givenUp: 'undeliverable',
      });
  }
}

export function afterDoubt(delivery: Delivery, doubt: Doubt, now: Date): Delivery {
  const { nextAt: _released, error, ...rest } = delivery;
  switch (doubt.kind) {
    case 'sent':
      return { ...rest, state: 'sent', receipt: doubt.receipt };
    case 'send_again':
      // A receiver that never answers is not asked in a tight loop, nor for ever. It may have got the alert, so in the
      // end it is not called undeliverable.
      return untilGivenUp(rest, now, backoffMs(rest), {
        again: { state: 'pending', error: error ?? 'the outcome of the last attempt is not known' },
        givenUp: 'unknown',
      });
    case 'later':
      return untilGivenUp(rest, now, doubt.afterMs, {
        again: { state: 'unknown', error: cut(doubt.problem) },
        givenUp: 'unknown',
      });
    case 'hold':
      return { ...rest, state: 'unknown', error: cut(doubt.problem) };
  }
}

/** The subscriber is no longer in the configuration. */
export function suppress(delivery: Delivery, problem: string): Delivery {
  const { nextAt: _released, ...rest } = delivery;
  return { ...rest, state: 'suppressed', error: problem };
}

/** A person asks for another try, whatever became of the last one. Sent ones are not sent again. */
export function redrive(delivery: Delivery, now: Date): Delivery {
  if (delivery.state === 'sent' || delivery.state === 'sending') return delivery;
  const at = now.toISOString();
  return { ...delivery, state: 'pending', nextAt: at, redrivenAt: at };
}

const backoffMs = ({ attempts }: Delivery): number =>
  Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(Math.max(attempts - 1, 0), 20));

/** The delivery as it waits for its next step, or without one when that would come too late. */
function untilGivenUp(
  delivery: Delivery,
  now: Date,
  waitMs: number,
  next: {
    readonly again: { readonly state: DeliveryState; readonly error: string };
    readonly givenUp: DeliveryState;
  },
): Delivery {
  const atMs = now.getTime() + waitMs;
  if (atMs > Date.parse(delivery.redrivenAt ?? delivery.createdAt) + GIVE_UP_AFTER_MS) {
    const error = `given up after ${attemptsText(delivery.attempts)}: ${next.again.error}`;
    return { ...delivery, state: next.givenUp, error };
  }
  return { ...delivery, ...next.again, nextAt: new Date(atMs).toISOString() };
}

const attemptsText = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);
