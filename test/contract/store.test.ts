import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSqliteStore } from '../../shared/adapters/sqlite/store.ts';
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
