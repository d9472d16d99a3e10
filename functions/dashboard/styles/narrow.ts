import { css } from '../html.ts';

/** Phones: a table row becomes a paragraph of labelled values. */
export const NARROW_STYLE = css`
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
      grid-template-columns: 6.5rem 1fr;
    }
    main > dl {
      grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr));
    }
    .asof {
      margin-left: 0;
      width: 100%;
    }
  }
`;
