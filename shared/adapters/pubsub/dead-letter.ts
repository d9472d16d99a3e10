/** Pub/Sub takes 10 MB for a message with its attributes: https://cloud.google.com/pubsub/quotas#resource_limits */
const MAX_MESSAGE_BYTES = 10_000_000;
/** Of one attribute's value: the same page. */
const MAX_ATTRIBUTE_BYTES = 1_024;
/** Two attributes with their names, and what the encoding of the request adds. */
const RESERVED_BYTES = 4_096;

export interface Letter {
  readonly data: Buffer;
  readonly attributes: { readonly reason: string; readonly topic: string };
}

/** A message that cannot be used, with the reason, cut to what Pub/Sub takes. */
export const deadLetterOf = (topic: string, body: string, reason: string): Letter => ({
  data: cutToBytes(body, MAX_MESSAGE_BYTES - RESERVED_BYTES),
  attributes: {
    reason: cutToBytes(reason, MAX_ATTRIBUTE_BYTES).toString('utf8'),
    topic: cutToBytes(topic, MAX_ATTRIBUTE_BYTES).toString('utf8'),
  },
});

/** Tears no character: in UTF-8 the bytes after a character's first begin with the bits 10. */
function cutToBytes(text: string, limit: number): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return bytes.subarray(0, end);
}
