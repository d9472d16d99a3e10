import type { RunDocument } from '../shared/domain/run-document.ts';
import type { Diff } from '../shared/domain/diff.ts';
import { duration, markOf, percent, plain } from './output.ts';

/** `✓ passed` for a judged run, its state for one that is going on. */
export const standing = (run: RunDocument): string =>
  run.verdict === null ? run.state : `${markOf(run.verdict.outcome)} ${run.verdict.outcome}`;

/** What a person wants to know of a run, line by line. */
export function describeRun(run: RunDocument): readonly string[] {
  return [
    `${standing(run)}  ${run.id}`,
    ...detailsOf(run).map(([name, value]) => `  ${name.padEnd(15)} ${plain(value)}`),
    ...(run.verdict === null
      ? []
      : ['  reasons', ...run.verdict.reasons.map(({ message }) => `    - ${plain(message)}`)]),
    ...(run.verdict?.diff === undefined ? [] : diffLines(run.verdict.diff).map((line) => `  ${line}`)),
    ...(run.alerts.length === 0 ? [] : ['  alerts', ...run.alerts.map((alert) => `    - ${alertLine(alert)}`)]),
    '  timeline',
    ...run.timeline.map(({ at, event, detail }) => `    ${at}  ${event.padEnd(10)} ${plain(detail)}`.trimEnd()),
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
  const { total, passed, failed, error, cancelled } = progress;
  const rest = [
    [failed, 'failed'],
    [error, error === 1 ? 'error' : 'errors'],
    [cancelled, 'cancelled'],
  ] as const;
  const counts = rest.filter(([count]) => count > 0).map(([count, word]) => `, ${count} ${word}`);
  return `${passed} of ${total} passed${counts.join('')}`;
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
