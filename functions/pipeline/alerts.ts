import { alertOf, type AlertFacts } from '../../shared/domain/alert.ts';
import type { Decision } from '../../shared/domain/alert-policy.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { deliveryId } from '../../shared/domain/keys.ts';
import type { Subscriber } from '../../shared/domain/plan.ts';
import type { Run } from '../../shared/domain/run.ts';
import { messageFor } from '../../shared/messages.ts';
import type { Deps, Write } from '../../shared/ports.ts';

/** The run's subscribers as the configuration has them now; one that was removed since is no longer told. */
export const subscribersOf = (run: Run, { config }: Pick<Deps, 'config'>): readonly Subscriber[] =>
  run.spec.alerts.flatMap((name) => (Object.hasOwn(config.subscribers, name) ? (config.subscribers[name] ?? []) : []));

export function deliveryOf(
  { clock, settings }: Pick<Deps, 'clock' | 'settings'>,
  { subscriber, reason }: Decision,
  facts: AlertFacts,
): Delivery {
  const id = deliveryId(facts.run.id, subscriber.name, reason);
  const createdAt = clock.now().toISOString();
  return {
    id,
    run: facts.run.id,
    plan: facts.run.plan,
    subscriber: subscriber.name,
    reason,
    channel: subscriber.address.kind,
    state: 'pending',
    attempts: 0,
    createdAt,
    nextAt: createdAt,
    alert: alertOf(facts, {
      id,
      reason,
      subscriber: subscriber.name,
      createdAt,
      ...(settings.publicUrl === undefined ? {} : { dashboard: `${settings.publicUrl}/runs/${facts.run.id}` }),
    }),
  };
}

/** A delivery is made once: the id says for whom, about what and why. */
export const creationOf = (delivery: Delivery): Write => ({
  op: 'create',
  kind: 'delivery',
  id: delivery.id,
  doc: delivery,
});

export async function wakeDeliveries({ bus }: Pick<Deps, 'bus'>, deliveries: readonly Delivery[]): Promise<void> {
  await Promise.all(
    deliveries.map((delivery) =>
      bus.publish(
        'alert-due',
        messageFor(delivery.id),
        delivery.nextAt === undefined ? undefined : new Date(delivery.nextAt),
      ),
    ),
  );
}
