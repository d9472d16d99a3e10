import type { Answer } from '../edge/respond.ts';
import { html, markupOf, type Html } from './html.ts';
import { time, type View } from './pieces.ts';
import { STYLE } from './style.ts';

export interface Page {
  readonly title: string;
  /** The path that is marked in the navigation. */
  readonly here?: string;
  /** Something on the page is about to change: it loads itself again. */
  readonly refresh?: boolean;
  readonly body: Html;
}

const NAVIGATION = [
  ['/', 'Overview'],
  ['/deliveries', 'Deliveries'],
] as const;

const REFRESH_SECONDS = 5;

export const pageAnswer = (page: Page, view: View, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html>\n${markupOf(frame(page, view))}`,
});

const frame = ({ title, here, refresh, body }: Page, { now, formats }: View): Html =>
  html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      ${refresh ? html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}" />` : undefined}
      <link rel="icon" href="data:," />
      <title>${title} · ces-evals</title>
      ${STYLE}
    </head>
    <body>
      <header>
        <a class="brand" href="/">ces-evals</a>
        <nav aria-label="Pages">
          ${NAVIGATION.map(([path, label]) =>
            path === here
              ? html`<a href="${path}" aria-current="page">${label}</a>`
              : html`<a href="${path}">${label}</a>`,
          )}
        </nav>
        <span class="asof">
          as of ${time(now.toISOString(), formats)}${refresh ? `, again every ${REFRESH_SECONDS} s` : undefined}
        </span>
      </header>
      <main>${body}</main>
    </body>
  </html>`;

export const notFoundPage = (view: View): Answer =>
  pageAnswer(
    {
      title: 'Not found',
      body: html`<h1>Not found</h1>
        <p>There is no such page or run. <a href="/">The overview</a> shows the latest runs.</p>`,
    },
    view,
    404,
  );
