import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { finished, printed } from './command.ts';
import { casesOf } from './junit-cases.ts';
import { eventually, openWorld, runIn, type World } from './world.ts';

jest.setTimeout(60_000);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Section 6 of the contract; app, deadlineAt and problem are additions to it. */
const RUN_DOCUMENT_KEYS = [
  'alerts',
  'app',
  'appVersion',
  'createdAt',
  'deadlineAt',
  'evaluationRun',
  'finishedAt',
  'id',
  'judgedAt',
  'operation',
  'plan',
  'polls',
  'problem',
  'progress',
  'startedAt',
  'state',
  'timeline',
  'trigger',
  'verdict',
];

describe('run --wait', () => {
  test('exits with the verdict: 0 passed, 1 failed, 3 inconclusive', async () => {
    const machine = world.machine();

    const [passed, failed, errored, refused] = await Promise.all(
      ['passing', 'failing', 'erroring', 'misspelt'].map((plan) => machine.run(['run', plan, '--wait'])),
    );

    expect([passed?.code, failed?.code, errored?.code, refused?.code]).toEqual([0, 1, 3, 3]);
    expect(passed?.stdout).toMatch(/^✓ passed {2}passing-/);
    expect(passed?.stdout).toContain('- 100.0% of 6 results passed');
    expect(passed?.stdout).toContain('- oncall: passed, sent');
    expect(failed?.stdout).toMatch(/^✗ failed {2}failing-/);
    expect(failed?.stdout).toContain('- 33.3% of 6 results passed; the plan asks for 100.0%');
    expect(failed?.stdout).toContain('- refund: 1 of 5 passed, 4 failed');
    expect(errored?.stdout).toMatch(/^\? inconclusive {2}erroring-/);
    expect(errored?.stdout).toContain('- 66.7% of 6 results ended in an error; the plan allows 10.0%');
    expect(refused?.stdout).toContain('the run could not be started');
    expect(refused?.stdout).toContain('evaluations/greting');
  });

  test('prints one JSON document with the keys of the contract, and its progress as plain lines on stderr', async () => {
    const { code, stdout, stderr } = await world.machine().run(['run', 'passing', '--wait', '--json']);
    const document = JSON.parse(stdout) as Record<string, unknown>;

    expect(code).toBe(0);
    expect(Object.keys(document).toSorted()).toEqual(RUN_DOCUMENT_KEYS);
    expect(document).toMatchObject({
      plan: 'passing',
      trigger: { kind: 'manual', by: expect.any(String) },
      state: 'finished',
      progress: { total: 6, completed: 6, passed: 6, failed: 0, error: 0, cancelled: 0 },
      verdict: { outcome: 'passed', passRate: 1 },
      alerts: [
        { subscriber: 'oncall', reason: 'passed', state: 'sent', attempts: 1, at: expect.any(String), error: null },
      ],
    });
    expect(stderr).toMatch(/^passing-\S+ {2}REQUESTED/);
    expect(stderr).toMatch(/FINISHED 6\/6 ✓6 ✗0 ⚠0 {2}\d+s\n$/);
    expect(stderr).not.toContain('\r');
  });

  test('gives up after --timeout with exit code 4, and runs watch goes on with the same evaluation run', async () => {
    const machine = world.machine();

    const given = await machine.run(['run', 'slow', '--wait', '--timeout', '300ms']);
    const id = runIn(given.stderr);
    const watched = await machine.run(['runs', 'watch', id]);

    expect(given.code).toBe(4);
    expect(given.stderr).toContain(`go on here with: ces-evals runs watch ${id}`);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toContain(`✓ passed  ${id}`);
    expect(world.evaluationRuns(id)).toHaveLength(1);
    expect(world.messages(id)).toHaveLength(1);
  });

  test('when it is stopped says that the run goes on and how to watch it, and exits as a shell expects', async () => {
    const machine = world.machine();
    const stop = async (signal: NodeJS.Signals) => {
      const child = machine.start(['run', 'slow', '--wait', '--json']);
      const end = finished(child);
      await printed(child, /RUNNING|QUEUED/, 'stderr');
      child.kill(signal);
      return end;
    };

    const stopped = await Promise.all([stop('SIGINT'), stop('SIGTERM')]);
    const ids = stopped.map(({ stderr }) => runIn(stderr));
    const watched = await Promise.all(ids.map((id) => machine.run(['runs', 'watch', id])));

    expect(stopped.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 130, stdout: '' },
      { code: 143, stdout: '' },
    ]);
    for (const { stderr } of stopped) {
      expect(stderr).toMatch(/is still (queued|running); CES goes on with it, but nobody looks at it/);
      expect(stderr).toContain(`ces-evals runs watch ${runIn(stderr)}`);
    }
    expect(watched.map(({ code }) => code)).toEqual([0, 0]);
    expect(ids.map((id) => world.evaluationRuns(id).length)).toEqual([1, 1]);
  });

  test('goes on to its end and its exit code when nobody reads its output any more', async () => {
    const machine = world.machine();
    const child = machine.start(['run', 'failing', '--wait']);
    child.stdout?.destroy();

    const { code, stderr } = await finished(child);

    expect(code).toBe(1);
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
  });

  test('keeps trying while CES cannot be reached, and says why', async () => {
    const { code, stdout } = await world
      .machine()
      .run(['run', 'passing', '--wait', '--timeout', '600ms', '--json'], { CES_MCP_URL: 'http://127.0.0.1:1/mcp' });

    const document = JSON.parse(stdout) as { state: string; problem: string };
    expect(code).toBe(4);
    expect(document.state).toBe('starting');
    expect(document.problem).toContain('no answer from http://127.0.0.1:1/mcp');
  });
});

