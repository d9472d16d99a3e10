import { clip, oneLine } from '../../domain/alert-format.ts';
import type { SendOutcome } from '../../domain/delivery.ts';
import type { SmtpFailure } from './smtp.ts';

/** Servers that greylist turn the first attempt away and want the next one not before some minutes have passed. */
const GREYLISTED_MS = 5 * 60_000;
const RESPONSE_LENGTH = 300;

const LOGIN = 'check the user and the password in SMTP_URL';
const RECIPIENT = 'check the address in evals.yaml';

/** What each refusal of RFC 5321 and RFC 4954 asks the operator to do. */
const REMEDIES: Readonly<Record<number, string>> = {
  501: RECIPIENT,
  530: LOGIN,
  534: LOGIN,
  535: LOGIN,
  538: LOGIN,
  550: RECIPIENT,
  551: RECIPIENT,
  552: 'the mailbox is full or the message is too large for it',
  553: `${RECIPIENT}, and EMAIL_FROM`,
  556: RECIPIENT,
};

/** What a message that was not accepted means for the alert. Decided by codes alone: the texts differ from server to server. */
export function outcomeOf(failure: SmtpFailure, to: string): Exclude<SendOutcome, { kind: 'sent' }> {
  const attempt = `sending e-mail to ${to}`;
  const { code, responseCode, handedOver } = failure;
  if (responseCode !== undefined && responseCode >= 400) return answered(failure, responseCode, attempt);
  if (handedOver) {
    return {
      kind: 'unknown',
      problem: `${attempt}: the connection was lost after the message went out and before the server answered (${code})`,
    };
  }
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return { kind: 'refused', problem: `${attempt}: the mail server did not let us log in; ${LOGIN}` };
    case 'EENVELOPE':
      return { kind: 'refused', problem: `${attempt}: the address is malformed; ${RECIPIENT}, and EMAIL_FROM` };
    case 'EMESSAGE':
      return { kind: 'refused', problem: `${attempt}: the mail server takes no message of this size; use another one` };
    default: {
      const why = failure.cause === undefined ? code : `${code}, ${failure.cause}`;
      return {
        kind: 'retry',
        problem: `${attempt}: the mail server could not be reached (${why}); check SMTP_URL and the network`,
      };
    }
  }
}

function answered(
  { code, response }: SmtpFailure,
  status: number,
  attempt: string,
): Exclude<SendOutcome, { kind: 'sent' }> {
  // Around a login, what the server says may repeat the credentials.
  const said = code === 'EAUTH' || response === undefined ? String(status) : clip(oneLine(response), RESPONSE_LENGTH);
  // 503 is about the order of commands in this session, not about the message.
  if (status < 500 || status === 503) {
    return { kind: 'retry', problem: `${attempt}: the mail server answered ${said}`, afterMs: GREYLISTED_MS };
  }
  const remedy = code === 'EAUTH' ? LOGIN : (REMEDIES[status] ?? 'ask the operator of the mail server');
  return { kind: 'refused', problem: `${attempt}: the mail server answered ${said}; ${remedy}` };
}
