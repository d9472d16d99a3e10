import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:net';

import type { Clock } from '../../../shared/ports.ts';
import type { InboxMessage } from './message.ts';
import { slackListener, type SlackFault } from './slack-server.ts';
import { createWorkspace } from './slack.ts';
import { createSmtpServer, type SmtpFault } from './smtp-server.ts';

export interface InboxOptions {
  readonly clock: Clock;
  /** Default: any free port, for both. Always on 127.0.0.1. */
  readonly slackPort?: number;
  readonly smtpPort?: number;
  /** Ids of the Slack channels there are. Default: whatever is asked for. */
  readonly channels?: readonly string[];
  /** Asked for each call of a Slack method. */
  readonly slackFault?: (method: string) => SlackFault | undefined;
  /** Asked for each mail. */
  readonly smtpFault?: (recipients: readonly string[]) => SmtpFault | undefined;
}

export interface Inbox {
  /** For `SLACK_API_URL`. */
  readonly slackApiUrl: string;
  /** For `SMTP_URL`. */
  readonly smtpUrl: string;
  /** Everything that has arrived, oldest first. */
  messages(): readonly InboxMessage[];
  /** The listener hears of what arrives from now on. */
  onMessage(listener: (message: InboxMessage) => void): void;
  close(): Promise<void>;
}

/** Takes what the product sends to Slack and by mail, and answers as Slack and a mail server do. */
export async function startInbox(options: InboxOptions): Promise<Inbox> {
  const messages: InboxMessage[] = [];
  const listeners: ((message: InboxMessage) => void)[] = [];
  const onMessage = (message: InboxMessage) => {
    messages.push(message);
    for (const listener of listeners) listener(message);
  };
  const now = () => options.clock.now();

  const workspace = createWorkspace({ now, channels: options.channels, onMessage });
  const slack = createServer(slackListener(workspace, options.slackFault));
  const smtp = createSmtpServer({ now, onMessage, fault: options.smtpFault });
  const slackPort = await listen(slack, options.slackPort);
  const smtpPort = await listen(smtp.server, options.smtpPort);
  return {
    slackApiUrl: `http://127.0.0.1:${slackPort}/api/`,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    messages: () => messages.slice(),
    onMessage: (listener) => void listeners.push(listener),
    close: async () => {
      slack.close();
      slack.closeAllConnections();
      await Promise.all([once(slack, 'close'), new Promise<void>((resolve) => smtp.close(resolve))]);
    },
  };
}

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The inbox has no TCP address.');
  return address.port;
}
