import type { Diff } from '../../../shared/domain/diff.ts';
import type { Score, Scores } from '../../../shared/domain/result.ts';
import type { Verdict } from '../../../shared/domain/verdict.ts';
import { html, type Html, type Part } from '../html.ts';
import { runLink } from '../pieces.ts';
import { OUTCOMES, type Standing } from '../standing.ts';

const BUCKETS = [
  ['newlyFailing', 'Newly failing', 'bad'],
  ['stillFailing', 'Still failing', 'bad'],
  ['newlyErroring', 'Newly erroring', 'unclear'],
  ['flaky', 'Flaky', 'unclear'],
  ['fixed', 'Fixed', 'good'],
  ['added', 'Added', 'neutral'],
  ['removed', 'Removed', 'neutral'],
] as const satisfies readonly (readonly [keyof Diff, string, Standing['tone']])[];

/** What is different from the last run that passed. */
export function diffSection(verdict: Verdict | undefined): Part {
  const { baseline, diff } = verdict ?? {};
  if (baseline === undefined || diff === undefined) return undefined;
  const filled = BUCKETS.filter(([bucket]) => diff[bucket].length > 0);
  return html`<h2>Compared with ${runLink(baseline)}</h2>
    ${
      filled.length === 0
        ? html`<p class="note">No evaluation did better or worse.</p>`
        : html`<div class="buckets">
            ${filled.map(
              ([bucket, title, tone]) =>
                html`<section class="bucket ${tone}">
                  <h3>${title} <span class="note">${diff[bucket].length}</span></h3>
                  <ul>
                    ${diff[bucket].map((name) => html`<li>${name}</li>`)}
                  </ul>
                </section>`,
            )}
          </div>`
    }`;
}

const TAGS = [
  ['newlyFailing', 'newly failing'],
  ['fixed', 'fixed'],
  ['flaky', 'flaky'],
  ['added', 'new'],
] as const satisfies readonly (readonly [keyof Diff, string])[];

/** One tile for each evaluation, the worst first, with a dot for each repetition. */
export function evaluationsSection(scores: Scores, diff: Diff | undefined): Part {
  const tiles = Object.entries(scores).toSorted(([a, left], [b, right]) => worse(left, right) || (a < b ? -1 : 1));
  if (tiles.length === 0) return undefined;
  return html`<h2>Evaluations <span class="note">repetitions that passed</span></h2>
    <ul class="tiles">
      ${tiles.map(
        ([name, score]) =>
          html`<li>
            <span class="name">${name}</span>
            <span class="dots" role="img" aria-label="${inWords(score)}">${dotsOf(score)}</span>
            <span class="score">${scoreText(score)}</span>
            ${tagsOf(name, diff)}
          </li>`,
      )}
    </ul>`;
}

function tagsOf(name: string, diff: Diff | undefined): Part {
  const tags = TAGS.flatMap(([bucket, tag]) => (diff?.[bucket].includes(name) ? [tag] : []));
  return tags.length === 0 ? undefined : html`<span class="tag">${tags.join(', ')}</span>`;
}

/** Failures first, then what could not be measured; among equals the lower share of passes. */
const worse = (a: Score, b: Score): number =>
  Number(b.failed > 0) - Number(a.failed > 0) || broken(b) - broken(a) || share(a) - share(b);

const broken = ({ errored, cancelled }: Score): number => Number(errored + cancelled > 0);
const measured = ({ passed, failed, errored, cancelled }: Score): number => passed + failed + errored + cancelled;
const scoreText = (score: Score): string => (measured(score) === 0 ? '–' : `${score.passed}/${measured(score)}`);
const share = (score: Score): number => (measured(score) === 0 ? 1 : score.passed / measured(score));

/** More dots than these say no more than the numbers do. */
const DOTS = 24;

const dotsOf = (score: Score): readonly Html[] =>
  OUTCOMES.flatMap(({ outcome, standing }) =>
    Array.from(
      { length: Math.min(DOTS, score[outcome]) },
      () => html`<span class="dot ${standing.tone}">${standing.mark}</span>`,
    ),
  ).slice(0, DOTS);

const inWords = (score: Score): string =>
  OUTCOMES.flatMap(({ outcome, standing }) => (score[outcome] > 0 ? [`${score[outcome]} ${standing.label}`] : [])).join(
    ', ',
  );
