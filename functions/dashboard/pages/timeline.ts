import type { Run } from '../../../shared/domain/run.ts';
import { html, type Html } from '../html.ts';
import type { View } from '../pieces.ts';

/** What happened to a run, each entry with the time since the request. */
export const timelineSection = (run: Run, { formats }: View): Html =>
  html`<h2>Timeline</h2>
    <ol class="timeline">
      ${run.timeline.map(
        ({ at, event, detail }) =>
          html`<li>
            <time datetime="${at}" title="${at}">+${formats.duration(Date.parse(at) - Date.parse(run.createdAt))}</time>
            <span><strong>${event.replaceAll('_', ' ')}</strong> ${detail}</span>
          </li>`,
      )}
    </ol>`;
