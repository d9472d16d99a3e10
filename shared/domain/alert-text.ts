import { clip, formatsOf, oneLine, type Formats, type Reader } from './alert-format.ts';
import type { Alert, AlertedEvaluation } from './alert.ts';
import type { Diff } from './diff.ts';
import { lastSegment } from './json.ts';
import type { Progress } from './observation.ts';
import type { AlertReason } from './plan.ts';
import type { Trigger } from './run.ts';
import type { InconclusiveCode } from './verdict.ts';

/**
 * What an alert says, in the order in which it is read; every channel for people draws it in its own way. All texts are
 * single lines without control characters and of bounded length, and otherwise as untrusted as what they were made
 * from: whoever draws them escapes them.
 */
export interface AlertText {
  readonly tone: 'good' | 'bad' | 'unclear' | 'neutral';
  /** `nightly failed: 17 of 20 passed (85.0%)` */
  readonly headline: string;
  /** The headline and what matters most, in sentences: for notifications and previews. */
  readonly summary: string;
  /** What the alert means and what can be done. */
  readonly explanation: readonly string[];
  /** The reasons of the verdict. */
  readonly reasons: readonly string[];
  readonly evaluations: readonly EvaluationList[];
  readonly facts: readonly Fact[];
  /** An http or https URL. */
  readonly dashboard?: string;
}

export interface EvaluationList {
  readonly title: string;
  readonly items: readonly EvaluationItem[];
  /** How many were left out. */
  readonly more: number;
}

export interface EvaluationItem {
  readonly name: string;
  readonly detail?: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** Longest parts, in UTF-16 code units. Names and sentences come from people and from CES, which bound neither. */
const NAME_LENGTH = 120;
const SENTENCE_LENGTH = 400;
const VALUE_LENGTH = 250;
const REASONS = 8;

const WORDS: Readonly<Record<AlertReason, { readonly tone: AlertText['tone']; readonly says: string }>> = {
  started: { tone: 'neutral', says: 'started' },
  passed: { tone: 'good', says: 'passed' },
  failed: { tone: 'bad', says: 'failed' },
  still_failing: { tone: 'bad', says: 'is still failing' },
  recovered: { tone: 'good', says: 'recovered' },
  inconclusive: { tone: 'unclear', says: 'is inconclusive' },
  overdue: { tone: 'unclear', says: 'is overdue' },
};

const ADVICE: Readonly<Record<InconclusiveCode, string>> = {
  run_timed_out: 'Look at the evaluation run in CES; if it is only slow, raise the deadline of the plan.',
  run_abandoned: 'Somebody gave this run up; ask them why.',
  start_failed: 'Correct what the reason names.',
  run_error: 'Look at the evaluation run in CES for the cause of the error.',
  run_cancelled: 'Find out who cancelled the evaluation run in CES.',
  results_unavailable: 'See whether the evaluation run in CES still has its results.',
  counts_disagree: 'Compare the results with the evaluation run in CES.',
  no_results: 'See that the dataset has evaluations, and that they are not skipped.',
  error_rate_above_maximum: 'Look at the errors; an exhausted quota is the usual cause.',
  must_pass_not_measured: 'See that every evaluation that must pass is in the dataset and can be measured.',
  evaluation_not_measured: 'See whether CES still has the evaluations that the plan names.',
};

/** @param listed longest list of evaluations; the rest is counted */
export function alertText(alert: Alert, reader: Reader, listed: number): AlertText {
  const formats = formatsOf(reader);
  const { tone, says } = WORDS[alert.reason];
  const result = tone === 'good' || tone === 'bad' ? resultText(alert, formats) : undefined;
  const headline = `${name(alert.run.plan)} ${says}${result === undefined ? '' : `: ${result}`}`;
  const explanation = explanationOf(alert, formats);
  const reasons = reasonsOf(alert, formats);
  const evaluations = evaluationsOf(alert, listed, formats);
  const dashboard = webUrl(alert.links.dashboard);
  return {
    tone,
    headline,
    summary: [
      `${headline}.`,
      ...explanation.slice(0, 1),
      ...reasons.slice(0, 1).map((reason) => `${reason}.`),
      ...evaluations.slice(0, 1).map((list) => `${listText(list)}.`),
      `Run ${name(alert.run.id)}.`,
    ].join(' '),
    explanation,
    reasons,
    evaluations,
    facts: factsOf(alert, formats),
    ...(dashboard === undefined ? {} : { dashboard }),
  };
}

/** The whole alert as lines of plain text. */
export const plainLines = (text: AlertText): readonly string[] => [
  text.headline,
  '',
  ...paragraph(text.explanation),
  ...paragraph(text.reasons.map((reason) => `- ${reason}`)),
  ...paragraph(text.evaluations.map(listText)),
  ...text.facts.map(({ label, value }) => `${label}: ${value}`),
  ...(text.dashboard === undefined ? [] : ['', text.dashboard]),
];

const itemText = ({ name: evaluation, detail }: EvaluationItem): string =>
  detail === undefined ? evaluation : `${evaluation} (${detail})`;

export const moreText = (count: number): string => `+${count} more`;

const paragraph = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : [...lines, '']);

