import { messageOf, PermanentError, TransientError } from '../../errors.ts';

/** Codes of gRPC: https://grpc.io/docs/guides/status-codes/ */
const CODES = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export const ALREADY_EXISTS = 6;

/** What the library tries again by itself. Every call here may be made twice. */
const RETRIED = [
  CODES.unknown,
  CODES.deadlineExceeded,
  CODES.resourceExhausted,
  CODES.aborted,
  CODES.internal,
  CODES.unavailable,
];

/** What stays as it is until somebody repairs it. Anything else may be different another time. */
const PERMANENT = new Set<number>([
  CODES.invalidArgument,
  CODES.notFound,
  CODES.permissionDenied,
  CODES.failedPrecondition,
  CODES.outOfRange,
  CODES.unimplemented,
]);

/** All tries of one call together take eight seconds at most, so that a caller has an answer within ten. */
export const PATIENCE = {
  retry: {
    retryCodes: [...RETRIED],
    backoffSettings: {
      initialRetryDelayMillis: 100,
      retryDelayMultiplier: 2,
      maxRetryDelayMillis: 1_000,
      initialRpcTimeoutMillis: 3_000,
      rpcTimeoutMultiplier: 1,
      maxRpcTimeoutMillis: 3_000,
      totalTimeoutMillis: 8_000,
    },
  },
};

/** What an operator can do about a refusal. */
export interface Remedies {
  readonly notFound: string;
  readonly denied: string;
}

export interface Attempt {
  /** Follows "could not". */
  readonly what: string;
  readonly remedies: Remedies;
}

export interface Call<Client> {
  /** Makes the client when it is first needed, and translates what it throws. */
  run(attempt: Attempt, work: (client: Client) => Promise<void>): Promise<void>;
  /** Waits for the calls on their way, then ends the client, if there ever was one. */
  close(end: (client: Client) => Promise<void>): Promise<void>;
}

/** A client that is loaded late and closed once. */
export function createCall<Client>(load: () => Promise<Client>): Call<Client> {
  const onTheirWay = new Set<Promise<void>>();
  let client: Promise<Client> | undefined;
  let closed = false;

  const attemptOnce = async (attempt: Attempt, work: (client: Client) => Promise<void>): Promise<void> => {
    if (closed) throw new TransientError(`could not ${attempt.what}: this process is about to end`);
    client ??= load();
    try {
      await work(await client);
    } catch (error) {
      throw translated(attempt, error);
    }
  };

  return {
    async run(attempt, work) {
      const attempted = attemptOnce(attempt, work);
      onTheirWay.add(attempted);
      try {
        await attempted;
      } finally {
        onTheirWay.delete(attempted);
      }
    },
    async close(end) {
      if (closed) return;
      closed = true;
      await Promise.allSettled(onTheirWay);
      if (client !== undefined) await end(await client);
    },
  };
}

function translated({ what, remedies }: Attempt, error: unknown): TransientError | PermanentError {
  const code = codeOf(error);
  const options = { cause: error };
  if (code === undefined || !PERMANENT.has(code)) {
    return new TransientError(`could not ${what}: ${messageOf(error)}`, options);
  }
  switch (code) {
    case CODES.notFound:
      return new PermanentError(`could not ${what}: ${remedies.notFound}`, options);
    case CODES.permissionDenied:
      return new PermanentError(`could not ${what}: permission denied; ${remedies.denied}`, options);
    default:
      return new PermanentError(
        `could not ${what}: the request was refused (${messageOf(error)}); check the names in the environment`,
        options,
      );
  }
}

/** Errors of the client libraries carry gRPC's code; those of the network and of the credentials do not. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}
