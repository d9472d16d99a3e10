import { setTimeout } from 'node:timers/promises';

import { parseDuration } from '../../shared/config/durations.ts';
import { runDocument } from '../../shared/domain/run-document.ts';
import type { Deps } from '../../shared/ports.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';
import { readRow, withDeliveries, type RunRow } from './data.ts';

/** Waits that long, or until the signal aborts; never throws. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** The signal is all that can end a timer early. */
export const pauseFor: Pause = (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** Proxies and load balancers commonly cut a silent request after a minute. */
const LONGEST_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 500;

type ApiDeps = Pick<Deps, 'store' | 'clock'>;

/** `GET /api/runs/{id}`; with `?wait=50s` it answers when the run has its verdict or the time is up. */
export async function getRun(deps: ApiDeps, pause: Pause, request: HttpRequest, id: string): Promise<Answer> {
  const waitMs = parseDuration(request.query.get('wait') ?? '0s');
  if (waitMs === undefined || waitMs > LONGEST_WAIT_MS) {
    return problem(400, 'Malformed wait', 'Write wait as 500ms, 30s or 1m, at most 60s.');
  }
  const row = await waitForVerdict(deps, pause, request.signal, id, waitMs);
  return row === undefined
    ? problem(404, 'Not found', 'There is no such run. GET /api/runs lists the runs.')
    : { status: 200, body: documentOf(row) };
}

async function waitForVerdict(
  { store, clock }: ApiDeps,
  pause: Pause,
  signal: AbortSignal,
  id: string,
  waitMs: number,
): Promise<RunRow | undefined> {
  const endMs = clock.now().getTime() + waitMs;
  for (;;) {
    const stored = await store.get('run', id);
    const leftMs = endMs - clock.now().getTime();
    if (stored === undefined || stored.doc.verdict !== undefined || leftMs <= 0 || signal.aborted) {
      return readRow(store, id);
    }
    await pause(Math.min(LOOK_EVERY_MS, leftMs), signal);
  }
}

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 500;

/** `GET /api/runs?plan=&limit=`: the latest runs, newest first. */
export async function listRuns({ store }: ApiDeps, { query }: HttpRequest): Promise<Answer> {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LARGEST_LIMIT) {
    return problem(400, 'Malformed limit', `Write limit as a number from 1 to ${LARGEST_LIMIT}.`);
  }
  const plan = query.get('plan') ?? '';
  const found = await store.find('run', { limit, ...(plan === '' ? {} : { plan }) });
  const rows = await withDeliveries(
    store,
    found.map(({ doc }) => doc),
  );
  return { status: 200, body: { runs: rows.map(documentOf) } };
}

const documentOf = ({ run, deliveries }: RunRow) => runDocument(run, deliveries);
