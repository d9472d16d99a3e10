import { afterEach, describe, expect, test } from '@jest/globals';

import { startSimulatedCes } from '../../infra/local/simulated-ces/server.ts';
import { APP, bench, closeAll, post, type Answer } from './simulated-ces-bench.ts';

afterEach(closeAll);

describe('a run over time', () => {
  test.each([
    { ms: 0, state: 'QUEUED' },
    { ms: 29_999, state: 'QUEUED' },
    { ms: 30_000, state: 'RUNNING' },
    { ms: 149_999, state: 'RUNNING' },
    { ms: 150_000, state: 'COMPLETED' },
    { ms: 86_400_000, state: 'COMPLETED' },
  ])('is $state after $ms ms', async ({ ms, state }) => {
    const { start, ask, at } = await bench({ entry: {} });
    const name = await start();

    at(ms);

    expect((await ask('get_evaluation_run', { name })).state).toBe(state);
  });

  test('a queued run leaves out every count of zero and every empty list', async () => {
    const { start, ask } = await bench({ entry: {} });
    const name = await start({ evaluations: ['greeting', 'refund'], displayName: 'nightly', appVersion: 'v42' });

    const run = await ask('get_evaluation_run', { name });

    expect(run).toEqual({
      name: expect.stringMatching(
        /^projects\/acme-cx\/locations\/us\/apps\/support-bot\/evaluationRuns\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      ),
      displayName: 'nightly',
      createTime: '2026-11-30T02:00:00.000Z',
      initiatedBy: 'ces-evals@acme-cx.iam.gserviceaccount.com',
      appVersion: `${APP}/versions/v42`,
      appVersionDisplayName: 'v42',
      evaluations: [`${APP}/evaluations/greeting`, `${APP}/evaluations/refund`],
      evaluationType: 'MIXED',
      state: 'QUEUED',
      progress: { totalCount: 6 },
      operation: expect.stringMatching(/^projects\/acme-cx\/locations\/us\/operations\/operation-/),
    });
  });

  test('results come in one after the other while it runs, and none is missing at the end', async () => {
    const { start, ask, at } = await bench({ entry: { outcomes: {} } });
    const name = await start({ evaluations: ['refund', 'return-label', 'escalation', 'angry-customer'] });
    const finished: number[] = [];

    for (let ms = 30_000; ms <= 150_000; ms += 20_000) {
      at(ms);
      finished.push((await ask('get_evaluation_run', { name })).progress.completedCount ?? 0);
    }

    expect(finished).toEqual(finished.toSorted((a, b) => a - b));
    expect(new Set(finished).size).toBeGreaterThan(4);
    expect(finished.at(0)).toBe(0);
    expect(finished.at(-1)).toBe(20);
  });

  test('the script says how many repetitions end in which way', async () => {
    const { start, ask, at } = await bench({
      entry: { outcomes: { refund: { failed: 2, errored: 1, skipped: 1 }, greeting: { failed: 1, of: 3 } } },
    });
    const name = await start();

    at(150_000);
    const run = await ask('get_evaluation_run', { name });

    expect(run.progress).toEqual({
      totalCount: 8,
      completedCount: 7,
      passedCount: 3,
      failedCount: 3,
      errorCount: 1,
    });
    expect(run.evaluationRunSummaries).toEqual({
      [`${APP}/evaluations/greeting`]: { passedCount: 2, failedCount: 1 },
      [`${APP}/evaluations/refund`]: { passedCount: 1, failedCount: 2, errorCount: 1 },
    });
    expect(run.evaluationResults).toHaveLength(8);
  });

  test('the first entry of the script that matches a run counts, by number, by name, or for all', async () => {
    const { start, ask, at } = await bench({
      script: {
        runs: [
          { nth: 2, displayNamePrefix: 'nightly', outcomes: { greeting: { failed: 1 } } },
          { displayNamePrefix: 'nightly', outcomes: { greeting: { errored: 1 } } },
          { outcomes: { greeting: { skipped: 1 } } },
        ],
      },
    });
    const names: string[] = [];
    for (const displayName of ['nightly 1', 'nightly 2', 'nightly 3', 'adhoc']) {
      names.push(await start({ evaluations: ['greeting'], displayName }));
    }

    at(3_600_000);
    const runs = await Promise.all(names.map((name) => ask('get_evaluation_run', { name })));

    expect(runs.map((run) => run.progress)).toEqual([
      { totalCount: 1, errorCount: 1 },
      { totalCount: 1, completedCount: 1, failedCount: 1 },
      { totalCount: 1, errorCount: 1 },
      { totalCount: 1, completedCount: 1 },
    ]);
  });

  test('a run that breaks off says why, and what was under way becomes an error', async () => {
    const { start, ask, at } = await bench({ entry: { end: 'ERROR', errorType: 'QUOTA_EXHAUSTED', outcomes: {} } });
    const name = await start({ evaluations: ['refund', 'escalation'] });

    at(150_000);
    const run = await ask('get_evaluation_run', { name });
    const results = await Promise.all(
      run.evaluationResults.map((result: string) => ask('get_evaluation_result', { name: result })),
    );

    expect(run.state).toBe('ERROR');
    expect(run.errorInfo).toEqual({
      errorType: 'QUOTA_EXHAUSTED',
      errorMessage: "Quota exceeded for quota metric 'Evaluation RunSession'.",
    });
    expect(run.progress.completedCount).toBeLessThan(10);
    expect(new Set(results.map((result) => result.executionState))).toEqual(new Set(['COMPLETED', 'ERROR']));
    expect(results.filter((result) => result.executionState === 'ERROR')).toHaveLength(run.progress.errorCount);
  });

  test('a cancelled run accounts for every result', async () => {
    const { start, ask, at } = await bench({ entry: { end: 'CANCELLED', outcomes: {} } });
    const name = await start({ evaluations: ['refund', 'escalation'] });

    at(150_000);
    const { state, progress } = await ask('get_evaluation_run', { name });

    expect(state).toBe('CANCELLED');
    expect(progress.cancelledCount).toBeGreaterThan(0);
    expect(progress.completedCount + progress.cancelledCount).toBe(10);
  });

  test('a state that nobody has heard of can stand in for RUNNING', async () => {
    const { start, ask, at } = await bench({ entry: { runningState: 'PAUSED_FOR_REVIEW' } });
    const name = await start();

    at(60_000);

    expect((await ask('get_evaluation_run', { name })).state).toBe('PAUSED_FOR_REVIEW');
  });

  test('a time scale of 60 makes a minute of a second', async () => {
    const { start, ask, at } = await bench({ entry: {}, timeScale: 60 });
    const name = await start();

    at(2_499);
    const before = await ask('get_evaluation_run', { name });
    at(2_500);
    const after = await ask('get_evaluation_run', { name });

    expect([before.state, after.state]).toEqual(['RUNNING', 'COMPLETED']);
  });

  test('runs on the draft name the changelog of the evening before', async () => {
    const { start, ask } = await bench();

    const run = await ask('get_evaluation_run', { name: await start() });

    expect(run.changelog).toMatch(/\/changelogs\/[0-9a-f-]{36}$/);
    expect(run.changelogCreateTime).toBe('2026-11-29T18:00:00.000Z');
    expect(run).not.toHaveProperty('appVersion');
  });

  test('a latency report is there at the end, when the script asks for one', async () => {
    const { start, ask, at } = await bench({ entry: { latencyFactor: 3 } });
    const name = await start({ evaluations: ['order-status'] });
    const before = await ask('get_evaluation_run', { name });

    at(150_000);
    const after = await ask('get_evaluation_run', { name });

    expect(before).not.toHaveProperty('latencyReport');
    expect(after.latencyReport).toEqual({
      toolLatencies: [
        {
          tool: `${APP}/tools/lookup_order`,
          toolDisplayName: 'lookup_order',
          latencyMetrics: { p50Latency: '0.750s', p90Latency: '1.500s', p99Latency: '3.000s', callCount: 1 },
        },
      ],
      callbackLatencies: [
        {
          stage: 'before_model_callback',
          latencyMetrics: { p50Latency: '0.060s', p90Latency: '0.120s', p99Latency: '0.240s', callCount: 4 },
        },
      ],
      guardrailLatencies: [
        {
          guardrail: `${APP}/guardrails/prompt-injection`,
          guardrailDisplayName: 'Prompt injection',
          latencyMetrics: { p50Latency: '0.360s', p90Latency: '0.720s', p99Latency: '1.440s', callCount: 1 },
        },
      ],
      llmCallLatencies: [
        {
          model: 'gemini-2.5-flash',
          latencyMetrics: { p50Latency: '2.700s', p90Latency: '5.400s', p99Latency: '10.800s', callCount: 4 },
        },
      ],
      sessionCount: 1,
    });
  });
});

