import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { APP, EVALS_YAML, openWorld, runIn, SECRET, type Machine, type World } from './world.ts';

jest.setTimeout(60_000);

let world: World;
let slackRefusesToken = false;
beforeAll(async () => {
  world = await openWorld({
    channels: ['C0123456789'],
    slackFault: (method) =>
      slackRefusesToken && method === 'auth.test' ? { kind: 'error', error: 'invalid_auth' } : undefined,
  });
});
afterAll(() => world.close());

/** What a command prints with --json: one document on stdout, and nothing on stderr. */
async function json(machine: Machine, ...args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await machine.run([...args, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('runs', () => {
  test('list, show and diff tell of runs for people and as JSON', async () => {
    const machine = world.machine();
    const good = await machine.run(['run', 'passing', '--wait', '--key', 'good']);
    const bad = await machine.run(['run', 'failing', '--wait', '--key', 'bad']);
    const [before, after] = [
      /passing-good-\w+/.exec(good.stdout)?.[0] ?? '',
      /failing-bad-\w+/.exec(bad.stdout)?.[0] ?? '',
    ];

    const [list, lines, only, show, shown, diff, compared] = await Promise.all([
      json(machine, 'runs', 'list'),
      machine.run(['runs', 'list', '--limit', '1']),
      json(machine, 'runs', 'list', '--plan', 'passing'),
      json(machine, 'runs', 'show', after),
      machine.run(['runs', 'show', after]),
      json(machine, 'runs', 'diff', after, before),
      machine.run(['runs', 'diff', after, before]),
    ]);

    expect(list).toMatchObject([{ id: after }, { id: before }]);
    expect(only).toMatchObject([{ id: before }]);
    expect(lines.stdout.split('\n')).toEqual([
      expect.stringMatching(/^VERDICT {2,}RUN {2,}REQUESTED \(UTC\) {2,}TOOK {2,}RESULTS$/),
      expect.stringMatching(new RegExp(`^✗ failed {2}${after} {2}\\S+ \\S+ {2}\\d+s +2 of 6 passed, 4 failed$`)),
      '',
    ]);
    expect(show).toMatchObject({
      id: after,
      snapshot: { name: expect.stringContaining('/evaluationRuns/'), state: 'COMPLETED' },
    });
    expect((show as { results: readonly object[] }).results).toHaveLength(6);
    expect(shown).toEqual({ code: 0, stdout: bad.stdout, stderr: '' });
    expect(diff).toEqual({
      run: after,
      baseline: before,
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
    expect(compared.stdout).toBe(
      `${after} compared with ${before}\n  newly failing   refund\n  flaky           refund\n`,
    );
  });

  test('repoll and abandon work with no serve running', async () => {
    const machine = world.machine();
    const id = runIn((await machine.run(['run', 'stuck'])).stdout);

    const repolled = await machine.run(['runs', 'repoll', id]);
    const polled = (await json(machine, 'runs', 'show', id)) as {
      polls: number;
      timeline: readonly { event: string }[];
    };
    const abandoned = await machine.run(['runs', 'abandon', id]);
    const again = await machine.run(['runs', 'abandon', id]);

    expect(repolled).toEqual({ code: 0, stdout: `queued  ${id}\n`, stderr: '' });
    expect(polled.polls).toBeGreaterThan(0);
    expect(polled.timeline.map(({ event }) => event)).toContain('repoll');
    expect(abandoned).toMatchObject({ code: 0, stdout: `? inconclusive  ${id}\n` });
    expect(again).toEqual({ code: 2, stdout: '', stderr: `${id} is abandoned: there is nothing to abandon\n` });
  });

  test('say what to do when there is nothing to show', async () => {
    const machine = world.machine();

    const [none, list, shown, watched] = await Promise.all([
      machine.run(['runs', 'list']),
      json(machine, 'runs', 'list'),
      ...[
        ['runs', 'show', 'nope'],
        ['runs', 'watch', 'nope'],
      ].map((args) => machine.run(args)),
    ]);

    const problem = 'ces-evals: there is no run nope; `ces-evals runs list` shows those that are\n';
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'no runs yet; start one with: ces-evals run PLAN\n' });
    expect(list).toEqual([]);
    for (const refused of [shown, watched]) expect(refused).toEqual({ code: 2, stdout: '', stderr: problem });
  });
});

test('deliveries: what could not be delivered is listed with its remedy and sent once it is repaired', async () => {
  const machine = world.machine(EVALS_YAML.replace('C0123456789', 'C0999999999'));
  const id = runIn((await machine.run(['run', 'passing', '--wait'])).stdout);
  const delivery = `${id}.oncall.passed`;

  const [listed, lines] = await Promise.all([
    json(machine, 'deliveries', 'list', '--run', id),
    machine.run(['deliveries', 'list']),
  ]);
  const stillWrong = await machine.run(['deliveries', 'redrive', delivery]);
  machine.configure(EVALS_YAML);
  const repaired = await machine.run(['deliveries', 'redrive', delivery]);
  const again = await machine.run(['deliveries', 'redrive', delivery]);

  expect(listed).toMatchObject([{ id: delivery, run: id, state: 'undeliverable', channel: 'slack', attempts: 1 }]);
  expect(lines.stdout).toMatch(new RegExp(`^undeliverable +${delivery} +slack +1 .*channel_not_found`, 'm'));
  expect(stillWrong.code).toBe(2);
  expect(stillWrong.stdout).toMatch(new RegExp(`^undeliverable {2}${delivery} {2}.*channel_not_found`));
  expect(repaired).toEqual({ code: 0, stdout: `sent  ${delivery}\n`, stderr: '' });
  expect(again).toEqual({ code: 2, stdout: '', stderr: `ces-evals: ${delivery} is sent: it is not sent again\n` });
  expect(world.messages(id)).toHaveLength(1);
});

test("schedules preview shows the next five slots in the plan's own time zone and in UTC", async () => {
  const machine = world.machine();

  const [all, one, lines, none] = await Promise.all([
    json(machine, 'schedules', 'preview'),
    json(machine, 'schedules', 'preview', 'nightly'),
    machine.run(['schedules', 'preview', 'weekly']),
    machine.run(['schedules', 'preview', 'passing']),
  ]);

  const slot = {
    local: expect.stringMatching(/, 02:00 GMT-[45]$/),
    utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT0[67]:00:00Z$/),
  };
  const slots = [slot, slot, slot, slot, slot];
  const nightly = { plan: 'nightly', cron: '0 2 * * *', timezone: 'America/New_York', overlap: 'skip', slots };
  expect(one).toEqual([nightly]);
  expect(all).toMatchObject([nightly, { plan: 'weekly', timezone: 'Europe/Berlin' }]);
  expect(lines.stdout).toMatch(
    /^weekly {2}30 6 \* \* 1 {2}Europe\/Berlin\n(?: {2}Mon, .* 06:30 GMT\+[12] {2}\S+T0[45]:30:00Z\n){5}$/,
  );
  expect(none).toEqual({ code: 0, stdout: '', stderr: 'passing has no schedule: on demand only\n' });
});

test('datasets ensure creates what does not exist, and changes nothing that does', async () => {
  const machine = world.machine();

  const created = await machine.run(['datasets', 'ensure', 'smoke']);
  const exists = await json(machine, 'datasets', 'ensure');
  machine.configure(EVALS_YAML.replace('Smoke, evaluations: [greeting,', 'Smoke, evaluations: [escalation,'));
  const differs = await machine.run(['datasets', 'ensure']);
  const unknown = await machine.run(['datasets', 'ensure', 'smok']);

  const name = `${APP}/evaluationDatasets/smoke`;
  expect(created).toEqual({ code: 0, stdout: `created   smoke  ${name}\n`, stderr: '' });
  expect(exists).toEqual([{ dataset: 'smoke', state: 'exists', detail: name }]);
  expect(differs.code).toBe(2);
  expect(differs.stdout).toBe(
    `differs   smoke  ${name} lacks escalation; also has greeting; change it in CES or in the configuration\n`,
  );
  expect(unknown.stderr).toBe('ces-evals: there is no dataset smok; did you mean "smoke"?\n');
});

test('subscribers test reaches Slack, a mailbox, and a webhook with a signature that its receiver can verify', async () => {
  const posts: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ body, headers: request.headers as Record<string, string> });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const bot = `  bot: { webhook: { url: "http://127.0.0.1:${port}/evals", secretEnv: BOT_SECRET } }`;
  const machine = world.machine(`${EVALS_YAML}${bot}\n`);

  const [slack, email, webhook, noSecret, unknown] = await Promise.all([
    machine.run(['subscribers', 'test', 'oncall']),
    machine.run(['subscribers', 'test', 'qa']),
    machine.run(['subscribers', 'test', 'bot'], { BOT_SECRET: SECRET }),
    machine.run(['subscribers', 'test', 'bot']),
    machine.run(['subscribers', 'test', 'oncal']),
  ]);
  receiver.close();

  expect(slack).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^sent to oncall by slack: \d+\.\d+\n$/),
    stderr: '',
  });
  expect(email).toEqual({ code: 0, stdout: expect.stringMatching(/^sent to qa by email: 250 /), stderr: '' });
  expect(webhook).toEqual({ code: 0, stdout: expect.stringMatching(/^sent to bot by webhook: /), stderr: '' });
  expect(noSecret.code).toBe(2);
  expect(noSecret.stderr).toBe('not sent to bot: posting to the webhook of bot: there is no secret; set BOT_SECRET\n');
  expect(unknown.stderr).toBe('ces-evals: there is no subscriber oncal; did you mean "oncall"?\n');
  expect(posts).toHaveLength(1);
  const [post] = posts;
  expect(new Webhook(SECRET).verify(post?.body ?? '', post?.headers ?? {})).toMatchObject({ reason: 'failed' });
  const tests = world.allMessages().filter((message) => JSON.stringify(message).includes('This is a test alert'));
  expect(tests.map(({ kind }) => kind).toSorted()).toEqual(['email', 'slack']);
});

