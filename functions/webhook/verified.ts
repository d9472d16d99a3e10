import { timingSafeEqual } from 'node:crypto';

import type { HttpRequest } from '../edge/respond.ts';

/** What signatures are about. */
export type SignedRequest = Pick<HttpRequest, 'headers' | 'rawBody'>;

export type Verified =
  | { readonly ok: true; readonly id: string }
  /** The reason is for the log; the caller gets the same answer for each. */
  | { readonly ok: false; readonly reason: string };

/** A header that came once, else the empty string, which is signed for nothing. */
export function headerOf({ headers }: Pick<HttpRequest, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** The length of a signature is no secret, so only texts of one length are compared in constant time. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
