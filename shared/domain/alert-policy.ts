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
    const fails = failing !== undefined;
    const reason = candidates(outcome, fails, fails && reached(subscriber.name)).find((candidate) =>
      subscriber.on.includes(candidate),
    );
    return reason === undefined ? [] : [{ subscriber, reason }];
  });
}

/** Who is told that a run has started. */
export const decideStarted = (subscribers: readonly Subscriber[]): readonly Decision[] =>
  subscribers
    .filter(({ on }) => on.includes('started'))
    .map((subscriber) => ({ subscriber, reason: 'started' }) as const);

/** The reasons that fit, the more telling first. */
function candidates(outcome: VerdictOutcome, fails: boolean, knows: boolean): readonly AlertReason[] {
  switch (outcome) {
    case 'passed':
      return knows ? ['recovered', 'passed'] : ['passed'];
    case 'failed':
      // Who asked for `still_failing` alone is not to wait for a `failed` that never comes.
      return knows ? ['still_failing'] : fails ? ['failed', 'still_failing'] : ['failed'];
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
  const { run, outcome } = verdict;
  const next: PlanState = { ...rest, lastVerdict: { run, outcome, at: now.toISOString() } };
  switch (outcome) {
    case 'passed':
      return { ...next, lastPassed: run };
    case 'inconclusive':
      return failing === undefined ? next : { ...next, failing };
    case 'failed':
      return {
        ...next,
        failing: {
          since: failing?.since ?? run,
          runs: (failing?.runs ?? 0) + 1,
          // A reminder that does not arrive does not make the first news unheard.
          told: { ...told(run, decisions, 'still_failing'), ...failing?.told, ...told(run, decisions, 'failed') },
        },
      };
  }
}

const told = (run: string, decisions: readonly Decision[], about: AlertReason): Readonly<Record<string, string>> =>
  Object.fromEntries(
    decisions
      .filter(({ reason }) => reason === about)
      .map(({ subscriber, reason }) => [subscriber.name, deliveryId(run, subscriber.name, reason)]),
  );
