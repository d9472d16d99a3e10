import { createTransport } from 'nodemailer';

import { messageOf, PermanentError } from '../../errors.ts';
import { smtpServerOf } from './smtp.ts';

/**
 * Connects to the mail server and logs in, without sending anything. Answers the host.
 * @throws PermanentError with what to do
 */
export async function checkSmtp(options: {
  readonly smtpUrl: string | undefined;
  readonly from: string | undefined;
  readonly timeoutMs: number;
}): Promise<string> {
  const { smtpUrl, from, timeoutMs } = options;
  if (smtpUrl === undefined) throw new PermanentError('there is no mail server; set SMTP_URL');
  if (from === undefined) throw new PermanentError('there is no sender; set EMAIL_FROM');
  const server = smtpServerOf(smtpUrl);
  if (server === undefined) throw new PermanentError('SMTP_URL is no smtp:// or smtps:// URL; correct it');
  const timeouts = {
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
  const transport = createTransport({ ...server, ...timeouts });
  try {
    await transport.verify();
    return `${server.host ?? 'the mail server'} takes mail from ${from}`;
  } catch (error) {
    throw new PermanentError(`the mail server did not let us in: ${messageOf(error)}; check SMTP_URL`, {
      cause: error,
    });
  } finally {
    transport.close();
  }
}
