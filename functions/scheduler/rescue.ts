import { messageFor } from '../../shared/messages.ts';
import type { Deps, Due } from '../../shared/ports.ts';
import { topicOf } from '../pipeline/wake.ts';

/** What one tick republishes at most. The rest is longest overdue at the next one. */
const BATCH = 500;

/**
 * Republishes whatever should have been looked at a while ago: its message was lost, or its worker died.
 * @param only the one run to look after, with its deliveries
 */
export async function rescue(deps: Deps, only: string | undefined): Promise<void> {
  const now = deps.clock.now();
  const overdue = new Date(now.getTime() - deps.settings.rescueAfterMs);
  const due = only === undefined ? await deps.store.due(overdue, BATCH) : await dueOf(deps, only, overdue);
  await Promise.all(due.map((item) => republish(deps, item)));
}

async function republish({ bus, log }: Deps, due: Due): Promise<void> {
  const topic = due.kind === 'run' ? topicOf(due.doc) : 'alert-due';
  if (topic === undefined) return;
  log.debug({ topic, id: due.doc.id, due: due.doc.nextAt }, 'overdue, looked at again');
  await bus.publish(topic, messageFor(due.doc.id));
}

async function dueOf({ store }: Deps, run: string, overdue: Date): Promise<readonly Due[]> {
  const stored = await store.get('run', run);
  const deliveries = await store.find('delivery', { run, open: true, limit: BATCH });
  const all: readonly Due[] = [
    ...(stored === undefined ? [] : [{ kind: 'run', doc: stored.doc } as const]),
    ...deliveries.map(({ doc }) => ({ kind: 'delivery', doc }) as const),
  ];
  return all.filter(({ doc }) => doc.nextAt !== undefined && Date.parse(doc.nextAt) <= overdue.getTime());
}
