import { expect, test } from '@jest/globals';

import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { DUE, search } from '../../shared/adapters/sqlite/store.ts';
import type { Kind, Query } from '../../shared/ports.ts';

/** How SQLite goes about a query: what it reads, and whether it has to sort. */
function planOf(sql: string): readonly unknown[] {
  const db = openDatabase(':memory:');
  try {
    return db
      .prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`)
      .all()
      .map((row) => row['detail']);
  } finally {
    db.close();
  }
}

test('what is due is read from an index of its own, however much is settled', () => {
  expect(planOf(DUE)).toEqual(['SEARCH documents USING INDEX due (next_at>? AND next_at<?)']);
});

test.each<[string, Kind, Omit<Query, 'limit'>, string]>([
  ['the history', 'run', {}, 'by_age (kind=?)'],
  ["a plan's history", 'run', { plan: 'nightly' }, 'by_plan (kind=? AND plan=?)'],
  ["a plan's open runs", 'run', { plan: 'nightly', open: true }, 'open_by_plan (kind=? AND plan=?)'],
  ["a run's deliveries", 'delivery', { run: 'nightly-1' }, 'by_run (kind=? AND run=?)'],
])('%s is read in order from an index, without sorting', (_name, kind, query, index) => {
  expect(planOf(search(kind, { ...query, limit: 10 }).sql)).toEqual([`SEARCH documents USING INDEX ${index}`]);
});
