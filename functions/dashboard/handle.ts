import type { Deps } from '../../shared/ports.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';
import { pauseFor, type Pause } from './api.ts';
import { refusalOf } from './guard.ts';
import { answerTo, health } from './routes.ts';

/** No script, no frame, nothing from elsewhere: what a name in the history smuggles in finds nothing to work with. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * The pages and the API, read-only. Where an API token is set everything but `/healthz` asks for it; otherwise
 * requests must be addressed to a loopback host or to the public URL.
 * @param pause how `?wait=` lets time pass
 */
export function createDashboard(deps: Deps, pause: Pause = pauseFor): (request: HttpRequest) => Promise<Answer> {
  return async (request) => {
    const answer = await guarded(deps, pause, request);
    return { ...answer, headers: { ...HEADERS, ...answer.headers } };
  };
}

async function guarded(deps: Deps, pause: Pause, request: HttpRequest): Promise<Answer> {
  const isHealth = request.path === '/healthz';
  // Whoever asks for health knows neither the token nor the host's name, and learns one word.
  const refused = isHealth ? undefined : refusalOf(request, deps.settings);
  if (refused !== undefined) return refused;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return problem(405, 'Method not allowed', 'The dashboard is for reading: use GET or HEAD.', { allow: 'GET, HEAD' });
  }
  return isHealth ? health(deps) : answerTo(deps, pause, request);
}
