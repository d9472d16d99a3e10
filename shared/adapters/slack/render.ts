import { clipDrawn, type Reader } from '../../domain/alert-format.ts';
import {
  alertText,
  moreText,
  plainLines,
  type AlertText,
  type EvaluationList,
  type Fact,
} from '../../domain/alert-text.ts';
import type { Alert } from '../../domain/alert.ts';

type Text =
  | { readonly type: 'plain_text'; readonly text: string; readonly emoji: false }
  | { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };

/** The blocks that an alert is made of, out of Slack's Block Kit. */
export type SlackBlock =
  | { readonly type: 'header' | 'section'; readonly text: Text }
  | { readonly type: 'section'; readonly fields: readonly Text[] }
  | { readonly type: 'context'; readonly elements: readonly Text[] };

export interface SlackMessage {
  /** For notifications, screen readers and search; Slack shows the blocks. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  /** The whole alert without blocks, for when Slack does not take them. */
  readonly plain: string;
}

/**
 * Lengths in UTF-16 code units, entities included. A header holds 150, a section 3,000 (docs.slack.dev, Block Kit
 * reference). All blocks of a message together may hold about 13,200 before Slack answers `msg_blocks_too_long`
 * (slackapi/bolt-js issue 2509), so the parts are bounded to stay under 12,000 together: header, explanation, reasons,
 * five lists, facts, link and context.
 */
const HEADER_LENGTH = 150;
const PROSE_LENGTH = 1_200;
const REASONS_LENGTH = 2_000;
const LIST_LENGTH = 1_000;
const FACT_LENGTH = 240;
const LINK_LENGTH = 500;
const TEXT_LENGTH = 1_000;
const PLAIN_LENGTH = 3_500;
const LISTED_EVALUATIONS = 10;

const SYMBOLS: Readonly<Record<AlertText['tone'], string>> = { good: '✅', bad: '❌', unclear: '⚠️', neutral: '▶️' };

/** The facts that a reader of the message needs at once; the others stand small below it. */
const PROMINENT = new Set([
  'Results',
  'App',
  'Version',
  'Started',
  'Requested',
  'Duration',
  'Triggered by',
  'Compared with',
]);

export function renderSlack(alert: Alert, reader: Reader): SlackMessage {
  const text = alertText(alert, reader, LISTED_EVALUATIONS);
  const symbol = SYMBOLS[text.tone];
  const prominent = text.facts.filter(({ label }) => PROMINENT.has(label));
  const others = text.facts.filter(({ label }) => !PROMINENT.has(label));
  return {
    text: `${symbol} ${escaped(text.summary, TEXT_LENGTH)}`,
    plain: `${symbol} ${escaped(plainLines(text).join('\n'), PLAIN_LENGTH)}`,
    blocks: [
      {
        type: 'header',
        text: plain(`${symbol} ${escaped(text.headline, HEADER_LENGTH - 3)}`),
      },
      ...prose(text.explanation.join('\n'), PROSE_LENGTH),
      ...prose(text.reasons.map((reason) => `• ${reason}`).join('\n'), REASONS_LENGTH),
      ...text.evaluations.map(listSection),
      ...(prominent.length === 0 ? [] : [factSection(prominent)]),
      ...linkSection(text.dashboard),
      ...(others.length === 0 ? [] : [{ type: 'context', elements: others.map(factText) } as const]),
    ],
  };
}

/**
 * Sentences are drawn as plain text, where no character has a meaning, and names as code, where only the back quote
 * has one. What is left to escape in both are the three characters that begin mentions, links and entities.
 */
function escaped(text: string, limit: number): string {
  return clipDrawn(text, limit, (point) => ENTITIES[point] ?? point);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const code = (text: string, limit: number): string => `\`${escaped(text.replaceAll('`', "'"), limit - 2)}\``;

/** `verbatim`, or Slack would make links of whatever looks like a URL, a channel or a person. */
const markdown = (text: string): Text => ({ type: 'mrkdwn', text, verbatim: true });

const plain = (text: string): Text => ({ type: 'plain_text', text, emoji: false });

const prose = (text: string, limit: number): readonly SlackBlock[] =>
  text === '' ? [] : [{ type: 'section', text: plain(escaped(text, limit)) }];

/** Whole items as long as they fit, and a count of the rest. */
function listSection({ title, items, more }: EvaluationList): SlackBlock {
  const lines: string[] = [];
  let left = LIST_LENGTH - title.length - moreText(items.length + more).length - 8;
  for (const item of items) {
    const line = itemLine(item.name, item.detail);
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const rest = items.length - lines.length + more;
  return {
    type: 'section',
    text: markdown([`*${title}*`, ...lines, ...(rest === 0 ? [] : [moreText(rest)])].join('\n')),
  };
}

const itemLine = (name: string, detail: string | undefined): string =>
  `• ${code(name, FACT_LENGTH)}${detail === undefined ? '' : ` ${code(detail, FACT_LENGTH)}`}`;

const factSection = (facts: readonly Fact[]): SlackBlock => ({ type: 'section', fields: facts.map(factText) });

const factText = ({ label, value }: Fact): Text => plain(`${label}: ${escaped(value, FACT_LENGTH)}`);

/** A URL in Slack's notation ends at `>`, and its label begins at `|`. */
function linkSection(url: string | undefined): readonly SlackBlock[] {
  const target = url?.replaceAll('|', '%7C').replaceAll('>', '%3E').replaceAll('<', '%3C').replaceAll('&', '&amp;');
  return target === undefined || target.length > LINK_LENGTH
    ? []
    : [{ type: 'section', text: markdown(`<${target}|Open the run in the dashboard>`) }];
}
