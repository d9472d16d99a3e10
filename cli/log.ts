import pino from 'pino';
import pretty from 'pino-pretty';

import type { Log } from '../shared/ports.ts';

/** Logs go to stderr, so that stdout holds nothing but what was asked for: for people on a terminal, else as JSON. */
export function createLog(level: string): Log {
  const stderr = 2;
  return process.stderr.isTTY
    ? pino({ level }, pretty({ destination: stderr, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' }))
    : pino(
        { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
        pino.destination({ dest: stderr, sync: true }),
      );
}
