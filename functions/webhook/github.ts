import { createHmac, randomBytes } from 'node:crypto';

import { headerOf, isSame, type SignedRequest, type Verified } from './verified.ts';

/**
 * Verifies webhooks of GitHub: `X-Hub-Signature-256` is `sha256=` and the hexadecimal HMAC-SHA256 of the body. There is
 * no timestamp, so against replays there is only the delivery's id, which GitHub does not sign.
 * @param secret absent or empty = no such request is accepted
 */
export function createGithubVerifier(secret: string | undefined): (request: SignedRequest) => Verified {
  const isConfigured = secret !== undefined && secret !== '';
  // Without a secret the work is still done, with a key that nobody has: the time it takes tells nothing.
  const key = isConfigured ? secret : randomBytes(32);
  return (request) => {
    const id = headerOf(request, 'x-github-delivery');
    const given = headerOf(request, 'x-hub-signature-256');
    const expected = createHmac('sha256', key).update(request.rawBody).digest('hex');
    const matches = isSame(given, `sha256=${expected}`);

    if (!isConfigured) return { ok: false, reason: 'no GITHUB_WEBHOOK_SECRET is configured' };
    if (id === '' || given === '') return { ok: false, reason: 'headers are missing' };
    return matches ? { ok: true, id } : { ok: false, reason: 'the signature does not match' };
  };
}
