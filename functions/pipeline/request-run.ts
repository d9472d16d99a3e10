import type { Plan } from '../../shared/domain/plan.ts';
import { requestRun, type Run, type Trigger } from '../../shared/domain/run.ts';
import type { Deps, Write } from '../../shared/ports.ts';

export interface NewRun {
  readonly id: string;
  readonly plan: Plan;
  readonly trigger: Trigger;
  /** In place of the plan's own. */
  readonly appVersion?: string;
}

export const newRun = (deps: Pick<Deps, 'clock' | 'nonce'>, { id, plan, trigger, appVersion }: NewRun): Run =>
  requestRun(
    {
      id,
      plan: plan.name,
      trigger,
      spec: appVersion === undefined ? plan.spec : { ...plan.spec, appVersion },
      nonce: deps.nonce(),
    },
    deps.clock.now(),
  );

export const creationOf = (run: Run): Write => ({ op: 'create', kind: 'run', id: run.id, doc: run });

/** Stores a run, unless there is one with this id already: then that one is the answer. Nobody is woken yet. */
export async function ensureRun(
  deps: Pick<Deps, 'store' | 'clock' | 'nonce'>,
  request: NewRun,
): Promise<{ readonly run: Run; readonly created: boolean }> {
  const run = newRun(deps, request);
  if (await deps.store.commit([creationOf(run)])) return { run, created: true };
  const existing = await deps.store.get('run', run.id);
  return { run: existing?.doc ?? run, created: false };
}
