import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Documents, Due, Kind, Query, Store, Stored, Write } from '../../ports.ts';
import { guarded, openDatabase } from './database.ts';

export interface SqliteStore extends Store {
  close(): void;
}

/**
 * The store of one machine: a file that several processes may have open at once.
 * @param file a path, or `:memory:`
 */
export function createSqliteStore(file: string): SqliteStore {
  const db = openDatabase(file);
  const statements = prepare(db);

  return {
    get: async (kind, id) => guarded(`read ${kind} ${id}`, () => storedOf(kind, statements.get.get(kind, id))),

    commit: async (writes) =>
      guarded('write to the store', () => {
        db.exec('BEGIN IMMEDIATE');
        try {
          const done = writes.every((write) => apply(statements, write));
          db.exec(done ? 'COMMIT' : 'ROLLBACK');
          return done;
        } catch (error) {
          // A full disk rolls back by itself; a second ROLLBACK would hide the reason.
          if (db.isTransaction) db.exec('ROLLBACK');
          throw error;
        }
      }),

    due: async (now, limit) =>
      guarded('read what is due', () =>
        statements.due.all(now.toISOString(), limit).flatMap((row) => dueOf(row) ?? []),
      ),

    find: async (kind, query) =>
      guarded(`look for ${kind} documents`, () => {
        const { sql, values } = search(kind, query);
        return db
          .prepare(sql)
          .all(...values)
          .flatMap((row) => storedOf(kind, row) ?? []);
      }),

    close: () => {
      db.close();
    },
  };
}

/** Only runs and deliveries have a `nextAt`; to say so here would lead the planner away from the index of what is due. */
export const DUE =
  'SELECT kind, version, body FROM documents WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT ?';

type Statements = Record<'get' | 'create' | 'replace' | 'put' | 'due', StatementSync>;

const prepare = (db: DatabaseSync): Statements => ({
  get: db.prepare('SELECT version, body FROM documents WHERE kind = ? AND id = ?'),
  create: db.prepare(
    `INSERT INTO documents (kind, id, version, run, plan, created_at, next_at, body)
     VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  ),
  replace: db.prepare(
    `UPDATE documents SET version = version + 1, run = ?, plan = ?, created_at = ?, next_at = ?, body = ?
     WHERE kind = ? AND id = ? AND version = ?`,
  ),
  put: db.prepare(
    `INSERT INTO documents (kind, id, version, run, plan, created_at, next_at, body)
     VALUES (?, ?, 1, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET version = version + 1, run = excluded.run, plan = excluded.plan,
       created_at = excluded.created_at, next_at = excluded.next_at, body = excluded.body`,
  ),
  due: db.prepare(DUE),
});

/** False when the write's condition does not hold. */
function apply(statements: Statements, write: Write): boolean {
  const { kind, id, doc } = write;
  const columns = [textField(doc, 'run'), textField(doc, 'plan'), doc.createdAt, textField(doc, 'nextAt')] as const;
  const body = JSON.stringify(doc);
  switch (write.op) {
    case 'create':
      return statements.create.run(kind, id, ...columns, body).changes === 1;
    case 'replace':
      return statements.replace.run(...columns, body, kind, id, write.version).changes === 1;
    case 'put':
      return statements.put.run(kind, id, ...columns, body).changes === 1;
  }
}

function textField(doc: object, field: string): string | null {
  const value: unknown = Object.entries(doc).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : null;
}

export function search(
  kind: Kind,
  query: Query,
): { readonly sql: string; readonly values: readonly (string | number)[] } {
  const conditions = ['kind = ?'];
  const values: (string | number)[] = [kind];
  for (const column of ['run', 'plan'] as const) {
    const value = query[column];
    if (value === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(value);
  }
  if (query.open) conditions.push('next_at IS NOT NULL');
  const where = conditions.join(' AND ');
  return {
    sql: `SELECT version, body FROM documents WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ?`,
    values: [...values, query.limit],
  };
}

type Row = Record<string, unknown> | undefined;

function storedOf<K extends Kind>(_kind: K, row: Row): Stored<K> | undefined {
  if (row === undefined) return undefined;
  // The body was written by `apply` from a document of this kind: the one place where that is taken for granted.
  const doc: Documents[K] = JSON.parse(String(row['body']));
  return { doc, version: Number(row['version']) };
}

function dueOf(row: Record<string, unknown>): Due | undefined {
  if (row['kind'] === 'run') {
    const stored = storedOf('run', row);
    return stored && { kind: 'run', doc: stored.doc };
  }
  const stored = storedOf('delivery', row);
  return stored && { kind: 'delivery', doc: stored.doc };
}
