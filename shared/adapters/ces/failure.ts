import { McpError } from '@modelcontextprotocol/sdk/types.js';

import { messageOf, PermanentError, TransientError } from '../../errors.ts';
import { excerptOf } from './text.ts';
import type { AnswerHead } from './wire.ts';

/** CES said no, or a proxy did in its place. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Names of google.rpc.Code, most specific first; empty when the answer carries none that we know. */
  readonly codes: readonly string[];
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    from: { readonly code?: string | undefined; readonly answer?: AnswerHead | undefined; readonly cause?: unknown },
  ) {
    super(excerptOf(message), from.cause === undefined ? {} : { cause: from.cause });
    this.codes = [from.code, from.answer && codeOfStatus(from.answer.status)].filter((code) => code !== undefined);
    this.retryAfterMs = from.answer?.retryAfterMs;
  }
}

/** The server no longer knows the session that the request named. */
export class DeadSessionError extends Error {
  override readonly name = 'DeadSessionError';
}

/** google.rpc.Code, and whether asking again in the same way can ever help. */
const IS_PERMANENT: Readonly<Record<string, boolean>> = {
  INVALID_ARGUMENT: true,
  NOT_FOUND: true,
  PERMISSION_DENIED: true,
  FAILED_PRECONDITION: true,
  ALREADY_EXISTS: true,
  UNIMPLEMENTED: true,
  OUT_OF_RANGE: true,
  UNAUTHENTICATED: false,
  RESOURCE_EXHAUSTED: false,
  UNAVAILABLE: false,
  DEADLINE_EXCEEDED: false,
  ABORTED: false,
  CANCELLED: false,
  INTERNAL: false,
  DATA_LOSS: false,
  UNKNOWN: false,
};

const CODES_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
};

function codeOfStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return CODES_OF_STATUS[status] ?? (status >= 500 ? 'UNAVAILABLE' : 'UNKNOWN');
}

/** Codes of JSON-RPC 2.0, section 5.1. The others say no more than that something went wrong. */
const CODES_OF_RPC: Readonly<Record<number, string>> = {
  [-32600]: 'INVALID_ARGUMENT',
  [-32601]: 'UNIMPLEMENTED',
  [-32602]: 'INVALID_ARGUMENT',
};

/** Google's server framework names HTTP statuses by exception class. */
const CODES_OF_EXCEPTION: Readonly<Record<string, string>> = {
  BadRequestException: 'INVALID_ARGUMENT',
  NotFoundException: 'NOT_FOUND',
  ForbiddenException: 'PERMISSION_DENIED',
  UnauthorizedException: 'UNAUTHENTICATED',
};

/**
 * The code that the text of a failed tool begins with: `NOT_FOUND: …`, or the class of a Java exception with its
 * package. MCP gives a tool's failure no other place for it. What follows the token is for people and is not looked at.
 */
export function leadingCode(text: string): string | undefined {
  const token = /^([\w.$]+)(?::|$)/.exec(text.trimStart())?.[1];
  if (token === undefined) return undefined;
  if (Object.hasOwn(IS_PERMANENT, token)) return token;
  const exception = token.slice(token.lastIndexOf('.') + 1);
  return Object.hasOwn(CODES_OF_EXCEPTION, exception) ? CODES_OF_EXCEPTION[exception] : undefined;
}

/** Makes a JSON-RPC error one of ours; whatever else the SDK threw stays as it is. */
export const refusalOf = (error: unknown, answer: AnswerHead | undefined): unknown =>
  error instanceof McpError
    ? new Refusal(error.message, { code: CODES_OF_RPC[error.code], answer, cause: error })
    : error;

/**
 * What the caller of a tool gets to see. It is permanent only when everything that was said about the kind of the
 * failure is: to give a run up for a hiccup is worse than to ask once more.
 */
export function explained(tool: string, resource: string, error: unknown): TransientError | PermanentError {
  const attempt = `${tool} on ${resource}`;
  if (error instanceof PermanentError) return new PermanentError(`${attempt}: ${error.message}`, { cause: error });
  if (!(error instanceof Refusal)) {
    const retryAfterMs = error instanceof TransientError ? error.retryAfterMs : undefined;
    return new TransientError(`${attempt}: ${excerptOf(messageOf(error))}`, { cause: error, retryAfterMs });
  }
  const [code] = error.codes;
  const message = [
    `${attempt} was refused${code === undefined ? '' : ` as ${code}`}: ${error.message}`,
    remedyFor(code, tool),
  ]
    .filter((part) => part !== undefined)
    .join('. ');
  return code !== undefined && error.codes.every((each) => IS_PERMANENT[each])
    ? new PermanentError(message, { cause: error })
    : new TransientError(message, { cause: error, retryAfterMs: error.retryAfterMs });
}

/** From Google's list of permissions for CES; it names none for `get_operation`. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  run_evaluation: 'ces.apps.runEvaluation',
  get_evaluation_run: 'ces.evaluationRuns.get',
  list_evaluation_runs: 'ces.evaluationRuns.list',
  get_evaluation_result: 'ces.evaluationResults.get',
  list_evaluation_results: 'ces.evaluationResults.list',
  create_evaluation_dataset: 'ces.evaluationDatasets.create',
  list_evaluation_datasets: 'ces.evaluationDatasets.list',
};

function remedyFor(code: string | undefined, tool: string): string | undefined {
  switch (code) {
    case 'UNAUTHENTICATED':
      return 'A fresh token was refused as well: run `gcloud auth application-default login`, or check the service account and CES_AUTH';
    case 'PERMISSION_DENIED':
      return `Grant the caller roles/mcp.toolUser and ${PERMISSIONS[tool] ?? 'the permission for it in CES'}, and serviceusage.services.use on the project that x-goog-user-project names (CES_QUOTA_PROJECT, else the project of the app), where ces.googleapis.com has to be enabled`;
    case 'NOT_FOUND':
      return 'Check the names in evals.yaml, and that CES_MCP_URL is the MCP endpoint';
    default:
      return undefined;
  }
}
