import {
  afterDoubt,
  afterSending,
  holdToResolve,
  holdToSend,
  stepOf,
  suppress,
  type Delivery,
} from '../../shared/domain/delivery.ts';
import type { Subscriber } from '../../shared/domain/plan.ts';
import type { Deps, Stored } from '../../shared/ports.ts';
import { wakeDeliveries } from '../pipeline/alerts.ts';

/** A channel may make up to three calls for one attempt (a message, its plain form, a look into the history). */
const CALLS_PER_ATTEMPT = 3;

/** Takes the next step with a delivery: an attempt to send it, or finding out what became of the last attempt. */
export function createNotify(deps: Deps): (id: string) => Promise<void> {
  return async (id) => {
    const stored = await deps.store.get('delivery', id);
    if (stored === undefined) return;
    const now = deps.clock.now();
    const step = stepOf(stored.doc, now);
    if (step === 'leave') return;
    const subscriber = subscriberOf(deps, stored.doc);
    if (subscriber === undefined) {
      await replace(deps, stored, suppress(stored.doc, `${stored.doc.subscriber} is no longer a subscriber`));
      return;
    }
    const until = new Date(now.getTime() + CALLS_PER_ATTEMPT * deps.settings.sendTimeoutMs + 5_000);
    const held = step === 'send' ? holdToSend(stored.doc, now, until) : holdToResolve(stored.doc, until);
    const taken = await replace(deps, stored, held);
    if (taken === undefined) return;
    const settled = await attempt(deps, taken.doc, subscriber);
    await record(deps, taken, settled);
  };
}

/** A subscriber that now has an address of another kind does not get what was made for the old one. */
function subscriberOf({ config }: Pick<Deps, 'config'>, delivery: Delivery): Subscriber | undefined {
  const subscriber = Object.hasOwn(config.subscribers, delivery.subscriber)
    ? config.subscribers[delivery.subscriber]
    : undefined;
  return subscriber?.address.kind === delivery.channel ? subscriber : undefined;
}

async function attempt(deps: Deps, delivery: Delivery, subscriber: Subscriber): Promise<Delivery> {
  const channel = deps.channels[delivery.channel];
  if (delivery.state === 'unknown') {
    return afterDoubt(delivery, await channel.inDoubt(delivery, subscriber), deps.clock.now());
  }
  return afterSending(delivery, await channel.send(delivery, subscriber), deps.clock.now());
}

async function record(deps: Deps, taken: Stored<'delivery'>, settled: Delivery): Promise<void> {
  const { id, run, subscriber, reason, state, attempts, error } = settled;
  const fields = { deliveryId: id, runId: run, subscriber, reason, state, attempts, ...(error && { error }) };
  const written = await replace(deps, taken, settled);
  if (written === undefined) {
    deps.log.warn(fields, 'delivery was taken over while it was being sent');
    return;
  }
  if (state === 'sent') deps.log.info(fields, 'alert sent');
  else deps.log.warn(fields, 'alert not sent');
  if (settled.nextAt !== undefined) await wakeDeliveries(deps, [settled]);
}

async function replace(
  { store }: Pick<Deps, 'store'>,
  { version }: Stored<'delivery'>,
  doc: Delivery,
): Promise<Stored<'delivery'> | undefined> {
  const done = await store.commit([{ op: 'replace', kind: 'delivery', id: doc.id, version, doc }]);
  return done ? { doc, version: version + 1 } : undefined;
}
