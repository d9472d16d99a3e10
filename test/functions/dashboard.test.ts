import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import type { Pause } from '../../functions/dashboard/api.ts';
import { createDashboard } from '../../functions/dashboard/handle.ts';
import type { Answer, HttpRequest } from '../../functions/edge/respond.ts';
import { createSqliteStore, type SqliteStore } from '../../shared/adapters/sqlite/store.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { RunDocument } from '../../shared/domain/run-document.ts';
import type { Verdict } from '../../shared/domain/verdict.ts';
import type { Deps, Documents, Kind, Settings, Write } from '../../shared/ports.ts';
import { APP, CONFIG, deliveryOf, NIGHTLY, runOf, SPEC, silentLog, testClock, type TestClock } from '../fixtures.ts';

const NOW = '2026-11-30T14:20:00.000Z';
const EVALUATION_RUN = `${APP}/evaluationRuns/4b1f0c52-9f6e-4ce1-8a53-5d5e1b0f0d11`;
const LIVELY = `<script>alert("x")</script>'`;
const ESCAPED = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;';

const CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

let store: SqliteStore;
let clock: TestClock;

beforeEach(() => {
  store = createSqliteStore(':memory:');
  clock = testClock(NOW);
});

afterEach(() => {
  store.close();
});

const put = async <K extends Kind>(kind: K, id: string, doc: Documents[K]): Promise<void> => {
  expect(await store.commit([{ op: 'put', kind, id, doc } as Write])).toBe(true);
};

const PASSED: Verdict = {
  outcome: 'passed',
  passRate: 1,
  reasons: [{ code: 'gate_met', message: '100.0% of 4 results passed' }],
};

const FAILED: Verdict = {
  outcome: 'failed',
  passRate: 0.5,
  reasons: [{ code: 'pass_rate_below_minimum', message: '50.0% of 4 results passed; the plan asks for 100.0%' }],
  baseline: 'nightly-20261129T020000Z',
  diff: {
    newlyFailing: ['refund'],
    stillFailing: [],
    fixed: [],
    newlyErroring: [],
    flaky: [],
    added: ['greeting'],
    removed: [],
  },
};

const TIMED_OUT: Verdict = {
  outcome: 'inconclusive',
  passRate: null,
  reasons: [{ code: 'run_timed_out', message: "not finished within the plan's deadline of 2h, still queued" }],
};

async function addRun(id: string, change: Partial<Run>, at: string): Promise<Run> {
  const requested = runOf(
    id,
    { evaluationRun: EVALUATION_RUN, appVersion: `${APP}/versions/v42`, polls: 7, ...change },
    new Date(at),
  );
  const { nextAt: _nextAt, ...ended } = requested;
  const run = change.verdict === undefined ? requested : ended;
  await put('run', id, run);
  return run;
}

const passedRun = (): Promise<Run> =>
  addRun(
    'nightly-20261129T020000Z',
    {
      state: 'finished',
      startedAt: '2026-11-29T02:00:02.000Z',
      finishedAt: '2026-11-29T02:07:42.000Z',
      progress: { total: 4, completed: 4, passed: 4, failed: 0, error: 0, cancelled: 0 },
      verdict: PASSED,
    },
    '2026-11-29T02:00:00.000Z',
  );

async function failedRun(): Promise<Run> {
  const run = await addRun(
    'nightly-20261130T020000Z',
    {
      state: 'finished',
      startedAt: '2026-11-30T02:00:02.000Z',
      finishedAt: '2026-11-30T02:07:42.000Z',
      judgedAt: '2026-11-30T02:07:45.000Z',
      progress: { total: 4, completed: 4, passed: 2, failed: 2, error: 0, cancelled: 0 },
      verdict: FAILED,
    },
    '2026-11-30T02:00:00.000Z',
  );
  await put('scores', run.id, {
    run: run.id,
    createdAt: NOW,
    scores: {
      greeting: { passed: 2, failed: 0, errored: 0, cancelled: 0, skipped: 0 },
      refund: { passed: 0, failed: 2, errored: 0, cancelled: 0, skipped: 0 },
    },
  });
  await put('plan', 'nightly', {
    plan: 'nightly',
    createdAt: '2026-11-01T00:00:00.000Z',
    lastVerdict: { run: run.id, outcome: 'failed', at: '2026-11-30T02:07:45.000Z' },
    lastSkip: { slot: '2026-11-22T02:00:00.000Z', reason: 'nightly-20261122T010000Z was still going on' },
    failing: { since: run.id, runs: 1, told: {} },
  });
  return run;
}

