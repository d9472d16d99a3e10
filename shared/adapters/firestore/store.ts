import type { DocumentReference, DocumentSnapshot, Firestore, Query as FirestoreQuery } from '@google-cloud/firestore';

import { isRecord } from '../../domain/json.ts';
import { messageOf, PermanentError, TransientError } from '../../errors.ts';
import type { Documents, Due, Kind, Log, Query, Store, Stored, Write } from '../../ports.ts';
import { joinParts, splitText } from './parts.ts';
import { collectionPath, documentPath } from './paths.ts';

export interface FirestoreStore extends Store {
  readonly close: () => Promise<void>;
}

export interface FirestoreOptions {
  readonly projectId?: string;
  /** The database's id; absent = `(default)`. */
  readonly database?: string;
  readonly log: Log;
}

/**
 * The store on Firestore. A document is an envelope of what it is looked up by, and the rest as one JSON text: CES may
 * send arrays in arrays and any depth, which Firestore's own types cannot hold, and a text costs no index entries.
 */
export function createFirestoreStore({ projectId, database, log }: FirestoreOptions): FirestoreStore {
  let connecting: Promise<Firestore> | undefined;
  // Loaded at the first use: it is the largest part of a cold start.
  const connect = (): Promise<Firestore> => {
    connecting ??= import('@google-cloud/firestore').then(
      ({ Firestore: Client }) =>
        new Client({
          ...(projectId === undefined ? {} : { projectId }),
          ...(database === undefined ? {} : { databaseId: database }),
        }),
    );
    return connecting;
  };
  const attempt = async <T>(what: string, work: (db: Firestore) => Promise<T>): Promise<T> => {
    try {
      return await work(await connect());
    } catch (error) {
      log.debug({ what, problem: messageOf(error) }, 'Firestore did not do it');
      throw translated(what, error);
    }
  };

  return {
    get: (kind, id) =>
      attempt(`read ${kind} ${id}`, async (db) => storedOf(kind, await db.doc(documentPath(kind, id)).get())),
    commit: (writes) => attempt('write to the store', (db) => commit(db, writes)),
    due: (now, limit) => attempt('read what is due', (db) => due(db, now, limit)),
    find: (kind, query) =>
      attempt(`look for ${kind} documents`, async (db) => {
        const { docs } = await search(db, kind, query).get();
        const stored = await Promise.all(docs.map((doc) => storedOf(kind, doc)));
        return stored.flatMap((one) => one ?? []);
      }),
    close: async () => {
      await (await connecting)?.terminate();
    },
  };
}

/** Reads, then writes, and nothing else: Firestore runs the callback again when somebody else wrote in between. */
const commit = (db: Firestore, writes: readonly Write[]): Promise<boolean> =>
  db.runTransaction(async (transaction) => {
    const references = writes.map(({ kind, id }) => db.doc(documentPath(kind, id)));
    const present = references.length === 0 ? [] : await transaction.getAll(...references);
    if (!writes.every((write, index) => holds(write, versionOf(present[index])))) return false;
    for (const [index, write] of writes.entries()) {
      const reference = references[index];
      if (reference === undefined) continue;
      const [body = '', ...more] = splitText(JSON.stringify(write.doc));
      const version = (versionOf(present[index]) ?? 0) + 1;
      transaction.set(reference, { ...envelopeOf(write), version, body, parts: more.length });
      for (const [part, text] of more.entries()) transaction.set(partOf(reference, part), { text });
    }
    return true;
  });

function holds(write: Write, version: number | undefined): boolean {
  switch (write.op) {
    case 'create':
      return version === undefined;
    case 'replace':
      return version === write.version;
    case 'put':
      return true;
  }
}

/** What documents are looked up by. A field that has no value is not written: queries pass over a document without it. */
function envelopeOf({ doc }: Write): Record<string, unknown> {
  const fields = new Map(Object.entries(doc));
  const named = ['run', 'plan', 'createdAt', 'nextAt'].map((name) => [name, fields.get(name)] as const);
  const expiresAt = fields.get('expiresAt');
  return {
    schema: 1,
    ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
    ...(fields.get('nextAt') === undefined ? {} : { open: true }),
    // Firestore's TTL asks for its own type of instant.
    ...(typeof expiresAt === 'string' ? { expiresAt: new Date(expiresAt) } : {}),
  };
}

async function due(db: Firestore, now: Date, limit: number): Promise<readonly Due[]> {
  const overdue = (kind: Kind): FirestoreQuery =>
    db.collection(collectionPath(kind)).where('nextAt', '<=', now.toISOString()).orderBy('nextAt').limit(limit);
  const [runs, deliveries] = await Promise.all([overdue('run').get(), overdue('delivery').get()]);
  const found = await Promise.all([
    ...runs.docs.map(async (doc): Promise<Due | undefined> => {
      const stored = await storedOf('run', doc);
      return stored && { kind: 'run', doc: stored.doc };
    }),
    ...deliveries.docs.map(async (doc): Promise<Due | undefined> => {
      const stored = await storedOf('delivery', doc);
      return stored && { kind: 'delivery', doc: stored.doc };
    }),
  ]);
  return found
    .flatMap((one) => one ?? [])
    .toSorted((a, b) => ((a.doc.nextAt ?? '') < (b.doc.nextAt ?? '') ? -1 : 1))
    .slice(0, limit);
}

function search(db: Firestore, kind: Kind, { run, plan, open, limit }: Query): FirestoreQuery {
  let query: FirestoreQuery = db.collection(collectionPath(kind, run));
  // Results lie below their run already.
  if (run !== undefined && kind !== 'result') query = query.where('run', '==', run);
  if (plan !== undefined) query = query.where('plan', '==', plan);
  if (open) query = query.where('open', '==', true);
  return query.orderBy('createdAt', 'desc').orderBy('__name__', 'desc').limit(limit);
}

async function storedOf<K extends Kind>(_kind: K, snapshot: DocumentSnapshot): Promise<Stored<K> | undefined> {
  const envelope = snapshot.data();
  const version = versionOf(snapshot);
  if (envelope === undefined || version === undefined) return undefined;
  const parts = Array.from({ length: Number(envelope['parts'] ?? 0) }, (_, part) => partOf(snapshot.ref, part).get());
  const texts = (await Promise.all(parts)).map((part) => String(part.get('text') ?? ''));
  // Written by `commit` from a document of this kind: the one place where that is taken for granted.
  const doc: Documents[K] = JSON.parse(joinParts([String(envelope['body']), ...texts]));
  return { doc, version };
}

const versionOf = (snapshot: DocumentSnapshot | undefined): number | undefined => {
  const version: unknown = snapshot?.get('version');
  return typeof version === 'number' ? version : undefined;
};

const partOf = (reference: DocumentReference, part: number): DocumentReference =>
  reference.collection('parts').doc(String(part));

/** gRPC's codes: https://grpc.io/docs/guides/status-codes/ */
const PERMANENT: Readonly<Record<number, string>> = {
  3: 'this is a defect of ces-evals; report it',
  5: 'create the database, or correct FIRESTORE_DATABASE',
  7: 'give the service account roles/datastore.user on the database',
};

function translated(what: string, error: unknown): Error {
  const code = isRecord(error) && typeof error['code'] === 'number' ? error['code'] : undefined;
  const remedy = code === undefined ? undefined : PERMANENT[code];
  const message = `could not ${what} in Firestore: ${messageOf(error)}`;
  return remedy === undefined
    ? new TransientError(message, { cause: error })
    : new PermanentError(`${message}; ${remedy}`, { cause: error });
}
