import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';

import { Refusal } from './refusal.ts';
import type { Tool } from './tools.ts';

export interface McpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface McpOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** How answers are framed. */
  readonly wire: 'json' | 'sse';
  /** HTTP status of a tool call that is refused; the real service has been seen to answer 400 with a readable body. */
  readonly refusalStatus: 200 | 400;
}

/**
 * Answers one HTTP request. Nothing is kept between two requests, so each has a server and a transport of its own; the
 * answer is complete when it is returned, in both framings.
 */
export async function answerMcp(request: Request, options: McpOptions): Promise<McpAnswer> {
  let refused = false;
  const server = createServer(options.tools, () => {
    refused = true;
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: options.wire === 'json' });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(request);
    const body = await response.text();
    return {
      status: refused ? options.refusalStatus : response.status,
      contentType: response.headers.get('content-type') ?? 'application/json',
      body,
    };
  } finally {
    await server.close();
  }
}

/** The low-level server, because McpServer would answer bad arguments with a text of its own. */
function createServer(tools: ReadonlyMap<string, Tool>, onRefusal: () => void): Server {
  const server = new Server(
    { name: 'StatelessServer', version: '1' },
    { capabilities: { tools: { listChanged: false } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }): CallToolResult => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    try {
      return { content: [{ type: 'text', text: JSON.stringify(tool.call(params.arguments ?? {})) }] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      onRefusal();
      return { isError: true, content: [{ type: 'text', text: error.message }] };
    }
  });
  return server;
}
