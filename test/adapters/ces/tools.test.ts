import { describe, expect, test } from '@jest/globals';

import type { Ces } from '../../../shared/adapters/ces/client.ts';
import type { StartRequest } from '../../../shared/ports.ts';
import {
  APP,
  asBoth,
  asEvents,
  asStructured,
  asText,
  cesOver,
  failed,
  failureOf,
  fakeCes,
  json,
  OPERATION,
  RESULT,
  RUN,
} from './fake-ces.ts';

const DATASET = {
  name: 'smoke',
  app: APP,
  id: 'smoke-set',
  displayName: 'Smoke',
  evaluations: ['greeting', 'refund'],
};

const THERE = { name: `${APP}/evaluationDatasets/smoke-set`, displayName: 'Smoke', etag: 'W/"1"' };

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const TOOLS: readonly (readonly [string, unknown, (ces: Ces) => Promise<unknown>, unknown])[] = [
  [
    'run_evaluation',
    {
      name: OPERATION,
      metadata: { '@type': 'type.googleapis.com/x.RunEvaluationOperationMetadata', evaluationRun: RUN },
    },
    (ces) => ces.evaluations.start({ app: APP, displayName: 'nightly-1 k3', dataset: 'smoke-set' }),
    { operation: OPERATION, evaluationRun: RUN },
  ],
  [
    'get_operation',
    { name: OPERATION, done: true, response: { evaluationRun: RUN } },
    (ces) => ces.evaluations.operation(OPERATION),
    { operation: OPERATION, evaluationRun: RUN },
  ],
  [
    'get_evaluation_run',
    { name: RUN, state: 'RUNNING', progress: { totalCount: 2 } },
    (ces) => ces.evaluations.get(RUN),
    { name: RUN, state: 'RUNNING', progress: { totalCount: 2 } },
  ],
  [
    'list_evaluation_runs',
    { evaluationRuns: [{ name: RUN }] },
    (ces) => collect(ces.evaluations.newest(APP)),
    [{ name: RUN }],
  ],
  [
    'get_evaluation_result',
    { name: RESULT, evaluationStatus: 'PASS' },
    (ces) => ces.results.get(RESULT),
    { name: RESULT, evaluationStatus: 'PASS' },
  ],
  [
    'list_evaluation_results',
    { evaluationResults: [{ name: RESULT, evaluationRun: RUN }] },
    (ces) => ces.results.list(RUN),
    [{ name: RESULT, evaluationRun: RUN }],
  ],
  ['create_evaluation_dataset', THERE, (ces) => ces.datasets.create(DATASET), THERE],
  ['list_evaluation_datasets', { evaluationDatasets: [THERE] }, (ces) => ces.datasets.list(APP), [THERE]],
  ['list_evaluation_datasets', {}, (ces) => ces.probe(APP), undefined],
];

describe.each([
  ['a text that holds JSON', asText],
  ['structured content', asStructured],
  ['both', asBoth],
  ['an event stream', asEvents],
])('a result as %s', (_form, frame) => {
  test.each(TOOLS)('%s', async (tool, payload, use, expected) => {
    const server = fakeCes((call) => frame(call, payload));

    expect(await use(cesOver(server))).toEqual(expected);

    expect(server.calls.map((call) => call.tool)).toEqual([tool]);
  });
});

describe('a resource', () => {
  const text = `{"name":"${RUN}","newField":{"z":1,"a":[null,"é",1.50]},"state":"PAUSED","count":"9007199254740993"}`;

  test.each([
    ['as text', asText],
    ['as structured content', asStructured],
    ['in an event stream', asEvents],
  ])('keeps the fields that nobody here knows, in their order, %s', async (_form, frame) => {
    const ces = cesOver(fakeCes((call) => frame(call, JSON.parse(text))));

    expect(JSON.stringify(await ces.evaluations.get(RUN))).toBe(text.replace('1.50', '1.5'));
  });

  test('is asked for again each time', async () => {
    let polls = 0;
    const ces = cesOver(fakeCes((call) => asText(call, { name: RUN, poll: ++polls })));

    expect([await ces.evaluations.get(RUN), await ces.evaluations.get(RUN)]).toEqual([
      { name: RUN, poll: 1 },
      { name: RUN, poll: 2 },
    ]);
  });

  test('is read from an event stream only until the answer is there', async () => {
    let cancelled = false;
    const server = fakeCes((call) => asEvents(call, { name: RUN }, () => void (cancelled = true)));

    await cesOver(server).evaluations.get(RUN);

    expect(cancelled).toBe(true);
  });
});

