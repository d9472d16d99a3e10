import type { Alert } from './alert.ts';
import type { AlertReason, ChannelKind } from './plan.ts';

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
      return { ...rest, state: 'undeliverable', error: outcome.problem };
    case 'unknown':
      return { ...rest, state: 'unknown', error: outcome.problem, nextAt: now.toISOString() };
    case 'retry':
      return retryLater(rest, outcome, now);
  }
}

export function afterDoubt(delivery: Delivery, doubt: Doubt, now: Date): Delivery {
  const { nextAt: _released, ...rest } = delivery;
  switch (doubt.kind) {
    case 'sent':
      return { ...rest, state: 'sent', receipt: doubt.receipt };
    case 'send_again':
      return { ...rest, state: 'pending', nextAt: now.toISOString() };
    case 'hold':
      return { ...rest, state: 'unknown', error: doubt.problem };
  }
}

/** The subscriber is no longer in the configuration. */
export function suppress(delivery: Delivery, problem: string): Delivery {
  const { nextAt: _released, ...rest } = delivery;
  return { ...rest, state: 'suppressed', error: problem };
}

/** A person asks for another try, whatever became of the last one. Sent ones are not sent again. */
export const redrive = (delivery: Delivery, now: Date): Delivery =>
  delivery.state === 'sent' || delivery.state === 'sending'
    ? delivery
    : { ...delivery, state: 'pending', nextAt: now.toISOString(), createdAt: delivery.createdAt };

function retryLater(delivery: Delivery, { problem, afterMs }: SendOutcome & { kind: 'retry' }, now: Date): Delivery {
  const waitMs = Math.max(
    afterMs ?? 0,
    Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(delivery.attempts - 1, 20)),
  );
  const at = now.getTime() + waitMs;
  if (at > Date.parse(delivery.createdAt) + GIVE_UP_AFTER_MS) {
    return { ...delivery, state: 'undeliverable', error: `given up after ${delivery.attempts} attempts: ${problem}` };
  }
  return { ...delivery, state: 'pending', error: problem, nextAt: new Date(at).toISOString() };
}