describe('the operation', () => {
  test('learns the name of its run late when the script says so, and spans the run', async () => {
    const { ask, at } = await bench({ entry: { unnamedMs: 10_000 } });
    const started = await ask('run_evaluation', { app: APP, evaluations: ['greeting'] });
    at(10_000);
    const named = await ask('get_operation', { name: started.name });
    at(150_000);
    const done = await ask('get_operation', { name: started.name });
    const [run] = (await ask('list_evaluation_runs', { parent: APP })).evaluationRuns;

    const metadata = {
      '@type': 'type.googleapis.com/google.cloud.ces.v1beta.RunEvaluationOperationMetadata',
      evaluations: [`${APP}/evaluations/greeting`],
      createTime: '2026-11-30T02:00:00.000Z',
      verb: 'run',
    };
    expect(started).toEqual({ name: run.operation, metadata });
    expect(named).toEqual({ name: run.operation, metadata: { ...metadata, evaluationRun: run.name } });
    expect(done).toEqual({
      name: run.operation,
      metadata: { ...metadata, evaluationRun: run.name, endTime: '2026-11-30T02:02:30.000Z' },
      done: true,
      response: {
        '@type': 'type.googleapis.com/google.cloud.ces.v1beta.RunEvaluationResponse',
        evaluationRun: run.name,
      },
    });
  });

  test('of a cancelled run ends with code 1', async () => {
    const { ask, at } = await bench({ entry: { end: 'CANCELLED' } });
    const { name } = await ask('run_evaluation', { app: APP, evaluations: ['greeting'] });

    at(150_000);

    expect(await ask('get_operation', { name })).toMatchObject({
      done: true,
      metadata: { cancelRequested: true },
      error: { code: 1, message: 'The evaluation run ended as CANCELLED.' },
    });
  });
});

