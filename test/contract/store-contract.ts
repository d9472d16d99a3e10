import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import type { Store, Write } from '../../shared/ports.ts';
import { deliveryOf, NIGHT, runOf } from '../fixtures.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** Another handle on the same data, as a second process would have it. */
  readonly again: () => Promise<Store>;
  close(): Promise<void>;
}

const create = (id: string, change: Parameters<typeof runOf>[1] = {}): Write => ({
  op: 'create',
  kind: 'run',
  id,
  doc: runOf(id, change),
});

/** What every store promises, whatever it is made of. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`store contract: ${name}`, () => {
    let subject: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      subject = await open();
      store = subject.store;
    });
    afterEach(() => subject.close());

    test('what was committed is read back whole, by another handle too', async () => {
      const run = runOf('nightly-20261130T020000Z', {
        progress: { total: 20, completed: 19, passed: 17, failed: 2, error: 1, cancelled: 0 },
      });
      await expect(store.commit([{ op: 'create', kind: 'run', id: run.id, doc: run }])).resolves.toBe(true);

      const other = await subject.again();

      expect((await store.get('run', run.id))?.doc).toEqual(run);
      expect((await other.get('run', run.id))?.doc).toEqual(run);
    });

    test('there is nothing under an id that nobody wrote, and kinds do not mix', async () => {
      await store.commit([create('a')]);

      expect(await store.get('run', 'b')).toBeUndefined();
      expect(await store.get('delivery', 'a')).toBeUndefined();
    });

    test('a document is created once', async () => {
      expect(await store.commit([create('a', { nonce: 'first' })])).toBe(true);
      expect(await store.commit([create('a', { nonce: 'second' })])).toBe(false);

      expect((await store.get('run', 'a'))?.doc.nonce).toBe('first');
    });

    test('a document is replaced only in the version that was read', async () => {
      await store.commit([create('a')]);
      const read = await store.get('run', 'a');
      const replace = (polls: number): Write => ({
        op: 'replace',
        kind: 'run',
        id: 'a',
        version: read!.version,
        doc: runOf('a', { polls }),
      });

      expect(await store.commit([replace(1)])).toBe(true);
      expect(await store.commit([replace(2)])).toBe(false);

      expect((await store.get('run', 'a'))?.doc.polls).toBe(1);
    });

    test('what does not exist cannot be replaced', async () => {
      expect(await store.commit([{ op: 'replace', kind: 'run', id: 'a', version: 1, doc: runOf('a') }])).toBe(false);
      expect(await store.get('run', 'a')).toBeUndefined();
    });

    test('a put asks for nothing, and its result can be replaced', async () => {
      const put = (polls: number): Write => ({ op: 'put', kind: 'run', id: 'a', doc: runOf('a', { polls }) });
      await store.commit([put(1)]);
      await store.commit([put(2)]);
      const read = await store.get('run', 'a');

      expect(read?.doc.polls).toBe(2);
      expect(
        await store.commit([
          { op: 'replace', kind: 'run', id: 'a', version: read!.version, doc: runOf('a', { polls: 3 }) },
        ]),
      ).toBe(true);
    });

    test('one condition that does not hold leaves all writes of the commit undone', async () => {
      await store.commit([create('taken')]);

      expect(await store.commit([create('fresh'), create('taken')])).toBe(false);
      expect(await store.commit([create('taken'), create('fresh')])).toBe(false);

      expect(await store.get('run', 'fresh')).toBeUndefined();
    });

    test('of many that replace the same version, one wins', async () => {
      await store.commit([create('a')]);
      const { version } = (await store.get('run', 'a'))!;

      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, polls) =>
          store.commit([{ op: 'replace', kind: 'run', id: 'a', version, doc: runOf('a', { polls }) }]),
        ),
      );

      expect(outcomes.filter(Boolean)).toHaveLength(1);
    });

    test('of many that create the same document, one wins', async () => {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.commit([create('a')])));

      expect(outcomes.filter(Boolean)).toHaveLength(1);
    });

    test('due are runs and deliveries whose time has come, longest overdue first', async () => {
      const run = runOf('late', { nextAt: '2026-11-30T01:00:00.000Z' });
      const settled = { ...runOf('settled'), nextAt: undefined };
      await store.commit([
        { op: 'create', kind: 'run', id: 'now', doc: runOf('now', { nextAt: '2026-11-30T02:00:00.000Z' }) },
        { op: 'create', kind: 'run', id: 'late', doc: run },
        { op: 'create', kind: 'run', id: 'soon', doc: runOf('soon', { nextAt: '2026-11-30T02:00:00.001Z' }) },
        { op: 'create', kind: 'run', id: 'settled', doc: JSON.parse(JSON.stringify(settled)) },
        {
          op: 'create',
          kind: 'delivery',
          id: 'late.oncall.failed',
          doc: deliveryOf('late.oncall.failed', run, { nextAt: '2026-11-30T01:30:00.000Z' }),
        },
      ]);

      const due = await store.due(NIGHT, 10);

      expect(due.map(({ kind, doc }) => `${kind} ${doc.id}`)).toEqual([
        'run late',
        'delivery late.oncall.failed',
        'run now',
      ]);
      expect(due[0]?.doc).toEqual(run);
      expect(await store.due(NIGHT, 1)).toHaveLength(1);
    });

    test('what is settled is no longer due', async () => {
      await store.commit([create('a')]);
      const { doc, version } = (await store.get('run', 'a'))!;
      const { nextAt: _done, ...settled } = doc;
      await store.commit([{ op: 'replace', kind: 'run', id: 'a', version, doc: settled }]);

      expect(await store.due(NIGHT, 10)).toEqual([]);
    });

    test('documents are found by plan, by run and by being open, newest first', async () => {
      const at = (createdAt: string, change = {}) => ({ createdAt, ...change });
      const { nextAt: _done, ...closed } = runOf('closed', at('2026-11-29T02:00:00.000Z'));
      await store.commit([
        create('older', at('2026-11-28T02:00:00.000Z')),
        { op: 'create', kind: 'run', id: 'closed', doc: closed },
        create('b', at('2026-11-30T02:00:00.000Z')),
        create('a', at('2026-11-30T02:00:00.000Z')),
        create('other', at('2026-11-30T03:00:00.000Z', { plan: 'weekly' })),
      ]);
      const ids = async (query: object): Promise<string[]> =>
        (await store.find('run', { limit: 10, ...query })).map(({ doc }) => doc.id);

      expect(await ids({})).toEqual(['other', 'b', 'a', 'closed', 'older']);
      expect(await ids({ plan: 'nightly' })).toEqual(['b', 'a', 'closed', 'older']);
      expect(await ids({ plan: 'nightly', open: true })).toEqual(['b', 'a', 'older']);
      expect(await ids({ limit: 2 })).toEqual(['other', 'b']);
      expect(await ids({ plan: 'none' })).toEqual([]);
    });

    test('the deliveries and results of one run are found, and those of another are not', async () => {
      const [run, other] = [runOf('nightly-1'), runOf('nightly-10')];
      const result = (owner: string): Write => ({
        op: 'put',
        kind: 'result',
        id: `${owner}/greeting.r-1`,
        doc: { run: owner, createdAt: NIGHT.toISOString(), result: { name: 'r-1' } },
      });
      await store.commit([
        { op: 'create', kind: 'delivery', id: 'd1', doc: deliveryOf('d1', run) },
        { op: 'create', kind: 'delivery', id: 'd2', doc: deliveryOf('d2', other) },
        result(run.id),
        result(other.id),
      ]);

      expect((await store.find('delivery', { run: run.id, limit: 10 })).map(({ doc }) => doc.id)).toEqual(['d1']);
      expect((await store.find('result', { run: other.id, limit: 10 })).map(({ doc }) => doc.run)).toEqual([
        'nightly-10',
      ]);
    });

    test('what CES said is kept as it is: unknown fields, odd names, every kind of text', async () => {
      const evaluationRun = {
        name: 'projects/acme-cx/locations/us/apps/support-bot/evaluationRuns/er-1',
        'a.b/c`d': [1, null, { '': 'Grüße \u{1F600} \u0000' }],
        big: 1e21,
        nested: { state: 'PAUSED_FOR_REVIEW' },
      };
      await store.commit([
        { op: 'put', kind: 'snapshot', id: 'a', doc: { run: 'a', createdAt: NIGHT.toISOString(), evaluationRun } },
      ]);

      expect((await store.get('snapshot', 'a'))?.doc.evaluationRun).toEqual(evaluationRun);
    });

    test('a document of three megabytes is read back to the letter, and shrinks again', async () => {
      const put = (text: string): Write => ({
        op: 'put',
        kind: 'snapshot',
        id: 'a',
        doc: { run: 'a', createdAt: NIGHT.toISOString(), evaluationRun: { text } },
      });
      const large = `x${'😀'.repeat(400_000)}${'é'.repeat(700_000)}`;
      await store.commit([put(large)]);
      expect((await store.get('snapshot', 'a'))?.doc.evaluationRun['text'] === large).toBe(true);

      await store.commit([put('small')]);
      expect((await store.get('snapshot', 'a'))?.doc.evaluationRun).toEqual({ text: 'small' });
    });

    test('ids may hold slashes, dots and underscores', async () => {
      for (const id of ['a/b', '.', '..', '__a__', 'é ü', '%2F']) {
        expect(await store.commit([create(id)])).toBe(true);
        expect((await store.get('run', id))?.doc.id).toBe(id);
      }
    });

    test('a hundred documents are one commit', async () => {
      const writes = Array.from({ length: 100 }, (_, index) => create(`run-${index}`));

      expect(await store.commit(writes)).toBe(true);
      expect(await store.find('run', { limit: 1000 })).toHaveLength(100);
    });
  });
}
