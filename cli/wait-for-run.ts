import { setTimeout as sleep } from 'node:timers/promises';

import { hasEnded, type Run } from '../shared/domain/run.ts';
import { runDocument, type RunDocument } from '../shared/domain/run-document.ts';
import { UsageError } from '../shared/errors.ts';
import type { Store } from '../shared/ports.ts';
import { systemClock } from './context.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import { createProgress } from './progress.ts';
import type { Worker } from './worker.ts';

/** How often the store is looked at. A read takes a tenth of a millisecond, and a person sees nothing faster. */
const LOOK_EVERY_MS = 250;
/** After the verdict this process stays for its alerts that long, where it is the one that sends them. */
const ALERTS_WITHIN_MS = 30_000;

export interface Waited {
  readonly document: RunDocument;
  readonly code: ExitCode;
}

/** Waits for the verdict and shows the way there. Ends early when the time is up, or when it is asked to stop. */
export async function waitForVerdict(worker: Worker, id: string, timeoutMs = Infinity): Promise<Waited> {
  const progress = createProgress(process.stderr);
  try {
    const run = await waitUntil(worker, id, timeoutMs, (current) => {
      progress.show(current, systemClock.now());
      return current.verdict !== undefined;
    });
    if (run.verdict !== undefined && !worker.isJoined()) await alertsOf(worker, id);
    const code = run.verdict === undefined ? (worker.stopped() ?? EXIT.timedOut) : exitCodeOf(run.verdict.outcome);
    return { document: await documentOf(worker.deps.store, run), code };
  } finally {
    progress.end();
  }
}

/** The run as soon as it is as it should be; or as it is when the time is up, or this process is asked to stop. */
export async function waitUntil(
  worker: Worker,
  id: string,
  withinMs: number,
  isDone: (run: Run) => boolean,
): Promise<Run> {
  const endAt = systemClock.now().getTime() + withinMs;
  for (;;) {
    const run = await runOf(worker.deps.store, id);
    if (isDone(run) || worker.stopped() !== undefined || systemClock.now().getTime() >= endAt) return run;
    await worker.keepGoing();
    await sleep(LOOK_EVERY_MS);
  }
}

export async function runOf(store: Store, id: string): Promise<Run> {
  const stored = await store.get('run', id);
  if (stored === undefined) throw new UsageError(`there is no run ${id}; \`ces-evals runs list\` shows those that are`);
  return stored.doc;
}

/** What becomes of a run that nobody here waits for any more, and how to go on. */
export function howToGoOn(run: Pick<RunDocument, 'id' | 'state'>, worker: Worker): string {
  const here = `ces-evals runs watch ${run.id}`;
  if (worker.isJoined()) return `\`ces-evals serve\` goes on with it; watch it with: ${here}`;
  const elsewhere =
    isUnderWay(run) && !hasEnded(run) ? 'CES goes on with it, but nobody looks at it' : 'nobody works on it';
  return `${elsewhere}: start \`ces-evals serve\`, or go on here with: ${here}`;
}

/** Whether CES has taken the run. */
export const isUnderWay = ({ state }: Pick<Run, 'state'>): boolean => state !== 'requested' && state !== 'starting';

async function alertsOf(worker: Worker, run: string): Promise<void> {
  const endAt = systemClock.now().getTime() + ALERTS_WITHIN_MS;
  while (systemClock.now().getTime() < endAt && worker.stopped() === undefined) {
    const open = await worker.deps.store.find('delivery', { run, open: true, limit: 1 });
    if (open.length === 0) return;
    await sleep(LOOK_EVERY_MS);
  }
}

export async function documentOf(store: Store, run: Run): Promise<RunDocument> {
  const deliveries = await store.find('delivery', { run: run.id, limit: 1000 });
  return runDocument(run, deliveries.map(({ doc }) => doc).toReversed());
}