describe('run_evaluation', () => {
  const rows: readonly (readonly [string, StartRequest, object])[] = [
    [
      'evaluations',
      { app: APP, displayName: 'nightly-1 k3', evaluations: ['greeting', 'refund'] },
      { app: APP, displayName: 'nightly-1 k3', evaluations: ['greeting', 'refund'] },
    ],
    [
      'a dataset and a version',
      { app: APP, displayName: 'nightly-1 k3', dataset: 'smoke-set', appVersion: 'v42' },
      { app: APP, displayName: 'nightly-1 k3', evaluationDataset: 'smoke-set', appVersion: 'v42' },
    ],
  ];

  test.each(rows)('is given only what is set: %s', async (_name, request, expected) => {
    const server = fakeCes((call) => asText(call, { name: OPERATION }));

    await cesOver(server).evaluations.start(request);

    expect(server.calls.map((call) => call.args)).toEqual([expected]);
  });

  test('that answers without an operation may have started a run', async () => {
    const ces = cesOver(fakeCes((call) => asText(call, { metadata: { evaluationRun: RUN } })));

    expect(await failureOf(ces.evaluations.start({ app: APP, displayName: 'nightly-1 k3' }))).toEqual({
      name: 'TransientError',
      message: `run_evaluation on ${APP} answered without the name of an operation; the run may have been started`,
    });
  });
});

describe('an operation', () => {
  // Bytes by hand: 0a 02 'ev' = evaluations, 12 03 'r/1' = evaluation_run, 2a 03 'run' = verb, 1a 02 08 05 = create_time.
  const metadata = Buffer.from('0a0265761203722f312a0372756e1a020805', 'hex').toString('base64');
  // 0a 03 'r/2' = evaluation_run; before it an unknown varint, 64-bit and 32-bit field of later versions.
  const response = Buffer.from('78ac027901020304050607087d010203040a03722f32', 'hex').toString('base64');

  test.each([
    ['does not know its run yet', { name: OPERATION, metadata: {} }, {}],
    ['names it in the metadata', { metadata: { evaluationRun: RUN } }, { evaluationRun: RUN }],
    [
      'names it in the response',
      { metadata: {}, done: true, response: { evaluationRun: RUN } },
      { evaluationRun: RUN },
    ],
    [
      'has packed metadata',
      {
        metadata: {
          typeUrl: 'type.googleapis.com/google.cloud.ces.v1beta.RunEvaluationOperationMetadata',
          value: metadata,
        },
      },
      { evaluationRun: 'r/1' },
    ],
    [
      'has a packed response',
      { response: { '@type': 'type.googleapis.com/google.cloud.ces.v2.RunEvaluationResponse', value: response } },
      { evaluationRun: 'r/2' },
    ],
    ['has a packed message of another type', { metadata: { typeUrl: 'x/y.Other', value: metadata } }, {}],
    [
      'has packed bytes that are cut',
      {
        metadata: {
          typeUrl: 'x/y.RunEvaluationOperationMetadata',
          value: Buffer.from('0a0265761203722f', 'hex').toString('base64'),
        },
      },
      {},
    ],
    ['failed', { done: true, error: { code: 8, message: 'Quota exceeded' } }, { failure: 'Quota exceeded (code 8)' }],
    ['failed without a word', { done: true, error: {} }, { failure: 'no reason given (code 0)' }],
    ['has an error but is not done', { error: { code: 8, message: 'Quota exceeded' } }, {}],
  ])('that %s', async (_name, operation, expected) => {
    const ces = cesOver(fakeCes((call) => asText(call, operation)));

    expect(await ces.evaluations.operation(OPERATION)).toEqual({ operation: OPERATION, ...expected });
  });
});

