import type { Delivery } from '../../../shared/domain/delivery.ts';
import { LOGGED_DELIVERIES } from '../data.ts';
import { html, type Part } from '../html.ts';
import type { Page } from '../layout.ts';
import { badge, runLink, table, time, type Column, type View } from '../pieces.ts';
import { deliveryStanding } from '../standing.ts';

/** What became of the alerts, newest first. */
export const deliveriesPage = (deliveries: readonly Delivery[], view: View): Page => ({
  title: 'Deliveries',
  here: '/deliveries',
  body: html`<h1>Deliveries</h1>
    ${
      deliveries.length === 0
        ? html`<p class="empty">
            No alert has been due yet. A run alerts the subscribers that its plan names under <code>alerts</code> in
            <code>evals.yaml</code>.
          </p>`
        : html`<p class="note">
              The latest ${LOGGED_DELIVERIES} at most. Send one again: <code>ces-evals deliveries redrive</code>
            </p>
            ${table('Deliveries, newest first', logColumns(view), deliveries)}`
    }`,
});

/** The columns that say how a delivery stands; used where its run is known. */
export const deliveryColumns = ({ formats }: View): readonly Column<Delivery>[] => [
  { label: 'State', cell: (delivery) => badge(deliveryStanding(delivery)) },
  { label: 'Subscriber', cell: ({ subscriber }) => subscriber },
  { label: 'Channel', cell: ({ channel }) => channel },
  { label: 'Reason', cell: ({ reason }) => reason.replaceAll('_', ' ') },
  { label: 'Attempts', cell: ({ attempts }) => attempts, numeric: true },
  { label: 'Last attempt', cell: ({ at }) => (at === undefined ? '–' : time(at, formats)) },
  { label: 'Answer', cell: (delivery) => answerOf(delivery, formats) },
];

const logColumns = (view: View): readonly Column<Delivery>[] => {
  const [state, ...rest] = deliveryColumns(view);
  return [
    ...(state === undefined ? [] : [state]),
    { label: 'Run', cell: ({ run }) => runLink(run) },
    { label: 'Due since', cell: ({ createdAt }) => time(createdAt, view.formats) },
    ...rest,
  ];
};

/** The provider's receipt, or what went wrong and when it is tried again. */
function answerOf({ error, receipt, nextAt }: Delivery, formats: View['formats']): Part {
  if (error === undefined) return receipt === undefined ? '–' : html`<code>${receipt}</code>`;
  return nextAt === undefined ? error : html`${error} <span class="note">next try ${time(nextAt, formats)}</span>`;
}
