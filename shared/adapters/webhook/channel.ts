import type { Channel, Clock, Log } from '../../ports.ts';
import { targetOf } from './address.ts';
import { outcomeOf } from './outcome.ts';
import { post, systemLookup, type Lookup } from './post.ts';
import { signed } from './sign.ts';

export interface WebhookOptions {
  /** Where the secrets of the subscribers are, by the name that evals.yaml gives. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a subscriber may be a server on this machine, with or without TLS. For local use only. */
  readonly allowLoopback: boolean;
  /** Longest time that one delivery may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookup?: Lookup;
}

/** Posts the alert document, signed as the Standard Webhooks specification says. */
export function createWebhookChannel(options: WebhookOptions): Channel {
  const { env, allowLoopback, timeoutMs, clock, log, lookup = systemLookup } = options;
  return {
    async send(delivery, to) {
      const refuse = (problem: string) =>
        ({ kind: 'refused', problem: `posting to the webhook of ${to.name}: ${problem}` }) as const;
      if (to.address.kind !== 'webhook') return refuse('the subscriber has no webhook in evals.yaml');
      const { url, secretEnv } = to.address;
      const target = targetOf(url, allowLoopback);
      if (target.kind === 'forbidden') return refuse(`the URL is not allowed: ${target.why}; correct it in evals.yaml`);
      const secret = env[secretEnv]?.trim() ?? '';
      if (secret === '') return refuse(`there is no secret; set ${secretEnv}`);
      const now = clock.now();
      const body = JSON.stringify(delivery.alert);
      const headers = signed(delivery.id, now, body, secret);
      if (headers === undefined)
        return refuse(`${secretEnv} holds no secret of the form whsec_ and base64; correct it`);
      const answer = await post(target, headers, body, { lookup, timeoutMs });
      const outcome = outcomeOf(answer, target.url.host, now);
      log.debug({ delivery: delivery.id, host: target.url.host, answer }, 'posted to a webhook');
      return outcome;
    },

    // The id of the message stays the same, and by it the receiver knows a second copy.
    inDoubt: () => Promise.resolve({ kind: 'send_again' }),
  };
}
