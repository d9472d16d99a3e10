import type { Run } from '../../shared/domain/run.ts';
import { SPARKLINE_RUNS } from './data.ts';
import { html, type Html } from './html.ts';
import { runPath } from './paths.ts';
import type { View } from './pieces.ts';
import { isOpen, runStanding } from './standing.ts';

/** In units of the view box. */
const STEP = 10;
const LEFT = 30;
const WIDTH = LEFT + SPARKLINE_RUNS * STEP;
const TOP = 8;
const BOTTOM = 60;
/** Runs without a pass rate stand below the scale, so that none of them looks like 0 %. */
const LANE = 74;
const HEIGHT = 82;
const RADIUS = 3.5;

interface Point {
  readonly run: Run;
  readonly x: number;
  readonly y: number;
  readonly rate?: number;
}

/**
 * Pass rates from the oldest to the newest run, which is at the right edge. The shape of a point says the same as its
 * colour: circle passed, square failed, diamond inconclusive, hollow circle not judged yet.
 * @param newestFirst 1 to SPARKLINE_RUNS runs
 * @param minimum the pass rate that the plan asks for, 0 to 1
 */
export function sparkline(newestFirst: readonly Run[], minimum: number | undefined, view: View): Html {
  const points = newestFirst.toReversed().map((run, index) => pointOf(run, index, newestFirst.length));
  const line = points.flatMap(({ x, y, rate }) => (rate === undefined ? [] : [`${x},${y}`])).join(' ');
  return html`<svg class="sparkline" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary(points, view)}">
    <text x="0" y="${TOP + 3}">100%</text>
    <text x="0" y="${BOTTOM + 3}">0%</text>
    <path class="scale" d="M${LEFT} ${TOP}H${WIDTH}M${LEFT} ${BOTTOM}H${WIDTH}" />
    ${minimum === undefined || minimum === 1 ? undefined : html`<path class="minimum" d="M${LEFT} ${heightOf(minimum)}H${WIDTH}" />`}
    <polyline points="${line}" />
    ${points.map(
      (point) =>
        // Not in the tab order: the table of the plan's runs links to the same pages.
        html`<a href="${runPath(point.run.id)}" tabindex="-1"
          >${shapeOf(point)}<title>${point.run.id}: ${describe(point, view)}</title></a
        >`,
    )}
  </svg>`;
}

function pointOf(run: Run, index: number, count: number): Point {
  const x = WIDTH - (count - index) * STEP + STEP / 2;
  const rate = run.verdict?.passRate ?? undefined;
  return rate === undefined ? { run, x, y: LANE } : { run, x, y: heightOf(rate), rate };
}

const heightOf = (rate: number): number => Math.round((BOTTOM - rate * (BOTTOM - TOP)) * 10) / 10;

function shapeOf({ run, x, y }: Point): Html {
  const { tone } = runStanding(run);
  if (isOpen(run)) return html`<circle class="open" cx="${x}" cy="${y}" r="${RADIUS - 0.5}" />`;
  if (tone === 'good') return html`<circle class="good" cx="${x}" cy="${y}" r="${RADIUS}" />`;
  const side = RADIUS * 2;
  return tone === 'bad'
    ? html`<rect class="bad" x="${x - RADIUS}" y="${y - RADIUS}" width="${side}" height="${side}" />`
    : html`<path class="unclear" d="M${x} ${y - RADIUS - 1}l4.5 4.5-4.5 4.5-4.5-4.5z" />`;
}

const describe = ({ run, rate }: Point, { formats }: View): string =>
  `${runStanding(run).label}${rate === undefined ? '' : ` ${formats.percent(rate)}`}`;

const summary = (points: readonly Point[], view: View): string =>
  `Pass rate of the last runs, oldest first: ${points.map((point) => describe(point, view)).join(', ')}`;
