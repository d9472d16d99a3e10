import { html } from './html.ts';
import { DETAIL_STYLE } from './styles/detail.ts';
import { NARROW_STYLE } from './styles/narrow.ts';
import { OVERVIEW_STYLE } from './styles/overview.ts';
import { PAGE_STYLE } from './styles/page.ts';

/** The one stylesheet. The narrow screen has the last word. */
export const STYLE = html`<style>
  ${PAGE_STYLE}${OVERVIEW_STYLE}${DETAIL_STYLE}${NARROW_STYLE}
</style>`;
