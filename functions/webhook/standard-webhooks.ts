import { createHmac, randomBytes } from 'node:crypto';

import { headerOf, isSame, type SignedRequest, type Verified } from './verified.ts';

/** Either way; the specification's reference libraries allow the same. */
const TOLERANCE_SECONDS = 5 * 60;

/** Only digits: what is left of the next full stop cannot be anything but the timestamp that was signed. */
const TIMESTAMP = /^\d{1,11}$/;

/**
 * Verifies requests that are signed as the Standard Webhooks specification says: `webhook-signature` holds one or more
 * `v1,<base64>`, each an HMAC-SHA256 over `webhook-id.webhook-timestamp.body`. The reference library is not asked,
 * because it goes by the system's clock and reads bytes as text.
 * @param secrets `whsec_` and base64; one match with any of them is enough
 */
export function createStandardVerifier(secrets: readonly string[]): (request: SignedRequest, now: Date) => Verified {
  const keys = secrets.flatMap((secret) => keyOf(secret) ?? []);
  // Without a secret the work is still done, with a key that nobody has: the time it takes tells nothing.
  const triedKeys = keys.length === 0 ? [randomBytes(32)] : keys;
  return (request, now) => {
    const id = headerOf(request, 'webhook-id');
    const timestamp = headerOf(request, 'webhook-timestamp');
    const given = signaturesOf(headerOf(request, 'webhook-signature'));
    const matches = triedKeys
      .map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(request.rawBody).digest('base64'))
      .flatMap((expected) => given.map((signature) => isSame(signature, expected)))
      .filter((same) => same);

    if (keys.length === 0) return { ok: false, reason: 'no usable WEBHOOK_SECRET is configured' };
    if (id === '' || timestamp === '' || given.length === 0) return { ok: false, reason: 'headers are missing' };
    if (!isFresh(timestamp, now)) return { ok: false, reason: 'the timestamp is stale or malformed' };
    if (matches.length === 0) return { ok: false, reason: 'the signature does not match' };
    return { ok: true, id };
  };
}

/** Undefined for what is not base64 or holds nothing: with an empty key anybody could sign. */
function keyOf(secret: string): Buffer | undefined {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const key = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  return key === undefined || key.length === 0 ? undefined : key;
}

const signaturesOf = (header: string): readonly string[] =>
  header.split(' ').flatMap((versioned) => {
    const [version, signature] = versioned.split(',');
    return version === 'v1' && signature !== undefined ? [signature] : [];
  });

const isFresh = (timestamp: string, now: Date): boolean =>
  TIMESTAMP.test(timestamp) && Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) <= TOLERANCE_SECONDS;
