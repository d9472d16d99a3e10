import { lookup as resolve, type LookupAddress } from 'node:dns';
import { request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

import { isRecord, textOf } from '../../domain/json.ts';
import type { Target } from './address.ts';

/** Every address of a host. `dns.lookup`, in the shape that a test can stand in for. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  /** The name leads to an address that must not be connected to. */
  | { readonly kind: 'forbidden'; readonly address: string }
  /** No connection was made, so nothing was sent. */
  | { readonly kind: 'not_sent'; readonly code: string }
  /** The request may have arrived. */
  | { readonly kind: 'no_answer'; readonly code: string };

export const systemLookup: Lookup = (host) =>
  new Promise((done, fail) => {
    resolve(host, { all: true }, (error, addresses) => (error === null ? done(addresses) : fail(error)));
  });

/**
 * One POST. The connection goes to the addresses that were checked: node:net connects to what `lookup` gives it, so a
 * name cannot lead elsewhere between the check and the connection. Redirects are answers like any other.
 */
export function post(
  { url, mayConnect }: Target & { kind: 'target' },
  headers: Readonly<Record<string, string>>,
  body: string,
  { lookup, timeoutMs }: { readonly lookup: Lookup; readonly timeoutMs: number },
): Promise<WebhookAnswer> {
  return new Promise((done) => {
    let connected = false;
    let forbidden: string | undefined;
    const fail = (error: unknown): void => {
      const code = codeOf(error);
      done(
        forbidden === undefined
          ? { kind: connected ? 'no_answer' : 'not_sent', code }
          : { kind: 'forbidden', address: forbidden },
      );
    };
    const checked: LookupFunction = (host, { all }, callback) => {
      const refuse = (code: string): void => callback(Object.assign(new Error('not to be connected'), { code }), '', 0);
      lookup(host).then(
        (addresses) => {
          const [first] = addresses;
          forbidden = addresses.find(({ address }) => !mayConnect(address))?.address;
          if (first === undefined) return refuse('ENOTFOUND');
          if (forbidden !== undefined) return refuse('EACCES');
          return all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
        },
        (error: unknown) => refuse(codeOf(error)),
      );
    };
    const secure = url.protocol === 'https:';
    const options: RequestOptions = {
      method: 'POST',
      // A connection of its own: one that is kept open can be closed under a request, which looks like a lost answer.
      agent: false,
      lookup: checked,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    };
    const request: ClientRequest = secure ? httpsRequest(url, options) : httpRequest(url, options);
    const timer = setTimeout(
      () => request.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    request.once('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => (connected = true)));
    request.once('response', (response) => {
      done({ kind: 'answered', status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      // The status says it all; a body without an end is not waited for.
      response.destroy();
    });
    request.on('error', fail);
    request.once('close', () => clearTimeout(timer));
    request.end(body);
  });
}

const codeOf = (error: unknown): string => (isRecord(error) ? textOf(error['code']) : undefined) ?? 'unknown error';
