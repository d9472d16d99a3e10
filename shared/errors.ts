/** It may work another time. Adapters throw it for what is beyond them and this process: time-outs, 429, 5xx, a cut answer. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** The server's own wish, from `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** It will never work as it is asked. The message says what was attempted, on what, and what the operator can do. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** Something that a person typed or configured is wrong: shown without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
