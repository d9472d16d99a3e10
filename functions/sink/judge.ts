import { afterVerdict, decideAlerts } from '../../shared/domain/alert-policy.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Failing, PlanState } from '../../shared/domain/plan-state.ts';
import { advance } from '../../shared/domain/run.ts';
import { judge, type Baseline, type Verdict } from '../../shared/domain/verdict.ts';
import { TransientError } from '../../shared/errors.ts';
import type { Deps, Stored, Write } from '../../shared/ports.ts';
import { creationOf, deliveryOf, subscribersOf, wakeDeliveries } from '../pipeline/alerts.ts';
import { changeRun, takeRun } from '../pipeline/change-run.ts';
import { wake } from '../pipeline/wake.ts';
import { findEvidence, type Findings } from './evidence.ts';

/**
 * Judges a run that has ended. Verdict, scores, the plan's memory and one delivery for each subscriber that is to be
 * told are one commit: a run is judged once, and nobody is told of a verdict that was not stored.
 */
export function createJudge(deps: Deps): (id: string) => Promise<void> {
  return async (id) => {
    const run = await takeRun(deps, id, 'judge');
    if (run === undefined) return;
    const findings = await findEvidence(deps, run);
    if (findings.kind === 'not_yet') {
      deps.log.debug({ runId: id, problem: findings.problem }, 'results not complete yet');
      const next = await changeRun(deps, id, { kind: 'delayed', problem: findings.problem, nextAt: findings.nextAt });
      if (next !== undefined) await wake(deps, next);
      return;
    }
    await wakeDeliveries(deps, await record(deps, id, findings));
  };
}

/** The plan's memory is written by every run of the plan that ends, so the write is tried anew. */
const ATTEMPTS = 8;

async function record(deps: Deps, id: string, findings: Findings & { kind: 'ready' }): Promise<readonly Delivery[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const stored = await deps.store.get('run', id);
    if (stored === undefined || stored.doc.verdict !== undefined) return [];
    const memory = await deps.store.get('plan', stored.doc.plan);
    const judged = await conclude(deps, stored, memory, findings);
    if (!(await deps.store.commit(judged.writes))) continue;
    deps.log.info({ runId: id, outcome: judged.verdict.outcome, passRate: judged.verdict.passRate }, 'run judged');
    return judged.deliveries;
  }
  throw new TransientError(`run ${id} could not be judged: its plan is being written by too many at once`);
}

interface Conclusion {
  readonly verdict: Verdict;
  readonly deliveries: readonly Delivery[];
  readonly writes: readonly Write[];
}

async function conclude(
  deps: Deps,
  stored: Stored<'run'>,
  memory: Stored<'plan'> | undefined,
  { evidence, scores, results }: Findings & { kind: 'ready' },
): Promise<Conclusion> {
  const now = deps.clock.now();
  const { id, plan, spec } = stored.doc;
  const state: PlanState = memory?.doc ?? { plan, createdAt: now.toISOString() };
  const verdict = judge(evidence, spec.gate, await baselineOf(deps, state));
  const run = advance(stored.doc, { kind: 'judged', verdict }, now);
  const decisions = decideAlerts(
    verdict.outcome,
    state.failing,
    subscribersOf(run, deps),
    await whoKnows(deps, state.failing),
  );
  const next = afterVerdict(state, { run: id, outcome: verdict.outcome }, decisions, now);
  const failing = next.failing ?? state.failing;
  const deliveries = decisions.map((decision) =>
    deliveryOf(deps, decision, { run, scores, results, ...(failing === undefined ? {} : { failing }) }),
  );
  const writes: readonly Write[] = [
    { op: 'replace', kind: 'run', id, version: stored.version, doc: run },
    { op: 'put', kind: 'scores', id, doc: { run: id, createdAt: now.toISOString(), scores } },
    memory === undefined
      ? { op: 'create', kind: 'plan', id: plan, doc: next }
      : { op: 'replace', kind: 'plan', id: plan, version: memory.version, doc: next },
    ...deliveries.map(creationOf),
  ];
  return { verdict, deliveries, writes };
}

async function baselineOf({ store }: Pick<Deps, 'store'>, { lastPassed }: PlanState): Promise<Baseline | undefined> {
  const scores = lastPassed === undefined ? undefined : await store.get('scores', lastPassed);
  return scores === undefined ? undefined : { run: scores.doc.run, scores: scores.doc.scores };
}

/** Whether a subscriber got the news of the failure, or may still get it. */
async function whoKnows(
  { store }: Pick<Deps, 'store'>,
  failing: Failing | undefined,
): Promise<(subscriber: string) => boolean> {
  const told = Object.entries(failing?.told ?? {});
  const deliveries = await Promise.all(told.map(([, id]) => store.get('delivery', id)));
  const unreached = new Set(
    told.filter((_entry, index) => isLost(deliveries[index]?.doc)).map(([subscriber]) => subscriber),
  );
  const named = new Set(told.map(([subscriber]) => subscriber));
  return (subscriber) => named.has(subscriber) && !unreached.has(subscriber);
}

const isLost = (delivery: Delivery | undefined): boolean =>
  delivery === undefined || delivery.state === 'undeliverable' || delivery.state === 'suppressed';