describe('results', () => {
  test('of a golden hold what was expected and what was observed', async () => {
    const { start, ask, at } = await bench({ entry: { outcomes: { 'order-status': { failed: 1 } } } });
    const run = await ask('get_evaluation_run', { name: await start({ evaluations: ['order-status'] }) });
    at(150_000);
    const [name] = (await ask('get_evaluation_run', { name: run.name })).evaluationResults;

    const result = await ask('get_evaluation_result', { name });

    expect(result).toMatchObject({
      name,
      evaluationStatus: 'FAIL',
      executionState: 'COMPLETED',
      evaluationRun: run.name,
      goldenRunMethod: 'STABLE',
    });
    expect(result.goldenResult.turnReplayResults[0]).toMatchObject({
      expectationOutcome: [
        {
          expectation: {
            agentResponse: {
              role: 'agent',
              chunks: [{ text: 'Order 100482 left our warehouse yesterday and arrives on Thursday.' }],
            },
          },
          observedAgentResponse: { role: 'agent', chunks: [{ text: 'I could not find that order.' }] },
          outcome: 'FAIL',
        },
        { expectation: { toolCall: { displayName: 'lookup_order' } }, outcome: 'FAIL' },
      ],
      semanticSimilarityResult: { score: 1, outcome: 'FAIL' },
      // Scores are optional fields: their zero is said.
      overallToolInvocationResult: { toolInvocationScore: 0, outcome: 'FAIL' },
    });
  });

  test('of a scenario are played by different personas', async () => {
    const { start, ask, at } = await bench({ entry: { outcomes: { refund: { errored: 1 } } } });
    const name = await start({ evaluations: ['refund'] });
    at(150_000);
    const { evaluationResults } = await ask('get_evaluation_run', { name });

    const results: Answer[] = await Promise.all(
      evaluationResults.map((result: string) => ask('get_evaluation_result', { name: result })),
    );

    expect(results.map((result): string => result.persona.displayName).toSorted()).toEqual([
      'First-time buyer',
      'Hurried parent',
      'Hurried parent',
      'Patient regular',
      'Patient regular',
    ]);
    const [errored] = results.filter((result) => result.executionState === 'ERROR');
    expect(errored).not.toHaveProperty('evaluationStatus');
    expect(errored).not.toHaveProperty('scenarioResult');
    expect(errored!.errorInfo).toEqual({
      errorType: 'USER_SIMULATION_FAILURE',
      errorMessage: 'The simulated user did not answer in time.',
      sessionId: expect.stringContaining(`${APP}/sessions/`),
    });
    const [passed] = results.filter((result) => result.evaluationStatus === 'PASS');
    expect(passed!.scenarioResult).toMatchObject({
      task: 'Get the money back for a kettle that arrived broken.',
      userGoalSatisfactionResult: { score: 1 },
      allExpectationsSatisfied: true,
      taskCompleted: true,
    });
  });

  test('are listed by run without their conversations', async () => {
    const { start, ask, at } = await bench({ entry: { outcomes: {} } });
    const other = await start({ evaluations: ['refund'] });
    const name = await start({ evaluations: ['greeting'] });
    at(150_000);
    const parent = `${APP}/evaluations/-`;

    const byName = await ask('list_evaluation_results', { parent, filter: `evaluation_run:"${name}"` });
    const byId = await ask('list_evaluation_results', {
      parent,
      filter: `evaluation_run:"${other.slice(other.lastIndexOf('/') + 1)}"`,
    });
    const ofOneEvaluation = await ask('list_evaluation_results', { parent: `${APP}/evaluations/greeting` });

    expect(byName.evaluationResults).toHaveLength(1);
    expect(byName.evaluationResults[0]).toMatchObject({ evaluationRun: name, evaluationStatus: 'PASS' });
    expect(byName.evaluationResults[0]).not.toHaveProperty('goldenResult');
    expect(byId.evaluationResults).toHaveLength(5);
    expect(ofOneEvaluation).toEqual(byName);
  });
});

