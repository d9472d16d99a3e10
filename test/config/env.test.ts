import { describe, expect, test } from '@jest/globals';

import { loadEnv } from '../../shared/config/env.ts';

const DEFAULTS = {
  cesMcpUrl: 'https://ces.googleapis.com/mcp',
  cesAuth: 'adc',
  cesTimeoutMs: 15_000,
  quotaProject: undefined,
  configFile: 'evals.yaml',
  slackBotToken: undefined,
  slackApiUrl: 'https://slack.com/api/',
  smtpUrl: undefined,
  emailFrom: undefined,
  webhookSecrets: [],
  githubWebhookSecret: undefined,
  dataDir: '.ces-evals',
  pollMinMs: 5_000,
  pollMaxMs: 60_000,
  tickMs: 1_000,
  apiToken: undefined,
  logLevel: 'info',
  googleCloudProject: undefined,
  firestoreDatabase: undefined,
  tasksQueue: undefined,
  topicPrefix: undefined,
};

/** The examples of the Standard Webhooks specification are as long: 24 bytes. The other is of 64. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const LONG_SECRET = `whsec_${'QUJD'.repeat(21)}QQ==`;

function problemsOf(source: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadEnv(source);
  return loaded.ok ? [] : loaded.problems.map(({ name, message }) => `${name} ${message}`);
}

test('an environment with nothing in it has the defaults of the contract', () => {
  expect(loadEnv({ PATH: '/usr/bin', UNRELATED: '' })).toStrictEqual({ ok: true, env: DEFAULTS });
});

test('every variable is read', () => {
  const source = {
    CES_MCP_URL: 'http://127.0.0.1:8080/mcp',
    CES_AUTH: 'none',
    CES_TIMEOUT: '30s',
    CES_QUOTA_PROJECT: 'acme-billing',
    EVALS_CONFIG: '/etc/evals.yaml',
    SLACK_BOT_TOKEN: 'xoxb-2718281828-f00f00',
    SLACK_API_URL: 'http://localhost:9090/api',
    SMTP_URL: 'smtps://bot:hunter2@mail.acme.example:465',
    EMAIL_FROM: 'Evals <evals@acme.example>',
    WEBHOOK_SECRET: `${SECRET}  ${LONG_SECRET}\n`,
    GITHUB_WEBHOOK_SECRET: 'correct horse',
    DATA_DIR: '/var/lib/ces-evals',
    POLL_MIN: '500ms',
    POLL_MAX: '2m',
    TICK: '5s',
    API_TOKEN: '0123456789abcdef',
    LOG_LEVEL: 'debug',
    GOOGLE_CLOUD_PROJECT: 'acme-cx',
    FIRESTORE_DATABASE: '(default)',
    TASKS_QUEUE: 'evals',
    TOPIC_PREFIX: 'evals-',
  };

  expect(loadEnv(source)).toStrictEqual({
    ok: true,
    env: {
      cesMcpUrl: 'http://127.0.0.1:8080/mcp',
      cesAuth: 'none',
      cesTimeoutMs: 30_000,
      quotaProject: 'acme-billing',
      configFile: '/etc/evals.yaml',
      slackBotToken: 'xoxb-2718281828-f00f00',
      slackApiUrl: 'http://localhost:9090/api/',
      smtpUrl: 'smtps://bot:hunter2@mail.acme.example:465',
      emailFrom: 'Evals <evals@acme.example>',
      webhookSecrets: [SECRET, LONG_SECRET],
      githubWebhookSecret: 'correct horse',
      dataDir: '/var/lib/ces-evals',
      pollMinMs: 500,
      pollMaxMs: 120_000,
      tickMs: 5_000,
      apiToken: '0123456789abcdef',
      logLevel: 'debug',
      googleCloudProject: 'acme-cx',
      firestoreDatabase: '(default)',
      tasksQueue: 'evals',
      topicPrefix: 'evals-',
    },
  });
});

describe('values that make no sense', () => {
  const NO_SECRET = 'no Standard Webhooks secret: write whsec_ and the base64 of 24 to 64 random bytes';
  const NO_DURATION = 'is not a duration; write it with its unit: 500ms, 30s, 15m, 2h or 1d';
  const NO_ADDRESS = 'is not one address; write evals@acme.example or Evals <evals@acme.example>';
  const NO_TOKEN = 'is no bot token: those begin with xoxb-; see "OAuth & Permissions" of the Slack app';
  const CLEAR_TEXT = 'would send credentials in clear text; write https, or name a loopback address';

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['a path for a URL', { CES_MCP_URL: '/mcp' }, ['CES_MCP_URL is not an http or https URL']],
    ['another protocol', { CES_MCP_URL: 'ws://ces.googleapis.com/mcp' }, ['CES_MCP_URL is not an http or https URL']],
    ['http to another machine', { CES_MCP_URL: 'http://ces.acme.example/mcp' }, [`CES_MCP_URL ${CLEAR_TEXT}`]],
    [
      'a host that only begins like this machine',
      { CES_MCP_URL: 'http://127.0.0.1.acme.example/mcp' },
      [`CES_MCP_URL ${CLEAR_TEXT}`],
    ],
    [
      'credentials in a URL',
      { CES_MCP_URL: 'https://me:pw@ces.acme.example/' },
      ['CES_MCP_URL must not hold credentials'],
    ],
    [
      'no credentials for another machine',
      { CES_AUTH: 'none' },
      ['CES_AUTH none is for a CES on this machine; CES_MCP_URL names another one, so use adc'],
    ],
    ['a misspelt option', { CES_AUTH: 'nome' }, ['CES_AUTH is none of adc, none; did you mean none?']],
    ['a level that is none', { LOG_LEVEL: 'verbose' }, ['LOG_LEVEL is none of debug, info, warn, error']],
    ['a project of two words', { CES_QUOTA_PROJECT: 'acme cx' }, ['CES_QUOTA_PROJECT must be one word']],
    ['Slack over http', { SLACK_API_URL: 'http://slack.com/api/' }, [`SLACK_API_URL ${CLEAR_TEXT}`]],
    ['a token of a person', { SLACK_BOT_TOKEN: 'xoxp-2718281828' }, [`SLACK_BOT_TOKEN ${NO_TOKEN}`]],
    [
      'a mail server without its protocol',
      { SMTP_URL: 'mail.acme.example:465', EMAIL_FROM: 'evals@acme.example' },
      ['SMTP_URL is not an smtp:// or smtps:// URL with a host'],
    ],
    [
      'a mail server without a sender',
      { SMTP_URL: 'smtp://mail.acme.example' },
      ['EMAIL_FROM is missing: SMTP_URL is set, and an e-mail needs a sender'],
    ],
    ['a sender without a host', { EMAIL_FROM: 'evals' }, [`EMAIL_FROM ${NO_ADDRESS}`]],
    ['a sender with a header', { EMAIL_FROM: 'a@acme.example\nBcc: b@evil.example' }, [`EMAIL_FROM ${NO_ADDRESS}`]],
    ['a secret without its prefix', { WEBHOOK_SECRET: SECRET.slice(6) }, [`WEBHOOK_SECRET is ${NO_SECRET}`]],
    ['a secret that is too short', { WEBHOOK_SECRET: 'whsec_QUJD' }, [`WEBHOOK_SECRET is ${NO_SECRET}`]],
    ['a secret that is too long', { WEBHOOK_SECRET: `whsec_${'QUJD'.repeat(22)}` }, [`WEBHOOK_SECRET is ${NO_SECRET}`]],
    ['a secret that was cut', { WEBHOOK_SECRET: LONG_SECRET.slice(0, -1) }, [`WEBHOOK_SECRET is ${NO_SECRET}`]],
    [
      'the second of two secrets',
      { WEBHOOK_SECRET: `${SECRET} whsec_?` },
      [`WEBHOOK_SECRET holds, as number 2, ${NO_SECRET}`],
    ],
    ['a duration without a unit', { POLL_MIN: '5' }, [`POLL_MIN ${NO_DURATION}`]],
    ['a duration with a unit that we do not know', { CES_TIMEOUT: '15 sec' }, [`CES_TIMEOUT ${NO_DURATION}`]],
    ['a duration that would never let go', { TICK: '0s' }, ['TICK must be between 10ms and 1d']],
    ['a duration that no timer can count', { POLL_MAX: '25d' }, ['POLL_MAX must be between 10ms and 1d']],
    [
      'bounds that are crossed',
      { POLL_MIN: '2m' },
      ['POLL_MIN is longer than POLL_MAX; lower it or raise POLL_MAX (defaults 5s and 60s)'],
    ],
    [
      'a token that can be guessed',
      { API_TOKEN: '0123456789abcde' },
      ['API_TOKEN is shorter than 16 characters; `openssl rand -hex 32` makes a good one'],
    ],
    [
      'a token that fits into no header',
      { API_TOKEN: 'correct horse battery' },
      ['API_TOKEN does not fit into a header: write ASCII without spaces'],
    ],
    [
      'several at once, and only what is certain about two that belong together',
      { POLL_MIN: 'soon', POLL_MAX: '1s', CES_AUTH: 'none', CES_MCP_URL: 'ces', DATA_DIR: ' ' },
      [
        'CES_MCP_URL is not an http or https URL',
        'DATA_DIR is set but empty; unset it or give it a value',
        `POLL_MIN ${NO_DURATION}`,
      ],
    ],
  ])('%s', (_name, source, problems) => {
    expect(problemsOf(source)).toEqual(problems);
  });

  test.each([
    'CES_MCP_URL',
    'CES_AUTH',
    'CES_TIMEOUT',
    'CES_QUOTA_PROJECT',
    'EVALS_CONFIG',
    'SLACK_BOT_TOKEN',
    'SLACK_API_URL',
    'SMTP_URL',
    'EMAIL_FROM',
    'WEBHOOK_SECRET',
    'GITHUB_WEBHOOK_SECRET',
    'DATA_DIR',
    'POLL_MIN',
    'POLL_MAX',
    'TICK',
    'API_TOKEN',
    'LOG_LEVEL',
    'GOOGLE_CLOUD_PROJECT',
    'FIRESTORE_DATABASE',
    'TASKS_QUEUE',
    'TOPIC_PREFIX',
  ])('an empty %s is neither its default nor a value', (name) => {
    expect(problemsOf({ [name]: '' })).toEqual([`${name} is set but empty; unset it or give it a value`]);
  });

  test('no problem repeats the value, which may be a secret', () => {
    const secret = 'hunter2 hunter2';
    const names = [
      'SLACK_BOT_TOKEN',
      'SMTP_URL',
      'WEBHOOK_SECRET',
      'API_TOKEN',
      'CES_MCP_URL',
      'EMAIL_FROM',
      'LOG_LEVEL',
    ];

    const told = problemsOf(Object.fromEntries(names.map((name) => [name, secret])));

    expect(told.map((problem) => problem.split(' ')[0])).toEqual([
      'CES_MCP_URL',
      'SLACK_BOT_TOKEN',
      'SMTP_URL',
      'EMAIL_FROM',
      'WEBHOOK_SECRET',
      'API_TOKEN',
      'LOG_LEVEL',
    ]);
    expect(told.join('\n')).not.toContain('hunter2');
  });
});
