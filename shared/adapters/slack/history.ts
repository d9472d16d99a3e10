import type { WebClient } from '@slack/web-api';

import type { Delivery, Doubt } from '../../domain/delivery.ts';
import { isRecord, textOf } from '../../domain/json.ts';
import { problemOf, type SlackProblem } from './answer.ts';
import { remedyOf } from './outcome.ts';

/** Our mark on a message: by it a message is known again whose answer was lost. */
export const EVENT_TYPE = 'ces_evals_alert';

/** Slack's clock and ours may differ by this much. */
const CLOCK_DIFFERENCE_MS = 60_000;
/** 100 is the page size that Slack recommends; ten pages are more than a channel holds that people read. */
const PAGE_SIZE = 100;
const PAGES = 10;
const ASK_AGAIN_AFTER_MS = 60_000;

/**
 * Looks for the message of a delivery in the channel.
 * @param settlesInMs until then a message that is not there may still appear; 0 or less = it would have by now
 */
export async function lookUp(
  client: WebClient,
  delivery: Delivery,
  channel: string,
  settlesInMs: number,
): Promise<Doubt> {
  const oldest = (Date.parse(delivery.at ?? delivery.createdAt) - CLOCK_DIFFERENCE_MS) / 1000;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const history = await historyOf(client, channel, oldest.toFixed(6), cursor);
    if ('problem' in history) return notLookedUp(history.problem, delivery, channel);
    const found = history.messages.find((message) => isMarked(message, delivery));
    const ts = isRecord(found) ? textOf(found['ts']) : undefined;
    if (ts !== undefined) return { kind: 'sent', receipt: ts };
    if (history.cursor === undefined) return notThere(channel, settlesInMs);
    cursor = history.cursor;
  }
  return hold(delivery, channel, `there are more than ${PAGES * PAGE_SIZE} messages in the channel since then`);
}

type History =
  { readonly messages: readonly unknown[]; readonly cursor: string | undefined } | { readonly problem: SlackProblem };

async function historyOf(
  client: WebClient,
  channel: string,
  oldest: string,
  cursor: string | undefined,
): Promise<History> {
  try {
    const page: unknown = await client.conversations.history({
      channel,
      oldest,
      include_all_metadata: true,
      limit: PAGE_SIZE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    // An answer without messages has not been a look into the channel, so it must not read as "it is not there".
    if (!isRecord(page) || !Array.isArray(page['messages'])) return { problem: { kind: 'no_answer' } };
    const metadata = page['response_metadata'];
    return { messages: page['messages'], cursor: isRecord(metadata) ? textOf(metadata['next_cursor']) : undefined };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function isMarked(message: unknown, delivery: Delivery): boolean {
  const metadata = isRecord(message) ? message['metadata'] : undefined;
  if (!isRecord(metadata) || metadata['event_type'] !== EVENT_TYPE) return false;
  const payload = metadata['event_payload'];
  return isRecord(payload) && payload['delivery'] === delivery.id;
}

const notThere = (channel: string, settlesInMs: number): Doubt =>
  settlesInMs <= 0
    ? { kind: 'send_again' }
    : {
        kind: 'later',
        problem: `the message is not in Slack channel ${channel} yet; it is looked for again before it is sent again`,
        afterMs: settlesInMs,
      };

function notLookedUp(problem: SlackProblem, delivery: Delivery, channel: string): Doubt {
  const attempt = `looking into Slack channel ${channel} for the message`;
  switch (problem.kind) {
    case 'rate_limited':
      return { kind: 'later', problem: `${attempt}: Slack asks to wait`, afterMs: problem.retryAfterMs };
    case 'not_sent':
      return later(`${attempt}: Slack could not be reached (${problem.code})`);
    case 'no_answer':
      return later(`${attempt}: no answer that could be read came back`);
    case 'http':
      return problem.status >= 500 || problem.status === 408
        ? later(`${attempt}: HTTP ${problem.status}`)
        : hold(delivery, channel, `HTTP ${problem.status}`);
    case 'error':
      return remedyOf(problem.error) === undefined
        ? later(`${attempt}: Slack answered ${problem.error}`, problem.retryAfterMs)
        : hold(delivery, channel, `Slack answered ${problem.error}`);
  }
}

const later = (problem: string, afterMs = ASK_AGAIN_AFTER_MS): Doubt => ({ kind: 'later', problem, afterMs });

const hold = (delivery: Delivery, channel: string, why: string): Doubt => ({
  kind: 'hold',
  problem:
    `the message may be in Slack channel ${channel}, and it could not be looked for: ${why}. ` +
    'With the scope channels:history (groups:history for a private channel) the app could know. ' +
    `Look into the channel; if it is not there, "ces-evals deliveries redrive ${delivery.id}" sends it again`,
});
