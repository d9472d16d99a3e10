import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { isRecord } from '../../domain/json.ts';
import { messageOf, PermanentError, TransientError } from '../../errors.ts';

/** One table for all kinds: the columns beside the body are what documents are looked up by. */
const SCHEMA = `
  CREATE TABLE documents (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    run TEXT,
    plan TEXT,
    created_at TEXT NOT NULL,
    next_at TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  CREATE INDEX due ON documents (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX by_age ON documents (kind, created_at, id);
  CREATE INDEX by_plan ON documents (kind, plan, created_at, id);
  CREATE INDEX open_by_plan ON documents (kind, plan, created_at, id) WHERE next_at IS NOT NULL;
  CREATE INDEX by_run ON documents (kind, run, created_at, id);
`;
const SCHEMA_VERSION = 1;

/** Other processes (a `run --wait` beside a `serve`) write for milliseconds at a time. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens or creates the database.
 * @param file a path, or `:memory:`
 * @throws PermanentError when the file cannot be used: it says why and what to do
 */
export function openDatabase(file: string): DatabaseSync {
  return guarded(`open the store ${file}`, () => {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    // WAL lets readers and one writer work at a time; FULL keeps an acknowledged commit through a power cut.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    migrate(db, file);
    return db;
  });
}

function migrate(db: DatabaseSync, file: string): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
    if (version > SCHEMA_VERSION) {
      throw new PermanentError(
        `${file} was written by a newer ces-evals (schema ${version}, this one knows ${SCHEMA_VERSION}); upgrade ces-evals`,
      );
    }
    if (version === 0) db.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** SQLite's primary result codes that another try may not meet again: busy, locked, interrupted. */
const TRANSIENT_CODES = new Set([5, 6, 9]);

const REMEDIES: Readonly<Record<number, string>> = {
  8: 'the file or its folder is read-only; make it writable or set DATA_DIR',
  10: 'the disk reported an error; check it',
  11: 'the file is damaged; restore it from a backup or move it away to start afresh',
  13: 'the disk is full; free some space',
  14: 'the file cannot be opened; check that DATA_DIR is a writable folder',
  26: 'the file is not a database of ces-evals; set DATA_DIR to another folder',
};

/** Runs one piece of database work and translates what SQLite throws. */
export function guarded<T>(attempt: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PermanentError) throw error;
    const code = primaryCode(error);
    if (code !== undefined && TRANSIENT_CODES.has(code)) {
      throw new TransientError(`could not ${attempt}: another process is writing`, { cause: error });
    }
    const remedy = code === undefined ? undefined : REMEDIES[code];
    throw new PermanentError(`could not ${attempt}: ${messageOf(error)}${remedy === undefined ? '' : `; ${remedy}`}`, {
      cause: error,
    });
  }
}

/** The low byte of SQLite's extended result code. */
function primaryCode(error: unknown): number | undefined {
  const code = isRecord(error) ? error['errcode'] : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}
