import { SEARCHED_RUNS, SPARKLINE_RUNS, TABLE_RUNS, type Filter, type Overview, type RunRow } from '../data.ts';
import { html, type Html } from '../html.ts';
import type { Page } from '../layout.ts';
import {
  badge,
  countsOf,
  deliveriesSummary,
  runLink,
  table,
  time,
  tookOf,
  versionOf,
  type Column,
  type View,
} from '../pieces.ts';
import { isOpen, runStanding } from '../standing.ts';
import { overviewPath } from '../paths.ts';
import { planCard } from './plan-card.ts';

export function overviewPage({ cards, rows }: Overview, filter: Filter, view: View): Page {
  const shown = [...rows.map(({ run }) => run), ...cards.flatMap(({ runs }) => runs)];
  return {
    title: filter.plan ?? 'Overview',
    here: '/',
    refresh: shown.some(isOpen),
    body: html`<h1>${filter.plan === undefined ? 'Plans' : html`Plan ${filter.plan}`}</h1>
      ${cards.length === 0 ? noPlans(filter) : html`${planCards(cards, view)} ${latestRuns(rows, filter, cards, view)}`}`,
  };
}

const planCards = (cards: Overview['cards'], view: View): Html =>
  html`<div class="cards">${cards.map((card) => planCard(card, view))}</div>
    ${cards.some(({ runs }) => runs.length > 0) ? legend : undefined}`;

const latestRuns = (rows: Overview['rows'], filter: Filter, cards: Overview['cards'], view: View): Html =>
  html`<h2>Latest runs</h2>
    ${filters(filter)}
    ${
      rows.length === 0
        ? noRuns(filter, cards[0]?.name)
        : table(`The latest ${TABLE_RUNS} runs at most, newest first`, columns(view), rows)
    }`;

const columns = (view: View): readonly Column<RunRow>[] => [
  { label: 'Verdict', cell: ({ run }) => badge(runStanding(run)) },
  { label: 'Run', cell: ({ run }) => runLink(run.id) },
  { label: 'Plan', cell: ({ run }) => html`<a href="${overviewPath({ plan: run.plan })}">${run.plan}</a>` },
  { label: 'State', cell: ({ run }) => run.state.replaceAll('_', ' ') },
  { label: 'Version', cell: ({ run }) => versionOf(run) },
  { label: 'Trigger', cell: ({ run }) => html`<span title="${run.trigger.by}">${run.trigger.kind}</span>` },
  { label: 'Started', cell: ({ run }) => time(run.startedAt ?? run.createdAt, view.formats) },
  { label: 'Took', cell: ({ run }) => tookOf(run, view), numeric: true },
  { label: 'Passed', cell: ({ run }) => countsOf(run), numeric: true },
  { label: 'Alerts', cell: ({ deliveries }) => deliveriesSummary(deliveries) },
];

const OUTCOMES = [
  [undefined, 'all'],
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['inconclusive', 'inconclusive'],
  ['open', 'in flight'],
] as const;

/** Links, so that a view can be passed on as its address. */
const filters = ({ plan, outcome }: Filter): Html =>
  html`<nav class="filters" aria-label="Filter the runs">
    ${OUTCOMES.map(([value, label]) => {
      const path = overviewPath({
        ...(plan === undefined ? {} : { plan }),
        ...(value === undefined ? {} : { outcome: value }),
      });
      return value === outcome
        ? html`<a href="${path}" aria-current="true">${label}</a>`
        : html`<a href="${path}">${label}</a>`;
    })}
    ${
      plan === undefined
        ? undefined
        : html`<span>plan ${plan}</span>
            <a href="${overviewPath(outcome === undefined ? {} : { outcome })}">all plans</a>`
    }
  </nav>`;

const noPlans = ({ plan }: Filter): Html =>
  plan === undefined
    ? html`<p class="empty">
        There is no plan yet. Add one to <code>evals.yaml</code>, check it with <code>ces-evals config validate</code>,
        and restart.
      </p>`
    : html`<p class="empty">Neither the configuration nor the history knows this plan. <a href="/">All plans</a></p>`;

function noRuns({ plan, outcome }: Filter, first = 'PLAN'): Html {
  if (outcome !== undefined) {
    return html`<p class="empty">
      None of the latest ${SEARCHED_RUNS} runs fits.
      <a href="${overviewPath(plan === undefined ? {} : { plan })}">Show all outcomes</a>
    </p>`;
  }
  return html`<p class="empty">
    ${plan === undefined ? 'No runs yet.' : 'No runs of this plan yet.'} A scheduled plan starts at its next slot. Start
    one now: <code>ces-evals run ${plan ?? first}</code>
  </p>`;
}

const LEGEND = [
  [html`<circle class="good" cx="5" cy="5" r="3.5" />`, 'passed'],
  [html`<rect class="bad" x="1.5" y="1.5" width="7" height="7" />`, 'failed'],
  [html`<path class="unclear" d="M5 .5l4.5 4.5-4.5 4.5-4.5-4.5z" />`, 'inconclusive'],
  [html`<circle class="open" cx="5" cy="5" r="3" />`, 'in flight'],
  [html`<path class="minimum" d="M0 5H10" />`, 'what the plan asks for'],
] as const;

const legend = html`<p class="note legend">
  Pass rate of the last ${SPARKLINE_RUNS} runs, the newest at the right:
  ${LEGEND.map(
    ([shape, label]) => html`<span><svg viewBox="0 0 10 10" aria-hidden="true">${shape}</svg> ${label}</span> `,
  )}
</p>`;
