import { AsyncLocalStorage } from 'node:async_hooks';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as z from 'zod';

import { textOf, type Json } from '../../domain/json.ts';
import type { Log } from '../../ports.ts';
import { withDeadline } from './deadline.ts';
import { DeadSessionError, explained, refusalOf } from './failure.ts';
import { payloadOf } from './payload.ts';
import { createTransportFetch, type WireOptions } from './transport-fetch.ts';
import type { Exchange } from './wire.ts';

export interface ConnectionOptions extends WireOptions {
  readonly url: string;
  /** Longest time of one tool call, with connecting and all that is tried within it. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Calls one tool of an MCP server. */
export type Call = (tool: string, args: Json) => Promise<Json>;

/** An MCP server, connected to when it is first needed. */
export interface Connection {
  /** The tool's output message. Throws TransientError or PermanentError with the tool and the resource in the message. */
  call: Call;
  /** Ends calls that are under way. */
  close(): Promise<void>;
}

/** The SDK's own time-out must never come first: it cannot say what was waited for. */
const SDK_GRACE_MS = 60_000;

/** Whatever object the tool answers with: the SDK's own schema refuses forms that Google may send. */
const anyResult = z.record(z.string(), z.unknown());

export function createConnection(options: ConnectionOptions): Connection {
  const exchanges = new AsyncLocalStorage<Exchange>();
  const { log, timeoutMs } = options;
  const patience = { timeout: timeoutMs + SDK_GRACE_MS };
  const transportFetch = createTransportFetch(options, () => {
    const exchange = exchanges.getStore();
    if (exchange === undefined) throw new Error('a request of the MCP client outside of any call');
    return exchange;
  });
  /** Shared by all calls. Absent until it is needed, after a failure, and after the session died. */
  let shared: Promise<Client> | undefined;

  const within = async <T>(exchange: Exchange, ask: () => Promise<T>): Promise<T> => {
    try {
      return await exchanges.run(exchange, ask);
    } catch (error) {
      throw refusalOf(error, exchange.answer);
    }
  };

  const connect = async (exchange: Exchange): Promise<Client> => {
    const client = new Client({ name: 'ces-evals', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(options.url), { fetch: transportFetch });
    await within(exchange, () => client.connect(transport, patience));
    return client;
  };

  const connected = (project: string | undefined): Promise<Client> => {
    if (shared !== undefined) return shared;
    // It has a deadline of its own, so that the first of many callers does not take the others with it.
    const opening = withDeadline(timeoutMs, (signal) => connect({ signal, project, secrets: [] }));
    shared = opening;
    opening.catch(() => forget(opening));
    return opening;
  };

  const forget = (client: Promise<Client>): void => {
    if (shared === client) shared = undefined;
  };

  const ask = async (tool: string, args: Json, exchange: Exchange): Promise<Json> => {
    const connection = connected(exchange.project);
    const client = await connection;
    try {
      const params = { name: tool, arguments: args };
      const result = await within(exchange, () =>
        client.request({ method: 'tools/call', params }, anyResult, patience),
      );
      return payloadOf(result, exchange.answer);
    } catch (error) {
      // The old client is not closed, because that would cut other calls off; it holds nothing that is open.
      if (error instanceof DeadSessionError) forget(connection);
      throw error;
    }
  };

  /** A server that was restarted has not done what it was asked, so it can be asked again, whatever it was. */
  const askTwice = (tool: string, args: Json, exchange: Exchange): Promise<Json> =>
    ask(tool, args, exchange).catch((error: unknown) => {
      if (!(error instanceof DeadSessionError)) throw error;
      log.info({ tool }, 'the MCP session of CES is gone, connecting again');
      return ask(tool, args, exchange);
    });

  return {
    async call(tool, args) {
      const resource = textOf(args['name']) ?? textOf(args['parent']) ?? textOf(args['app']) ?? '';
      const project = /^projects\/([^/]+)\//.exec(resource)?.[1];
      try {
        return await withDeadline(timeoutMs, (signal) => askTwice(tool, args, { signal, project, secrets: [] }));
      } catch (error) {
        throw explained(tool, resource, error);
      }
    },
    async close() {
      const closing = shared;
      shared = undefined;
      const client = await closing?.catch(() => undefined);
      await client?.close();
    },
  };
}
