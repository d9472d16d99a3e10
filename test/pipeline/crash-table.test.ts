import { describe, expect, test } from '@jest/globals';

import { ensureRun } from '../../functions/pipeline/request-run.ts';
import { runIdOfKey } from '../../shared/domain/keys.ts';
import { PermanentError, TransientError } from '../../shared/errors.ts';
import { APP, CONFIG, NIGHTLY } from '../fixtures.ts';
import { LIFE } from './fake-ces.ts';
import { crashAfter, crashBefore, createWorld, failWith, once } from './world.ts';

const NIGHT = 'nightly-20261130T020000Z';
const NEXT_NIGHT = 'nightly-20261201T020000Z';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const PASSING = {
  outcome: 'passed',
  passRate: 1,
  reasons: [{ code: 'gate_met', message: '100.0% of 6 results passed' }],
};

describe('the way of a run', () => {
  test('a slot becomes a run that is started, polled, judged and told to whoever asked for it', async () => {
    const world = createWorld();

    await world.pass(20 * MINUTE);

    const run = await world.run(NIGHT);
    expect(run.state).toBe('finished');
    expect(run.verdict).toEqual(PASSING);
    expect(run.timeline.map(({ event }) => event)).toEqual([
      'requested',
      'starting',
      'started',
      'running',
      'finished',
      'judged',
    ]);
    expect(world.sent).toEqual([{ to: 'qa', reason: 'passed', run: NIGHT }]);
    expect(world.pending()).toEqual([]);
  });

  test('a night that passes, two that fail and one that recovers tell each subscriber what is new to it', async () => {
    const world = createWorld();
    const failing = { ...LIFE, outcomes: { greeting: { pass: 1 }, refund: { pass: 2, fail: 3 } } };
    world.ces.lives = [LIFE, failing, failing, LIFE];

    await world.pass(3 * 24 * HOUR + 30 * MINUTE);

    expect(world.sent).toEqual([
      { to: 'qa', reason: 'passed', run: 'nightly-20261130T020000Z' },
      { to: 'oncall', reason: 'failed', run: 'nightly-20261201T020000Z' },
      { to: 'qa', reason: 'failed', run: 'nightly-20261201T020000Z' },
      { to: 'qa', reason: 'still_failing', run: 'nightly-20261202T020000Z' },
      { to: 'oncall', reason: 'recovered', run: 'nightly-20261203T020000Z' },
      { to: 'qa', reason: 'recovered', run: 'nightly-20261203T020000Z' },
    ]);
    const second = await world.run('nightly-20261201T020000Z');
    expect(second.verdict).toEqual({
      outcome: 'failed',
      passRate: 0.5,
      reasons: [{ code: 'pass_rate_below_minimum', message: '50.0% of 6 results passed; the plan asks for 100.0%' }],
      baseline: 'nightly-20261130T020000Z',
      diff: {
        newlyFailing: ['refund'],
        stillFailing: [],
        fixed: [],
        newlyErroring: [],
        flaky: ['refund'],
        added: [],
        removed: [],
      },
    });
  });
});

