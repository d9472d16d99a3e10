import { isRecord, textOf, type Json } from '../../../shared/domain/json.ts';
import { areTooLong, complaintsAbout } from './blocks.ts';
import type { SlackMessage } from './message.ts';

/** Arguments of a Web API method as they came: JSON gives values, a form gives strings with JSON inside. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface SlackWorkspace {
  /** What the method answers, `ok` included. */
  call(method: string, args: Arguments): Json;
}

interface Deps {
  readonly now: () => Date;
  /** Ids of the channels there are; undefined = any. */
  readonly channels: readonly string[] | undefined;
  readonly onMessage: (message: SlackMessage) => void;
}

const TEAM = 'T0SIMULATED';
const BOT = { user: 'U0CESEVALS', bot_id: 'B0CESEVALS' };
/** docs.slack.dev/reference/methods/conversations.history */
const DEFAULT_HISTORY = 100;
const MAX_HISTORY = 999;
/** docs.slack.dev/reference/methods/chat.postMessage: longer texts are cut, not refused. */
const MAX_TEXT_CHARS = 40_000;

/** A Slack workspace with one bot in it, as far as posting and reading back go. */
export function createWorkspace({ now, channels, onMessage }: Deps): SlackWorkspace {
  const messages: SlackMessage[] = [];
  let lastMicros = 0;

  const post = (args: Arguments): Json => {
    const channel = textOf(args['channel']);
    if (channel === undefined || !knows(channels, channel)) return failure('channel_not_found');
    const content = contentOf(args);
    if ('error' in content) return content;
    const receivedAt = now();
    lastMicros = Math.max(receivedAt.getTime() * 1000, lastMicros + 1);
    const threadTs = textOf(args['thread_ts']);
    const message: SlackMessage = {
      kind: 'slack',
      receivedAt,
      channel,
      ts: `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`,
      ...content,
      ...(threadTs === undefined ? {} : { threadTs }),
    };
    messages.push(message);
    onMessage(message);
    return { ok: true, channel, ts: message.ts, message: view(message, true) };
  };

  const history = (args: Arguments): Json => {
    const channel = textOf(args['channel']);
    if (channel === undefined || !knows(channels, channel)) return failure('channel_not_found');
    const limit = Math.min(Number(args['limit'] ?? DEFAULT_HISTORY) || DEFAULT_HISTORY, MAX_HISTORY);
    const before = textOf(args['cursor']);
    const found = messages
      .filter((message) => message.channel === channel && isWithin(message.ts, args))
      .filter(({ ts }) => before === undefined || Number(ts) < Number(before))
      .toReversed();
    const shown = found.slice(0, limit);
    const hasMore = found.length > shown.length;
    return {
      ok: true,
      messages: shown.map((message) => view(message, isTrue(args['include_all_metadata']))),
      has_more: hasMore,
      pin_count: 0,
      ...(hasMore ? { response_metadata: { next_cursor: shown.at(-1)?.ts } } : {}),
    };
  };

  return {
    call(method, args) {
      switch (method) {
        case 'auth.test':
          return {
            ok: true,
            url: 'https://simulated.slack.example/',
            team: 'Simulated',
            user: 'ces-evals',
            team_id: TEAM,
            user_id: BOT.user,
            bot_id: BOT.bot_id,
            is_enterprise_install: false,
          };
        case 'chat.postMessage':
          return post(args);
        case 'conversations.history':
          return history(args);
        default:
          return { ...failure('unknown_method'), req_method: method };
      }
    },
  };
}

export const failure = (error: string): Json => ({ ok: false, error });

const knows = (channels: readonly string[] | undefined, channel: string): boolean =>
  channels === undefined || channels.includes(channel);

type Content = Pick<SlackMessage, 'text' | 'blocks' | 'metadata'>;

function contentOf(args: Arguments): Content | (Json & { readonly error: string }) {
  const text = textOf(args['text'])?.slice(0, MAX_TEXT_CHARS) ?? '';
  const given = fromJson(args['blocks'] ?? []);
  if (!Array.isArray(given) || !given.every(isRecord)) return { ok: false, error: 'invalid_blocks_format' };
  const complaints = complaintsAbout(given);
  if (complaints.length > 0) {
    return { ok: false, error: 'invalid_blocks', errors: complaints, response_metadata: { messages: complaints } };
  }
  if (areTooLong(given)) return { ok: false, error: 'msg_blocks_too_long' };
  if (text === '' && given.length === 0) return { ok: false, error: 'no_text' };
  if (args['metadata'] === undefined) return { text, blocks: given };
  const metadata = fromJson(args['metadata']);
  if (!isRecord(metadata) || textOf(metadata['event_type']) === undefined || !isRecord(metadata['event_payload'])) {
    return { ok: false, error: 'invalid_metadata_format' };
  }
  return { text, blocks: given, metadata };
}

const view = ({ text, ts, blocks, threadTs, metadata }: SlackMessage, withMetadata: boolean): Json => ({
  type: 'message',
  ...BOT,
  team: TEAM,
  text,
  ts,
  ...(blocks.length === 0 ? {} : { blocks }),
  ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
  ...(metadata === undefined || !withMetadata ? {} : { metadata }),
});

function isWithin(ts: string, args: Arguments): boolean {
  const [at, oldest, latest] = [Number(ts), Number(args['oldest'] ?? 0), Number(args['latest'] ?? Infinity)];
  return isTrue(args['inclusive']) ? at >= oldest && at <= latest : at > oldest && at < latest;
}

const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === '1';

function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
