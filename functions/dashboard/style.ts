import { html } from './html.ts';

/** The one stylesheet. Text has a contrast of at least 4.5 to 1 on its ground, in light and in dark. */
export const STYLE = html`<style>
  :root {
    color-scheme: light dark;
    --ground: #f6f7f9;
    --paper: #ffffff;
    --line: #d7dce3;
    --text: #1c2430;
    --quiet: #566173;
    --link: #0b57b0;
    --good: #14702f;
    --good-ground: #e3f4e8;
    --bad: #b3190f;
    --bad-ground: #fdeae8;
    --unclear: #7f5200;
    --unclear-ground: #fdf1d8;
    --waiting: #0b57b0;
    --waiting-ground: #e6f0fc;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #10141a;
      --paper: #181d25;
      --line: #323b48;
      --text: #e4e8ee;
      --quiet: #9ca8b8;
      --link: #82b6ff;
      --good: #5fd080;
      --good-ground: #14311f;
      --bad: #ff8b82;
      --bad-ground: #411b1a;
      --unclear: #edbe58;
      --unclear-ground: #382b10;
      --waiting: #82b6ff;
      --waiting-ground: #16294a;
    }
  }
  * {
    box-sizing: border-box;
  }
  body {
    margin: 0;
    background: var(--ground);
    color: var(--text);
    font:
      15px/1.5 system-ui,
      sans-serif;
    overflow-wrap: break-word;
  }
  a {
    color: var(--link);
  }
  header {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
    align-items: baseline;
    padding: 0.75rem 1.25rem;
    background: var(--paper);
    border-bottom: 1px solid var(--line);
  }
  header nav {
    display: flex;
    gap: 1rem;
  }
  .brand {
    font-weight: 700;
    color: inherit;
    text-decoration: none;
  }
  [aria-current] {
    color: inherit;
    font-weight: 600;
    text-decoration: none;
  }
  .asof {
    margin-left: auto;
  }
  .asof,
  .note,
  dt {
    color: var(--quiet);
    font-size: 0.875rem;
    font-weight: 400;
  }
  main {
    max-width: 90rem;
    margin: 0 auto;
    padding: 1rem 1.25rem 3rem;
  }
  h1 {
    margin: 0.5rem 0 1rem;
    font-size: 1.375rem;
  }
  h2 {
    margin: 2rem 0 0.75rem;
    font-size: 1.125rem;
  }
  h3 {
    margin: 0;
    font-size: 0.9375rem;
  }
  code,
  pre {
    font:
      0.8125rem/1.5 ui-monospace,
      monospace;
  }
  code {
    padding: 0.1em 0.35em;
    background: var(--ground);
    border: 1px solid var(--line);
    border-radius: 4px;
  }
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
    grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr));
    gap: 0.75rem 1.5rem;
    padding: 1rem;
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
  @media (max-width: 50rem) {
    main,
    header {
      padding-left: 0.75rem;
      padding-right: 0.75rem;
    }
    thead {
      display: none;
    }
    table,
    tbody {
      display: block;
    }
    tr {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 1rem;
      padding: 0.6rem 0.75rem;
      border-top: 1px solid var(--line);
    }
    td {
      display: flex;
      gap: 0.35rem;
      padding: 0;
      border: 0;
      text-align: left;
    }
    td::before {
      content: attr(data-label);
      color: var(--quiet);
    }
    .timeline li {
      grid-template-columns: 5.5rem 1fr;
    }
    .asof {
      margin-left: 0;
      width: 100%;
    }
  }
</style>`;
