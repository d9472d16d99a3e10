import { once } from 'node:events';
import { createServer } from 'node:http';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { finished, killed, printed } from './command.ts';
import { eventually, openWorld, runIn, SECRET, type Machine, type World } from './world.ts';

jest.setTimeout(60_000);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Starts `serve` and answers once it listens. */
async function serve(machine: Machine, env: Readonly<Record<string, string>> = {}) {
  const child = machine.start(['serve', '--port', '0'], env);
  const end = finished(child);
  const [, url = ''] = await printed(child, /dashboard (http:\/\/127\.0\.0\.1:\d+)\//);
  return { child, end, url };
}

describe('serve', () => {
  test('takes a signed webhook, and answers when the run is finished', async () => {
    const { url } = await serve(world.machine(), { WEBHOOK_SECRET: SECRET });
    const body = JSON.stringify({ plan: 'failing', appVersion: 'v43' });
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', at, body),
    };

    const accepted = await fetch(`${url}/webhook`, { method: 'POST', headers, body });
    const { run, state, statusUrl } = (await accepted.json()) as { run: string; state: string; statusUrl: string };
    const answer = await fetch(`${url}/api/runs/${run}?wait=20s`);
    const document = await answer.json();

    expect(accepted.status).toBe(202);
    expect({ state, statusUrl }).toEqual({ state: 'requested', statusUrl: `${url}/api/runs/${run}` });
    expect(answer.status).toBe(200);
    expect(document).toMatchObject({
      id: run,
      plan: 'failing',
      state: 'finished',
      trigger: { kind: 'webhook' },
      verdict: { outcome: 'failed' },
    });
    const told = await eventually('both alerts', () => {
      const messages = world.messages(run);
      return messages.length === 2 ? messages : undefined;
    });
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(['email', 'slack']);
    expect(JSON.stringify(told)).toContain(`${url}/runs/${run}`);
  });

  test('has a dashboard and tells that it is well; what is not there is a problem document', async () => {
    const { url } = await serve(world.machine());

    const [healthz, dashboard, absent] = await Promise.all(
      ['/healthz', '/', '/api/runs/nope'].map((path) => fetch(`${url}${path}`)),
    );

    expect(healthz?.status).toBe(200);
    expect(dashboard?.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await dashboard?.text()).toContain('passing');
    expect(absent?.status).toBe(404);
    expect(absent?.headers.get('content-type')).toBe('application/problem+json');
  });

  test('is the only one in its data directory, and ends within seconds when it is asked to', async () => {
    const machine = world.machine();
    const first = await serve(machine);

    const second = await machine.run(['serve', '--port', '0']);
    const doctor = await machine.run(['doctor', '--json']);
    const askedAt = Date.now();
    first.child.kill('SIGTERM');
    const ended = await first.end;

    expect(second.code).toBe(2);
    expect(second.stdout).toBe('');
    expect(second.stderr).toContain(
      `another \`ces-evals serve\` already works in ${machine.env['DATA_DIR']} (process ${first.child.pid}, ${first.url})`,
    );
    expect(JSON.parse(doctor.stdout)).toContainEqual({
      check: 'serve',
      state: 'ok',
      detail: `process ${first.child.pid}, ${first.url}`,
    });
    expect(ended.code).toBe(0);
    expect(Date.now() - askedAt).toBeLessThan(5_000);

    const third = await serve(machine);
    await killed(third.child);
  });

  test('refuses to let other machines in without a token, and a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = address === null || typeof address === 'string' ? 0 : address.port;

    const [open, busy, port0] = await Promise.all([
      world.machine().run(['serve', '--host', '0.0.0.0', '--port', '0']),
      world.machine().run(['serve', '--port', String(port)]),
      world.machine().run(['serve', '--port', 'http']),
    ]);
    taken.close();

    expect(open).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ces-evals: --host 0.0.0.0 lets other machines in: set API_TOKEN to a long random text first\n',
    });
    expect(busy.code).toBe(2);
    expect(busy.stdout).toBe('');
    expect(busy.stderr).toMatch(
      new RegExp(
        `^ces-evals: could not listen on 127.0.0.1 port ${port}: .*EADDRINUSE.*; choose another with --port\n$`,
      ),
    );
    expect(port0.stderr).toContain('Write a port, 0 to 65535.');
  });

  test('asks other machines for the token, everywhere but at the webhook and /healthz', async () => {
    const machine = world.machine();
    const token = 'a-token-of-more-than-sixteen-characters';
    const child = machine.start(['serve', '--host', '0.0.0.0', '--port', '0'], { API_TOKEN: token });
    const [, url = ''] = await printed(child, /dashboard (http:\/\/127\.0\.0\.1:\d+)\//);

    const bearer = { authorization: `Bearer ${token}` };
    const [healthz, without, withToken, webhook] = await Promise.all([
      fetch(`${url}/healthz`),
      fetch(`${url}/api/runs/nope`),
      fetch(`${url}/api/runs/nope`, { headers: bearer }),
      fetch(`${url}/webhook`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
    ]);
    const joined = await machine.run(['run', 'passing', '--wait', '--json'], { API_TOKEN: token });

    expect([healthz, without, withToken, webhook].map(({ status }) => status)).toEqual([200, 401, 404, 401]);
    expect(joined.code).toBe(0);
  });
});

