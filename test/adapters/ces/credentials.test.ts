import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import {
  applicationDefaultCredentials,
  noCredentials,
  type Credentials,
} from '../../../shared/adapters/ces/credentials.ts';
import {
  APP,
  asText,
  cesOver,
  failed,
  failureOf,
  fakeCes,
  initialized,
  json,
  rpcError,
  RUN,
  silent,
} from './fake-ces.ts';

/** Tokens `ya29.secret-1`, `ya29.secret-2`, …, a new one after each refresh. */
function tokens(): Credentials & { refreshes: () => number } {
  let refreshes = 0;
  return {
    headers: () => Promise.resolve({ authorization: `Bearer ya29.secret-${refreshes + 1}` }),
    refresh: () => Promise.resolve(void refreshes++),
    refreshes: () => refreshes,
  };
}

describe('a token that is refused', () => {
  test('is replaced once, and the call is sent again', async () => {
    const credentials = tokens();
    const server = fakeCes((call) =>
      call.headers['authorization'] === 'Bearer ya29.secret-2' ? asText(call, { name: RUN }) : json({}, 401),
    );

    expect(await cesOver(server, { credentials }).evaluations.get(RUN)).toEqual({ name: RUN });

    expect(server.calls.map((call) => call.headers['authorization'])).toEqual([
      'Bearer ya29.secret-1',
      'Bearer ya29.secret-2',
    ]);
  });

  test('is not replaced for ever', async () => {
    const credentials = tokens();
    const server = fakeCes(() => json({}, 401));

    expect((await failureOf(cesOver(server, { credentials }).evaluations.get(RUN)))['name']).toBe('TransientError');

    expect([server.calls.length, credentials.refreshes()]).toEqual([2, 1]);
  });

  test('is replaced while connecting too', async () => {
    const credentials = tokens();
    let attempts = 0;
    const server = fakeCes(
      (call) => asText(call, { name: RUN }),
      (id) => (++attempts === 1 ? json({}, 401) : initialized(id)),
    );

    expect(await cesOver(server, { credentials }).evaluations.get(RUN)).toEqual({ name: RUN });
    expect(credentials.refreshes()).toBe(1);
  });
});

