import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import type { ScriptedRun } from '../../infra/local/simulated-ces/script.ts';
import {
  startSimulatedCes,
  type SimulatedCes,
  type SimulatedCesOptions,
} from '../../infra/local/simulated-ces/server.ts';

export const APP = 'projects/acme-cx/locations/us/apps/support-bot';
const NIGHT = new Date('2026-11-30T02:00:00Z');
const HALF_A_MINUTE_QUEUED_TWO_RUNNING = { queuedMs: 30_000, runningMs: 120_000 };

/** JSON of the server, read as loosely as tests may. */
export type Answer = ReturnType<typeof JSON.parse>;
const open: { close(): Promise<void> }[] = [];

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const one of open.splice(0).toReversed()) await one.close();
}

export interface Bench {
  readonly ces: SimulatedCes;
  /** What a successful tool call answers. */
  readonly ask: (name: string, args: Answer) => Promise<Answer>;
  readonly refusal: (name: string, args: Answer) => Promise<string>;
  /** Starts a run and gives its full name. */
  readonly start: (args?: Answer) => Promise<string>;
  /** Sets the clock to so many milliseconds after the start of the night. */
  readonly at: (ms: number) => void;
}

/** A simulated CES and a client of it, both with a clock that the test moves. */
export async function bench(
  options: Partial<SimulatedCesOptions> & { readonly entry?: ScriptedRun } = {},
): Promise<Bench> {
  let now = NIGHT;
  const { entry, ...rest } = options;
  const ces = await startSimulatedCes({
    app: APP,
    clock: { now: () => now },
    seed: 7,
    ...(entry === undefined ? {} : { script: { runs: [{ ...HALF_A_MINUTE_QUEUED_TWO_RUNNING, ...entry }] } }),
    ...rest,
  });
  open.push(ces);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(ces.url)));
  open.push(client);
  const call = (name: string, args: Answer): Promise<Answer> => client.callTool({ name, arguments: args });
  const ask = async (name: string, args: Answer) => {
    const { isError, content } = await call(name, args);
    if (isError) throw new Error(content[0].text);
    return JSON.parse(content[0].text);
  };
  return {
    ces,
    ask,
    refusal: async (name, args) => {
      const { isError, content } = await call(name, args);
      return isError === true ? content[0].text : 'was not refused';
    },
    start: async (args = { evaluations: ['greeting', 'refund'] }) =>
      (await ask('run_evaluation', { app: APP, ...args })).metadata.evaluationRun,
    at: (ms) => {
      now = new Date(NIGHT.getTime() + ms);
    },
  };
}

/** A tool call without a client. */
export const post = (url: string, name: string, args: Answer, signal?: AbortSignal): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    ...(signal === undefined ? {} : { signal }),
  });
