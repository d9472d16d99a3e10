import type { PollBounds } from '../../shared/domain/poll-policy.ts';
import { TransientError } from '../../shared/errors.ts';
import type { Deps } from '../../shared/ports.ts';

export const boundsOf = ({ settings }: Pick<Deps, 'settings'>): PollBounds => ({
  minMs: settings.pollMinMs,
  maxMs: settings.pollMaxMs,
});

export const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof TransientError ? error.retryAfterMs : undefined;
