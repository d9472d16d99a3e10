import { deliveryId } from './keys.ts';
import type { Failing, PlanState } from './plan-state.ts';
import type { AlertReason, Subscriber } from './plan.ts';
import type { VerdictOutcome } from './verdict.ts';

export interface Decision {
  readonly subscriber: Subscriber;
  readonly reason: AlertReason;
}

/**
 * Who is told what about a verdict: at most one alert for each subscriber.
 * @param reached whether the subscriber got, or may still get, the news that the plan fails. Who never heard of the
 *   failure is not told of its end, and who has not heard of it yet is told `failed`, not `still_failing`.
 */
export function decideAlerts(
  outcome: VerdictOutcome,
  failing: Failing | undefined,
  subscribers: readonly Subscriber[],
  reached: (subscriber: string) => boolean,
): readonly Decision[] {
  return subscribers.flatMap((subscriber) => {
    const knows = failing !== undefined && reached(subscriber.name);
    const reason = candidates(outcome, knows).find((candidate) => subscriber.on.includes(candidate));
    return reason === undefined ? [] : [{ subscriber, reason }];
  });
}

/** The reasons that fit, the more telling first. */
function candidates(outcome: VerdictOutcome, knowsOfFailure: boolean): readonly AlertReason[] {
  switch (outcome) {
    case 'passed':
      return knowsOfFailure ? ['recovered', 'passed'] : ['passed'];
    case 'failed':
      return knowsOfFailure ? ['still_failing'] : ['failed'];
    case 'inconclusive':
      // It says nothing about the agent, so it neither starts nor ends a failure.
      return ['inconclusive'];
  }
}

/** The plan's memory after a verdict. */
export function afterVerdict(
  state: PlanState,
  verdict: { readonly run: string; readonly outcome: VerdictOutcome },
  decisions: readonly Decision[],
  now: Date,
): PlanState {
  const { failing, ...rest } = state;
  const next: PlanState = { ...rest, lastVerdict: { ...verdict, at: now.toISOString() } };
  switch (verdict.outcome) {
    case 'passed':
      return { ...next, lastPassed: verdict.run };
    case 'inconclusive':
      return failing === undefined ? next : { ...next, failing };
    case 'failed': {
      const told = decisions
        .filter(({ reason }) => reason === 'failed' || reason === 'still_failing')
        .map(({ subscriber, reason }) => [subscriber.name, deliveryId(verdict.run, subscriber.name, reason)] as const);
      return {
        ...next,
        failing: {
          since: failing?.since ?? verdict.run,
          runs: (failing?.runs ?? 0) + 1,
          told: { ...failing?.told, ...Object.fromEntries(told) },
        },
      };
    }
  }
}
