import type { Json } from '../../../shared/domain/json.ts';
import type { Gate } from '../../../shared/domain/plan.ts';
import { html, type Part } from '../html.ts';
import { latencyRows, type LatencyRow } from '../latency-rows.ts';
import { badge, table, type Column } from '../pieces.ts';

/** How fast the components of the app were, where CES reports it. */
export function latencySection(evaluationRun: Json, gate: Gate): Part {
  const rows = latencyRows(evaluationRun);
  return rows.length === 0
    ? undefined
    : html`<h2>Latency</h2>
        ${table('Latency of the components of the app', columns(gate), rows)}`;
}

const columns = ({ maxP90Ms }: Gate): readonly Column<LatencyRow>[] => [
  { label: 'Kind', cell: ({ kind }) => kind },
  { label: 'Component', cell: ({ component }) => component },
  { label: 'Calls', cell: ({ calls }) => calls, numeric: true },
  { label: 'p50', cell: ({ p50Ms }) => seconds(p50Ms), numeric: true },
  { label: 'p90', cell: ({ p90Ms }) => seconds(p90Ms), numeric: true },
  { label: 'p99', cell: ({ p99Ms }) => seconds(p99Ms), numeric: true },
  { label: 'Allowed p90', cell: ({ kind, p90Ms }) => allowed(maxP90Ms[kind], p90Ms), numeric: true },
];

const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : `${(ms / 1000).toFixed(2)} s`);

function allowed(limitMs: number | undefined, p90Ms: number | undefined): Part {
  if (limitMs === undefined || p90Ms === undefined) return '–';
  return p90Ms > limitMs
    ? badge({ tone: 'bad', mark: '✕', label: `over ${seconds(limitMs)}` })
    : badge({ tone: 'good', mark: '✓', label: seconds(limitMs) });
}
