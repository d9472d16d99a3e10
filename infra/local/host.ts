import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// The framework's own server for one function; "testing" is merely the only door to it that does not call listen().
import { getTestServer } from '@google-cloud/functions-framework/testing';

import { isAuthorised } from '../../functions/edge/access.ts';
import { PermanentError } from '../../shared/errors.ts';
import { FUNCTIONS, type FunctionName } from '../../functions/register.ts';
import type { Topic } from '../../shared/messages.ts';

/** Where the functions that no browser or pipeline calls are mounted: the bus and the ticker push to them. */
const PUSH_PATH = '/_functions/';
/** The framework reads the topic of a push request from a path of this form. */
const TOPIC_PATH = `${PUSH_PATH}projects/local/topics/`;

/** Where a host takes ticks. */
export const tickEndpoint = (url: string): string => `${url}${PUSH_PATH}scheduler`;

/** Where a host takes the messages of a topic. */
export const pushEndpoint =
  (url: string) =>
  (topic: Topic): string =>
    `${url}${TOPIC_PATH}${topic}`;

/** Time for requests under way when the server closes. */
const CLOSE_GRACE_MS = 2_000;

export interface HostOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Asked for on the push paths; the public functions ask for it themselves. */
  readonly apiToken?: string;
}

export interface Host {
  /** Base URL without a slash at the end, reachable from this machine. */
  readonly url: string;
  /** Stops listening and waits for the requests under way. */
  close(): Promise<void>;
}

/** Serves every registered function on one port, each by the functions framework as it runs in the cloud. */
export async function startHost(options: HostOptions): Promise<Host> {
  const functions = new Map<FunctionName, Server>(FUNCTIONS.map(({ name }) => [name, getTestServer(name)]));
  const server = createServer((request, response) => {
    const name = route(request.url ?? '/');
    const target = name === undefined ? undefined : functions.get(name);
    if (target === undefined) refuse(response, 404, 'Not found', 'There is no such function.');
    else if (!mayPass(request, options.apiToken)) refuse(response, 401, 'Unauthorized', 'Send the API token.');
    else target.emit('request', request, response);
  });
  await listen(server, options);
  return { url: urlOf(server, options.host), close: () => close(server) };
}

function route(url: string): FunctionName | undefined {
  const path = url.split('?', 1)[0] ?? url;
  if (path === '/webhook') return 'webhook';
  if (path === tickEndpoint('')) return 'scheduler';
  if (!path.startsWith(PUSH_PATH)) return 'dashboard';
  return FUNCTIONS.find(({ trigger }) => path === `${TOPIC_PATH}${trigger}`)?.name;
}

const mayPass = ({ url = '', headers }: IncomingMessage, apiToken: string | undefined): boolean =>
  apiToken === undefined || !url.startsWith(PUSH_PATH) || isAuthorised(headers.authorization, apiToken);

function refuse(response: ServerResponse, status: number, title: string, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify({ title, status, detail }));
}

const listen = (server: Server, { port, host }: HostOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new PermanentError(`could not listen on ${host} port ${port}: ${error.message}; choose another with --port`, {
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = isAddress(address) ? address.port : 0;
  const everywhere = host === '0.0.0.0' || host === '::';
  return `http://${everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    // Browsers and our own fetch keep connections open that nobody uses; a client that waits for a run gets cut off.
    server.closeIdleConnections();
    setTimeout(() => {
      server.closeAllConnections();
    }, CLOSE_GRACE_MS).unref();
  });
