import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { runCommand } from './command.ts';
import { EVALS_YAML, openWorld, runIn, type World } from './world.ts';

jest.setTimeout(60_000);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('help', () => {
  test('is there for every command of the contract, and ends with 0', async () => {
    const program = pathToFileURL(fileURLToPath(new URL('../../cli/program.ts', import.meta.url))).href;
    const walk = `
      import { createProgram, report } from ${JSON.stringify(program)};
      const paths = (command) => command.commands.flatMap((sub) =>
        [[sub.name()], ...paths(sub).map((rest) => [sub.name(), ...rest])]);
      const seen = [];
      for (const path of paths(createProgram())) {
        let help = '';
        process.stdout.write = (text) => { help += text; return true; };
        const code = await createProgram().parseAsync([...path, '--help'], { from: 'user' }).catch(report);
        seen.push({ command: path.join(' '), code, works: help.includes('Usage: ces-evals ' + path.join(' ')) });
      }
      process.stderr.write(JSON.stringify(seen));
    `;

    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', walk]);
    const seen = JSON.parse(stderr) as readonly { command: string; code: number; works: boolean }[];

    expect(seen.filter(({ code, works }) => code !== 0 || !works)).toEqual([]);
    expect(seen.map(({ command }) => command)).toEqual([
      'demo',
      'serve',
      'run',
      'runs',
      'runs list',
      'runs show',
      'runs watch',
      'runs diff',
      'runs repoll',
      'runs abandon',
      'schedules',
      'schedules preview',
      'config',
      'config validate',
      'config schema',
      'datasets',
      'datasets ensure',
      'subscribers',
      'subscribers test',
      'deliveries',
      'deliveries list',
      'deliveries redrive',
      'doctor',
    ]);
  });

  test('tells the exit codes', async () => {
    const { code, stdout, stderr } = await runCommand(['--help']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('3 inconclusive, 4 timed out waiting.');
  });
});

describe('what cannot be understood ends with 2, a hint, and nothing on stdout', () => {
  test.each([
    { name: 'an unknown command', args: ['rum', 'passing'], hint: '(Did you mean run?)' },
    { name: 'an unknown command of a group', args: ['runs', 'lst'], hint: '(Did you mean list?)' },
    { name: 'an unknown option', args: ['run', 'passing', '--wiat'], hint: '(Did you mean --wait?)' },
    { name: 'a missing argument', args: ['run'], hint: "missing required argument 'plan'" },
    { name: 'a time without a unit', args: ['run', 'passing', '--timeout', '30'], hint: 'Write it as 500ms, 30s' },
    {
      name: 'an unknown plan',
      args: ['run', 'pasing', '--wait'],
      hint: 'there is no plan pasing; did you mean "passing"?',
    },
    {
      name: 'a configuration that is not there',
      args: ['run', 'passing', '--config', 'nowhere.yaml'],
      hint: 'could not read the configuration nowhere.yaml',
    },
  ])('$name', async ({ args, hint }) => {
    const { code, stdout, stderr } = await world.machine().run(args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a broken configuration, with every problem and its line', async () => {
    const machine = world.machine(
      EVALS_YAML.replace('schedule: "0 2 * * *"', 'schedul: "0 2 * * *"').replace(
        'alerts: [oncall, qa]',
        'alerts: [oncal]',
      ),
    );

    const [run, validate] = await Promise.all([machine.run(['run', 'passing']), machine.run(['config', 'validate'])]);

    const file = machine.env['EVALS_CONFIG'] ?? '';
    expect(run).toEqual({ code: 2, stdout: '', stderr: expect.any(String) });
    expect(validate).toEqual(run);
    expect(run.stderr.split('\n').slice(0, 3)).toEqual([
      `ces-evals: ${file} is not usable:`,
      expect.stringMatching(/^ {2}\S+evals\.yaml:10:\d+ plans\.failing\.alerts\.0: .*did you mean "?oncall"?\?/),
      expect.stringMatching(/^ {2}\S+evals\.yaml:16:\d+ plans\.nightly\.schedul: .*did you mean "schedule"\?/),
    ]);
  });
});

test('config validate says that a file is fine, and config schema is a JSON Schema', async () => {
  const machine = world.machine();

  const [fine, schema] = await Promise.all([machine.run(['config', 'validate']), machine.run(['config', 'schema'])]);

  expect(fine).toEqual({
    code: 0,
    stdout: `${machine.env['EVALS_CONFIG']} is fine: 9 plans, 2 subscribers\n`,
    stderr: '',
  });
  expect(JSON.parse(schema.stdout)).toMatchObject({ title: 'ces-evals', type: 'object' });
});

test('what CES says cannot move the cursor, colour the screen or turn the writing around', async () => {
  const machine = world.machine();

  const waited = await machine.run(['run', 'rude', '--wait']);
  const id = runIn(waited.stdout);
  const [shown, document] = await Promise.all([
    machine.run(['runs', 'show', id]),
    machine.run(['runs', 'show', id, '--json']),
  ]);

  const commands = /(?!\n)[\p{Cc}\u202A-\u202E]/u;
  expect(waited.stdout).toContain('PAUSED: taken as not finished');
  expect([waited.stdout, waited.stderr, shown.stdout].filter((text) => commands.test(text))).toEqual([]);
  expect(document.stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(document.stdout).toContain('\\u001b[2J\\u009b31mPAUSED');
});

test('a listing whose reader has seen enough ends without a complaint', async () => {
  const machine = world.machine();
  const child = machine.start(['config', 'schema']);
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });

  const code = await new Promise((resolve) => {
    child.once('close', resolve);
  });

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('demo --exit shows a night that passes, a regression that alerts and a recovery', async () => {
  const { code, stdout, stderr } = await runCommand(['demo', '--exit']);

  const [, first = '', second = '', third = ''] = stdout.split(/^The (?:first|second|third) night: /m);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(first).toContain('alerts: qa passed (sent)');
  expect(second).toContain('Slack, channel C0123456789');
  expect(second).toMatch(/E-mail to qa@acme\.example/);
  expect(second).toMatch(/newly failing.*refund/i);
  expect(second).toContain('alerts: oncall failed (sent), qa failed (sent)');
  expect(third).toContain('alerts: oncall recovered (sent), qa recovered (sent)');
});
