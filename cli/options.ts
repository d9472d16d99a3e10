import { InvalidArgumentError } from 'commander';

import { parseDuration } from '../shared/config/durations.ts';

/** For `--timeout 30m`: milliseconds. */
export function durationOption(value: string): number {
  const ms = parseDuration(value);
  if (ms === undefined) throw new InvalidArgumentError('Write it as 500ms, 30s, 15m, 2h or 1d.');
  return ms;
}

/** For `--limit 20`. */
export function countOption(value: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('Write a number of 1 or more.');
  return count;
}

/** For `--port 8080`; 0 is any free port. */
export function portOption(value: string): number {
  const port = Number(value);
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('Write a port, 0 to 65535.');
  return port;
}
