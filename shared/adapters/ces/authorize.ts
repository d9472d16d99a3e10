import { PermanentError } from '../../errors.ts';
import type { Log } from '../../ports.ts';
import type { Credentials } from './credentials.ts';
import type { Send, WireRequest } from './wire.ts';

/**
 * Sends the credentials and the project that pays for the quota. The project of the settings wins over the app's, and
 * both over one that came with the credentials: people are told to set CES_QUOTA_PROJECT.
 */
export const authorizing =
  (credentials: Credentials, quotaProject: string | undefined) =>
  (next: Send): Send =>
  async (request) => {
    const project = quotaProject ?? request.exchange.project;
    const given = await credentials.headers();
    const headers = withHeaders(request, {
      ...given,
      ...(project === undefined ? {} : { 'x-goog-user-project': project }),
    });
    const token = headers.get('authorization')?.split(' ').at(-1);
    if (token !== undefined && token !== '') request.exchange.secrets.push(token);
    return next({ ...request, headers });
  };

function withHeaders(request: WireRequest, more: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(request.headers);
  try {
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
  } catch {
    // The original error quotes the value, which may be a token, so it is not passed on.
    throw new PermanentError(
      'the credentials or the quota project do not fit into an HTTP header: check them for line breaks and characters beyond ASCII',
    );
  }
  return headers;
}

/** Tokens can be revoked before they expire, and caches outlive them: on a 401 one new token is tried. */
export const refreshing =
  (credentials: Credentials, log: Log) =>
  (next: Send): Send =>
  async (request) => {
    const response = await next(request);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    log.info({ status: 401 }, 'CES refused the token, trying once more with a fresh one');
    await credentials.refresh();
    return next(request);
  };