const listText = ({ title, items, more }: EvaluationList): string =>
  `${title}: ${[...items.map(itemText), ...(more === 0 ? [] : [moreText(more)])].join(', ')}`;

const name = (text: string): string => clip(oneLine(text), NAME_LENGTH);
const sentence = (text: string): string => clip(oneLine(text), SENTENCE_LENGTH);

/** `17 of 20 passed (85.0%)`. CES's counts are left out where they contradict the results that were judged. */
function resultText({ run }: Alert, { count, percent }: Formats): string | undefined {
  const rate = run.verdict?.passRate ?? undefined;
  if (rate === undefined) return undefined;
  const { passed = 0, failed = 0, error = 0, cancelled = 0 } = run.progress ?? {};
  const measured = passed + failed + error + cancelled;
  return measured > 0 && passed / measured === rate
    ? `${count(passed)} of ${count(measured)} passed (${percent(rate)})`
    : `${percent(rate)} passed`;
}

function explanationOf({ reason, run, failingSince }: Alert, { count }: Formats): readonly string[] {
  const again = `ces-evals run ${name(run.plan)}`;
  switch (reason) {
    case 'recovered':
    case 'still_failing': {
      if (failingSince === undefined) return [];
      const runs = failingSince.runs === 1 ? '1 failed run' : `${count(failingSince.runs)} failed runs`;
      const since = `since ${name(failingSince.run)}: ${runs}`;
      return [reason === 'recovered' ? `It had been failing ${since}.` : `It has been failing ${since}.`];
    }
    case 'inconclusive': {
      const codes = new Set<string>(run.verdict?.reasons.map(({ code }) => code));
      const advice = Object.entries(ADVICE).flatMap(([code, text]) => (codes.has(code) ? [text] : []));
      return [
        'This says nothing about the agent, neither good nor bad: the run could not be judged.',
        ...advice,
        `Then start another run: ${again}`,
      ];
    }
    case 'overdue':
      return [
        'A verdict was due and is not there. This says nothing about the agent.',
        `See what the run is waiting for: ces-evals runs show ${name(run.id)}`,
      ];
    case 'started':
    case 'passed':
    case 'failed':
      return [];
  }
}

function reasonsOf({ run }: Alert, { count }: Formats): readonly string[] {
  const all = run.verdict?.reasons.map(({ message }) => message) ?? (run.problem === null ? [] : [run.problem]);
  const more = all.length - REASONS;
  return [...all.slice(0, REASONS).map(sentence), ...(more > 0 ? [`+${count(more)} more`] : [])];
}

