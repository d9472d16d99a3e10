import { createHash, timingSafeEqual } from 'node:crypto';

import type { CloudEvent, HttpFunction } from '@google-cloud/functions-framework';
import type { OAuth2Client } from 'google-auth-library';

import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/ports.ts';
import { problem, type Answer } from './respond.ts';

export interface PushTokenOptions {
  /** What the push subscription and the scheduler job name as the audience. */
  readonly audience: string;
  /** E-mail of the one service account that may push. */
  readonly serviceAccount: string;
  readonly log: Log;
  /** Checks signatures; one with Google's keys when it is absent. */
  readonly client?: OAuth2Client;
}

/** Answers what to refuse a request with, or undefined when it may pass. */
export type PushGuard = (authorization: unknown) => Promise<Answer | undefined>;

/** The same for each defect of a token, so that nobody learns from it how to make a better one. */
const UNAUTHORIZED = problem(
  401,
  'Unauthorized',
  'Send an ID token that Google signed for the audience of this function.',
  { 'www-authenticate': 'Bearer' },
);
const FORBIDDEN = problem(403, 'Forbidden', 'The token is valid, but its account is not the one that may push here.');

/** Pub/Sub and Cloud Scheduler try again after it. */
const UNAVAILABLE = problem(503, 'Not available', 'The token could not be checked; the log says why. Try again.');

/**
 * For a function that is not behind IAM: lets pass who brings an ID token that is signed by Google, not expired, for
 * our audience, *and* for our service account. Signature and audience alone would let every Google account in, because
 * everybody can get a token for any audience.
 */
export function createPushGuard({ audience, serviceAccount, log, client: given }: PushTokenOptions): PushGuard {
  let client: Promise<OAuth2Client> | undefined;

  return async (authorization) => {
    const token = bearerOf(authorization);
    if (token === undefined) return UNAUTHORIZED;
    client ??= given === undefined ? googleClient() : Promise.resolve(given);
    const verifier = await client;
    // Asked for first, and kept by the library until they expire: so what fails afterwards is the token's fault.
    if (!(await hasKeys(verifier, log))) return UNAVAILABLE;
    const claims = await claimsOf(verifier, token, audience);
    if (claims === undefined) return UNAUTHORIZED;
    const isOurs = claims.email_verified === true && isSame(claims.email ?? '', serviceAccount);
    return isOurs ? undefined : FORBIDDEN;
  };
}

/** The function behind the guard. */
export const guarded =
  (guard: PushGuard, next: HttpFunction): HttpFunction =>
  async (request, response) => {
    const refused = await guard(request.headers.authorization);
    if (refused === undefined) {
      await next(request, response);
      return;
    }
    response.writeHead(refused.status, refused.headers);
    response.end(JSON.stringify(refused.body));
  };

/**
 * A message function as an HTTP function, because the framework shows the headers to no other. The body of a push is
 * the same from a subscription and from Eventarc. Not to answer 2xx has the message delivered again.
 */
export const pushed =
  (handle: (event: CloudEvent<unknown>) => Promise<void>): HttpFunction =>
  async (request, response) => {
    await handle({
      specversion: '1.0',
      id: 'push',
      type: 'google.cloud.pubsub.topic.v1.messagePublished',
      source: '//pubsub.googleapis.com/',
      data: request.body,
    });
    response.writeHead(204).end();
  };

async function googleClient(): Promise<OAuth2Client> {
  const { OAuth2Client } = await import('google-auth-library');
  return new OAuth2Client();
}

const bearerOf = (authorization: unknown): string | undefined =>
  typeof authorization === 'string' ? /^Bearer (\S+)$/i.exec(authorization)?.[1] : undefined;

async function hasKeys(client: OAuth2Client, log: Log): Promise<boolean> {
  try {
    await client.getFederatedSignonCertsAsync();
    return true;
  } catch (error) {
    log.error({ problem: messageOf(error) }, "Google's keys for ID tokens could not be fetched, push requests refused");
    return false;
  }
}

interface Claims {
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
}

async function claimsOf(client: OAuth2Client, idToken: string, audience: string): Promise<Claims | undefined> {
  try {
    const ticket = await client.verifyIdToken({ idToken, audience });
    return ticket.getPayload();
  } catch {
    // The library says only in words what is wrong with a token, and whoever sent it is not to know.
    return undefined;
  }
}

const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
