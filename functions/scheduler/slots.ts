import { runIdOfSlot } from '../../shared/domain/keys.ts';
import type { Plan, Schedule } from '../../shared/domain/plan.ts';
import type { PlanState } from '../../shared/domain/plan-state.ts';
import { dueSlot } from '../../shared/domain/schedule.ts';
import type { Deps, Stored, Write } from '../../shared/ports.ts';
import { creationOf, newRun } from '../pipeline/request-run.ts';
import { wake } from '../pipeline/wake.ts';

type ScheduledPlan = Plan & { readonly schedule: Schedule };

const isScheduled = (plan: Plan): plan is ScheduledPlan => plan.schedule !== undefined;

/** Makes runs of the slots that are due: one for each plan at most, however late or often the tick comes. */
export async function requestDueSlots(deps: Deps): Promise<void> {
  const plans = Object.values(deps.config.plans).filter(isScheduled);
  const outcomes = await Promise.allSettled(plans.map((plan) => requestDueSlot(deps, plan)));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules could not be looked at`);
}

async function requestDueSlot(deps: Deps, plan: ScheduledPlan): Promise<void> {
  const memory = await deps.store.get('plan', plan.name);
  const now = deps.clock.now();
  const schedule = `${plan.schedule.cron} ${plan.schedule.timezone}`;
  const state: PlanState = memory?.doc ?? { plan: plan.name, createdAt: now.toISOString() };
  if (state.lastSlot === undefined || state.schedule !== schedule) {
    // A schedule counts from the moment when it is first seen: an edit does not call up slots of the past.
    await remember(deps, memory, { ...state, schedule, lastSlot: now.toISOString() });
    return;
  }
  const decision = dueSlot(plan.schedule, new Date(state.lastSlot), now);
  if (decision.kind === 'none') return;
  const slot = decision.slot.toISOString();
  if (decision.kind === 'missed') {
    await skip(deps, memory, { ...state, lastSlot: slot }, { slot, reason: 'found too late to make up for' });
    return;
  }
  const [open] = await deps.store.find('run', { plan: plan.name, open: true, limit: 1 });
  if (open !== undefined && open.doc.id !== runIdOfSlot(plan.name, decision.slot)) {
    if (plan.schedule.overlap === 'queue') return;
    await skip(deps, memory, { ...state, lastSlot: slot }, { slot, reason: `${open.doc.id} was still going on` });
    return;
  }
  await request(deps, plan, memory, { ...state, lastSlot: slot }, decision.slot);
}

/** Run and memory are one commit, so the slot is neither lost nor taken twice. */
async function request(
  deps: Deps,
  plan: ScheduledPlan,
  memory: Stored<'plan'> | undefined,
  state: PlanState,
  slot: Date,
): Promise<void> {
  const run = newRun(deps, {
    id: runIdOfSlot(plan.name, slot),
    plan,
    trigger: { kind: 'schedule', slot: slot.toISOString(), by: `${plan.schedule.cron} ${plan.schedule.timezone}` },
  });
  if (await deps.store.commit([creationOf(run), memoryOf(memory, state)])) {
    deps.log.info({ runId: run.id, plan: plan.name, slot: state.lastSlot }, 'run requested');
    await wake(deps, run);
    return;
  }
  // The run may be there without the memory of it, for example after a restore: then only the memory is written.
  if ((await deps.store.get('run', run.id)) !== undefined) await remember(deps, memory, state);
}

async function skip(
  deps: Deps,
  memory: Stored<'plan'> | undefined,
  state: PlanState,
  lastSkip: { readonly slot: string; readonly reason: string },
): Promise<void> {
  if (!(await remember(deps, memory, { ...state, lastSkip }))) return;
  deps.log.warn({ plan: state.plan, ...lastSkip }, 'slot skipped');
}

/** False when another tick was faster; then it has done what was to be done. */
const remember = (deps: Pick<Deps, 'store'>, memory: Stored<'plan'> | undefined, state: PlanState): Promise<boolean> =>
  deps.store.commit([memoryOf(memory, state)]);

const memoryOf = (memory: Stored<'plan'> | undefined, doc: PlanState): Write =>
  memory === undefined
    ? { op: 'create', kind: 'plan', id: doc.plan, doc }
    : { op: 'replace', kind: 'plan', id: doc.plan, version: memory.version, doc };
