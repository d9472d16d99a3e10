import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// The framework's own server for one function; "testing" is merely the only door to it that does not call listen().
import { getTestServer } from '@google-cloud/functions-framework/testing';

import { isAuthorised } from '../../functions/edge/access.ts';
import { problem, type Answer } from '../../functions/edge/respond.ts';
import { FUNCTIONS, type FunctionName } from '../../functions/register.ts';
import { isRecord, type Json } from '../../shared/domain/json.ts';
import { PermanentError } from '../../shared/errors.ts';
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

/**
 * Serves every registered function on one port, each by the functions framework as it runs in the cloud. What Google's
 * front end does there is done here, before the framework sees a request: bodies have a limit, and callers cannot say
 * where they come from. Bodies are read here as well, because to malformed JSON the framework answers a page of its own.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const functions = new Map<FunctionName, Server>(FUNCTIONS.map(({ name }) => [name, getTestServer(name)]));

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const path = pathOf(request);
    const name = path === undefined ? undefined : route(path);
    const target = name === undefined ? undefined : functions.get(name);
    if (path === undefined) return refuse(response, MALFORMED_PATH);
    if (target === undefined) return refuse(response, NOT_FOUND);
    if (path.startsWith(PUSH_PATH) && !mayPush(request, options.apiToken)) return refuse(response, UNAUTHORIZED);
    if (body === undefined) return refuse(response, TOO_LARGE);
    const message = path.startsWith(TOPIC_PATH) ? messageIn(request, body) : {};
    if (message === undefined) return refuse(response, NO_PUSH);
    for (const header of SAID_BY_PROXIES) delete request.headers[header];
    // Where the framework leaves them. It does not read a request again that was read to its end.
    Object.assign(request, { rawBody: body, body: message });
    target.emit('request', request, response);
  };

  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    response.once('close', () => {
      // Its connection would be kept for a next request, that the server is not there to take.
      if (!server.listening) server.closeIdleConnections();
    });
    // All that can go wrong is that the request breaks off; then there is nobody to answer.
    pass(request, response).catch(() => response.destroy());
  });
  await listen(server, options);
  return { url: urlOf(server, options.host), close: () => close(server) };
}

/** More than any request needs: the webhook takes 64 KiB, a message has a hundred bytes. */
const MAX_BODY_BYTES = 1_048_576;
/** For all of a request to arrive; Node.js cuts off whoever takes longer. */
const REQUEST_TIMEOUT_MS = 30_000;
/** There is no proxy in front of us whom we could believe. */
const SAID_BY_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * Undefined when it is larger than allowed. It is read to its end all the same: a client that is cut off while it sends
 * does not see the answer.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

/** Undefined when it is none that the framework can decode. */
function pathOf({ url = '' }: IncomingMessage): string | undefined {
  const [path = ''] = url.split('?', 1);
  try {
    decodeURIComponent(path);
    return path.startsWith('/') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** What a push subscription posts. */
function messageIn({ method }: IncomingMessage, body: Buffer): Json | undefined {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return method === 'POST' && isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function route(path: string): FunctionName | undefined {
  if (path === '/webhook') return 'webhook';
  if (path === tickEndpoint('')) return 'scheduler';
  if (!path.startsWith(PUSH_PATH)) return 'dashboard';
  return FUNCTIONS.find(({ trigger }) => trigger !== 'http' && path === `${TOPIC_PATH}${trigger}`)?.name;
}

const mayPush = ({ headers }: IncomingMessage, apiToken: string | undefined): boolean =>
  apiToken === undefined || isAuthorised(headers.authorization, apiToken);

const MALFORMED_PATH = problem(400, 'Malformed path', 'The path of the URL cannot be decoded.');
const NO_PUSH = problem(400, 'Malformed message', 'POST what a push subscription posts: {"message": {"data": "…"}}.');
const UNAUTHORIZED = problem(401, 'Unauthorized', 'Send the API token as a bearer token.', {
  'www-authenticate': 'Bearer realm="ces-evals"',
});
const NOT_FOUND = problem(404, 'Not found', 'There is no such function.');
const TOO_LARGE = problem(413, 'Body too large', `A request may have ${MAX_BODY_BYTES} bytes.`, {
  connection: 'close',
});

function refuse(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  response.end(JSON.stringify(body));
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