describe('doctor', () => {
  const bot = '  bot: { webhook: { url: "https://ci.acme.example/evals", secretEnv: BOT_SECRET } }';

  test('finds all well, warns of what is odd, and says it with exit code 0', async () => {
    const machine = world.machine(`${EVALS_YAML}${bot}\n`);

    const findings = (await machine.run(['doctor'], { BOT_SECRET: SECRET })).stdout.split('\n');

    expect(findings).toEqual([
      '✓ environment    fine',
      expect.stringMatching(/^✓ configuration {2}\S+evals\.yaml: 9 plans, 3 subscribers$/),
      expect.stringMatching(/^! configuration {2}\S+evals\.yaml:\d+:3 subscribers\.bot: is not used by any plan$/),
      expect.stringMatching(/^✓ store {10}\S+ can be read and written$/),
      '✓ dead letters   none',
      expect.stringMatching(/^! serve {10}nobody serves \S+: schedules do not fire until `ces-evals serve` runs$/),
      expect.stringMatching(/^✓ CES support {4}projects\/acme-cx\/\S+ answers at http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      '✓ Slack          posts as ces-evals in Simulated',
      '✓ SMTP           127.0.0.1 takes mail from evals@acme.example',
      '✓ webhook bot    posts to ci.acme.example, signed with BOT_SECRET',
      '',
    ]);
  });

  test('names the remedy of everything that fails, all at once', async () => {
    const machine = world.machine(`${EVALS_YAML}${bot}\n`);
    slackRefusesToken = true;

    const { code, stdout, stderr } = await machine.run(['doctor', '--json'], {
      CES_MCP_URL: 'http://127.0.0.1:1/mcp',
      SMTP_URL: 'smtp://127.0.0.1:1',
    });
    slackRefusesToken = false;

    const findings = JSON.parse(stdout) as readonly { check: string; state: string; detail: string }[];
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(findings.filter(({ state }) => state === 'problem')).toEqual([
      {
        check: 'CES support',
        state: 'problem',
        detail: expect.stringMatching(
          /no answer from http:\/\/127\.0\.0\.1:1\/mcp.*; check CES_MCP_URL and the network$/,
        ),
      },
      {
        check: 'Slack',
        state: 'problem',
        detail: expect.stringMatching(/^Slack answered invalid_auth; .*SLACK_BOT_TOKEN/),
      },
      {
        check: 'SMTP',
        state: 'problem',
        detail: expect.stringMatching(/^the mail server did not let us in: .*; check SMTP_URL$/),
      },
      { check: 'webhook bot', state: 'problem', detail: 'there is no secret; set BOT_SECRET' },
    ]);
  });

  test('says which variables of the environment are wrong, without their values', async () => {
    const { code, stdout } = await world
      .machine()
      .run(['doctor'], { POLL_MIN: 'often', WEBHOOK_SECRET: 'hunter2', SLACK_BOT_TOKEN: '' });

    expect(code).toBe(2);
    expect(stdout).toMatch(/^✗ environment {2}the environment is not usable:\n/);
    for (const name of ['POLL_MIN', 'WEBHOOK_SECRET', 'SLACK_BOT_TOKEN']) expect(stdout).toContain(`${name}: `);
    expect(stdout).not.toContain('hunter2');
  });
});