/** Ten nights of one dataset. */
const history = async (seed: number) => {
  const { start, ask, at } = await bench({ seed });
  await ask('create_evaluation_dataset', {
    parent: APP,
    evaluationDatasetId: 'smoke',
    evaluationDataset: {
      displayName: 'Smoke',
      evaluations: ['greeting', 'product-advice', 'angry-customer', 'refund'].map((id) => `${APP}/evaluations/${id}`),
    },
  });
  const runs: Answer[] = [];
  for (let night = 0; night < 10; night += 1) {
    at(night * 86_400_000);
    const name = await start({ evaluationDataset: 'smoke' });
    at(night * 86_400_000 + 3_600_000);
    runs.push(await ask('get_evaluation_run', { name }));
  }
  return runs;
};

const sum = (of: Answer[], field: string) => of.reduce((total, one) => total + (one[field] ?? 0), 0);

/** The name of the first run of a server of its own. */
const nameOf = async () => {
  const ces = await startSimulatedCes({ app: APP, clock: { now: () => new Date('2026-11-30T02:00:00Z') } });
  await post(ces.url, 'run_evaluation', { app: APP, evaluations: ['greeting'] });
  await ces.close();
  return ces.runs().at(0)?.name;
};

describe('without a script', () => {
  test('the same seed gives the same history, and another seed another one', async () => {
    const [first, second, other] = [await history(7), await history(7), await history(8)];

    expect(second).toEqual(first);
    expect(other.map((run) => run.progress)).not.toEqual(first.map((run) => run.progress));
    expect(other[0]!.name).not.toBe(first[0]!.name);
  });

  test('most results pass, some do not, and the numbers of a run add up', async () => {
    const runs = await history(7);

    for (const { progress, evaluationRunSummaries } of runs) {
      const summaries: Answer[] = Object.values(evaluationRunSummaries);
      expect(summaries).toHaveLength(4);
      expect(sum(summaries, 'passedCount')).toBe(progress.passedCount);
      expect(sum(summaries, 'failedCount')).toBe(progress.failedCount ?? 0);
      expect(sum(summaries, 'errorCount')).toBe(progress.errorCount ?? 0);
      expect(progress.totalCount).toBe(12);
      expect(sum([progress], 'completedCount') + sum([progress], 'errorCount')).toBe(12);
    }
    const failed = sum(
      runs.map((run) => run.progress),
      'failedCount',
    );
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(24);
  });

  test('without a seed, ids are never the same twice', async () => {
    expect(await nameOf()).not.toBe(await nameOf());
  });
});