describe('run beside a serve', () => {
  test('leaves the work to it: one evaluation run, each alert once, with a link to its dashboard', async () => {
    const machine = world.machine();
    const { url } = await serve(machine);

    const [waited, started] = await Promise.all([
      machine.run(['run', 'passing', '--wait']),
      machine.run(['run', 'slow']),
    ]);
    const id = runIn(waited.stdout);
    const slow = runIn(started.stdout);
    const watched = await machine.run(['runs', 'watch', slow]);

    expect(waited.code).toBe(0);
    expect(started.stderr).toBe(`\`ces-evals serve\` goes on with it; watch it with: ces-evals runs watch ${slow}\n`);
    expect(watched.code).toBe(0);
    for (const run of [id, slow]) {
      await eventually('the alert', () => world.messages(run)[0]);
      expect(world.evaluationRuns(run)).toHaveLength(1);
      expect(world.messages(run)).toHaveLength(1);
      expect(JSON.stringify(world.messages(run))).toContain(`${url}/runs/${run}`);
    }
  });

  test('takes over when that serve is killed, and still ends with the verdict and its alert', async () => {
    const machine = world.machine();
    const { child } = await serve(machine);
    const waiting = machine.start(['run', 'slow', '--wait', '--json']);
    const end = finished(waiting);
    await printed(waiting, /RUNNING/, 'stderr');

    await killed(child);
    const { code, stdout } = await end;

    const { id, alerts } = JSON.parse(stdout) as { id: string; alerts: readonly object[] };
    expect(code).toBe(0);
    expect(alerts).toMatchObject([{ subscriber: 'oncall', reason: 'passed', state: 'sent', attempts: 1 }]);
    expect(world.evaluationRuns(id)).toHaveLength(1);
    expect(world.messages(id)).toHaveLength(1);
  });

  test('repairs through it: repoll and abandon are done by the time that the command ends', async () => {
    const machine = world.machine();
    await serve(machine);
    const { stdout } = await machine.run(['run', 'stuck', '--json']);
    const { id } = JSON.parse(stdout) as { id: string };

    const repolled = await machine.run(['runs', 'repoll', id]);
    const abandoned = await machine.run(['runs', 'abandon', id]);

    expect(repolled).toEqual({ code: 0, stdout: `queued  ${id}\n`, stderr: '' });
    expect(abandoned.code).toBe(0);
    expect(abandoned.stdout).toBe(`? inconclusive  ${id}\n`);
  });
});