describe('a token that a server quotes', () => {
  const SECRET = 'ya29.secret-1';

  test.each<[string, Parameters<typeof fakeCes>[0]]>([
    ['in a page', (call) => new Response(`bad header ${call.headers['authorization']}`, { status: 400 })],
    ['in a failed tool', (call) => failed(call, `INVALID_ARGUMENT: ${call.headers['authorization']}`)],
    ['in a JSON-RPC error', (call) => rpcError(call, -32602, call.headers['authorization'] ?? '')],
    [
      'in an event stream',
      (call) =>
        new Response(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code: 1, message: call.headers['authorization'] } })}\n\n`,
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    ],
    [
      'in a text that is no JSON',
      ({ id, headers }) =>
        json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: headers['authorization'] }] } }),
    ],
  ])('%s is in no error, no cause and no log', async (_name, answer) => {
    const logged: unknown[] = [];
    const keep = (...line: unknown[]): void => void logged.push(line);
    const ces = cesOver(fakeCes(answer), {
      credentials: tokens(),
      log: { debug: keep, info: keep, warn: keep, error: keep },
    });

    const error = await ces.evaluations.get(RUN).catch((reason: unknown) => reason);

    const texts: string[] = [JSON.stringify(logged)];
    for (let at = error; at instanceof Error; at = at.cause) texts.push(at.message, at.stack ?? '', JSON.stringify(at));
    expect(texts[1]).toContain('[redacted]');
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
  });

  test('is not quoted by us when it does not fit into a header', async () => {
    const credentials = {
      ...noCredentials(),
      headers: () => Promise.resolve({ authorization: 'Bearer ya29.secret-1\n—' }),
    };

    const failure = await failureOf(
      cesOver(
        fakeCes(() => json({})),
        { credentials },
      ).evaluations.get(RUN),
    );

    expect(failure).toEqual({
      name: 'PermanentError',
      message: `get_evaluation_run on ${RUN}: the credentials or the quota project do not fit into an HTTP header: check them for line breaks and characters beyond ASCII`,
    });
  });
});

const projects = async (options: Parameters<typeof cesOver>[1]) => {
  const server = fakeCes((call) => asText(call, { evaluationDatasets: [] }));
  const ces = cesOver(server, options);
  await ces.probe(APP);
  await ces.evaluations.get('projects/other-project/locations/eu/apps/a/evaluationRuns/r');
  await ces.evaluations.operation('projects/third/locations/eu/operations/o');
  const headers = [...server.initializeHeaders, ...server.calls.map((call) => call.headers)];
  return headers.map((each) => each['x-goog-user-project']);
};

describe('x-goog-user-project', () => {
  test('is the project of the app that the call is about', async () => {
    expect(await projects({})).toEqual(['acme-cx', 'acme-cx', 'other-project', 'third']);
  });

  test('is the project of the settings when there is one', async () => {
    const credentials = {
      ...noCredentials(),
      headers: () => Promise.resolve({ 'x-goog-user-project': 'from-the-login' }),
    };

    expect(await projects({ quotaProject: 'billing', credentials })).toEqual([
      'billing',
      'billing',
      'billing',
      'billing',
    ]);
  });
});

describe('application default credentials', () => {
  const VARIABLES = ['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUDSDK_CONFIG', 'METADATA_SERVER_DETECTION'] as const;
  const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  let directory: string;
  let tokenServer: Server;
  let answers: { status: number; body: unknown }[];
  let asked: number;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ces-evals-adc-'));
    asked = 0;
    answers = [];
    tokenServer = createServer((_request, response) => {
      asked++;
      const { status, body } = answers.shift() ?? {
        status: 200,
        body: {
          access_token: `token-${asked}`,
          expires_in: 3600,
          token_type: 'Bearer',
          issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        },
      };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => tokenServer.listen(0, '127.0.0.1', resolve));
    process.env['CLOUDSDK_CONFIG'] = directory;
    process.env['METADATA_SERVER_DETECTION'] = 'none';
    delete process.env['GOOGLE_APPLICATION_CREDENTIALS'];
  });

  afterEach(async () => {
    await new Promise((resolve) => tokenServer.close(resolve));
    await rm(directory, { recursive: true });
    for (const name of VARIABLES) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  /** Workload identity: the one kind of key file that names its own token endpoint. */
  async function logIn(): Promise<void> {
    const subject = join(directory, 'subject-token');
    const file = join(directory, 'credentials.json');
    await writeFile(subject, 'a-subject-token');
    await writeFile(
      file,
      JSON.stringify({
        type: 'external_account',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `http://127.0.0.1:${(tokenServer.address() as AddressInfo).port}/token`,
        credential_source: { file: subject },
      }),
    );
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
  }

  test('keep their token until it is refreshed, and then really have another', async () => {
    await logIn();
    const credentials = applicationDefaultCredentials();

    const first = await Promise.all([credentials.headers(), credentials.headers()]);
    const again = await credentials.headers();
    await credentials.refresh();
    const fresh = await credentials.headers();

    const last = `Bearer token-${asked}`;
    expect([first[1]['authorization'], fresh['authorization']]).toEqual([again['authorization'], last]);
    expect(again['authorization']).not.toBe(last);
  });

  const REMEDY =
    'run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file; the account needs the role roles/mcp.toolUser';

  test('that are missing are a permanent error with the remedy, until somebody logs in', async () => {
    const credentials = applicationDefaultCredentials();
    const server = fakeCes((call) => asText(call, { name: RUN }));
    const ces = cesOver(server, { credentials, log: silent });

    const failure = await failureOf(ces.evaluations.get(RUN));
    await logIn();

    expect(failure['name']).toBe('PermanentError');
    expect(failure['message']).toMatch(/^get_evaluation_run on projects\/.*: no usable Google credentials: /);
    expect(failure['message']).toContain(REMEDY);
    expect(await ces.evaluations.get(RUN)).toEqual({ name: RUN });
    expect(server.calls[0]!.headers['authorization']).toBe('Bearer token-1');
  });

  test('that get no token are tried again later', async () => {
    await logIn();
    answers.push({ status: 400, body: { error: 'invalid_grant', error_description: 'expired' } });
    const credentials = applicationDefaultCredentials();

    const failure = await failureOf(credentials.headers());

    expect(failure['name']).toBe('TransientError');
    expect(failure['message']).toContain(`If that stays, ${REMEDY}`);
    expect((await credentials.headers())['authorization']).toBe('Bearer token-2');
  });

  test('in a file that is no JSON are not quoted', async () => {
    const file = join(directory, 'token.txt');
    await writeFile(file, 'ya29.raw-token');
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;

    const failure = await failureOf(applicationDefaultCredentials().headers());

    expect(failure['name']).toBe('PermanentError');
    expect(failure['message']).not.toContain('ya29');
  });
});

test('no credentials are no headers', async () => {
  const credentials = noCredentials();
  await credentials.refresh();

  expect(await credentials.headers()).toEqual({});
});
