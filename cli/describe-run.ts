import type { Diff } from '../shared/domain/diff.ts';
import type { Score, Scores } from '../shared/domain/result.ts';
import type { RunDocument } from '../shared/domain/run-document.ts';
import type { Store } from '../shared/ports.ts';
import { duration, markOf, percent, plain, print, printJson } from './output.ts';

/** `✓ passed` for a judged run, its state for one that is going on. */
export const standing = (run: RunDocument): string =>
  run.verdict === null ? run.state : `${markOf(run.verdict.outcome)} ${run.verdict.outcome}`;

/** Prints a run for people, or as its document. */
export async function showRun(store: Store, run: RunDocument, { json }: { readonly json?: true }): Promise<void> {
  if (json) printJson(run);
  else for (const line of describeRun(run, await scoresOf(store, run.id))) print(line);
}

/** Empty until the run is judged. */
export const scoresOf = async (store: Store, run: string): Promise<Scores> =>
  (await store.get('scores', run))?.doc.scores ?? {};

/** What a person wants to know of a run, line by line. */
function describeRun(run: RunDocument, scores: Scores): readonly string[] {
  const shortfalls = Object.entries(scores).filter(([, score]) => shortfallOf(score) !== '');
  return [
    `${standing(run)}  ${run.id}`,
    ...detailsOf(run).map(([name, value]) => `  ${name.padEnd(15)} ${plain(value)}`),
    ...(run.verdict === null
      ? []
      : ['  reasons', ...run.verdict.reasons.map(({ message }) => `    - ${plain(message)}`)]),
    ...(shortfalls.length === 0 ? [] : ['  not passed']),
    ...shortfalls.map(([evaluation, score]) => `    - ${plain(evaluation)}: ${shortfallOf(score)}`),
    ...(run.verdict?.diff === undefined ? [] : diffLines(run.verdict.diff).map((line) => `  ${line}`)),
    ...(run.alerts.length === 0 ? [] : ['  alerts', ...run.alerts.map((alert) => `    - ${alertLine(alert)}`)]),
    '  timeline',
    ...run.timeline.map(({ at, event, detail }) => `    ${at}  ${event.padEnd(12)} ${plain(detail)}`.trimEnd()),
  ];
}

const detailsOf = (run: RunDocument): readonly (readonly [string, string])[] => [
  ['plan', run.plan],
  ['app', run.app],
  ['version', run.appVersion ?? 'draft'],
  ['trigger', `${run.trigger.kind}, ${run.trigger.by}`],
  ['state', run.state],
  ['took', tookOf(run)],
  ['results', progressOf(run)],
  ['pass rate', run.verdict === null ? '–' : percent(run.verdict.passRate)],
  ['baseline', run.verdict?.baseline ?? '–'],
  ['evaluation run', run.evaluationRun ?? '–'],
  ...(run.problem === null ? [] : [['problem', run.problem] as const]),
];

const alertLine = (alert: RunDocument['alerts'][number]): string =>
  plain(`${alert.subscriber}: ${alert.reason}, ${alert.state}${alert.error === null ? '' : ` (${alert.error})`}`);

export const tookOf = (run: RunDocument): string =>
  run.startedAt === null || run.finishedAt === null
    ? '–'
    : duration(Date.parse(run.finishedAt) - Date.parse(run.startedAt));

/** `17 of 20 passed, 2 failed, 1 error`. */
export function progressOf({ progress }: RunDocument): string {
  if (progress === null || progress.total === 0) return '–';
  return `${progress.passed} of ${progress.total} passed${troubleOf(progress)}`;
}

/** `1 of 5 passed, 3 failed, 1 error`; empty when everything passed or was skipped. */
export function shortfallOf({ passed, failed, errored, cancelled }: Score): string {
  const trouble = troubleOf({ failed, error: errored, cancelled });
  return trouble === '' ? '' : `${passed} of ${passed + failed + errored + cancelled} passed${trouble}`;
}

function troubleOf({ failed, error, cancelled }: Readonly<Record<'failed' | 'error' | 'cancelled', number>>): string {
  const rest = [
    [failed, 'failed'],
    [error, error === 1 ? 'error' : 'errors'],
    [cancelled, 'cancelled'],
  ] as const;
  return rest
    .filter(([count]) => count > 0)
    .map(([count, word]) => `, ${count} ${word}`)
    .join('');
}

const BUCKETS = [
  ['newly failing', 'newlyFailing'],
  ['still failing', 'stillFailing'],
  ['fixed', 'fixed'],
  ['newly erroring', 'newlyErroring'],
  ['flaky', 'flaky'],
  ['added', 'added'],
  ['removed', 'removed'],
] as const satisfies readonly (readonly [string, keyof Diff])[];

export const diffLines = (diff: Diff): readonly string[] =>
  BUCKETS.filter(([, bucket]) => diff[bucket].length > 0).map(
    ([title, bucket]) => `${title.padEnd(15)} ${diff[bucket].map(plain).join(', ')}`,
  );
