import { createServer, type Socket } from 'node:net';

import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Letter {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

export interface MailServer {
  readonly port: number;
  readonly letters: readonly Letter[];
  readonly close: () => Promise<void>;
}

/** A mail server that keeps what it accepts. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const letters: Letter[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, { envelope }, done) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString('utf8')));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        letters.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
        done(null, 'queued as 4c1f0a');
      });
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, letters, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** A mail server that goes through the dialogue line by line, and cuts the connection where `lines` end. */
export async function scriptedServer(lines: Readonly<Record<string, string>>): Promise<Omit<MailServer, 'letters'>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.write('220 mx.acme.example ESMTP\r\n');
    let inBody = false;
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\r\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        if (inBody && line !== '.') continue;
        const verb = inBody ? '.' : (line.split(/[ :]/)[0] ?? '').toUpperCase();
        const reply = lines[verb];
        if (reply === undefined) return void socket.destroy();
        inBody = verb === 'DATA' && reply.startsWith('354');
        if (reply !== '') socket.write(`${reply}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export const DIALOGUE = {
  EHLO: '250 mx.acme.example',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  '.': '250 taken',
};

export const until = (verb: keyof typeof DIALOGUE): Readonly<Record<string, string>> => {
  const entries = Object.entries(DIALOGUE);
  return Object.fromEntries(
    entries.slice(
      0,
      entries.findIndex(([name]) => name === verb),
    ),
  );
};
