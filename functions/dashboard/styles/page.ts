import { css } from '../html.ts';

/** Colours, type and the frame of a page. Text has a contrast of at least 4.5 to 1 on its ground, in light and in dark. */
export const PAGE_STYLE = css`
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
`;