const runningRun = (): Promise<Run> =>
  addRun(
    'nightly-20261130T141400Z-k3x9q2ab',
    {
      state: 'running',
      startedAt: '2026-11-30T14:14:05.000Z',
      progress: { total: 4, completed: 2, passed: 1, failed: 1, error: 1, cancelled: 0 },
    },
    '2026-11-30T14:14:00.000Z',
  );

async function addDelivery(run: Run, change: Partial<Delivery>): Promise<void> {
  const { nextAt: _nextAt, ...delivery } = deliveryOf(`${run.id}.${change.subscriber}.failed`, run, {
    attempts: 1,
    at: '2026-11-30T02:07:46.000Z',
  });
  await put('delivery', delivery.id, { ...delivery, ...change });
}

type Asked = Partial<Pick<HttpRequest, 'method' | 'headers' | 'signal'>>;
type Made = Partial<Pick<Deps, 'store' | 'config'>> & { readonly settings?: Partial<Settings>; readonly pause?: Pause };

const noPause: Pause = () => Promise.reject(new Error('nothing was to be waited for'));

function ask(
  target: string,
  asked: Asked = {},
  { pause = noPause, settings = {}, ...made }: Made = {},
): Promise<Answer> {
  const deps = { config: CONFIG, store, clock, log: silentLog, settings, ...made } as unknown as Deps;
  const url = new URL(target, 'http://localhost');
  return createDashboard(
    deps,
    pause,
  )({
    method: 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: { host: 'localhost:8080' },
    rawBody: Buffer.alloc(0),
    ip: '127.0.0.1',
    signal: new AbortController().signal,
    ...asked,
  });
}

async function page(target: string, made: Made = {}): Promise<string> {
  const answer = await ask(target, {}, made);
  expect(answer.status).toBe(200);
  return String(answer.body);
}

