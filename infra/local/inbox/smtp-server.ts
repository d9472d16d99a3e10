import { buffer } from 'node:stream/consumers';

import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

import type { EmailMessage } from './message.ts';

/** What goes wrong with one mail. */
export type SmtpFault =
  /** The answer to the mail's data: 451 is "later", 550 "never". */
  | { readonly kind: 'reply'; readonly code: number }
  /** The mail arrives, and the connection breaks before the answer. */
  | { readonly kind: 'acceptThenDrop' };

interface Deps {
  readonly now: () => Date;
  readonly onMessage: (message: EmailMessage) => void;
  readonly fault: ((recipients: readonly string[]) => SmtpFault | undefined) | undefined;
}

/** Open connections of a client's pool are not waited for. */
const CLOSE_TIMEOUT_MS = 50;

/** A mail server that takes everything, from anybody or from any user, and never encrypts. */
export function createSmtpServer({ now, onMessage, fault: faults }: Deps): SMTPServer {
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN'],
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username ?? '' }),
    onData: (stream, session, callback) => {
      const receive = async () => {
        const raw = await buffer(stream);
        const fault = faults?.(recipientsOf(session));
        if (fault?.kind === 'reply') throw new SmtpRefusal(fault.code);
        onMessage(await parse(raw, session, now()));
        if (fault?.kind === 'acceptThenDrop') return drop(server, session);
        callback();
      };
      receive().catch(callback);
    },
  });
  // A client that breaks its connection is no concern of the inbox; without a listener it would end the process.
  server.on('error', () => undefined);
  return server;
}

class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly responseCode: number;

  constructor(responseCode: number) {
    super(responseCode < 500 ? 'Try again later' : 'Mailbox unavailable');
    this.responseCode = responseCode;
  }
}

const recipientsOf = ({ envelope }: SMTPServerSession): readonly string[] =>
  envelope.rcptTo.map(({ address }) => address);

const drop = (server: SMTPServer, { id }: SMTPServerSession): void =>
  server.connections.forEach((connection) => {
    if (connection.session.id === id) connection.close();
  });

async function parse(raw: Uint8Array, session: SMTPServerSession, receivedAt: Date): Promise<EmailMessage> {
  const mail = await PostalMime.parse(raw);
  const { mailFrom } = session.envelope;
  return {
    kind: 'email',
    receivedAt,
    from: mailFrom === false ? '' : mailFrom.address,
    to: recipientsOf(session),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
    ...(mail.html === undefined ? {} : { html: mail.html }),
    ...(mail.messageId === undefined ? {} : { messageId: mail.messageId }),
  };
}
