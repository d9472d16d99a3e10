import { afterEach, describe, expect, test } from '@jest/globals';

import type { Fault } from '../../infra/local/simulated-ces/faults.ts';
import { APP, bench, closeAll, post, type Answer } from './simulated-ces-bench.ts';

afterEach(closeAll);

describe('listings', () => {
  test('runs come newest first, page by page, and a start in between neither repeats nor hides one', async () => {
    const { start, ask, at } = await bench();
    for (const [hour, displayName] of ['first', 'second', 'third'].entries()) {
      at(hour * 3_600_000);
      await start({ evaluations: ['greeting'], displayName });
    }
    const request = { parent: APP, pageSize: 2, orderBy: 'create_time' };

    const one = await ask('list_evaluation_runs', request);
    at(4 * 3_600_000);
    await start({ evaluations: ['greeting'], displayName: 'late' });
    const two = await ask('list_evaluation_runs', { ...request, pageToken: one.nextPageToken });

    expect(one.evaluationRuns.map((run: Answer) => run.displayName)).toEqual(['third', 'second']);
    expect(two.evaluationRuns.map((run: Answer) => run.displayName)).toEqual(['first']);
    expect(two).not.toHaveProperty('nextPageToken');
  });

  test('an empty listing is an empty message', async () => {
    const { ask } = await bench();

    expect(await ask('list_evaluation_runs', { parent: APP })).toEqual({});
  });
});

describe('datasets', () => {
  const smoke = {
    parent: APP,
    evaluationDatasetId: 'smoke',
    evaluationDataset: { displayName: 'Smoke', evaluations: [`${APP}/evaluations/greeting`] },
  };

  test('are created, read, listed, and run by id or by full name', async () => {
    const { ask, start, ces } = await bench();

    const created = await ask('create_evaluation_dataset', smoke);

    expect(created).toEqual({
      name: `${APP}/evaluationDatasets/smoke`,
      displayName: 'Smoke',
      evaluations: [`${APP}/evaluations/greeting`],
      createTime: '2026-11-30T02:00:00.000Z',
      updateTime: '2026-11-30T02:00:00.000Z',
      etag: expect.any(String),
    });
    expect(await ask('get_evaluation_dataset', { name: created.name })).toEqual(created);
    expect(await ask('list_evaluation_datasets', { parent: APP })).toEqual({ evaluationDatasets: [created] });
    for (const evaluationDataset of ['smoke', created.name]) {
      const run = await ask('get_evaluation_run', { name: await start({ evaluationDataset }) });
      expect(run).toMatchObject({
        evaluationDataset: created.name,
        displayName: 'Smoke run - 2026-11-30T02:00:00.000Z',
        evaluationType: 'GOLDEN',
      });
      expect(run).not.toHaveProperty('evaluations');
    }
    expect(ces.runs()).toHaveLength(2);
  });

  test.each([
    {
      what: 'the same id',
      change: { evaluationDataset: { displayName: 'Other' } },
      text: `ALREADY_EXISTS: Resource '${APP}/evaluationDatasets/smoke' already exists.`,
    },
    {
      what: 'the same display name',
      change: { evaluationDatasetId: 'smoke-2' },
      text: "ALREADY_EXISTS: An evaluation dataset with the display name 'Smoke' already exists.",
    },
  ])('are refused with $what', async ({ change, text }) => {
    const { ask, refusal } = await bench();
    await ask('create_evaluation_dataset', smoke);

    expect(await refusal('create_evaluation_dataset', { ...smoke, ...change })).toBe(text);
  });
});

