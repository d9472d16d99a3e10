import { css } from '../html.ts';

/** Badges, cards and sparklines. */
export const OVERVIEW_STYLE = css`
  .badge {
    display: inline-block;
    padding: 0.05rem 0.5rem;
    border: 1px solid var(--line);
    border-radius: 1rem;
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    color: var(--quiet);
  }
  .badge.good {
    color: var(--good);
    background: var(--good-ground);
    border-color: transparent;
  }
  .badge.bad {
    color: var(--bad);
    background: var(--bad-ground);
    border-color: transparent;
  }
  .badge.unclear {
    color: var(--unclear);
    background: var(--unclear-ground);
    border-color: transparent;
  }
  .badge.waiting {
    color: var(--waiting);
    background: var(--waiting-ground);
    border: 1px dashed var(--waiting);
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr));
    gap: 1rem;
  }
  .card,
  .empty,
  .bucket,
  .tiles li,
  details,
  .timeline,
  main > dl {
    background: var(--paper);
    border: 1px solid var(--line);
    border-radius: 8px;
  }
  .card {
    padding: 1rem;
  }
  .card h2 {
    margin: 0;
  }
  .card h2 a {
    color: inherit;
    text-decoration: none;
  }
  .card h2 a:hover {
    text-decoration: underline;
  }
  .standing {
    margin: 0.25rem 0 0.75rem;
  }
  .empty {
    padding: 1rem;
    margin: 0;
  }
  .sparkline {
    display: block;
    width: 100%;
    height: auto;
  }
  svg text {
    font-size: 9px;
    fill: var(--quiet);
  }
  svg polyline,
  svg path {
    fill: none;
    stroke: var(--line);
    stroke-width: 1;
  }
  svg polyline {
    stroke: var(--quiet);
  }
  svg .minimum {
    stroke: var(--quiet);
    stroke-dasharray: 3 3;
  }
  svg .good {
    fill: var(--good);
  }
  svg .bad {
    fill: var(--bad);
  }
  svg path.unclear {
    fill: var(--unclear);
    stroke: none;
  }
  svg .open {
    fill: var(--paper);
    stroke: var(--waiting);
    stroke-width: 1.5;
  }
  .legend {
    margin: 0.75rem 0 0;
  }
  .legend span {
    white-space: nowrap;
    margin-left: 0.5rem;
  }
  .legend svg {
    width: 0.8em;
    height: 0.8em;
  }
`;
