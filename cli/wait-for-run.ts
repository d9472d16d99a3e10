import { setTimeout as sleep } from 'node:timers/promises';

import type { Run } from '../shared/domain/run.ts';
import { runDocument, type RunDocument } from '../shared/domain/run-document.ts';
import type { Store } from '../shared/ports.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import { createProgress } from './progress.ts';
import type { Worker } from './worker.ts';
import { systemClock } from './context.ts';
import { UsageError } from '../shared/errors.ts';

/** How often the store is looked at. A read takes a tenth of a millisecond, and a person sees nothing faster. */
const LOOK_EVERY_MS = 250;
/** After the verdict this process stays for its alerts that long, where it is the one that sends them. */
const ALERTS_WITHIN_MS = 30_000;

export interface Waited {
  readonly document: RunDocument;
  readonly code: ExitCode;
}

/** Waits for the verdict and shows the way there. */
export async function waitForVerdict(worker: Worker, id: string, timeoutMs: number | undefined): Promise<Waited> {
  const progress = createProgress(process.stderr);
  const endAt = timeoutMs === undefined ? Infinity : systemClock.now().getTime() + timeoutMs;
  try {
    const run = await waitUntil(worker, id, endAt, (current) => {
      progress.show(current, systemClock.now());
      return current.verdict !== undefined;
    });
    if (run.verdict === undefined) return { document: await documentOf(worker.deps.store, run), code: EXIT.timedOut };
    if (!worker.joined) await alertsOf(worker, id);
    return { document: await documentOf(worker.deps.store, run), code: exitCodeOf(run.verdict.outcome) };
  } finally {
    progress.end();
  }
}

/** The run as soon as it is as it should be, or as it is when the time is up. */
export async function waitUntil(
  worker: Worker,
  id: string,
  endAt: number,
  isDone: (run: Run) => boolean,
): Promise<Run> {
  for (;;) {
    const stored = await worker.deps.store.get('run', id);
    if (stored === undefined) throw new UsageError(`there is no run ${id}`);
    if (isDone(stored.doc) || systemClock.now().getTime() >= endAt) return stored.doc;
    await worker.keepGoing();
    await sleep(LOOK_EVERY_MS);
  }
}

async function alertsOf(worker: Worker, run: string): Promise<void> {
  const endAt = systemClock.now().getTime() + ALERTS_WITHIN_MS;
  while (systemClock.now().getTime() < endAt) {
    const open = await worker.deps.store.find('delivery', { run, open: true, limit: 1 });
    if (open.length === 0) return;
    await sleep(LOOK_EVERY_MS);
  }
}

export async function documentOf(store: Store, run: Run): Promise<RunDocument> {
  const deliveries = await store.find('delivery', { run: run.id, limit: 1000 });
  return runDocument(run, deliveries.map(({ doc }) => doc).toReversed());
}
