import { clip, oneLine } from '../../domain/alert-format.ts';
import { alertText, plainLines } from '../../domain/alert-text.ts';
import type { Alert } from '../../domain/alert.ts';
import type { Subscriber } from '../../domain/plan.ts';
import { htmlOf } from './html.ts';

export interface Email {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** In angle brackets; the same for every attempt, so that a mail server or program can tell a second copy. */
  readonly messageId: string;
}

/** Gmail shows no more than about 102 KB of a page (hteumeuleu/email-bugs issue 41). */
const BODY_LIMIT_BYTES = 90 * 1024;
/** Evaluations that are named in one list; the next number is tried where long names make the page too large. */
const LISTED_EVALUATIONS = [20, 8];
const FEWEST_EVALUATIONS = 2;
/** RFC 5322 allows a line of 998 characters; no mail program shows more than this. */
const HEADLINE_LENGTH = 150;
const RUN_LENGTH = 100;

export function renderEmail(alert: Alert, to: Pick<Subscriber, 'name' | 'locale' | 'timezone'>): Email {
  const footer = `Sent by ces-evals because evals.yaml names this address as subscriber ${oneLine(to.name)}.`;
  const page = (listed: number): Email => {
    const text = alertText(alert, to, listed);
    return {
      // Without the run, mail programs would put the alerts of several runs together and hide what repeats.
      subject: `${clip(text.headline, HEADLINE_LENGTH)} [${clip(oneLine(alert.run.id), RUN_LENGTH)}]`,
      text: `${plainLines(text).join('\n')}\n\n-- \n${footer}\n`,
      html: htmlOf(text, footer),
      messageId: messageIdOf(alert.id),
    };
  };
  return LISTED_EVALUATIONS.map(page).find(fits) ?? page(FEWEST_EVALUATIONS);
}

const fits = ({ html, text }: Email): boolean =>
  Math.max(Buffer.byteLength(html), Buffer.byteLength(text)) <= BODY_LIMIT_BYTES;

/** Each id has a form of its own, and each is a `dot-atom`: what RFC 5322 lets stand there without quotes. */
const messageIdOf = (id: string): string =>
  `<${encodeURIComponent(id.toWellFormed()).replaceAll(/[!'()*~]|^\.|\.$|\.(?=\.)/g, escapedByte)}@ces-evals>`;

const escapedByte = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
