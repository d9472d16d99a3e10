import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import * as z from 'zod';

import { isRecord } from '../../shared/domain/json.ts';
import { messageOf, PermanentError } from '../../shared/errors.ts';

/** Who serves a data directory. */
const holder = z.object({ pid: z.number().int(), url: z.url() });
export type Holder = z.infer<typeof holder>;

export interface ServeLock {
  /** Tells those who join where to find this server. */
  announce(holder: Holder): void;
  release(): void;
}

/** Whoever asks who serves has the lock for an instant; a server that starts just then waits for so long. */
const ASKERS_MS = 250;

/**
 * Takes the data directory for one `serve`, or answers undefined when another one has it. It is a lock that the
 * operating system holds for the life of the process, so it is free again the moment that a `serve` is killed: a
 * server's promises hang on the store's own conditions, this only tells others whether somebody is at work. Throws
 * PermanentError when the directory cannot be used.
 */
export function takeServeLock(dataDir: string): ServeLock | undefined {
  const db = open(dataDir, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return new DatabaseSync(lockFile(dataDir), { timeout: ASKERS_MS });
  });
  if (!isGranted(db, dataDir, 'BEGIN EXCLUSIVE')) {
    db.close();
    return undefined;
  }
  // A server that was killed is not to be taken for this one.
  rmSync(holderFile(dataDir), { force: true });
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

/** The `serve` that is at work in this data directory, if there is one. Throws PermanentError when it cannot be read. */
export function servingIn(dataDir: string): Holder | undefined {
  if (!existsSync(lockFile(dataDir))) return undefined;
  const db = open(dataDir, () => new DatabaseSync(lockFile(dataDir), { timeout: 0, readOnly: true }));
  // Many may read at one time, so nobody who asks is taken for a server by another one who does.
  const isFree = isGranted(db, dataDir, 'SELECT 1 FROM sqlite_master');
  db.close();
  return isFree ? undefined : readHolder(dataDir);
}

/** SQLITE_BUSY: https://www.sqlite.org/rescode.html#busy */
const BUSY = 5;

function isGranted(db: DatabaseSync, dataDir: string, statement: string): boolean {
  try {
    db.exec(statement);
    return true;
  } catch (error) {
    if (isRecord(error) && error['errcode'] === BUSY) return false;
    db.close();
    throw unusable(dataDir, error);
  }
}

function open(dataDir: string, attempt: () => DatabaseSync): DatabaseSync {
  try {
    return attempt();
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

const unusable = (dataDir: string, error: unknown): PermanentError =>
  new PermanentError(
    `could not lock the data directory ${dataDir}: ${messageOf(error)}; give this user a folder to write to, ` +
      'with DATA_DIR or --data-dir',
    { cause: error },
  );

/** Undefined for the moment between the lock and the announcement, too. */
function readHolder(dataDir: string): Holder | undefined {
  try {
    return holder.safeParse(JSON.parse(readFileSync(holderFile(dataDir), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

const holderFile = (dataDir: string): string => join(dataDir, 'serve.json');
const lockFile = (dataDir: string): string => join(dataDir, 'serve.lock');
