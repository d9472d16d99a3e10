import { runDocument } from '../../../shared/domain/run-document.ts';
import type { Run } from '../../../shared/domain/run.ts';
import type { RunDetail } from '../data.ts';
import { html, type Html, type Part } from '../html.ts';
import type { Page } from '../layout.ts';
import { overviewPath } from '../paths.ts';
import { badge, countsOf, facts, table, time, tookOf, versionOf, type View } from '../pieces.ts';
import { isOpen, runStanding } from '../standing.ts';
import { deliveryColumns } from './deliveries.ts';
import { diffSection, evaluationsSection } from './evaluations.ts';
import { latencySection } from './latency.ts';
import { timelineSection } from './timeline.ts';

/** Everything that is known of a run. */
export function runPage(detail: RunDetail, view: View): Page {
  const { run, scores, snapshot } = detail;
  const standing = runStanding(run);
  return {
    title: `${standing.mark} ${run.id} ${standing.label}`,
    refresh: isOpen(run),
    body: html`<p><a href="${overviewPath({ plan: run.plan })}">← ${run.plan}</a></p>
      <h1>${badge(standing)} <span class="id">${run.id}</span></h1>
      ${reasons(run)} ${progress(run)} ${facts(factsOf(run, view))} ${diffSection(run.verdict)}
      ${evaluationsSection(scores, run.verdict?.diff)}
      ${snapshot === undefined ? undefined : latencySection(snapshot, run.spec.gate)} ${alerts(detail, view)}
      ${timelineSection(run, view)} ${raw(detail)}`,
  };
}

function reasons({ verdict, problem }: Run): Part {
  const messages = verdict?.reasons.map(({ message }) => message) ?? (problem === undefined ? [] : [problem]);
  return messages.length === 0
    ? undefined
    : html`<ul class="reasons">
        ${messages.map((message) => html`<li>${message}</li>`)}
      </ul>`;
}

function progress(run: Run): Part {
  if (!isOpen(run) || run.progress === undefined || run.progress.total === 0) return undefined;
  const { total, completed, passed, failed, error, cancelled } = run.progress;
  const done = completed + error + cancelled;
  const others = error + cancelled;
  return html`<p>
    <progress value="${done}" max="${total}" aria-label="Results that are there"></progress>
    ${done} of ${total} results: ${passed} passed, ${failed}
    failed${others === 0 ? '' : `, ${others} ended in an error`}
  </p>`;
}

const factsOf = (run: Run, view: View): readonly (readonly [string, Part])[] => {
  const { formats } = view;
  const moment = (at: string | undefined): Part => (at === undefined ? undefined : time(at, formats));
  const rate = run.verdict?.passRate ?? undefined;
  const { kind, by, slot, labels = {} } = run.trigger;
  const labelled = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return [
    ['Pass rate', rate === undefined ? undefined : formats.percent(rate)],
    ['Passed', countsOf(run)],
    ['State', run.state.replaceAll('_', ' ')],
    ['Version', versionOf(run)],
    ['Trigger', `${kind}, ${by}`],
    ['Labels', labelled.length === 0 ? undefined : labelled.join(', ')],
    ['Slot', moment(slot)],
    ['Requested', moment(run.createdAt)],
    ['Started', moment(run.startedAt)],
    ['Finished', moment(run.finishedAt)],
    ['Took', tookOf(run, view)],
    ['Judged', moment(run.judgedAt)],
    ['Deadline', isOpen(run) ? moment(run.deadlineAt) : undefined],
    ['Next step', moment(run.nextAt)],
    ['Polls', run.polls],
    ['App', html`<span class="path">${run.spec.app}</span>`],
    [
      'Evaluation run',
      run.evaluationRun === undefined ? undefined : html`<span class="path">${run.evaluationRun}</span>`,
    ],
  ];
};

const alerts = ({ run, deliveries }: RunDetail, view: View): Html =>
  html`<h2>Alerts</h2>
    ${
      deliveries.length === 0
        ? html`<p class="note">
            ${isOpen(run) ? 'Decided with the verdict.' : 'No subscriber of the plan asked for this verdict.'}
          </p>`
        : table('Alerts about this run', deliveryColumns(view), deliveries)
    }`;

const raw = ({ run, deliveries, snapshot }: RunDetail): Html =>
  html`<h2>Documents</h2>
    ${document('Run document', runDocument(run, deliveries))}
    ${snapshot === undefined ? undefined : document('Evaluation run, as CES gave it', snapshot)}`;

const document = (title: string, value: unknown): Html =>
  html`<details>
    <summary>${title}</summary>
    <pre>${JSON.stringify(value, undefined, 2)}</pre>
  </details>`;
