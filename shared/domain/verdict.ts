import { diffScores, type Diff } from './diff.ts';
import type { Latency } from './latency.ts';
import type { Progress, RunEnd, RunError } from './observation.ts';
import type { Gate, LatencyKind } from './plan.ts';
import { scoreOf, sumOf, type Score, type Scores } from './result.ts';

export type VerdictOutcome = 'passed' | 'failed' | 'inconclusive';

/** Reasons that make a verdict inconclusive: the run says nothing about the agent, so it must look neither good nor bad. */
export type InconclusiveCode =
  | 'run_timed_out'
  | 'run_abandoned'
  | 'start_failed'
  | 'run_error'
  | 'run_cancelled'
  | 'results_unavailable'
  | 'counts_disagree'
  | 'no_results'
  | 'error_rate_above_maximum'
  | 'must_pass_not_measured'
  | 'evaluation_not_measured';

export type FailedCode =
  'pass_rate_below_minimum' | 'must_pass_failed' | 'too_many_newly_failing' | 'latency_above_maximum';

export interface Reason {
  readonly code: InconclusiveCode | FailedCode | 'gate_met';
  /** One sentence for people, with the numbers. */
  readonly message: string;
}

export interface Verdict {
  readonly outcome: VerdictOutcome;
  /** passed / (passed + failed + errored + cancelled), 0 to 1; null when nothing was measured. */
  readonly passRate: number | null;
  readonly reasons: readonly Reason[];
  /** Id of the run that this one was compared with. */
  readonly baseline?: string;
  readonly diff?: Diff;
}

export interface Baseline {
  readonly run: string;
  readonly scores: Scores;
}

/** What is known of a run when it is judged. */
export type Evidence =
  | {
      /** It has no results to judge: it never started, never ended, or they could not be had. */
      readonly kind: 'none';
      readonly code: 'run_timed_out' | 'run_abandoned' | 'start_failed' | 'results_unavailable';
      readonly message: string;
    }
  | {
      readonly kind: 'results';
      readonly end: RunEnd;
      readonly error?: RunError;
      readonly progress: Progress;
      readonly scores: Scores;
      readonly latencies: readonly Latency[];
      /** Ids of the evaluations that the run was asked for; empty when only CES knows what is in its dataset. */
      readonly asked: readonly string[];
    };

/** Judges a run by its plan's gate. Whatever was not measured is never a pass. */
export function judge(evidence: Evidence, gate: Gate, baseline: Baseline | undefined): Verdict {
  if (evidence.kind === 'none') {
    return { outcome: 'inconclusive', passRate: null, reasons: [{ code: evidence.code, message: evidence.message }] };
  }
  const sum = sumOf(evidence.scores);
  const measured = sum.passed + sum.failed + sum.errored + sum.cancelled;
  const passRate = measured === 0 ? null : sum.passed / measured;
  const diff = diffScores(evidence.scores, baseline?.scores ?? {});
  const doubts = [
    ...doubtsAboutRun(evidence, sum, gate),
    ...errorRate(sum, measured, gate),
    ...unmeasuredMusts(evidence.scores, gate),
    ...withoutResult(evidence, gate),
  ];
  const faults = [
    ...passRateFault(passRate, measured, gate),
    ...failedMusts(evidence.scores, gate),
    ...newlyFailing(diff, gate, baseline),
    ...latencyFaults(evidence.latencies, gate),
  ];
  const outcome = doubts.length > 0 ? 'inconclusive' : faults.length > 0 ? 'failed' : 'passed';
  const reasons = [...doubts, ...faults];
  return {
    outcome,
    passRate,
    reasons: reasons.length > 0 ? reasons : [{ code: 'gate_met', message: gateMet(passRate ?? 0, measured) }],
    ...(baseline === undefined ? {} : { baseline: baseline.run, diff }),
  };
}

function doubtsAboutRun(evidence: Evidence & { kind: 'results' }, sum: Score, gate: Gate): Reason[] {
  const { end, error, progress } = evidence;
  const because = error === undefined ? '' : `: ${[error.type, error.message].filter(Boolean).join(', ')}`;
  if (end === 'error') return [{ code: 'run_error', message: `CES ended the run with an error${because}` }];
  if (end === 'cancelled') return [{ code: 'run_cancelled', message: `the run was cancelled at CES${because}` }];
  if (error !== undefined) {
    return [{ code: 'run_error', message: `CES completed the run, but reported an error${because}` }];
  }
  if (saysNothing(sum, gate)) {
    const others = [
      ...(sum.errored + sum.cancelled > 0 ? [`${sum.errored + sum.cancelled} ended in an error`] : []),
      ...(sum.skipped > 0 ? [`${sum.skipped} ${sum.skipped === 1 ? 'was' : 'were'} skipped`] : []),
    ];
    return [{ code: 'no_results', message: ['the run has no result that passed or failed', ...others].join('; ') }];
  }
  const disagreement = disagreements(progress, sum);
  return disagreement.length === 0
    ? []
    : [
        {
          code: 'counts_disagree',
          message: `the results do not add up to what CES counted for the run: ${disagreement.join('; ')}`,
        },
      ];
}

