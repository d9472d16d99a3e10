import type { Settings } from '../../shared/ports.ts';
import { isAuthorised } from '../edge/access.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';

/** Why a request is turned away: 401 where a token is asked for, 421 where none is and the Host header is not ours. */
export const refusalOf = (request: HttpRequest, settings: Settings): Answer | undefined =>
  settings.apiToken === undefined ? strangeHost(request, settings.publicUrl) : withoutToken(request, settings.apiToken);

export const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

function withoutToken({ path, headers }: HttpRequest, token: string): Answer | undefined {
  if (isAuthorised(headers['authorization'], token)) return undefined;
  return isApi(path)
    ? problem(401, 'Unauthorized', 'Send the API token as a bearer token.', {
        'www-authenticate': 'Bearer realm="ces-evals"',
      })
    : problem(401, 'Unauthorized', 'Give the API token as the password; any user name will do.', {
        'www-authenticate': 'Basic realm="ces-evals"',
      });
}

/**
 * Without a token only the loopback address protects the pages, and a web site can have a browser on this machine ask
 * for them under a name of its own that resolves to 127.0.0.1. Such a request carries that name.
 */
function strangeHost({ headers }: HttpRequest, publicUrl: string | undefined): Answer | undefined {
  const host = hostnameOf(headers['host']);
  if (host !== undefined && (isLoopback(host) || host === publicHost(publicUrl))) return undefined;
  return problem(
    421,
    'Misdirected request',
    'Without API_TOKEN the dashboard answers under localhost only. Open it there, or set API_TOKEN.',
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Name or address without the port. Anything but a host and a port, such as `user@host`, is none. */
function hostnameOf(host: unknown): string | undefined {
  if (typeof host !== 'string' || !/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?$/i.test(host)) return undefined;
  return URL.parse(`http://${host}`)?.hostname;
}

const publicHost = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : URL.parse(url)?.hostname;