describe('the newest runs', () => {
  test('come page by page, and only as far as they are asked for', async () => {
    const server = fakeCes((call) =>
      asText(call, {
        evaluationRuns: [{ name: `run before t${call.id}` }],
        nextPageToken: `t${call.id}`,
      }),
    );

    const seen: unknown[] = [];
    for await (const run of cesOver(server).evaluations.newest(APP)) if (seen.push(run) === 2) break;

    expect(seen).toEqual([{ name: 'run before t1' }, { name: 'run before t2' }]);
    expect(server.calls.map((call) => call.args)).toEqual([
      { parent: APP, orderBy: 'create_time', pageSize: 100 },
      { parent: APP, orderBy: 'create_time', pageSize: 100, pageToken: 't1' },
    ]);
  });

  test.each([
    ['no page token', undefined, 1],
    ['an empty page token', '', 1],
    ['a page token that was there before', 'again', 2],
  ])('end with %s', async (_name, nextPageToken, pages) => {
    const server = fakeCes((call) => asText(call, { evaluationRuns: [{ name: RUN }], nextPageToken }));

    expect(await collect(cesOver(server).evaluations.newest(APP))).toHaveLength(pages);
  });

  test('end after 50 pages', async () => {
    const server = fakeCes((call) => asText(call, { evaluationRuns: [{ name: RUN }], nextPageToken: `t${call.id}` }));

    expect(await collect(cesOver(server).evaluations.newest(APP))).toHaveLength(50);
    expect(server.calls).toHaveLength(50);
  });
});

test('the results of a run are those of all pages that belong to it', async () => {
  const own = { name: `${RESULT}-1`, evaluationRun: RUN };
  const unsaid = { name: `${RESULT}-2` };
  const other = { name: `${RESULT}-3`, evaluationRun: `${APP}/evaluationRuns/er-other` };
  const server = fakeCes((call) =>
    asText(
      call,
      call.args['pageToken'] === 'p2'
        ? { evaluationResults: [unsaid] }
        : { evaluationResults: [own, other, 'junk'], nextPageToken: 'p2' },
    ),
  );

  expect(await cesOver(server).results.list(RUN)).toEqual([own, unsaid]);

  expect(server.calls[0]!.args).toEqual({
    parent: `${APP}/evaluations/-`,
    filter: `evaluation_run:"${RUN}"`,
    pageSize: 100,
  });
});

test('a list that never ends is an error and not half a list', async () => {
  const ces = cesOver(fakeCes((call) => asText(call, { evaluationDatasets: [], nextPageToken: `t${call.id}` })));

  expect(await failureOf(ces.datasets.list(APP))).toEqual({
    name: 'TransientError',
    message: `list_evaluation_datasets on ${APP} does not end after 1000 pages`,
  });
});

const taken = (existing: readonly unknown[], status = 200) =>
  fakeCes((call) =>
    call.tool === 'create_evaluation_dataset'
      ? failed(call, status === 200 ? 'ALREADY_EXISTS: the dataset' : 'the dataset', status)
      : asText(call, { evaluationDatasets: existing }),
  );

describe('a dataset that is created', () => {
  test('has its evaluations by their full names', async () => {
    const server = fakeCes((call) => asText(call, THERE));

    await cesOver(server).datasets.create(DATASET);

    expect(server.calls.map((call) => call.args)).toEqual([
      {
        parent: APP,
        evaluationDatasetId: 'smoke-set',
        evaluationDataset: {
          displayName: 'Smoke',
          evaluations: [`${APP}/evaluations/greeting`, `${APP}/evaluations/refund`],
        },
      },
    ]);
  });

  const sameId = { name: `${APP}/evaluationDatasets/smoke-set`, displayName: 'Renamed' };
  const sameName = { name: `${APP}/evaluationDatasets/d-9`, displayName: 'Smoke' };
  test.each([
    ['its id', 200, sameId],
    ['its display name', 200, sameName],
    ['its id, which only the HTTP status says', 409, sameId],
  ])('is the one that is there when one has %s', async (_name, status, existing) => {
    const server = taken([{ name: 'other', displayName: 'Other' }, existing], status);

    expect(await cesOver(server).datasets.create(DATASET)).toEqual(existing);
  });

  test('is refused when CES says that it exists and it is nowhere to be seen', async () => {
    const server = taken([{ name: 'other', displayName: 'Other' }]);

    expect(await failureOf(cesOver(server).datasets.create(DATASET))).toEqual({
      name: 'PermanentError',
      message: `create_evaluation_dataset on ${APP} was refused as ALREADY_EXISTS: ALREADY_EXISTS: the dataset`,
    });
  });

  test('is not looked for after any other failure', async () => {
    const server = fakeCes(() => json({}, 503));

    expect(await failureOf(cesOver(server).datasets.create(DATASET))).toMatchObject({ name: 'TransientError' });
    expect(server.calls.map((call) => call.tool)).toEqual(['create_evaluation_dataset']);
  });
});