/** What a person reads of some HTML, on one line. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const rowsOf = (markup: string): readonly string[] =>
  [...markup.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row]) => textOf(row ?? ''));

const problemOf = ({ status, body }: Answer) => ({ status, title: (body as { title: string }).title });

describe('healthz', () => {
  test('answers 200 when the store does, without a token and under any host', async () => {
    const answer = await ask('/healthz', { headers: { host: '10.0.0.7' } }, { settings: { apiToken: 's3cret' } });

    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test('answers 503 when the store does not', async () => {
    const broken = { ...store, find: () => Promise.reject(new Error('disk I/O error')) };

    expect(await ask('/healthz', {}, { store: broken })).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/problem+json' },
      body: { title: 'Store unavailable', status: 503, detail: 'The store does not answer; the log says why.' },
    });
  });
});

describe('who may read', () => {
  const basic = (password: string): string => `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;

  test.each([
    { name: 'a bearer token', path: '/api/runs', authorization: 'Bearer s3cret', status: 200 },
    { name: 'the token as a password', path: '/', authorization: basic('s3cret'), status: 200 },
    { name: 'another token', path: '/api/runs', authorization: 'Bearer secret', status: 401 },
    { name: 'another password', path: '/', authorization: basic('secret'), status: 401 },
    { name: 'nothing', path: '/deliveries', authorization: undefined, status: 401 },
    { name: 'nothing, for a path that is not there', path: '/nowhere', authorization: undefined, status: 401 },
  ])('with a token set, $name gets $status for $path', async ({ path, authorization, status }) => {
    const headers = { host: 'evals.acme.example', authorization };

    expect((await ask(path, { headers }, { settings: { apiToken: 's3cret' } })).status).toBe(status);
  });

  test.each([
    { path: '/api/runs', challenge: 'Bearer realm="ces-evals"' },
    { path: '/', challenge: 'Basic realm="ces-evals"' },
  ])('$path is refused with the challenge $challenge', async ({ path, challenge }) => {
    expect(await ask(path, {}, { settings: { apiToken: 's3cret' } })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': challenge, 'content-type': 'application/problem+json' },
    });
  });

  test.each([
    { host: 'localhost', status: 200 },
    { host: 'LocalHost:8080', status: 200 },
    { host: '127.0.0.1:8080', status: 200 },
    { host: '127.8.9.1', status: 200 },
    { host: '[::1]:8080', status: 200 },
    { host: 'evals.acme.example', status: 200 },
    { host: 'evil.example', status: 421 },
    { host: '127.0.0.1.evil.example', status: 421 },
    { host: 'localhost.evil.example', status: 421 },
    { host: 'localhost@evil.example', status: 421 },
    { host: 'evil.example/@localhost', status: 421 },
    { host: '10.0.0.7', status: 421 },
    { host: '', status: 421 },
    { host: undefined, status: 421 },
  ])('without a token, a request to the host $host gets $status', async ({ host, status }) => {
    const answer = await ask('/', { headers: { host } }, { settings: { publicUrl: 'https://evals.acme.example' } });

    expect(answer.status).toBe(status);
  });
});

describe('every answer', () => {
  test.each(['/', '/nowhere', '/deliveries', '/api/runs', '/api/runs/nowhere', '/healthz'])(
    '%s allows no script and is not kept',
    async (path) => {
      expect((await ask(path)).headers).toMatchObject({
        'content-security-policy': CSP,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    },
  );

  test.each(['/', '/healthz', '/api/runs'])('%s is for reading only', async (path) => {
    const answer = await ask(path, { method: 'POST' });

    expect(problemOf(answer)).toEqual({ status: 405, title: 'Method not allowed' });
    expect(answer.headers).toMatchObject({ allow: 'GET, HEAD' });
  });

  test('HEAD is answered as GET is', async () => {
    expect((await ask('/', { method: 'HEAD' })).status).toBe(200);
  });

  test.each([
    { path: '/api/nowhere', type: 'application/problem+json' },
    { path: '/api', type: 'application/problem+json' },
    { path: '/api/runs/nightly/more', type: 'application/problem+json' },
    { path: '/nowhere', type: 'text/html; charset=utf-8' },
    { path: '/runs/nowhere', type: 'text/html; charset=utf-8' },
    { path: '/runs/%E0%A4%A', type: 'text/html; charset=utf-8' },
    { path: '/apiary', type: 'text/html; charset=utf-8' },
  ])('$path is not found, as $type', async ({ path, type }) => {
    expect(await ask(path)).toMatchObject({ status: 404, headers: { 'content-type': type } });
  });
});

describe('GET /api/runs', () => {
  test('gives a run with what became of its alerts', async () => {
    const run = await failedRun();
    await addDelivery(run, { subscriber: 'oncall', state: 'sent', receipt: '1764468466.000200' });

    const { status, body } = await ask(`/api/runs/${run.id}`);

    expect(status).toBe(200);
    expect(body).toEqual({
      id: 'nightly-20261130T020000Z',
      plan: 'nightly',
      app: APP,
      trigger: { kind: 'manual', by: 'ana' },
      state: 'finished',
      createdAt: '2026-11-30T02:00:00.000Z',
      deadlineAt: '2026-11-30T04:00:00.000Z',
      startedAt: '2026-11-30T02:00:02.000Z',
      finishedAt: '2026-11-30T02:07:42.000Z',
      judgedAt: '2026-11-30T02:07:45.000Z',
      operation: null,
      evaluationRun: EVALUATION_RUN,
      appVersion: `${APP}/versions/v42`,
      progress: { total: 4, completed: 4, passed: 2, failed: 2, error: 0, cancelled: 0 },
      polls: 7,
      problem: null,
      verdict: FAILED,
      alerts: [
        {
          subscriber: 'oncall',
          reason: 'failed',
          state: 'sent',
          attempts: 1,
          at: '2026-11-30T02:07:46.000Z',
          error: null,
        },
      ],
      timeline: [{ at: '2026-11-30T02:00:00.000Z', event: 'requested', detail: 'manual: ana' }],
    });
  });

  const listed = async (query: string): Promise<readonly string[]> => {
    const { body } = await ask(`/api/runs${query}`);
    return (body as { runs: readonly RunDocument[] }).runs.map(({ id }) => id);
  };

  test('lists the latest runs, of one plan if asked', async () => {
    await passedRun();
    await failedRun();
    await addRun('smoke-20261130T100000Z', { plan: 'smoke' }, '2026-11-30T10:00:00.000Z');

    expect(await listed('')).toEqual([
      'smoke-20261130T100000Z',
      'nightly-20261130T020000Z',
      'nightly-20261129T020000Z',
    ]);
    expect(await listed('?plan=nightly&limit=1')).toEqual(['nightly-20261130T020000Z']);
    expect(await listed('?plan=nowhere')).toEqual([]);
  });

  test.each(['0', '501', '1.5', 'many', '-1', ''])('refuses the limit "%s"', async (limit) => {
    expect(problemOf(await ask(`/api/runs?limit=${limit}`))).toEqual({ status: 400, title: 'Malformed limit' });
  });
});

describe('?wait=', () => {
  const passing = (ms: number): Promise<void> => {
    clock.advance(ms);
    return Promise.resolve();
  };

  test('answers as soon as the run has its verdict', async () => {
    const run = await runningRun();
    const pause = jest.fn<Pause>(async (ms) => {
      if (pause.mock.calls.length === 3) await put('run', run.id, { ...run, state: 'finished', verdict: PASSED });
      return passing(ms);
    });

    const { body } = await ask(`/api/runs/${run.id}?wait=50s`, {}, { pause });

    expect((body as RunDocument).verdict).toEqual(PASSED);
    expect(pause.mock.calls.map(([ms]) => ms)).toEqual([500, 500, 500]);
  });

  test('answers with the run as it is when the time is up', async () => {
    const run = await runningRun();
    const pause = jest.fn<Pause>(passing);

    const { status, body } = await ask(`/api/runs/${run.id}?wait=1200ms`, {}, { pause });

    expect(status).toBe(200);
    expect((body as RunDocument).state).toBe('running');
    expect(pause.mock.calls.map(([ms]) => ms)).toEqual([500, 500, 200]);
  });

  test('looks no more once the client has gone away', async () => {
    const run = await runningRun();
    const client = new AbortController();
    const pause = jest.fn<Pause>((ms) => {
      client.abort();
      return passing(ms);
    });

    await ask(`/api/runs/${run.id}?wait=60s`, { signal: client.signal }, { pause });

    expect(pause.mock.calls).toEqual([[500, client.signal]]);
  });

  test('does not wait for a run that is not there', async () => {
    expect(problemOf(await ask('/api/runs/nowhere?wait=50s'))).toEqual({ status: 404, title: 'Not found' });
  });

  test.each(['61s', '2m', '50', '-1s', 'soon', ''])('refuses the duration "%s"', async (wait) => {
    const run = await failedRun();

    expect(problemOf(await ask(`/api/runs/${run.id}?wait=${wait}`))).toEqual({ status: 400, title: 'Malformed wait' });
  });
});

describe('the overview', () => {
  test('says what to do while there is no run', async () => {
    const markup = await page('/');

    expect(textOf(markup)).toContain(
      'No runs yet. A scheduled plan starts at its next slot. Start one now: ces-evals run nightly',
    );
    expect(markup).not.toContain('http-equiv="refresh"');
  });

  test('says what to do while there is no plan', async () => {
    expect(textOf(await page('/', { config: { ...CONFIG, plans: {} } }))).toContain(
      'There is no plan yet. Add one to evals.yaml , check it with ces-evals config validate , and restart.',
    );
  });

  test('shows how a plan stands and when it runs next, in its own time zone', async () => {
    await passedRun();
    await failedRun();
    const schedule = { cron: '30 21 * * *', timezone: 'America/New_York', overlap: 'skip' } as const;

    const markup = await page('/', { config: { ...CONFIG, plans: { nightly: { ...NIGHTLY, schedule } } } });

    const card = textOf(/<article class="card">(.*?)<\/article>/s.exec(markup)?.[1] ?? '');
    expect(card.replace(/ 100% 0% .*? Failing since/, ' Failing since')).toBe(
      'nightly ✕ failed 50.0% 30 Nov 2026, 02:07 UTC ' +
        'Failing since 30 Nov 2026, 02:00 UTC , 1 failed run, first nightly-20261130T020000Z ' +
        'Next 30 Nov 2026, 21:30 GMT-5 1 Dec 2026, 21:30 GMT-5 2 Dec 2026, 21:30 GMT-5 30 21 * * * America/New_York ' +
        'Last skipped slot 21 Nov 2026, 21:00 GMT-5 : nightly-20261122T010000Z was still going on',
    );
  });

  test('tells the runs of a sparkline apart by shape and in words', async () => {
    await addRun('nightly-20261128T020000Z', { state: 'timed_out', verdict: TIMED_OUT }, '2026-11-28T02:00:00.000Z');
    await passedRun();
    await failedRun();
    await runningRun();

    const svg = /<svg class="sparkline".*?<\/svg>/s.exec(await page('/'))?.[0] ?? '';

    expect(svg).toContain(
      'aria-label="Pass rate of the last runs, oldest first: inconclusive, passed 100.0%, failed 50.0%, running"',
    );
    expect(
      [...svg.matchAll(/<(\w+) class="(good|bad|unclear|open)"/g)].map(([, shape, tone]) => [shape, tone]),
    ).toEqual([
      ['path', 'unclear'],
      ['circle', 'good'],
      ['rect', 'bad'],
      ['circle', 'open'],
    ]);
  });

  test('lists the latest runs with what became of their alerts', async () => {
    await passedRun();
    const failed = await failedRun();
    await addDelivery(failed, { subscriber: 'oncall', state: 'sent' });
    await addDelivery(failed, { subscriber: 'qa', state: 'undeliverable', error: '550 no such user' });
    await addDelivery(failed, { subscriber: 'bot', state: 'pending', error: 'answered 503' });
    await runningRun();

    expect(rowsOf(await page('/'))).toEqual([
      '◐ running nightly-20261130T141400Z-k3x9q2ab nightly running v42 manual 30 Nov 2026, 14:14 UTC 5 min 55 s 1/4 –',
      '✕ failed nightly-20261130T020000Z nightly finished v42 manual 30 Nov 2026, 02:00 UTC 7 min 40 s 2/4 ' +
        '↻ 1 retrying ✓ 1 sent ✕ 1 undeliverable',
      '✓ passed nightly-20261129T020000Z nightly finished v42 manual 29 Nov 2026, 02:00 UTC 7 min 40 s 4/4 –',
    ]);
  });

  test.each([
    { query: '?outcome=failed', ids: ['nightly-20261130T020000Z'] },
    { query: '?outcome=open', ids: ['nightly-20261130T141400Z-k3x9q2ab'] },
    { query: '?plan=smoke', ids: ['smoke-20261130T100000Z'] },
    { query: '?plan=smoke&outcome=failed', ids: [] },
    { query: '?outcome=nonsense', ids: [] },
    { query: '?plan=&outcome=passed', ids: ['smoke-20261130T100000Z', 'nightly-20261129T020000Z'] },
  ])('$query narrows the table down', async ({ query, ids }) => {
    await passedRun();
    await failedRun();
    await runningRun();
    await addRun('smoke-20261130T100000Z', { plan: 'smoke', verdict: PASSED }, '2026-11-30T10:00:00.000Z');

    const rows = rowsOf(await page(`/${query}`)).map((row) => /(?:nightly|smoke)-\S+/.exec(row)?.[0]);

    expect(rows).toEqual(ids);
  });

  test('keeps the card of a plan whose runs are filtered out', async () => {
    await addRun('smoke-20261130T100000Z', { plan: 'smoke', verdict: PASSED }, '2026-11-30T10:00:00.000Z');

    const text = textOf(await page('/?plan=smoke&outcome=failed'));

    expect(text).toContain('never: the plan is not in the configuration any more');
    expect(text).toContain('None of the latest 500 runs fits. Show all outcomes');
  });

  test('knows nothing of a plan that was never there', async () => {
    expect(textOf(await page('/?plan=nowhere'))).toContain(
      'Neither the configuration nor the history knows this plan.',
    );
  });
});

describe('a page loads itself again', () => {
  const REFRESH = '<meta http-equiv="refresh" content="5" />';

  test('while one of its runs is in flight', async () => {
    const run = await runningRun();

    expect(await page('/')).toContain(REFRESH);
    expect(await page(`/runs/${run.id}`)).toContain(REFRESH);
  });

  test('and not once they are judged', async () => {
    const run = await failedRun();

    expect(await page('/')).not.toContain('http-equiv="refresh"');
    expect(await page(`/runs/${run.id}`)).not.toContain('http-equiv="refresh"');
  });
});

describe('the page of a run', () => {
  const sections = (markup: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      (/<main>(.*)<\/main>/s.exec(markup)?.[1] ?? '')
        .split('<h2>')
        .slice(1)
        .map((section) => section.split('</h2>').map(textOf))
        .map(([title = '', text = '']) => [title, text]),
    );

  test('shows verdict, reasons, differences, evaluations, alerts and timeline of a failed run', async () => {
    const run = await failedRun();
    await addDelivery(run, { subscriber: 'oncall', state: 'sent', receipt: '1764468466.000200' });
    await addDelivery(run, {
      subscriber: 'qa',
      channel: 'email',
      state: 'pending',
      attempts: 3,
      error: '451 greylisted',
      nextAt: '2026-11-30T14:30:00.000Z',
    });

    const markup = await page(`/runs/${run.id}`);

    const { Documents: documents, ...shown } = sections(markup);
    expect(textOf(/<h1>.*?<\/ul>/s.exec(markup)?.[0] ?? '')).toBe(
      '✕ failed nightly-20261130T020000Z 50.0% of 4 results passed; the plan asks for 100.0%',
    );
    expect(shown).toEqual({
      'Compared with nightly-20261129T020000Z': 'Newly failing 1 refund Added 1 greeting',
      'Evaluations repetitions that passed': 'refund ✕ ✕ 0/2 newly failing greeting ✓ ✓ 2/2 new',
      Alerts:
        'Alerts about this run State Subscriber Channel Reason Attempts Last attempt Answer ' +
        '✓ sent oncall slack failed 1 30 Nov 2026, 02:07 UTC 1764468466.000200 ' +
        '↻ retrying qa email failed 3 30 Nov 2026, 02:07 UTC 451 greylisted next try 30 Nov 2026, 14:30 UTC',
      Timeline: '+0 s requested manual: ana',
    });
    expect(documents).toContain('&quot;id&quot;: &quot;nightly-20261130T020000Z&quot;');
    expect(markup).toContain('<a href="/?plan=nightly">← nightly</a>');
    expect(markup).toContain('aria-label="2 failed"');
  });

  test('shows how far a run has come', async () => {
    const run = await runningRun();

    const markup = await page(`/runs/${run.id}`);

    expect(markup).toContain('<progress value="3" max="4" aria-label="Results that are there"></progress>');
    expect(textOf(markup)).toContain('3 of 4 results: 1 passed, 1 failed, 1 ended in an error');
    expect(sections(markup)['Alerts']).toBe('Decided with the verdict.');
  });

  test('tells a run that timed out from one that failed', async () => {
    const run = await addRun(
      'nightly-20261115T020000Z',
      { state: 'timed_out', verdict: TIMED_OUT },
      '2026-11-15T02:00:00.000Z',
    );

    const text = textOf(await page(`/runs/${run.id}`));

    expect(text).toContain(
      '? inconclusive nightly-20261115T020000Z not finished within the plan&#39;s deadline of 2h, still queued',
    );
    expect(text).toContain('State timed out');
  });

  test('has the latency of the components where CES reports it, against what the plan allows', async () => {
    const spec = { ...SPEC, gate: { ...SPEC.gate, maxP90Ms: { llm: 1_500, tool: 2_000 } } };
    const run = await addRun('nightly-20261130T020000Z', { spec, verdict: FAILED }, '2026-11-30T02:00:00.000Z');
    await put('snapshot', run.id, {
      run: run.id,
      createdAt: NOW,
      evaluationRun: {
        name: EVALUATION_RUN,
        latencyReport: {
          toolLatencies: [
            {
              tool: `${APP}/tools/7d1e`,
              toolDisplayName: 'lookup_order',
              latencyMetrics: { p50Latency: '0.250s', p90Latency: '0.500s', p99Latency: '1s', callCount: 12 },
            },
          ],
          guardrailLatencies: [{ guardrail: `${APP}/guardrails/prompt-injection` }, 'not an entry'],
          llmCallLatencies: [
            {
              model: 'gemini-2.5-flash',
              latencyMetrics: { p50Latency: '0.900s', p90Latency: '1.800s', p99Latency: '3.600s', callCount: '120' },
            },
          ],
        },
      },
    });

    expect(rowsOf(await page(`/runs/${run.id}`)).slice(0, 3)).toEqual([
      'llm gemini-2.5-flash 120 0.90 s 1.80 s 3.60 s ✕ over 1.50 s',
      'tool lookup_order 12 0.25 s 0.50 s 1.00 s ✓ 2.00 s',
      'guardrail prompt-injection 0 – – – –',
    ]);
  });

  test('never hides a failure behind more passes than there is room for', async () => {
    const run = await failedRun();
    const score = { passed: 2_000, failed: 3, errored: 1, cancelled: 0, skipped: 0 };
    await put('scores', run.id, { run: run.id, createdAt: NOW, scores: { refund: score } });

    const markup = await page(`/runs/${run.id}`);

    const tile = textOf(/<ul class="tiles">(.*?)<\/ul>/s.exec(markup)?.[1] ?? '');
    expect(tile).toBe(`refund ✕ ✕ ✕ ! ${'✓ '.repeat(20)}2000/2004 newly failing`);
    expect(markup).toContain('aria-label="3 failed, 1 errored, 2000 passed"');
  });
});

describe('the delivery log', () => {
  test('says when there is none', async () => {
    expect(textOf(await page('/deliveries'))).toContain('No alert has been due yet.');
  });

  test('lists what became of each alert', async () => {
    const run = await failedRun();
    await addDelivery(run, { subscriber: 'oncall', state: 'suppressed', error: 'no such subscriber any more' });
    await addDelivery(run, { subscriber: 'qa', state: 'pending', attempts: 0, createdAt: '2026-11-30T02:07:45.000Z' });

    expect(rowsOf(await page('/deliveries'))).toEqual([
      '○ pending nightly-20261130T020000Z 30 Nov 2026, 02:07 UTC qa slack failed 0 30 Nov 2026, 02:07 UTC –',
      '– suppressed nightly-20261130T020000Z 30 Nov 2026, 02:00 UTC oncall slack failed 1 30 Nov 2026, 02:07 UTC ' +
        'no such subscriber any more',
    ]);
  });
});

describe('text from outside', () => {
  beforeEach(async () => {
    const trigger = { kind: 'webhook', by: LIVELY, labels: { [LIVELY]: LIVELY } } as const;
    const verdict: Verdict = {
      ...FAILED,
      baseline: LIVELY,
      reasons: [{ code: 'run_error', message: LIVELY }],
      diff: {
        newlyFailing: [LIVELY],
        stillFailing: [],
        fixed: [],
        newlyErroring: [],
        flaky: [],
        added: [],
        removed: [],
      },
    };
    const timeline = [{ at: NOW, event: LIVELY, detail: LIVELY }];
    const run = await addRun(
      LIVELY,
      { plan: LIVELY, trigger, verdict, problem: LIVELY, appVersion: LIVELY, evaluationRun: LIVELY, timeline },
      NOW,
    );
    await addRun('open', { plan: LIVELY, state: 'queued', problem: LIVELY }, NOW);
    const score = { passed: 1, failed: 1, errored: 0, cancelled: 0, skipped: 0 };
    await put('scores', LIVELY, { run: LIVELY, createdAt: NOW, scores: { [LIVELY]: score } });
    const latencyMetrics = { p90Latency: '1s' };
    const latencyReport = { llmCallLatencies: [{ model: LIVELY, latencyMetrics }] };
    await put('snapshot', LIVELY, { run: LIVELY, createdAt: NOW, evaluationRun: { [LIVELY]: LIVELY, latencyReport } });
    await put('plan', LIVELY, {
      plan: LIVELY,
      createdAt: NOW,
      lastSkip: { slot: NOW, reason: LIVELY },
      lastVerdict: { run: LIVELY, outcome: 'failed', at: NOW },
      failing: { since: LIVELY, runs: 1, told: {} },
    });
    await addDelivery(run, { subscriber: LIVELY, state: 'undeliverable', error: LIVELY });
    await addDelivery(run, { subscriber: 'qa', state: 'sent', receipt: LIVELY });
  });

  test.each([
    { name: 'the overview', path: '/' },
    { name: 'a filtered overview', path: `/?plan=${encodeURIComponent(LIVELY)}&outcome=${encodeURIComponent(LIVELY)}` },
    { name: 'the overview of an unknown plan', path: `/?plan=${encodeURIComponent(`x${LIVELY}`)}` },
    { name: 'the page of a run', path: `/runs/${encodeURIComponent(LIVELY)}` },
    { name: 'the page of an open run', path: '/runs/open' },
    { name: 'the delivery log', path: '/deliveries' },
  ])('is shown as text on $name', async ({ path }) => {
    const markup = await page(path);

    expect(markup).toContain(ESCAPED);
    expect(markup.toLowerCase()).not.toContain('<script');
    expect(markup).not.toContain('alert("x")');
  });

  test('stays inside of links', async () => {
    expect(await page('/')).toContain('<a class="id" href="/runs/%3Cscript%3Ealert(%22x%22)%3C%2Fscript%3E&#39;">');
  });
});
