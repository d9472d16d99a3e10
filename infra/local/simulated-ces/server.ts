import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { isRecord, textOf } from '../../../shared/domain/json.ts';
import { messageOf } from '../../../shared/errors.ts';
import type { Clock, Log } from '../../../shared/ports.ts';
import { RETAIL_SUPPORT, type CatalogueEntry } from './catalogue.ts';
import { createDatasets } from './datasets.ts';
import { misbehave, type Faults } from './faults.ts';
import { answerMcp, type McpOptions } from './mcp.ts';
import { createChance } from './random.ts';
import { notFound } from './refusal.ts';
import { createRuns } from './runs.ts';
import type { Script } from './script.ts';
import { createTools } from './tools.ts';

export interface SimulatedCesOptions {
  /** Full resource name of the only app there is. */
  readonly app: string;
  /** Time on it may stand still or jump: what a run looks like is worked out at each call. */
  readonly clock: Clock;
  /** Default: any free port. Always on 127.0.0.1. */
  readonly port?: number;
  /** Same seed, same calls, same history, ids included. Default: one that is never the same twice. */
  readonly seed?: number;
  /** How many times faster than the real service queues and runs are, scripted ones too. Default 1. */
  readonly timeScale?: number;
  readonly script?: Script;
  readonly catalogue?: readonly CatalogueEntry[];
  readonly fault?: Faults;
  readonly wire?: McpOptions['wire'];
  readonly refusalStatus?: McpOptions['refusalStatus'];
  readonly log?: Log;
}

export interface SimulatedCes {
  /** The MCP endpoint. */
  readonly url: string;
  /** Every evaluation run that was started, oldest first. */
  runs(): readonly StartedEvaluationRun[];
  close(): Promise<void>;
}

export interface StartedEvaluationRun {
  readonly name: string;
  readonly displayName: string;
  readonly createdAt: Date;
}

const PATH = '/mcp';

/** An MCP server that behaves as the evaluation tools of CES do, with runs that happen only in its imagination. */
export async function startSimulatedCes(options: SimulatedCesOptions): Promise<SimulatedCes> {
  const { app, clock, script, catalogue = RETAIL_SUPPORT, timeScale = 1, wire = 'json', refusalStatus = 200 } = options;
  const chance = createChance(options.seed ?? randomInt(2 ** 47));
  const entries = new Map(catalogue.map((entry) => [`${app}/evaluations/${entry.id}`, entry]));
  const evaluation = (name: string): CatalogueEntry => {
    const entry = entries.get(name);
    if (entry === undefined) throw notFound(name);
    return entry;
  };
  const datasets = createDatasets({ app, clock, chance, evaluation });
  const runs = createRuns({ app, clock, chance, script, timeScale, datasets, evaluation });
  const mcp = { tools: createTools(runs, datasets), wire, refusalStatus };

  const server = createServer((request, response) => {
    answer(request, response, mcp, options).catch((error: unknown) => {
      options.log?.error({ error: messageOf(error) }, 'simulated CES could not answer');
      response.destroy();
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}${PATH}`,
    runs: () => runs.lives.map(({ name, displayName, createdAt }) => ({ name, displayName, createdAt })),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  mcp: McpOptions,
  { fault: faults, log }: SimulatedCesOptions,
): Promise<void> {
  const body = await text(request);
  if (request.url !== PATH) return end(response, 404);
  // There is nothing to push, and a standing stream is optional in MCP.
  if (request.method !== 'POST') return end(response, 405);
  const answerNow = () => answerMcp(toWebRequest(request, body), mcp);
  const tool = toolOf(body);
  const fault = tool === undefined ? undefined : faults?.(tool);
  log?.debug({ tool, fault: fault?.kind }, 'simulated CES was called');
  if (fault !== undefined) return misbehave(fault, request, response, answerNow);
  const { status, contentType, body: answered } = await answerNow();
  response.writeHead(status, { 'content-type': contentType }).end(answered);
}

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status).end();
};

const toWebRequest = (request: IncomingMessage, body: string): Request =>
  new Request(`http://127.0.0.1${PATH}`, {
    method: 'POST',
    headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
    body,
  });

/** The name of the tool that a body calls; what is no tool call at all is left to the MCP server to judge. */
function toolOf(body: string): string | undefined {
  let rpc: unknown;
  try {
    rpc = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isRecord(rpc) || rpc['method'] !== 'tools/call' || !isRecord(rpc['params'])) return undefined;
  return textOf(rpc['params']['name']);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulated CES has no TCP address.');
  return address.port;
}
