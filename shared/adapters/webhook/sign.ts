import { Webhook } from 'standardwebhooks';

/**
 * The headers of the Standard Webhooks specification. During a rotation a variable holds several secrets, separated by
 * spaces: one signature is made with each. Undefined when one of them is no secret.
 */
export function signed(
  id: string,
  now: Date,
  body: string,
  secrets: string,
): Readonly<Record<string, string>> | undefined {
  try {
    const signatures = secrets
      .split(/\s+/)
      .filter((secret) => secret !== '')
      .map((secret) => new Webhook(secret).sign(id, now, body));
    return {
      'content-type': 'application/json',
      'user-agent': 'ces-evals',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    };
  } catch {
    return undefined;
  }
}
