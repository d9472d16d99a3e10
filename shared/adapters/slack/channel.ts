import type { ChatPostMessageArguments, WebClient } from '@slack/web-api';

import type { Delivery, SendOutcome } from '../../domain/delivery.ts';
import type { Subscriber } from '../../domain/plan.ts';
import type { Channel, Clock, Log } from '../../ports.ts';
import { problemOf, type SlackProblem } from './answer.ts';
import { createSlackClient } from './client.ts';
import { EVENT_TYPE, lookUp } from './history.ts';
import { outcomeOf } from './outcome.ts';
import { renderSlack, type SlackMessage } from './render.ts';

export interface SlackOptions {
  /** A bot token; without one every delivery is refused with the remedy. */
  readonly token: string | undefined;
  readonly apiUrl: string;
  /** Longest time that one call may take. A delivery makes two at most. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Slack refuses the blocks themselves; the same words without them are worth more than no alert. */
const BLOCKS_REFUSED = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long']);

/** Time after an attempt in which a post that Slack is still working on may yet appear. */
const SETTLING_MS = 20_000;

/** Posts alerts with chat.postMessage, marked so that a message whose answer was lost is found again. */
export function createSlackChannel({ token, apiUrl, timeoutMs, clock, log }: SlackOptions): Channel {
  let client: WebClient | undefined;

  /** Made at the first delivery, so that a process that sends nothing does not pay for it. */
  function connected(to: Subscriber): { readonly client: WebClient; readonly channel: string } | { problem: string } {
    if (to.address.kind !== 'slack') return { problem: `subscriber ${to.name} has no Slack channel in evals.yaml` };
    if (token === undefined || token === '') {
      return { problem: `no token for Slack, which subscriber ${to.name} is reached through; set SLACK_BOT_TOKEN` };
    }
    client ??= createSlackClient({ token, apiUrl, timeoutMs });
    return { client, channel: to.address.channel };
  }

  return {
    async send(delivery, to) {
      const connection = connected(to);
      if ('problem' in connection) return { kind: 'refused', problem: connection.problem };
      const { channel } = connection;
      const message = renderSlack(delivery.alert, to);
      const first = await post(connection.client, channel, delivery, message);
      if (first.kind !== 'error' || !BLOCKS_REFUSED.has(first.error)) return conclude(first);
      log.warn({ delivery: delivery.id, error: first.error }, 'Slack refused the blocks; posting plain text instead');
      return conclude(await post(connection.client, channel, delivery, { text: message.plain }));

      function conclude(result: Posted | SlackProblem): SendOutcome {
        if (result.kind === 'sent') return result;
        log.debug({ delivery: delivery.id, ...result }, 'posting to Slack failed');
        return outcomeOf(result, channel);
      }
    },

    async inDoubt(delivery, to) {
      const connection = connected(to);
      if ('problem' in connection)
        return { kind: 'hold', problem: `not known whether it arrived: ${connection.problem}` };
      const attemptedAt = Date.parse(delivery.at ?? delivery.createdAt);
      const settlesInMs = attemptedAt + timeoutMs + SETTLING_MS - clock.now().getTime();
      return lookUp(connection.client, delivery, connection.channel, settlesInMs);
    },
  };
}

type Posted = SendOutcome & { readonly kind: 'sent' };

async function post(
  client: WebClient,
  channel: string,
  delivery: Delivery,
  message: Pick<SlackMessage, 'text'> & Partial<Pick<SlackMessage, 'blocks'>>,
): Promise<Posted | SlackProblem> {
  const request: ChatPostMessageArguments = {
    channel,
    text: message.text,
    ...(message.blocks === undefined ? {} : { blocks: [...message.blocks] }),
    // Names are not to be taken for links, people or formatting.
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: EVENT_TYPE, event_payload: { delivery: delivery.id } },
  };
  try {
    const { ts } = await client.chat.postMessage(request);
    // Only the time stamp proves that there is a message.
    return ts === undefined || ts === '' ? { kind: 'no_answer' } : { kind: 'sent', receipt: ts };
  } catch (error) {
    return problemOf(error);
  }
}
