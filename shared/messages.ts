import * as z from 'zod';

export const TOPICS = ['run-requested', 'run-poll', 'run-finished', 'alert-due'] as const;
export type Topic = (typeof TOPICS)[number];

/** What a message says is only which document to look at; unknown fields are ignored, another `v` is not understood. */
const message = z.object({ v: z.literal(1), id: z.string().min(1).max(1500) });
export type Message = z.infer<typeof message>;

export const messageFor = (id: string): Message => ({ v: 1, id });

export type Decoded =
  | { readonly ok: true; readonly message: Message }
  /** Nobody can make use of it, now or later. */
  | { readonly ok: false; readonly body: string; readonly reason: string };

/**
 * Reads the body of a Pub/Sub message from what a CloudEvent carries: `{message: {data: base64}}` from a push
 * subscription or an Eventarc trigger, `{data: base64}` from the older event form.
 */
export function decode(event: unknown): Decoded {
  const body = bodyOf(event);
  if (body === undefined)
    return { ok: false, body: JSON.stringify(event) ?? '', reason: 'no Pub/Sub message in the event' };
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { ok: false, body, reason: 'the message is not JSON' };
  }
  const parsed = message.safeParse(json);
  return parsed.success
    ? { ok: true, message: parsed.data }
    : {
        ok: false,
        body,
        reason: `the message is not understood: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
      };
}

const push = z.object({ message: z.object({ data: z.string() }) });
const legacy = z.object({ data: z.string() });

function bodyOf(event: unknown): string | undefined {
  const data = push.safeParse(event).data?.message.data ?? legacy.safeParse(event).data?.data;
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');
}
