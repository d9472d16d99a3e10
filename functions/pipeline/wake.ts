import type { Run } from '../../shared/domain/run.ts';
import { messageFor, type Topic } from '../../shared/messages.ts';
import type { Deps } from '../../shared/ports.ts';

/** The function that takes the next step with a run in this state; undefined when all is done. */
export function topicOf(run: Run): Topic | undefined {
  if (run.nextAt === undefined) return undefined;
  switch (run.state) {
    case 'requested':
    case 'starting':
      return 'run-requested';
    case 'queued':
    case 'running':
      return 'run-poll';
    case 'finished':
    case 'timed_out':
    case 'abandoned':
    case 'start_failed':
      return 'run-finished';
  }
}

/**
 * Sends the run to whoever takes its next step, for the time when that is due. It comes after the write, never before:
 * a message lost in between is healed by the tick, one that overtakes the write finds nothing to do.
 */
export async function wake({ bus }: Pick<Deps, 'bus'>, run: Run): Promise<void> {
  const topic = topicOf(run);
  if (topic === undefined || run.nextAt === undefined) return;
  await bus.publish(topic, messageFor(run.id), new Date(run.nextAt));
}