describe('the tick fires twice for one slot, or a manual run carries the time of the next slot', () => {
  test('ten ticks at one moment make one run', async () => {
    const world = createWorld();
    await world.pass(MINUTE - 1);
    world.clock.set('2026-11-30T02:00:00.000Z');

    await Promise.all(Array.from({ length: 10 }, () => world.tick()));
    await world.pass(20 * MINUTE);

    expect(world.ces.started).toHaveLength(1);
    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('a manual run whose key looks like the next slot leaves that slot alone', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    const id = runIdOfKey('nightly', 'manual', '20261201T020000Z');
    await ensureRun(world.deps, { id, plan: NIGHTLY, trigger: { kind: 'manual', by: 'ana' } });

    await world.pass(24 * HOUR + 20 * MINUTE);

    expect(world.ces.started).toHaveLength(3);
    expect((await world.run(NEXT_NIGHT)).verdict).toEqual({
      ...PASSING,
      baseline: id,
      diff: expect.objectContaining({ newlyFailing: [], fixed: [] }),
    });
  });
});

describe('a crash', () => {
  test('after the run document, before run-requested: the tick republishes, one evaluation run', async () => {
    const world = createWorld();
    once(world.deps.bus, 'publish', crashBefore());

    await world.pass(20 * MINUTE);

    expect(world.ces.started).toHaveLength(1);
    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('before the run document: the slot is still due', async () => {
    const world = createWorld();
    await world.pass(MINUTE - 1);
    once(world.deps.store, 'commit', crashBefore());

    await world.pass(20 * MINUTE);

    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('after run_evaluation was accepted, before its name is stored: adopted by its display name', async () => {
    const world = createWorld();
    once(world.deps.evaluations, 'start', crashAfter());

    await world.pass(20 * MINUTE);

    const run = await world.run(NIGHT);
    expect(world.ces.started).toHaveLength(1);
    expect(run.evaluationRun).toBe('projects/acme-cx/locations/us/apps/support-bot/evaluationRuns/er-1');
    expect(run.operation).toBe('projects/acme-cx/locations/us/operations/op-er-1');
    expect(run.timeline.map(({ event }) => event)).toContain('adopted');
    expect(run.verdict).toEqual(PASSING);
  });

  test('before run_evaluation reached CES: looked for, not found, started', async () => {
    const world = createWorld();
    once(world.deps.evaluations, 'start', crashBefore());

    await world.pass(20 * MINUTE);

    expect(world.ces.started).toHaveLength(1);
    expect((await world.run(NIGHT)).startAttempts).toBe(2);
  });

  test('after the terminal observation, before run-finished: judged once', async () => {
    const world = createWorld();
    await world.pass(MINUTE + 7 * MINUTE);
    let polls = 0;
    const { publish } = world.deps.bus;
    world.deps.bus.publish = async (topic, message, at) => {
      if (topic === 'run-finished' && (polls += 1) === 1) return crashBefore()(publish)(topic, message, at);
      return publish(topic, message, at);
    };

    await world.pass(20 * MINUTE);

    expect(polls).toBeGreaterThan(1);
    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
    expect(world.sent).toHaveLength(1);
  });

  test('after the verdict, before alert-due: the tick republishes, one alert', async () => {
    const world = createWorld();
    const { publish } = world.deps.bus;
    let alerts = 0;
    world.deps.bus.publish = async (topic, message, at) => {
      if (topic === 'alert-due' && (alerts += 1) === 1) return crashBefore()(publish)(topic, message, at);
      return publish(topic, message, at);
    };

    await world.pass(20 * MINUTE);

    expect(world.sent).toEqual([{ to: 'qa', reason: 'passed', run: NIGHT }]);
  });

  test("between the provider's OK and the record: unknown, held by the channel's policy, which says so", async () => {
    const world = createWorld();
    once(world.deps.channels.email, 'send', crashAfter());

    await world.pass(30 * MINUTE);

    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries(NIGHT)).toMatchObject([
      { subscriber: 'qa', state: 'unknown', attempts: 1, error: 'nobody can tell' },
    ]);
  });

  test("between the provider's OK and the record: a channel that can look finds the message", async () => {
    const world = createWorld();
    once(world.deps.channels.email, 'send', crashAfter());
    world.deps.channels.email.inDoubt = async () => ({ kind: 'sent', receipt: '1764468000.000100' });

    await world.pass(30 * MINUTE);

    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries(NIGHT)).toMatchObject([{ state: 'sent', receipt: '1764468000.000100', attempts: 1 }]);
  });

  test("before the provider's answer, where the channel knows that nothing arrived: sent again", async () => {
    const world = createWorld();
    once(world.deps.channels.email, 'send', crashBefore());
    world.deps.channels.email.inDoubt = async () => ({ kind: 'send_again' });

    await world.pass(30 * MINUTE);

    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries(NIGHT)).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });
});

describe('two workers on one run', () => {
  test('of two starters one holds the run, the other does nothing', async () => {
    const world = createWorld();
    const id = 'nightly-manual';
    await ensureRun(world.deps, { id, plan: NIGHTLY, trigger: { kind: 'manual', by: 'ana' } });

    await Promise.all([world.handlers['run-requested'](id), world.handlers['run-requested'](id)]);

    expect(world.ces.started).toHaveLength(1);
    expect((await world.run(id)).startAttempts).toBe(1);
  });

  test('of two pollers one holds the run, the other does nothing', async () => {
    const world = createWorld();
    await world.pass(MINUTE + SECOND);
    world.clock.advance(5 * SECOND);
    let reads = 0;
    const { get } = world.deps.evaluations;
    world.deps.evaluations.get = async (name) => {
      reads += 1;
      return get(name);
    };

    await Promise.all([world.handlers['run-poll'](NIGHT), world.handlers['run-poll'](NIGHT)]);

    expect(reads).toBe(1);
    expect((await world.run(NIGHT)).polls).toBe(1);
  });

  test('of two sinks one judges', async () => {
    const world = createWorld();
    await world.pass(MINUTE + 7 * MINUTE);
    world.forgetMessages();
    world.clock.advance(2 * MINUTE);
    await world.handlers['run-poll'](NIGHT);

    await Promise.all([world.handlers['run-finished'](NIGHT), world.handlers['run-finished'](NIGHT)]);
    await world.pass(MINUTE);

    expect(world.sent).toHaveLength(1);
  });

  test('of two notifiers one sends', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    const [delivery] = await world.deliveries(NIGHT);
    const stored = await world.deps.store.get('delivery', delivery!.id);
    await world.deps.store.commit([
      {
        op: 'replace',
        kind: 'delivery',
        id: delivery!.id,
        version: stored!.version,
        doc: { ...delivery!, state: 'pending', nextAt: world.clock.now().toISOString() },
      },
    ]);
    world.sent.length = 0;

    await Promise.all([world.handlers['alert-due'](delivery!.id), world.handlers['alert-due'](delivery!.id)]);

    expect(world.sent).toHaveLength(1);
  });
});

describe('the operation has no run name yet', () => {
  test('it is asked for again until it has', async () => {
    const world = createWorld();
    world.ces.lives = [{ ...LIFE, namedAfter: 3 }];
    world.deps.evaluations.newest = async function* none() {};

    await world.pass(20 * MINUTE);

    const run = await world.run(NIGHT);
    expect(run.verdict).toEqual(PASSING);
    expect(run.timeline.map(({ event }) => event)).toEqual([
      'requested',
      'starting',
      'started',
      'delayed',
      'named',
      'running',
      'finished',
      'judged',
    ]);
  });

  test('it never comes, but the list of runs has it', async () => {
    const world = createWorld();
    world.ces.lives = [{ ...LIFE, namedAfter: Infinity }];

    await world.pass(20 * MINUTE);

    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('the operation ends without a run: start_failed, with what CES said', async () => {
    const world = createWorld();
    world.ces.lives = [{ ...LIFE, namedAfter: Infinity }];
    world.deps.evaluations.newest = async function* none() {};
    world.deps.evaluations.operation = async (operation) => ({ operation, failure: 'code 8: out of quota' });

    await world.pass(5 * MINUTE);

    const run = await world.run(NIGHT);
    expect(run.state).toBe('start_failed');
    expect(run.verdict?.reasons).toEqual([
      { code: 'start_failed', message: 'the run could not be started: code 8: out of quota' },
    ]);
  });

  test('it never comes at all: the deadline bounds the wait', async () => {
    const world = createWorld();
    world.ces.lives = [{ ...LIFE, namedAfter: Infinity }];
    world.deps.evaluations.newest = async function* none() {};

    await world.pass(3 * HOUR);

    const run = await world.run(NIGHT);
    expect(run.state).toBe('timed_out');
    expect(run.verdict?.outcome).toBe('inconclusive');
    expect(run.polls).toBeLessThan(200);
  });
});

describe('CES has trouble', () => {
  const troubles = [
    ['429 with Retry-After', new TransientError('HTTP 429', { retryAfterMs: 90_000 })],
    ['503', new TransientError('HTTP 503')],
    ['half a body', new TransientError('the answer was cut off')],
    ['an expired token', new TransientError('HTTP 401')],
    ['a 403 in the middle of the run', new PermanentError('HTTP 403')],
  ] as const;

  test.each(troubles)(
    'a poll that meets %s is tried again, and the run ends as it would have',
    async (_name, error) => {
      const world = createWorld();
      await world.pass(MINUTE + SECOND);
      once(world.deps.evaluations, 'get', failWith(error));

      await world.pass(20 * MINUTE);

      const run = await world.run(NIGHT);
      expect(run.verdict).toEqual(PASSING);
      expect(run.timeline.filter(({ event }) => event === 'delayed').map(({ detail }) => detail)).toEqual([
        error.message,
      ]);
    },
  );

  test('Retry-After is kept, even beyond the longest time between polls', async () => {
    const world = createWorld();
    await world.pass(MINUTE + SECOND);
    once(world.deps.evaluations, 'get', failWith(new TransientError('HTTP 429', { retryAfterMs: 90_000 })));

    await world.pass(90 * SECOND);
    expect((await world.run(NIGHT)).polls).toBe(1);
    await world.pass(10 * SECOND);
    expect((await world.run(NIGHT)).polls).toBe(2);
  });

  test('a start whose answer is lost is looked for before it is asked for again', async () => {
    const world = createWorld();
    once(world.deps.evaluations, 'start', (real) => async (request) => {
      await real(request);
      throw new TransientError('the connection was cut');
    });

    await world.pass(20 * MINUTE);

    expect(world.ces.started).toHaveLength(1);
    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('a search that used up the lease is followed by another search, not by a start', async () => {
    const world = createWorld();
    const { start, newest } = world.deps.evaluations;
    const starts: string[] = [];
    world.deps.evaluations.start = async (request) => {
      starts.push(world.clock.now().toISOString());
      if (starts.length === 1) throw new TransientError('HTTP 503');
      return start(request);
    };
    let slowSearches = 2;
    world.deps.evaluations.newest = async function* slow(app) {
      if ((slowSearches -= 1) >= 0) world.clock.advance(21 * SECOND);
      yield* newest(app);
    };

    await world.pass(5 * MINUTE);

    expect(starts).toEqual([expect.any(String), expect.any(String)]);
    expect(Date.parse(starts[1]!) - Date.parse(starts[0]!)).toBeGreaterThan(2 * 21 * SECOND);
  });

  test('as long as the runs cannot be listed, a lost start is not repeated', async () => {
    const world = createWorld();
    once(world.deps.evaluations, 'start', failWith(new TransientError('HTTP 503')));
    const { newest } = world.deps.evaluations;
    world.deps.evaluations.newest = async function* broken() {
      throw new TransientError('HTTP 503');
    };

    await world.pass(20 * MINUTE);
    expect(world.ces.started).toHaveLength(0);

    world.deps.evaluations.newest = newest;
    await world.pass(20 * MINUTE);
    expect(world.ces.started).toHaveLength(1);
    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('it refuses the start for good: start_failed with the remedy, alerted as inconclusive', async () => {
    const world = createWorld();
    const problem = 'run_evaluation for app support-bot: HTTP 403; grant roles/mcp.toolUser';
    once(world.deps.evaluations, 'start', failWith(new PermanentError(problem)));

    await world.pass(5 * MINUTE);

    const run = await world.run(NIGHT);
    expect(run.state).toBe('start_failed');
    expect(run.verdict).toEqual({
      outcome: 'inconclusive',
      passRate: null,
      reasons: [{ code: 'start_failed', message: `the run could not be started: ${problem}` }],
    });
    expect(world.sent).toEqual([
      { to: 'oncall', reason: 'inconclusive', run: NIGHT },
      { to: 'qa', reason: 'inconclusive', run: NIGHT },
    ]);
  });

  test.each(['QUEUED', 'PAUSED_FOR_REVIEW'])(
    'a run that stays in %s is timed_out at its deadline, and told',
    async (state) => {
      const world = createWorld();
      world.ces.lives = [{ ...LIFE, stuckIn: state }];

      await world.pass(MINUTE + 2 * HOUR - SECOND);
      expect((await world.run(NIGHT)).state).toBe('queued');
      await world.pass(MINUTE);

      const run = await world.run(NIGHT);
      expect(run.state).toBe('timed_out');
      expect(run.verdict?.reasons[0]?.code).toBe('run_timed_out');
      expect(world.sent).toEqual([
        { to: 'oncall', reason: 'inconclusive', run: NIGHT },
        { to: 'qa', reason: 'inconclusive', run: NIGHT },
      ]);
    },
  );

  test('a run that cannot be started until its deadline is timed_out', async () => {
    const world = createWorld();
    world.deps.evaluations.start = async () => {
      throw new TransientError('HTTP 503');
    };

    await world.pass(3 * HOUR);

    expect((await world.run(NIGHT)).state).toBe('timed_out');
    expect(world.sent).toHaveLength(2);
  });

  test.each(['ERROR', 'CANCELLED'])(
    'a run that CES ends with %s is inconclusive, whatever its results say',
    async (end) => {
      const world = createWorld();
      world.ces.lives = [{ ...LIFE, end }];

      await world.pass(20 * MINUTE);

      expect((await world.run(NIGHT)).verdict?.outcome).toBe('inconclusive');
    },
  );
});

describe('messages that come twice, late or not at all', () => {
  test('every message of the run comes twice: one run, one verdict, one alert', async () => {
    const world = createWorld();
    const { publish } = world.deps.bus;
    world.deps.bus.publish = async (topic, message, at) => {
      await publish(topic, message, at);
      await publish(topic, message, at);
    };

    await world.pass(20 * MINUTE);

    expect(world.ces.started).toHaveLength(1);
    expect(world.sent).toHaveLength(1);
  });

  test('no message ever arrives: the tick alone brings the run to its end', async () => {
    const world = createWorld();
    const { publish } = world.deps.bus;
    world.deps.bus.publish = async (topic, message, at) => {
      if (at === undefined) await publish(topic, message);
    };

    await world.pass(30 * MINUTE);

    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
    expect(world.sent).toHaveLength(1);
  });

  test('run-finished after the verdict changes nothing and sends nothing', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    const before = await world.run(NIGHT);

    await world.handlers['run-finished'](NIGHT);
    await world.pass(MINUTE);

    expect(await world.run(NIGHT)).toEqual(before);
    expect(world.sent).toHaveLength(1);
  });

  test('stale messages of every kind after the end move nothing back', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    const before = await world.run(NIGHT);

    await world.handlers['run-poll'](NIGHT);
    await world.handlers['run-requested'](NIGHT);

    expect(await world.run(NIGHT)).toEqual(before);
    expect(world.ces.started).toHaveLength(1);
  });

  test('a message about a run that does not exist is acknowledged', async () => {
    const world = createWorld();

    for (const handler of Object.values(world.handlers)) await expect(handler('nobody')).resolves.toBeUndefined();
  });
});

describe('results cannot be fetched yet', () => {
  test('the verdict waits until all of them are there', async () => {
    const world = createWorld();
    world.ces.lives = [{ ...LIFE, resultsLateMs: 5 * MINUTE }];

    await world.pass(MINUTE + 11 * MINUTE);
    expect(await world.run(NIGHT)).toMatchObject({ state: 'finished' });
    expect((await world.run(NIGHT)).verdict).toBeUndefined();

    await world.pass(10 * MINUTE);
    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('half of them never come: inconclusive, not a verdict from the other half', async () => {
    const world = createWorld();
    const { list } = world.deps.results;
    world.deps.results.list = async (name) => (await list(name)).slice(0, 3);
    world.deps.results.get = async (name) => {
      throw new PermanentError(`NOT_FOUND ${name}`);
    };

    await world.pass(40 * MINUTE);

    expect((await world.run(NIGHT)).verdict).toMatchObject({
      outcome: 'inconclusive',
      reasons: [{ code: 'results_unavailable' }],
    });
  });

  test('a list that also holds the results of other runs is read for those that the run names', async () => {
    const world = createWorld();
    const { list } = world.deps.results;
    world.deps.results.list = async (name) => [
      ...(await list(name)),
      { name: `${APP}/evaluations/refund/results/another-run`, executionState: 'COMPLETED', evaluationStatus: 'FAIL' },
    ];

    await world.pass(20 * MINUTE);

    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });

  test('a list that leaves some out is completed one by one', async () => {
    const world = createWorld();
    const { list } = world.deps.results;
    world.deps.results.list = async (name) => (await list(name)).slice(0, 2);

    await world.pass(20 * MINUTE);

    expect((await world.run(NIGHT)).verdict).toEqual(PASSING);
  });
});

describe('a channel fails', () => {
  const FAILING = { ...LIFE, outcomes: { greeting: { pass: 1 }, refund: { fail: 5 } } };

  test('the others are told once, and this one is tried again on its own', async () => {
    const world = createWorld();
    world.ces.lives = [FAILING];
    let tries = 0;
    const { send } = world.deps.channels.slack;
    world.deps.channels.slack.send = async (delivery, to) =>
      (tries += 1) <= 3 ? { kind: 'retry', problem: 'HTTP 503 from slack.com' } : send(delivery, to);

    await world.pass(30 * MINUTE);

    expect(world.sent).toEqual([
      { to: 'qa', reason: 'failed', run: NIGHT },
      { to: 'oncall', reason: 'failed', run: NIGHT },
    ]);
    expect(await world.deliveries(NIGHT)).toMatchObject([
      { subscriber: 'oncall', state: 'sent', attempts: 4 },
      { subscriber: 'qa', state: 'sent', attempts: 1 },
    ]);
  });

  test('a permanent refusal is undeliverable, once, with the remedy', async () => {
    const world = createWorld();
    world.ces.lives = [FAILING];
    let tries = 0;
    world.deps.channels.slack.send = async () => {
      tries += 1;
      return { kind: 'refused', problem: 'channel_not_found: invite the app' };
    };

    await world.pass(2 * HOUR);

    expect(tries).toBe(1);
    expect(await world.deliveries(NIGHT)).toMatchObject([
      { subscriber: 'oncall', state: 'undeliverable', error: 'channel_not_found: invite the app' },
      { subscriber: 'qa', state: 'sent' },
    ]);
  });

  test('who never got the failure is not told of the recovery', async () => {
    const world = createWorld();
    world.ces.lives = [FAILING, LIFE];
    once(world.deps.channels.slack, 'send', () => async () => ({ kind: 'refused', problem: 'is_archived' }));

    await world.pass(24 * HOUR + 30 * MINUTE);

    expect(world.sent).toEqual([
      { to: 'qa', reason: 'failed', run: NIGHT },
      { to: 'qa', reason: 'recovered', run: NEXT_NIGHT },
    ]);
  });

  test('a subscriber that was removed from the configuration is not told', async () => {
    const world = createWorld();
    world.ces.lives = [FAILING];
    world.deps.channels.slack.send = async () => ({ kind: 'retry', problem: 'HTTP 503' });
    await world.pass(MINUTE + 10 * MINUTE);
    const { oncall: _left, ...others } = CONFIG.subscribers;
    Object.assign(world.deps, { config: { ...CONFIG, subscribers: others } });

    await world.pass(HOUR);

    expect(await world.deliveries(NIGHT)).toMatchObject([
      { subscriber: 'oncall', state: 'suppressed', error: 'oncall is no longer a subscriber' },
      { subscriber: 'qa', state: 'sent' },
    ]);
  });
});

describe('schedules', () => {
  test('after an outage of two days only the latest slot runs', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    world.clock.set('2026-12-02T03:00:00.000Z');
    world.forgetMessages();

    await world.pass(20 * MINUTE);

    const runs = await world.deps.store.find('run', { limit: 10 });
    expect(runs.map(({ doc }) => doc.id)).toEqual(['nightly-20261202T020000Z', NIGHT]);
  });

  test('a slot found more than six hours late is skipped, and the skip is on record', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    world.clock.set('2026-12-01T08:30:00.000Z');

    await world.pass(MINUTE);

    const memory = await world.deps.store.get('plan', 'nightly');
    expect(memory?.doc.lastSkip).toEqual({
      slot: '2026-12-01T02:00:00.000Z',
      reason: 'found too late to make up for',
    });
    expect(world.ces.started).toHaveLength(1);
  });

  test('a slot is skipped while a run of the plan is going on, and the skip is on record', async () => {
    const world = createWorld();
    world.ces.lives = [{ ...LIFE, runningMs: HOUR }];
    const id = 'nightly-by-hand';
    await ensureRun(world.deps, { id, plan: NIGHTLY, trigger: { kind: 'manual', by: 'ana' } });

    await world.pass(2 * HOUR);

    const memory = await world.deps.store.get('plan', 'nightly');
    expect(memory?.doc.lastSkip).toEqual({
      slot: '2026-11-30T02:00:00.000Z',
      reason: `${id} was still going on`,
    });
    expect(world.ces.started).toHaveLength(1);
  });

  test('with overlap: queue the slot waits for the run to end', async () => {
    const plan = { ...NIGHTLY, schedule: { ...NIGHTLY.schedule!, overlap: 'queue' as const } };
    const world = createWorld({ config: { ...CONFIG, plans: { nightly: plan } } });
    world.ces.lives = [{ ...LIFE, runningMs: HOUR }];
    await ensureRun(world.deps, { id: 'nightly-by-hand', plan, trigger: { kind: 'manual', by: 'ana' } });

    await world.pass(3 * HOUR);

    expect(world.ces.started).toHaveLength(2);
    expect((await world.run(NIGHT)).createdAt > '2026-11-30T02:59:00.000Z').toBe(true);
  });

  test('a clock that is set back makes no second run of a slot', async () => {
    const world = createWorld();
    await world.pass(20 * MINUTE);
    world.clock.set('2026-11-30T01:30:00.000Z');

    await world.pass(HOUR);

    expect(world.ces.started).toHaveLength(1);
  });
});
