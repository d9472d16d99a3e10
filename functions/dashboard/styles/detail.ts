import { css } from '../html.ts';

/** Lists, tables and tiles. */
export const DETAIL_STYLE = css`
  dl {
    margin: 0.5rem 0 0;
  }
  .card dl div {
    display: grid;
    grid-template-columns: 7.5rem 1fr;
    gap: 0 0.5rem;
    padding: 0.2rem 0;
  }
  .card dd {
    font-size: 0.875rem;
  }
  .card dd div {
    display: block;
    padding: 0;
  }
  dd {
    margin: 0;
  }
  main > dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr));
    gap: 0.75rem 1rem;
    padding: 1rem;
  }
  main > dl > div:has(.path) {
    grid-column: 1 / -1;
  }
  .path {
    font-size: 0.875rem;
  }
  .filters {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    margin-bottom: 0.75rem;
  }
  .filters span {
    margin-left: auto;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    background: var(--paper);
    border: 1px solid var(--line);
    font-size: 0.8125rem;
  }
  .id,
  dd {
    overflow-wrap: anywhere;
  }
  td .id {
    display: inline-block;
    min-width: 9rem;
  }
  td .note {
    font-size: inherit;
  }
  td .badge {
    font-size: 0.75rem;
  }
  th,
  td {
    padding: 0.4rem 0.6rem;
    text-align: left;
    vertical-align: top;
    border-top: 1px solid var(--line);
  }
  th {
    color: var(--quiet);
    font-weight: 600;
    white-space: nowrap;
  }
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  td time {
    white-space: nowrap;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .reasons {
    margin: 0 0 1rem;
    padding-left: 1.25rem;
    font-size: 1rem;
  }
  progress {
    width: min(24rem, 100%);
    accent-color: var(--waiting);
    vertical-align: middle;
  }
  .buckets,
  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr));
    gap: 0.75rem;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .bucket {
    padding: 0.75rem 1rem;
    border-left: 4px solid var(--line);
  }
  .bucket.good {
    border-left-color: var(--good);
  }
  .bucket.bad {
    border-left-color: var(--bad);
  }
  .bucket.unclear {
    border-left-color: var(--unclear);
  }
  .bucket ul {
    margin: 0.25rem 0 0;
    padding-left: 1.1rem;
  }
  .tiles li {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 0.25rem 0.5rem;
    padding: 0.6rem 0.75rem;
    align-items: center;
    align-content: start;
  }
  .name {
    grid-column: 1 / -1;
    font-weight: 600;
  }
  .dots {
    display: flex;
    flex-wrap: wrap;
    gap: 3px;
  }
  .dot {
    width: 1.1rem;
    height: 1.1rem;
    border-radius: 50%;
    font-size: 0.7rem;
    line-height: 1.1rem;
    text-align: center;
    color: var(--paper);
    background: var(--quiet);
  }
  .dot.good {
    background: var(--good);
  }
  .dot.bad {
    background: var(--bad);
    border-radius: 3px;
  }
  .dot.unclear {
    background: var(--unclear);
  }
  .score {
    font-variant-numeric: tabular-nums;
  }
  .tag {
    grid-column: 1 / -1;
    color: var(--quiet);
    font-size: 0.8125rem;
  }
  .timeline {
    margin: 0;
    padding: 0.5rem 1rem;
    list-style: none;
  }
  .timeline li {
    display: grid;
    grid-template-columns: 7.5rem 1fr;
    gap: 0.75rem;
    padding: 0.3rem 0;
  }
  .timeline time {
    color: var(--quiet);
    font-variant-numeric: tabular-nums;
  }
  details {
    margin-bottom: 0.75rem;
    padding: 0.6rem 1rem;
  }
  summary {
    cursor: pointer;
  }
  pre {
    margin: 0.5rem 0 0;
    overflow: auto;
    max-height: 40rem;
    overflow-wrap: normal;
  }
`;
