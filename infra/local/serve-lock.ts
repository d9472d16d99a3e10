import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import * as z from 'zod';

/** Who serves a data directory. */
const holder = z.object({ pid: z.number().int(), url: z.url() });
export type Holder = z.infer<typeof holder>;

export interface ServeLock {
  /** Tells those who join where to find this server. */
  announce(holder: Holder): void;
  release(): void;
}

/**
 * Takes the data directory for one `serve`, or answers undefined when another one has it. It is a lock that the
 * operating system holds for the life of the process, so it is free again the moment that a `serve` is killed: a
 * server's promises hang on the store's own conditions, this only tells others whether somebody is at work.
 */
export function takeServeLock(dataDir: string): ServeLock | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(join(dataDir, 'serve.lock'), { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch {
    db.close();
    return undefined;
  }
  return {
    announce: (who) => {
      writeFileSync(holderFile(dataDir), JSON.stringify(who));
    },
    release: () => {
      rmSync(holderFile(dataDir), { force: true });
      db.close();
    },
  };
}

/** The `serve` that is at work in this data directory, if there is one. */
export function servingIn(dataDir: string): Holder | undefined {
  const lock = takeServeLock(dataDir);
  if (lock !== undefined) {
    lock.release();
    return undefined;
  }
  return readHolder(dataDir);
}

/** Undefined for the moment between the lock and the announcement, too. */
function readHolder(dataDir: string): Holder | undefined {
  try {
    return holder.safeParse(JSON.parse(readFileSync(holderFile(dataDir), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

const holderFile = (dataDir: string): string => join(dataDir, 'serve.json');
