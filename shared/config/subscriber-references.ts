import { isRecord, type Json } from '../domain/json.ts';
import { isLoopback } from './env-parsers.ts';
import { localeFlaws } from './places.ts';
import type { Flaw, Path } from './problems.ts';
import { repeated } from './raw.ts';

const CHANNELS = ['slack', 'email', 'webhook'] as const;

export function subscriberFlaws(subscriber: Json, path: Path): readonly Flaw[] {
  return [
    ...channelFlaws(subscriber, path),
    ...repeated(subscriber['on'], [...path, 'on']),
    ...localeFlaws(subscriber['locale'], [...path, 'locale']),
    ...webhookFlaws(subscriber['webhook'], [...path, 'webhook', 'url']),
  ];
}

function channelFlaws(subscriber: Json, path: Path): readonly Flaw[] {
  const used = CHANNELS.filter((channel) => subscriber[channel] !== undefined);
  if (used.length === 1) return [];
  const message = `must have one of ${CHANNELS.join(', ')}; it has ${used.join(' and ') || 'none'}`;
  return [{ path, message, atKey: true }];
}

/** The URL is not repeated: what is behind its host may be a secret. One with credentials in it is told as a secret. */
function webhookFlaws(webhook: unknown, path: Path): readonly Flaw[] {
  const url = isRecord(webhook) && typeof webhook['url'] === 'string' ? URL.parse(webhook['url']) : null;
  return url?.protocol === 'http:' && !isLoopback(url.href)
    ? [{ path, message: 'must be an https URL; http is for a loopback address only' }]
    : [];
}
