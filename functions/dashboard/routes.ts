import { messageOf } from '../../shared/errors.ts';
import type { Deps } from '../../shared/ports.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';
import { getRun, listRuns, type Pause } from './api.ts';
import { readDeliveryLog, readDetail, readOverview, type Filter } from './data.ts';
import { isApi } from './guard.ts';
import { notFoundPage, pageAnswer } from './layout.ts';
import { deliveriesPage } from './pages/deliveries.ts';
import { overviewPage } from './pages/overview.ts';
import { runPage } from './pages/run.ts';
import { viewOf } from './pieces.ts';

/** The way from a path to its answer. */
export async function answerTo(deps: Deps, pause: Pause, request: HttpRequest): Promise<Answer> {
  const { path, query } = request;
  if (path === '/') return overview(deps, filterOf(query));
  if (path === '/deliveries') return deliveries(deps);
  if (path === '/api/runs') return listRuns(deps, request);
  const ofApi = idIn(path, '/api/runs/');
  if (ofApi !== undefined) return getRun(deps, pause, request, ofApi);
  const ofPage = idIn(path, '/runs/');
  if (ofPage !== undefined) return run(deps, ofPage);
  return isApi(path)
    ? problem(404, 'Not found', 'There is no such resource. GET /api/runs lists the runs.')
    : notFoundPage(viewOf(deps));
}

/** 200 when the store answers. */
export async function health({ store, log }: Pick<Deps, 'store' | 'log'>): Promise<Answer> {
  try {
    await store.find('run', { limit: 1 });
  } catch (error) {
    log.error({ problem: messageOf(error), err: error }, 'store does not answer');
    return problem(503, 'Store unavailable', 'The store does not answer; the log says why.');
  }
  return { status: 200, body: { status: 'ok' } };
}

async function overview(deps: Deps, filter: Filter): Promise<Answer> {
  const view = viewOf(deps);
  return pageAnswer(overviewPage(await readOverview(deps, filter), filter, view), view);
}

async function run(deps: Deps, id: string): Promise<Answer> {
  const view = viewOf(deps);
  const detail = await readDetail(deps.store, id);
  return detail === undefined ? notFoundPage(view) : pageAnswer(runPage(detail, view), view);
}

async function deliveries(deps: Deps): Promise<Answer> {
  const view = viewOf(deps);
  return pageAnswer(deliveriesPage(await readDeliveryLog(deps.store), view), view);
}

function filterOf(query: URLSearchParams): Filter {
  const plan = query.get('plan') ?? '';
  const outcome = query.get('outcome') ?? '';
  return { ...(plan === '' ? {} : { plan }), ...(outcome === '' ? {} : { outcome }) };
}

/** The one path segment after a prefix. */
function idIn(path: string, prefix: string): string | undefined {
  const segment = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  if (segment === '' || segment.includes('/')) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray percent sign is no run's id.
    return undefined;
  }
}