/** No result passed or failed. If some errored, the error rate tells it better, unless the plan allows any rate. */
const saysNothing = ({ passed, failed, errored, cancelled }: Score, { maxErrorRate }: Gate): boolean =>
  passed + failed === 0 && (errored + cancelled === 0 || maxErrorRate >= 1);

/**
 * Results that contradict the run's own counts must not make a green. ProtoJSON leaves zeros out, so a run without
 * any count says nothing and contradicts nothing.
 */
function disagreements({ total, passed, failed, error, cancelled }: Progress, sum: Score): string[] {
  if (total + passed + failed + error + cancelled === 0) return [];
  const counts: readonly (readonly [string, number, number])[] = [
    ['passed', passed, sum.passed],
    ['failed', failed, sum.failed],
    ['errors', error, sum.errored],
    ['cancelled', cancelled, sum.cancelled],
    ['total', total, sum.passed + sum.failed + sum.errored + sum.cancelled + sum.skipped],
  ];
  return counts
    .filter(([, ces, ours]) => ces !== ours)
    .map(([name, ces, ours]) => `${name} ${ces} at CES and ${ours} in the results`);
}

function errorRate(sum: Score, measured: number, gate: Gate): Reason[] {
  const broken = sum.errored + sum.cancelled;
  if (measured === 0 || broken / measured <= gate.maxErrorRate) return [];
  const [rate, limit] = percentages(broken / measured, gate.maxErrorRate);
  const message = `${rate} of ${results(measured)} ended in an error; the plan allows ${limit}`;
  return [{ code: 'error_rate_above_maximum', message }];
}

function unmeasuredMusts(scores: Scores, gate: Gate): Reason[] {
  return gate.mustPass.flatMap((name) => {
    const score = scoreOf(scores, name);
    if (score !== undefined && (score.failed > 0 || (score.passed > 0 && score.errored + score.cancelled === 0)))
      return [];
    const why = score === undefined ? 'has no result in this run' : 'could not be measured in every repetition';
    return [{ code: 'must_pass_not_measured', message: `${name} must pass and ${why}` } as const];
  });
}

/** An evaluation that was asked for and left no trace must not disappear from the verdict. */
function withoutResult({ asked, scores, end }: Evidence & { kind: 'results' }, gate: Gate): Reason[] {
  const absent = asked.filter((name) => scoreOf(scores, name) === undefined && !gate.mustPass.includes(name));
  if (absent.length === 0 || end !== 'completed') return [];
  const message = `${absent.length} of ${asked.length} evaluations have no result in this run: ${absent.join(', ')}`;
  return [{ code: 'evaluation_not_measured', message }];
}

function passRateFault(passRate: number | null, measured: number, gate: Gate): Reason[] {
  // A plan may ask for no pass rate at all; a run in which nothing passed is not green even then.
  if (passRate === null || (passRate >= gate.minPassRate && passRate > 0)) return [];
  const [rate, minimum] = percentages(passRate, gate.minPassRate);
  const asked = gate.minPassRate > 0 ? minimum : 'at least one';
  const message = `${rate} of ${results(measured)} passed; the plan asks for ${asked}`;
  return [{ code: 'pass_rate_below_minimum', message }];
}

function failedMusts(scores: Scores, gate: Gate): Reason[] {
  return gate.mustPass.flatMap((name) => {
    const score = scoreOf(scores, name);
    if (score === undefined || score.failed === 0) return [];
    const message = `${name} must pass and failed ${score.failed} of ${score.passed + score.failed} times`;
    return [{ code: 'must_pass_failed', message } as const];
  });
}

function newlyFailing(diff: Diff, gate: Gate, baseline: Baseline | undefined): Reason[] {
  const { length } = diff.newlyFailing;
  if (gate.maxNewlyFailing === undefined || length <= gate.maxNewlyFailing) return [];
  const since = baseline === undefined ? 'there is no passing run to compare with' : `compared with ${baseline.run}`;
  const message = `${length} newly failing (${since}); the plan allows ${gate.maxNewlyFailing}`;
  return [{ code: 'too_many_newly_failing', message }];
}

function latencyFaults(latencies: readonly Latency[], gate: Gate): Reason[] {
  return latencies.flatMap(({ kind, component, p90Ms }) => {
    const limit = limitOf(gate, kind);
    if (limit === undefined || p90Ms <= limit) return [];
    const message = `p90 of ${kind} ${component} is ${seconds(p90Ms)}; the plan allows ${seconds(limit)}`;
    return [{ code: 'latency_above_maximum', message } as const];
  });
}

const limitOf = (gate: Gate, kind: LatencyKind): number | undefined => gate.maxP90Ms[kind];
const seconds = (ms: number): string => `${ms / 1000} s`;
const results = (count: number): string => (count === 1 ? '1 result' : `${count} results`);
const gateMet = (passRate: number, measured: number): string =>
  `${percentages(passRate, 1)[0]} of ${results(measured)} passed`;

/** Two rates as percentages, with as many decimals as it takes to tell them apart: 94.96 % is not "95.0 %". */
function percentages(a: number, b: number): [string, string] {
  for (let decimals = 1; ; decimals += 1) {
    const [left, right] = [`${(a * 100).toFixed(decimals)}%`, `${(b * 100).toFixed(decimals)}%`];
    if (left !== right || a === b || decimals === 12) return [left, right];
  }
}
