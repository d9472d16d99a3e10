import { formatsOf, type Formats } from '../../shared/domain/alert-format.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { lastSegment } from '../../shared/domain/json.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { Deps } from '../../shared/ports.ts';
import { html, type Html, type Part } from './html.ts';
import { runPath } from './paths.ts';
import { deliveryStanding, type Standing } from './standing.ts';

/** When and in whose time zone a page is drawn. */
export interface View {
  readonly now: Date;
  readonly formats: Formats;
}

/** English with a 24-hour clock: `30 Nov 2026, 02:00 UTC`. */
const LOCALE = 'en-GB';

export const formatsIn = (timezone: string): Formats => formatsOf({ locale: LOCALE, timezone });

export const viewOf = ({ config, clock }: Pick<Deps, 'config' | 'clock'>): View => ({
  now: clock.now(),
  formats: formatsIn(config.timezone),
});

export const badge = ({ tone, mark, label }: Standing): Html =>
  html`<span class="badge ${tone}"><span aria-hidden="true">${mark}</span> ${label}</span>`;

/** @param at ISO 8601; the exact instant is in the tooltip */
export const time = (at: string, formats: Formats): Html =>
  html`<time datetime="${at}" title="${at}">${formats.time(at)}</time>`;

export const runLink = (id: string): Html => html`<a class="id" href="${runPath(id)}">${id}</a>`;

export const versionOf = (run: Run): string => lastSegment(run.appVersion ?? run.spec.appVersion ?? 'draft');

/** From the start at CES to its end; for a run that is going on, until now. */
export function tookOf(run: Run, { now, formats }: View): string {
  if (run.startedAt === undefined) return '–';
  const endMs = run.finishedAt === undefined ? now.getTime() : Date.parse(run.finishedAt);
  return formats.duration(endMs - Date.parse(run.startedAt));
}

/** `17/20`, as CES counts. */
export const countsOf = ({ progress }: Run): string =>
  progress === undefined || progress.total === 0 ? '–' : `${progress.passed}/${progress.total}`;

/** One badge for each state in which deliveries are, with their number. */
export function deliveriesSummary(deliveries: readonly Delivery[]): Part {
  if (deliveries.length === 0) return '–';
  const counts = new Map<string, { readonly standing: Standing; readonly count: number }>();
  for (const delivery of deliveries) {
    const standing = deliveryStanding(delivery);
    counts.set(standing.label, { standing, count: (counts.get(standing.label)?.count ?? 0) + 1 });
  }
  return [...counts.values()].map(
    ({ standing, count }) => html`${badge({ ...standing, label: `${count} ${standing.label}` })} `,
  );
}

export interface Column<T> {
  readonly label: string;
  readonly cell: (row: T) => Part;
  readonly numeric?: true;
}

/** On a narrow screen each row becomes a list; the labels of its entries are the column heads. */
export const table = <T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): Html =>
  html`<table>
    <caption class="hidden">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map(({ label, numeric }) => html`<th scope="col" class="${numeric ? 'number' : ''}">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map((column) => cellOf(column, row))}
          </tr>`,
      )}
    </tbody>
  </table>`;

const cellOf = <T>({ label, cell, numeric }: Column<T>, row: T): Html =>
  html`<td data-label="${label}" class="${numeric ? 'number' : ''}"><div>${cell(row)}</div></td>`;

/** Facts that are there, as a list of terms. */
export const facts = (entries: readonly (readonly [string, Part])[]): Html =>
  html`<dl>
    ${entries.flatMap(([term, value]) =>
      value === undefined
        ? []
        : [
            html`<div>
              <dt>${term}</dt>
              <dd>${value}</dd>
            </div>`,
          ],
    )}
  </dl>`;
