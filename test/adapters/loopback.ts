import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `hang` never answers, `reset` cuts the connection once the request is read. */
export type Reply =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'reset';

export interface Loopback {
  readonly origin: string;
  readonly received: readonly Received[];
  readonly close: () => Promise<void>;
}

/** An HTTP server on this machine that keeps what it receives. */
export async function serveHttp(reply: (request: Received, index: number) => Reply): Promise<Loopback> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const seen = { path: request.url ?? '', headers: request.headers, body };
      received.push(seen);
      const answer = reply(seen, received.length - 1);
      if (answer === 'hang') return;
      if (answer === 'reset') return void request.socket.destroy();
      response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A port of this machine that nobody listens at. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export const nothingToClose = (): Promise<void> => Promise.resolve();
