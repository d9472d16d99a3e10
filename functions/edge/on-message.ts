import type { CloudEvent } from '@google-cloud/functions-framework';

import { messageOf } from '../../shared/errors.ts';
import { decode, type Topic } from '../../shared/messages.ts';
import type { Deps } from '../../shared/ports.ts';
import { lazily } from './lazily.ts';

/**
 * The way from a Pub/Sub message to a use case. To return acknowledges the message, to throw has it delivered again:
 * so a message that nobody can use is set aside and acknowledged, and only what may go better next time is thrown.
 * What is thrown says nothing of the reason, because the framework may send it to whoever delivered the message.
 */
export function onMessage(
  deps: () => Promise<Deps>,
  topic: Topic,
  useCase: (deps: Deps) => (id: string) => Promise<void>,
): (event: CloudEvent<unknown>) => Promise<void> {
  const prepare = lazily(async () => {
    const ready = await deps();
    return { bus: ready.bus, log: ready.log, handle: useCase(ready) };
  });
  return async (event) => {
    const { bus, log, handle } = await prepare();
    // A push without data is no Pub/Sub message to the framework, and then the event is the body as it came.
    const decoded = decode(event.data ?? event);
    const about = decoded.ok ? { topic, id: decoded.message.id } : { topic };
    try {
      if (decoded.ok) {
        await handle(decoded.message.id);
      } else {
        log.error({ topic, reason: decoded.reason }, 'message set aside');
        await bus.setAside(topic, decoded.body, decoded.reason);
      }
    } catch (error) {
      log.error({ ...about, problem: messageOf(error), err: error }, 'message not handled, it comes again');
      throw new Error(`a message of ${topic} was not handled; the log says why`, { cause: error });
    }
  };
}