describe('run', () => {
  test('without --wait starts the run and says how to go on; a later serve finishes it', async () => {
    const machine = world.machine();

    const started = await machine.run(['run', 'slow']);
    const id = runIn(started.stdout);
    const [evaluationRun] = world.evaluationRuns(id);

    expect(started.code).toBe(0);
    expect(started.stdout).toMatch(/^(queued|running) {2}slow-/);
    expect(started.stdout).toContain(`  ${id}  ${evaluationRun?.name}\n`);
    expect(started.stderr).toBe(
      `CES goes on with it, but nobody looks at it: start \`ces-evals serve\`, or go on here with: ces-evals runs watch ${id}\n`,
    );

    machine.start(['serve', '--port', '0']);
    const [alert] = await eventually('the alert', () => {
      const messages = world.messages(id);
      return messages.length > 0 ? messages : undefined;
    });

    expect(alert).toMatchObject({ kind: 'slack', channel: 'C0123456789' });
    expect(world.evaluationRuns(id)).toHaveLength(1);
  });

  test('gives the same run for the same key, also for two at the same time', async () => {
    const machine = world.machine();
    const same = ['run', 'passing', '--wait', '--json', '--key', 'build 4711'];

    const both = await Promise.all([machine.run(same), machine.run(same)]);
    const again = await machine.run(same);

    const ids = [...both, again].map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
    expect([...both, again].map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^passing-build-4711-[0-9a-f]{10}$/);
    expect(again.stderr).toContain('exists already: the same key gives the same run');
    expect(world.evaluationRuns(ids[0] ?? '')).toHaveLength(1);
    expect(world.messages(ids[0] ?? '')).toHaveLength(1);
  });

  test('takes --timeout and --junit only together with --wait: a start is no pass', async () => {
    const machine = world.machine();

    const [timeout, junit] = await Promise.all([
      machine.run(['run', 'passing', '--timeout', '30m']),
      machine.run(['run', 'passing', '--junit', join(world.folder, 'never.xml')]),
    ]);

    expect(timeout).toEqual({ code: 2, stdout: '', stderr: 'ces-evals: --timeout is about the verdict; add --wait\n' });
    expect(junit).toEqual({ code: 2, stdout: '', stderr: 'ces-evals: --junit is about the verdict; add --wait\n' });
  });
});

describe('run --junit', () => {
  test('writes a test case for each evaluation, and nothing else into the folder', async () => {
    const folder = join(world.folder, 'reports', 'junit');

    const { code } = await world.machine().run(['run', 'failing', '--wait', '--junit', join(folder, 'evals.xml')]);
    const xml = readFileSync(join(folder, 'evals.xml'), 'utf8');

    expect(code).toBe(1);
    expect(readdirSync(folder)).toEqual(['evals.xml']);
    expect(xml).toMatch(/<testsuite name="failing" tests="2" failures="1" errors="0" skipped="0" time="\d+\.\d{3}"/);
    expect(casesOf(xml)).toEqual([
      ['greeting', ''],
      ['refund', '<failure message="1 of 5 passed, 4 failed"/>'],
    ]);
  });

  test('refuses a file that cannot be written before it starts anything', async () => {
    const { code, stderr } = await world.machine().run(['run', 'passing', '--wait', '--junit', '/dev/null/evals.xml']);

    expect(code).toBe(2);
    expect(stderr).toMatch(/^ces-evals: could not write the JUnit report \/dev\/null\/evals\.xml: /);
    expect(stderr).not.toContain('REQUESTED');
  });
});
