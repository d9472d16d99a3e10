import { createSign, generateKeyPairSync } from 'node:crypto';

import type { AddressInfo } from 'node:net';

import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { OAuth2Client } from 'google-auth-library';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { createPushGuard, guarded, pushed, type PushGuard } from '../../functions/edge/push-token.ts';
import { silentLog } from '../fixtures.ts';
import { serveHttp, type Loopback } from '../adapters/loopback.ts';

const AUDIENCE = 'https://poller-abc123-ew.a.run.app';
const PUSHER = 'ces-evals-push@acme-evals.iam.gserviceaccount.com';

const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const somebody = generateKeyPairSync('rsa', { modulusLength: 2048 });

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** What Pub/Sub sends for a subscription with an OIDC token. */
function tokenOf(change: Record<string, unknown> = {}, key = google.privateKey, kid = 'key-1'): string {
  const claims = {
    iss: 'https://accounts.google.com',
    aud: AUDIENCE,
    azp: '113774264463038321964',
    sub: '113774264463038321964',
    email: PUSHER,
    email_verified: true,
    iat: nowSeconds(),
    exp: nowSeconds() + 3_600,
    ...change,
  };
  const signed = `${base64url({ alg: 'RS256', kid, typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key).toString('base64url')}`;
}

const clientFor = (origin: string): OAuth2Client =>
  new OAuth2Client({ endpoints: { oauth2FederatedSignonPemCertsUrl: `${origin}/oauth2/v1/certs` } });

const guardFor = (client: OAuth2Client): PushGuard =>
  createPushGuard({ audience: AUDIENCE, serviceAccount: PUSHER, log: silentLog, client });

describe('a push request to a function that is not behind IAM', () => {
  let keys: Loopback;
  let guard: PushGuard;

  beforeAll(async () => {
    const pem = google.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    keys = await serveHttp(() => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'max-age=3600' },
      body: JSON.stringify({ 'key-1': pem }),
    }));
    guard = guardFor(clientFor(keys.origin));
  });
  afterAll(() => keys.close());

  test('passes with the token of the service account, and the keys are fetched once', async () => {
    expect(await guard(`Bearer ${tokenOf()}`)).toBeUndefined();
    expect(await guard(`bearer ${tokenOf()}`)).toBeUndefined();

    expect(keys.received).toHaveLength(1);
  });

  const unauthorized: readonly (readonly [string, () => unknown])[] = [
    ['no header', () => undefined],
    ['several headers', () => [`Bearer ${tokenOf()}`]],
    ['another scheme', () => `Basic ${tokenOf()}`],
    ['an empty token', () => 'Bearer '],
    ['no token at all', () => 'Bearer nightly'],
    ['a key that is not Google’s', () => `Bearer ${tokenOf({}, somebody.privateKey)}`],
    ['a key that Google does not know', () => `Bearer ${tokenOf({}, google.privateKey, 'key-2')}`],
    ['another audience', () => `Bearer ${tokenOf({ aud: 'https://sink-abc123-ew.a.run.app' })}`],
    ['another issuer', () => `Bearer ${tokenOf({ iss: 'https://accounts.example' })}`],
    ['an expired token', () => `Bearer ${tokenOf({ iat: nowSeconds() - 7_200, exp: nowSeconds() - 3_600 })}`],
    ['a token from the future', () => `Bearer ${tokenOf({ iat: nowSeconds() + 3_600, exp: nowSeconds() + 7_200 })}`],
    ['claims that were changed after signing', () => `Bearer ${swapClaims(tokenOf())}`],
    ['no signature', () => `Bearer ${base64url({ alg: 'none', kid: 'key-1' })}.${tokenOf().split('.')[1]}.`],
  ];

  test.each(unauthorized)('is refused as unauthorized: %s', async (_, header) => {
    expect(await guard(header())).toEqual({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/problem+json' },
      body: {
        title: 'Unauthorized',
        status: 401,
        detail: 'Send an ID token that Google signed for the audience of this function.',
      },
    });
  });

  test.each([
    ['of another service account', { email: 'attacker@evil-project.iam.gserviceaccount.com' }],
    ['with an e-mail that nobody verified', { email_verified: false }],
    ['with "true" as text', { email_verified: 'true' }],
    ['without an e-mail', { email: undefined }],
    ['with an e-mail that begins like ours', { email: `${PUSHER}.evil.example` }],
  ])('is refused as forbidden with a good token %s', async (_, change) => {
    expect(await guard(`Bearer ${tokenOf(change)}`)).toEqual({
      status: 403,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        title: 'Forbidden',
        status: 403,
        detail: 'The token is valid, but its account is not the one that may push here.',
      },
    });
  });

  test('reaches a message function through the framework only when it may pass', async () => {
    const handled: unknown[] = [];
    http(
      'guarded-poller',
      guarded(
        guard,
        pushed(async ({ data }) => {
          handled.push(data);
        }),
      ),
    );
    const server = getTestServer('guarded-poller');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const push = { message: { data: 'eyJ2IjoxLCJpZCI6Im5pZ2h0bHkifQ==', messageId: '1' }, subscription: 'poller' };
    const post = async (headers: Record<string, string>): Promise<number> => {
      const { port } = server.address() as AddressInfo;
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(push),
      });
      return answer.status;
    };

    const statuses = [await post({}), await post({ authorization: `Bearer ${tokenOf()}` })];
    await new Promise((resolve) => server.close(resolve));

    expect(statuses).toEqual([401, 204]);
    expect(handled).toEqual([push]);
  });

  test('is not judged while Google’s keys cannot be had', async () => {
    const down = await serveHttp(() => ({ status: 404, body: '' }));

    expect(await guardFor(clientFor(down.origin))(`Bearer ${tokenOf()}`)).toEqual({
      status: 503,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        title: 'Not available',
        status: 503,
        detail: 'The token could not be checked; the log says why. Try again.',
      },
    });

    await down.close();
  });
});

function swapClaims(token: string): string {
  const [header, , signature] = token.split('.');
  const claims = { iss: 'https://accounts.google.com', aud: AUDIENCE, email: PUSHER, email_verified: true };
  return [header, base64url({ ...claims, iat: nowSeconds(), exp: nowSeconds() + 60 }), signature].join('.');
}
