import MailComposer from 'nodemailer/lib/mail-composer';

import { oneLine } from '../../domain/alert-format.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { Subscriber } from '../../domain/plan.ts';
import type { Channel, Log } from '../../ports.ts';
import { outcomeOf } from './outcome.ts';
import { renderEmail, type Email } from './render.ts';
import { smtpServerOf, transmit, type Mail } from './smtp.ts';

export interface EmailOptions {
  /** `smtp://` or `smtps://`, with credentials; without one every delivery is refused with the remedy. */
  readonly smtpUrl: string | undefined;
  /** The sender: an address, or a name with an address in angle brackets. */
  readonly from: string | undefined;
  /** Longest time that one delivery may take. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Sends each alert as a message of its own, so that no subscriber learns of another and no bounce concerns two. */
export function createEmailChannel({ smtpUrl, from, timeoutMs, log }: EmailOptions): Channel {
  return {
    async send(delivery, to) {
      const refuse = (problem: string) =>
        ({ kind: 'refused', problem: `sending e-mail to ${to.name}: ${problem}` }) as const;
      if (to.address.kind !== 'email') return refuse('the subscriber has no address in evals.yaml');
      if (smtpUrl === undefined || smtpUrl === '') return refuse('there is no mail server; set SMTP_URL');
      const server = smtpServerOf(smtpUrl);
      if (server === undefined) return refuse('SMTP_URL is no smtp:// or smtps:// URL; correct it');
      if (from === undefined || from === '') return refuse('there is no sender; set EMAIL_FROM');
      const email = renderEmail(delivery.alert, to);
      const mail = await compose(email, { from, to: to.address.to, date: dateOf(delivery) });
      if (mail === undefined)
        return refuse('EMAIL_FROM or the address in evals.yaml is not one e-mail address; correct it');
      const answer = await transmit(server, mail, timeoutMs);
      if (answer.kind === 'accepted')
        return { kind: 'sent', receipt: `${oneLine(answer.response)} ${email.messageId}` };
      const { code, cause, responseCode, handedOver } = answer;
      log.debug({ delivery: delivery.id, code, cause, responseCode, handedOver }, 'sending e-mail failed');
      return outcomeOf(answer, oneLine(to.address.to));
    },

    inDoubt: (delivery, to) => Promise.resolve({ kind: 'hold', problem: doubtAbout(delivery, to) }),
  };
}

const dateOf = ({ at, createdAt }: Delivery): Date => new Date(at ?? createdAt);

/** SMTP has no question about a message that was handed over. */
const doubtAbout = (delivery: Delivery, to: Subscriber): string =>
  `the e-mail to ${to.name} may have been sent, and a mail server cannot be asked. Ask the subscriber; ` +
  `if it did not arrive, "ces-evals deliveries redrive ${delivery.id}" sends it again`;

/** Undefined when the sender or the recipient is not one address. */
async function compose(
  email: Email,
  head: { readonly from: string; readonly to: string; readonly date: Date },
): Promise<Mail | undefined> {
  const message = new MailComposer({
    from: oneLine(head.from),
    // As an object it stays one recipient, whatever stands in it.
    to: { name: '', address: oneLine(head.to) },
    date: head.date,
    subject: email.subject,
    messageId: email.messageId,
    text: email.text,
    html: email.html,
    headers: {
      // RFC 3834: no out-of-office reply to this. The second header is what Microsoft Exchange heeds.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const { from, to } = message.getEnvelope();
  const [recipient] = to;
  if (message.getAddresses().from?.length !== 1) return undefined;
  if (typeof from !== 'string' || from === '' || recipient === undefined || to.length !== 1) return undefined;
  return { from, to: recipient, content: await message.build() };
}