describe('what does not make sense is refused', () => {
  const BAD = 'com.google.apps.framework.request.BadRequestException: ';
  test.each([
    { tool: 'run_evaluation', args: {}, text: `${BAD}Invalid value at 'app': the field is required.` },
    {
      tool: 'run_evaluation',
      args: { app: APP },
      text: `${BAD}Exactly one of evaluations and evaluation_dataset has to be set.`,
    },
    {
      tool: 'run_evaluation',
      args: { app: APP, evaluations: ['greeting'], evaluationDataset: 'smoke' },
      text: `${BAD}Exactly one of evaluations and evaluation_dataset has to be set.`,
    },
    {
      tool: 'run_evaluation',
      args: { app: 'projects/acme-cx/locations/us/apps/other', evaluations: ['greeting'] },
      text: "NOT_FOUND: Resource 'projects/acme-cx/locations/us/apps/other' was not found.",
    },
    {
      tool: 'run_evaluation',
      args: { app: APP, evaluations: ['greeting', 'no-such-thing'] },
      text: `NOT_FOUND: Resource '${APP}/evaluations/no-such-thing' was not found.`,
    },
    {
      tool: 'run_evaluation',
      args: { app: APP, evaluationDataset: 'smoke' },
      text: `NOT_FOUND: Resource '${APP}/evaluationDatasets/smoke' was not found.`,
    },
    {
      tool: 'run_evaluation',
      args: { app: APP, evaluations: ['greeting'], runCount: 3 },
      text: `${BAD}Invalid value at '': Unrecognized key: "runCount".`,
    },
    {
      tool: 'get_evaluation_run',
      args: { name: `${APP}/evaluationRuns/none` },
      text: `NOT_FOUND: Resource '${APP}/evaluationRuns/none' was not found.`,
    },
    {
      tool: 'list_evaluation_runs',
      args: { parent: APP, orderBy: 'state' },
      text: `${BAD}order_by must be name, create_time or update_time, but is 'state'.`,
    },
    {
      tool: 'list_evaluation_runs',
      args: { parent: APP, pageToken: 'made-up' },
      text: `${BAD}page_token is not one that this listing gave out.`,
    },
    {
      tool: 'list_evaluation_results',
      args: { parent: `${APP}/evaluations/-`, filter: 'outcome = FAIL' },
      text: `${BAD}Invalid filter: outcome = FAIL`,
    },
    {
      tool: 'create_evaluation_dataset',
      args: { parent: APP, evaluationDatasetId: 'x', evaluationDataset: { displayName: 'Smoke' } },
      text: `${BAD}Invalid value at 'evaluationDatasetId': an id has 5 to 36 letters, digits, hyphens and underscores.`,
    },
    {
      tool: 'create_evaluation_dataset',
      args: { parent: APP, evaluationDataset: { displayName: 'Smoke', evaluations: ['greeting'] } },
      text: `${BAD}evaluation_dataset.evaluations: 'greeting' is not the full name of an evaluation of ${APP}.`,
    },
  ])('$tool $args', async ({ tool, args, text }) => {
    const { refusal, ces } = await bench();

    expect(await refusal(tool, args)).toBe(text);
    expect(ces.runs()).toEqual([]);
  });

  test('with HTTP 400 and a readable body, where that is asked for', async () => {
    const { ces } = await bench({ refusalStatus: 400 });

    const response = await post(ces.url, 'get_evaluation_run', { name: 'none' });

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { isError: true, content: [{ type: 'text', text: "NOT_FOUND: Resource 'none' was not found." }] },
    });
  });
});

describe('the wire', () => {
  test('a tool can be called without a handshake, and the answer is plain JSON', async () => {
    const { ces } = await bench();

    const response = await post(ces.url, 'list_evaluation_runs', { parent: APP });

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.has('mcp-session-id')).toBe(false);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '{}' }] },
    });
  });

  test('server-sent events carry the same answer', async () => {
    const { ces, ask, start } = await bench({ wire: 'sse' });

    const name = await start();

    expect((await ask('get_evaluation_run', { name })).state).toBe('QUEUED');
    const response = await post(ces.url, 'list_evaluation_datasets', { parent: APP });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(
      'event: message\ndata: {"result":{"content":[{"type":"text","text":"{}"}]},"jsonrpc":"2.0","id":1}\n\n',
    );
  });

  test('there is no standing stream to GET', async () => {
    const { ces } = await bench();

    const response = await fetch(ces.url, { headers: { accept: 'text/event-stream' } });

    expect(response.status).toBe(405);
  });
});

const failing = (fault: Fault, tool = 'run_evaluation') =>
  bench({ fault: (called) => (called === tool ? fault : undefined) });
const start = (url: string, signal?: AbortSignal) =>
  post(url, 'run_evaluation', { app: APP, evaluations: ['greeting'] }, signal);

describe('faults', () => {
  test('429 says how long to wait and starts nothing', async () => {
    const { ces } = await failing({ kind: 'http', status: 429, retryAfterSeconds: 2 });

    const response = await start(ces.url);

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toEqual({
      error: { code: 429, message: 'The simulated service was told to fail.', status: 'RESOURCE_EXHAUSTED' },
    });
    expect(ces.runs()).toEqual([]);
  });

  test('503 can be a page of HTML', async () => {
    const { ces } = await failing({ kind: 'http', status: 503, html: true });

    const response = await start(ces.url);

    expect(response.status).toBe(503);
    expect(await response.text()).toBe('<!DOCTYPE html><title>Error 503</title><p>Try again later.');
  });

  test('a cut answer breaks off in the middle', async () => {
    const { ces } = await failing({ kind: 'cut' });

    const response = await start(ces.url);

    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(ces.runs()).toHaveLength(1);
  });

  test('a dropped answer leaves a run that the client knows nothing of', async () => {
    const { ces, ask } = await failing({ kind: 'acceptThenDrop' });

    await expect(start(ces.url)).rejects.toThrow('fetch failed');

    const listed = await ask('list_evaluation_runs', { parent: APP });
    expect(listed.evaluationRuns.map((run: Answer) => run.name)).toEqual(ces.runs().map(({ name }) => name));
  });

  test('a call that hangs ends when the client gives up, and starts nothing', async () => {
    const { ces } = await failing({ kind: 'hang' });

    await expect(start(ces.url, AbortSignal.timeout(50))).rejects.toThrow('aborted due to timeout');

    expect(ces.runs()).toEqual([]);
  });

  test('other tools are spared', async () => {
    const { ask } = await failing({ kind: 'http', status: 503 }, 'get_operation');

    expect(await ask('list_evaluation_runs', { parent: APP })).toEqual({});
  });
});
