import type { Run, TimelineEntry } from '../../../shared/domain/run.ts';
import { lastSegment } from '../../../shared/domain/json.ts';
import type { InboxMessage } from '../inbox/message.ts';

/** Which function an entry of the timeline comes from, and the message that brought it there. */
const HOPS: Readonly<Record<string, string>> = {
  requested: 'tick ─▶ scheduler',
  starting: 'run-requested ─▶ starter',
  started: 'starter ─▶ CES run_evaluation',
  adopted: 'starter ─▶ CES list_evaluation_runs',
  queued: 'run-poll ─▶ poller',
  running: 'run-poll ─▶ poller',
  finished: 'run-poll ─▶ poller',
  judged: 'run-finished ─▶ sink',
};

/** `02:00:00  run-poll ─▶ poller                 running`. */
export function describeHop({ at, event, detail }: TimelineEntry, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(new Date(at));
  const what = detail.startsWith('projects/') ? `${event} ${lastSegment(detail)}` : `${event} ${detail}`;
  return `  ${time}  ${(HOPS[event] ?? event).padEnd(36)}${what.trimEnd()}`;
}

export function describeProgress({ progress, polls }: Run): string {
  if (progress === undefined) return '';
  const done = progress.completed + progress.error + progress.cancelled;
  return `${done} of ${progress.total} results after ${polls} ${polls === 1 ? 'poll' : 'polls'}`;
}

/** A message as its reader finds it, in a frame. */
export function describeMessage(message: InboxMessage): readonly string[] {
  return message.kind === 'slack'
    ? frame(`Slack, channel ${message.channel}`, slackText(message.blocks, message.text))
    : frame(`E-mail to ${message.to.join(', ')}`, `Subject: ${message.subject}\n\n${message.text}`);
}

/** The words of the blocks, without their formatting. */
function slackText(blocks: unknown, text: string): string {
  const texts: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    return value;
  });
  return (texts.length === 0 ? text : texts.join('\n')).replaceAll(/&(amp|lt|gt);/g, (_all, name: string) =>
    name === 'amp' ? '&' : name === 'lt' ? '<' : '>',
  );
}

const WIDTH = 100;

function frame(title: string, body: string): readonly string[] {
  const lines = body.trimEnd().split('\n').flatMap(wrap);
  return [
    `  ┌─ ${title} ${'─'.repeat(Math.max(0, WIDTH - title.length - 2))}`,
    ...lines.map((line) => `  │ ${line}`.trimEnd()),
    `  └${'─'.repeat(WIDTH + 1)}`,
  ];
}

/** Breaks a long line at blanks. */
function wrap(line: string): readonly string[] {
  if (line.length <= WIDTH) return [line];
  const cut = line.lastIndexOf(' ', WIDTH);
  const at = cut > 0 ? cut : WIDTH;
  return [line.slice(0, at), ...wrap(line.slice(at).trimStart())];
}
