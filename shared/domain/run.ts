import type { Observation, Progress, RunEnd } from './observation.ts';
import type { RunSpec } from './plan.ts';
import { cut, durationText } from './text.ts';
import { note, type TimelineEntry } from './timeline.ts';
import type { Verdict } from './verdict.ts';

export type { TimelineEntry } from './timeline.ts';

/**
 * A run's states, in the only order in which they can follow one another. The last four are ends:
 *
 *   requested → starting → queued → running → finished | timed_out | abandoned | start_failed
 */
const RANK = {
  requested: 0,
  starting: 1,
  queued: 2,
  running: 3,
  finished: 4,
  timed_out: 4,
  abandoned: 4,
  start_failed: 4,
} as const;

export type RunState = keyof typeof RANK;

export const hasEnded = (run: Pick<Run, 'state'>): boolean => RANK[run.state] === RANK.finished;

export interface Trigger {
  readonly kind: 'schedule' | 'webhook' | 'manual';
  /** The instant that a schedule asked for. */
  readonly slot?: string;
  /** Who or what asked, for people to read. */
  readonly by: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** All instants are ISO 8601 in UTC. */
export interface Run {
  readonly id: string;
  readonly plan: string;
  readonly trigger: Trigger;
  readonly spec: RunSpec;
  /** Random; together with the id it makes the display name by which a lost start is found again. */
  readonly nonce: string;
  readonly state: RunState;
  readonly createdAt: string;
  readonly deadlineAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly judgedAt?: string;
  /**
   * When the next step is due: a start, a poll, a judgement. Until then the run is to be left alone, so a worker holds
   * it by moving this instant past the longest time that its work can take: one field is wake-up time and lease.
   * Absent = nothing is left to do.
   */
  readonly nextAt?: string;
  readonly startAttempts: number;
  readonly polls: number;
  /** Steps that failed in a row; the backoff grows with it. */
  readonly failuresInARow: number;
  readonly operation?: string;
  readonly evaluationRun?: string;
  readonly appVersion?: string;
  readonly progress?: Progress;
  /** How CES ended the run, where it did. */
  readonly end?: RunEnd;
  /** Why it ended otherwise, or what went wrong at the last step; a step that succeeds takes it away. */
  readonly problem?: string;
  readonly verdict?: Verdict;
  readonly timeline: readonly TimelineEntry[];
}

export type RunEvent =
  /** A worker holds the run until `until` and takes the step that its state asks for. */
  | { readonly kind: 'held'; readonly step: 'start' | 'poll' | 'judge'; readonly until: Date }
  | {
      readonly kind: 'accepted';
      readonly operation?: string;
      readonly evaluationRun?: string;
      /** Found by its display name after an earlier attempt whose answer was lost. */
      readonly adopted: boolean;
      readonly nextAt: Date;
    }
  /**
   * CES will not run it. `operation` is the accepted operation that ended without a run; without it the start itself
   * was refused, and the answer to an old attempt does not end a run that a later attempt got started.
   */
  | { readonly kind: 'refused'; readonly problem: string; readonly operation?: string | undefined }
  /** CES showed the name of the evaluation run after the operation. */
  | { readonly kind: 'named'; readonly evaluationRun: string }
  | { readonly kind: 'observed'; readonly observation: Observation; readonly nextAt: Date }
  /** The step could not be taken, or not yet; it is tried again at `nextAt`. */
  | { readonly kind: 'delayed'; readonly problem: string; readonly nextAt: Date }
  | { readonly kind: 'deadline_passed' }
  | { readonly kind: 'abandoned'; readonly by: string }
  | { readonly kind: 'repoll'; readonly by: string }
  | { readonly kind: 'judged'; readonly verdict: Verdict };

export interface RunRequest {
  readonly id: string;
  readonly plan: string;
  readonly trigger: Trigger;
  readonly spec: RunSpec;
  readonly nonce: string;
}

export function requestRun(request: RunRequest, now: Date): Run {
  const at = now.toISOString();
  return {
    ...request,
    state: 'requested',
    createdAt: at,
    deadlineAt: new Date(now.getTime() + request.spec.deadlineMs).toISOString(),
    nextAt: at,
    startAttempts: 0,
    polls: 0,
    failuresInARow: 0,
    timeline: [{ at, event: 'requested', detail: `${request.trigger.kind}: ${request.trigger.by}` }],
  };
}

/**
 * The run after the event, or the very same object when the event has nothing to say to a run in this state: a poll
 * that comes after the end, a second verdict, an answer to a start that was settled meanwhile.
 */
export function advance(run: Run, event: RunEvent, now: Date): Run {
  if (event.kind === 'judged') return judged(run, event.verdict, now);
  if (hasEnded(run)) return awaitingJudgement(run, event, now);
  switch (event.kind) {
    case 'held':
      return held(run, event, now);
    case 'accepted':
      return accepted(run, event, now);
    case 'refused':
      return run.operation === event.operation && run.evaluationRun === undefined
        ? ended(run, 'start_failed', now, { problem: event.problem })
        : run;
    case 'named':
      return run.evaluationRun === undefined
        ? note({ ...run, evaluationRun: event.evaluationRun }, now, 'named', event.evaluationRun)
        : run;
    case 'observed':
      return observed(run, event, now);
    case 'delayed':
      return delayed(run, event, now);
    case 'deadline_passed':
      return now.getTime() >= Date.parse(run.deadlineAt)
        ? ended(run, 'timed_out', now, { problem: timeoutProblem(run) })
        : run;
    case 'abandoned':
      return ended(run, 'abandoned', now, { problem: `abandoned by ${event.by}` });
    case 'repoll':
      return RANK[run.state] < RANK.queued ? run : repolled(run, event.by, now);
  }
}

function held(run: Run, event: RunEvent & { kind: 'held' }, now: Date): Run {
  const nextAt = event.until.toISOString();
  switch (event.step) {
    case 'start':
      return RANK[run.state] > RANK.starting
        ? run
        : note(
            { ...run, state: 'starting', startAttempts: run.startAttempts + 1, nextAt },
            now,
            'starting',
            `attempt ${run.startAttempts + 1}`,
          );
    case 'poll':
      return RANK[run.state] < RANK.queued ? run : { ...run, polls: run.polls + 1, nextAt };
    case 'judge':
      return run;
  }
}

/** After its end a run can still be held, or told to wait, by the one who judges it; nothing else happens to it. */
function awaitingJudgement(run: Run, event: RunEvent, now: Date): Run {
  if (run.verdict !== undefined) return run;
  if (event.kind === 'repoll') return repolled(run, event.by, now);
  if (event.kind === 'held' && event.step === 'judge') return { ...run, nextAt: event.until.toISOString() };
  return event.kind === 'delayed' ? delayed(run, event, now) : run;
}

/** Not for a run that is being started: to wake a second starter would be to start it twice. */
const repolled = (run: Run, by: string, now: Date): Run =>
  note({ ...run, nextAt: now.toISOString(), failuresInARow: 0 }, now, 'repoll', by);

function accepted(run: Run, event: RunEvent & { kind: 'accepted' }, now: Date): Run {
  if (RANK[run.state] >= RANK.queued) return run;
  const { problem: _overcome, ...rest } = run;
  return note(
    {
      ...rest,
      state: 'queued',
      startedAt: now.toISOString(),
      nextAt: event.nextAt.toISOString(),
      failuresInARow: 0,
      ...(event.operation === undefined ? {} : { operation: event.operation }),
      ...(event.evaluationRun === undefined ? {} : { evaluationRun: event.evaluationRun }),
    },
    now,
    event.adopted ? 'adopted' : 'started',
    event.evaluationRun ?? event.operation ?? '',
  );
}

function observed(run: Run, event: RunEvent & { kind: 'observed' }, now: Date): Run {
  if (RANK[run.state] < RANK.queued) return run;
  const { observation } = event;
  const { problem: _overcome, ...rest } = run;
  const seen: Run = {
    ...rest,
    failuresInARow: 0,
    progress: observation.progress,
    ...(observation.appVersion === undefined ? {} : { appVersion: observation.appVersion }),
    ...(run.operation === undefined && observation.operation !== undefined ? { operation: observation.operation } : {}),
  };
  if (observation.end !== undefined) return ended(seen, 'finished', now, { end: observation.end });
  const state = observation.phase === 'running' || run.state === 'running' ? 'running' : 'queued';
  const next: Run = { ...seen, state, nextAt: event.nextAt.toISOString() };
  if (observation.phase === 'unknown' && !run.timeline.some((entry) => entry.event === 'unknown_state')) {
    return note(next, now, 'unknown_state', `${observation.state}: taken as not finished`);
  }
  return state === run.state ? next : note(next, now, state, '');
}

function delayed(run: Run, event: RunEvent & { kind: 'delayed' }, now: Date): Run {
  const problem = cut(event.problem);
  const next: Run = {
    ...run,
    nextAt: event.nextAt.toISOString(),
    failuresInARow: run.failuresInARow + 1,
    // Why a run ended without a result outlives whatever delays its judgement.
    ...(hasEnded(run) && run.state !== 'finished' ? {} : { problem }),
  };
  // The first failure of a row is worth a line; its repeats are not louder than the first.
  const last = run.timeline.findLast((entry) => entry.event === 'delayed');
  return run.failuresInARow > 0 && last?.detail === problem ? next : note(next, now, 'delayed', problem);
}

function ended(
  { problem: _overcome, ...run }: Run,
  state: RunState,
  now: Date,
  facts: { readonly end: RunEnd } | { readonly problem: string },
): Run {
  const at = now.toISOString();
  const why = 'end' in facts ? { end: facts.end } : { problem: cut(facts.problem) };
  const next: Run = { ...run, ...why, state, finishedAt: at, nextAt: at, failuresInARow: 0 };
  return note(next, now, state, next.problem ?? next.end ?? '');
}

function judged(run: Run, verdict: Verdict, now: Date): Run {
  if (!hasEnded(run) || run.verdict !== undefined) return run;
  const { nextAt: _nothingLeft, problem, ...rest } = run;
  const why = run.state === 'finished' || problem === undefined ? {} : { problem };
  return note({ ...rest, ...why, verdict, judgedAt: now.toISOString() }, now, 'judged', verdict.outcome);
}

function timeoutProblem(run: Run): string {
  const last = run.problem === undefined ? '' : `; last problem: ${run.problem}`;
  return `not finished within the plan's deadline of ${durationText(run.spec.deadlineMs)}, still ${run.state}${last}`;
}
