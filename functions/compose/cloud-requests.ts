import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, Server } from 'node:http';

import { traceOf, type Trace } from '../../shared/adapters/cloud-log/trace.ts';

export interface Requests {
  /** Of the request that is being handled. */
  readonly trace: () => Trace | undefined;
}

/** Cloud Run ends an instance ten seconds after SIGTERM. */
const DRAIN_MS = 8_000;

/**
 * Watches the requests of this process, through Node's own channel: the framework shows neither its server nor, to a
 * message function, the headers. On SIGTERM no new connection is taken, the requests under way are answered, `flush`
 * is called and the process ends. The framework's own handler would cut them off, and it is set up after we are loaded;
 * so it is replaced with the first request, before which there is nothing to cut off.
 */
export function watchRequests(flush: () => Promise<void>): Requests {
  const traces = new AsyncLocalStorage<Trace | undefined>();
  let server: Server | undefined;

  subscribe('http.server.request.start', (event) => {
    const { request, server: serving } = partsOf(event);
    if (request === undefined || serving === undefined) return;
    // Holds for what this request sets off: the next one enters anew.
    traces.enterWith(traceOf(request.headers));
    if (server !== undefined) return;
    server = serving;
    process.removeAllListeners('SIGTERM');
    process.once('SIGTERM', () => {
      void drain(serving, flush);
    });
  });

  return { trace: () => traces.getStore() };
}

async function drain(server: Server, flush: () => Promise<void>): Promise<void> {
  setTimeout(() => process.exit(1), DRAIN_MS).unref();
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
  });
  await flush();
  process.exit(0);
}

function partsOf(event: unknown): { readonly request?: IncomingMessage; readonly server?: Server } {
  if (typeof event !== 'object' || event === null || !('request' in event) || !('server' in event)) return {};
  const { request, server } = event;
  return request instanceof IncomingMessage && server instanceof Server ? { request, server } : {};
}
