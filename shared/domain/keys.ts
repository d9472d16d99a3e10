import { createHash } from 'node:crypto';

import type { AlertReason } from './plan.ts';

/** `20261130T020000Z`. */
const compact = (at: Date): string =>
  at
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z')
    .replaceAll(/[-:]/g, '');

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** One slot, one run: the id is a function of both, and a run document is created once. */
export const runIdOfSlot = (plan: string, slot: Date): string => `${plan}-${compact(slot)}`;

/**
 * The run of a key that somebody chose: the same key gives the same run. The digest keeps two keys apart that look
 * alike once they are made fit for an id, and keeps a key that looks like a slot from taking the slot's place.
 */
export function runIdOfKey(plan: string, source: 'manual' | 'webhook', key: string): string {
  const readable = key
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return [plan, ...(readable === '' ? [] : [readable]), digest(plan, source, key).slice(0, 10)].join('-');
}

/** A run that somebody asked for without a key: a new one each time. */
export const runIdOfMoment = (plan: string, at: Date, nonce: string): string => `${plan}-${compact(at)}-${nonce}`;

/** By this name a run is found at CES again when the answer to its start was lost. */
export const displayNameOf = (run: { readonly id: string; readonly nonce: string }): string => `${run.id} ${run.nonce}`;

/** One alert to one subscriber about one run, for one reason. */
export const deliveryId = (run: string, subscriber: string, reason: AlertReason): string =>
  `${run}.${subscriber}.${reason}`;