/** @param listed longest list; the rest of it is counted */
function evaluationsOf(alert: Alert, listed: number, formats: Formats): readonly EvaluationList[] {
  const details = new Map(
    [...alert.failing, ...alert.errored].map((entry) => [entry.evaluation, detailOf(entry, formats)] as const),
  );
  const list = (title: string, names: readonly string[], unnamed = 0): EvaluationList => ({
    title: `${title} (${formats.count(names.length + unnamed)})`,
    items: names.slice(0, listed).map((evaluation) => itemOf(evaluation, details.get(evaluation))),
    more: Math.max(0, names.length - listed) + unnamed,
  });
  const failing = alert.failing.map(({ evaluation }) => evaluation);
  const errored = alert.errored.map(({ evaluation }) => evaluation);
  const diff = alert.run.verdict?.diff;
  const lists =
    diff === undefined
      ? // Without a diff nothing says which of the two was cut.
        [list('Failing', failing), list('Errors', errored), list('More failing or with errors', [], alert.omitted)]
      : [
          list('Newly failing', worstFirst(diff.newlyFailing, failing)),
          list('Still failing', worstFirst(diff.stillFailing, failing)),
          list('Fixed', diff.fixed),
          list('Flaky', diff.flaky),
          list('Errors', errored, alert.omitted - unnamedFailing(alert, diff)),
        ];
  return lists.filter(({ items, more }) => items.length > 0 || more > 0);
}

/** The diff names all that fail, so of what the alert left out only the others are unnamed. */
const unnamedFailing = ({ failing, omitted }: Alert, { newlyFailing, stillFailing }: Diff): number =>
  Math.min(omitted, Math.max(0, newlyFailing.length + stillFailing.length - failing.length));

const worstFirst = (names: readonly string[], worst: readonly string[]): readonly string[] => {
  const wanted = new Set(names);
  const ranked = worst.filter((evaluation) => wanted.has(evaluation));
  return [...new Set([...ranked, ...names])];
};

const itemOf = (evaluation: string, detail: string | undefined): EvaluationItem =>
  detail === undefined ? { name: name(evaluation) } : { name: name(evaluation), detail };

/** `2 of 5 passed, QUOTA_EXHAUSTED`; a single repetition that failed needs no words. */
function detailOf({ passed, of, errorType }: AlertedEvaluation, { count }: Formats): string | undefined {
  const parts = [
    ...(of > 1 ? [`${count(passed)} of ${count(of)} passed`] : []),
    ...(errorType === undefined ? [] : [name(errorType)]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function factsOf({ run }: Alert, formats: Formats): readonly Fact[] {
  const started = run.startedAt ?? run.createdAt;
  const baseline = run.verdict?.baseline;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Results', progressText(run.progress, formats)],
    ['App', lastSegment(run.app)],
    ['Version', run.appVersion === null ? 'draft' : lastSegment(run.appVersion)],
    ['Triggered by', triggerText(run.trigger, formats)],
    [run.startedAt === null ? 'Requested' : 'Started', formats.time(started)],
    ['Finished', run.finishedAt === null ? undefined : formats.time(run.finishedAt)],
    ['Duration', run.finishedAt === null ? undefined : formats.duration(elapsedMs(started, run.finishedAt))],
    ['Compared with', baseline],
    ['Run', run.id],
    ['CES evaluation run', run.evaluationRun ?? undefined],
  ];
  return facts.flatMap(([label, value]) =>
    value === undefined ? [] : [{ label, value: clip(oneLine(value), VALUE_LENGTH) }],
  );
}

const elapsedMs = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

function progressText(progress: Progress | null, { count }: Formats): string | undefined {
  if (progress === null) return undefined;
  const { passed, failed, error, cancelled, total, completed } = progress;
  const parts = [
    `${count(passed)} passed`,
    `${count(failed)} failed`,
    ...(error === 0 ? [] : [`${count(error)} with errors`]),
    ...(cancelled === 0 ? [] : [`${count(cancelled)} cancelled`]),
    ...(completed < total ? [`${count(completed)} of ${count(total)} completed`] : []),
  ];
  return parts.join(', ');
}

const triggerText = (trigger: Trigger, formats: Formats): string =>
  [triggerSource(trigger, formats), ...Object.entries(trigger.labels ?? {}).map((pair) => pair.join('='))].join(', ');

function triggerSource({ kind, slot, by }: Trigger, { time }: Formats): string {
  switch (kind) {
    case 'schedule':
      return slot === undefined ? 'schedule' : `schedule, slot of ${time(slot)}`;
    case 'webhook':
      return `${by} (webhook)`;
    case 'manual':
      return `${by} (by hand)`;
  }
}

/** Only what a browser opens as a page becomes a link. */
function webUrl(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed !== null && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : undefined;
}
