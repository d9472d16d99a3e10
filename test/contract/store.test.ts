import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, jest } from '@jest/globals';

import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { createSqliteStore } from '../../shared/adapters/sqlite/store.ts';
import { startFirestoreEmulator } from '../emulators/firestore.ts';
import { silentLog } from '../fixtures.ts';
import { storeContract } from './store-contract.ts';

storeContract('SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ces-evals-'));
  const file = join(folder, 'nested', 'store.sqlite');
  const handles = [createSqliteStore(file)];
  return {
    store: handles[0]!,
    again: async () => {
      const handle = createSqliteStore(file);
      handles.push(handle);
      return handle;
    },
    close: async () => {
      for (const handle of handles) handle.close();
      rmSync(folder, { recursive: true });
    },
  };
});

const emulator = await startFirestoreEmulator();
process.stdout.write(
  `store contract: SQLite${emulator === undefined ? ', no Firestore emulator here' : ` and Firestore, ${emulator.name}`}\n`,
);

if (emulator !== undefined) {
  // It settles contention slowly, on purpose.
  jest.setTimeout(60_000);
  process.env['FIRESTORE_EMULATOR_HOST'] = emulator.host;
  process.env['METADATA_SERVER_DETECTION'] = 'none';
  afterAll(() => emulator.close());
  storeContract('Firestore emulator', async () => {
    // A fresh project is an empty database.
    const options = { projectId: `demo-${randomUUID().slice(0, 8)}`, log: silentLog };
    const handles = [createFirestoreStore(options)];
    return {
      store: handles[0]!,
      again: async () => {
        const handle = createFirestoreStore(options);
        handles.push(handle);
        return handle;
      },
      close: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
      },
    };
  });
}
