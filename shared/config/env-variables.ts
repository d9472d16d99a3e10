import { parseDuration } from './durations.ts';
import {
  apiToken,
  baseUrl,
  ok,
  oneWord,
  secureUrl,
  sender,
  slackToken,
  smtpUrl,
  webhookSecrets,
  wrong,
  type Parsed,
} from './env-parsers.ts';
import { nearest } from './nearest.ts';

export interface EnvVariable<T> {
  readonly name: string;
  /** The value when the variable is not set. */
  readonly absent: T;
  /** For people; empty when there is none. */
  readonly default: string;
  readonly meaning: string;
  readonly parse: (value: string) => Parsed<T>;
}

/** Every variable there is; docs/configuration.md is held to this table by a test. */
export const ENV_VARIABLES = {
  cesMcpUrl: {
    name: 'CES_MCP_URL',
    absent: 'https://ces.googleapis.com/mcp',
    default: 'https://ces.googleapis.com/mcp',
    meaning: 'The MCP endpoint of CES; https, or http on a loopback address.',
    parse: secureUrl,
  },
  cesAuth: choice(
    'CES_AUTH',
    ['adc', 'none'],
    'adc',
    'Application Default Credentials, or `none` for an endpoint on a loopback address.',
  ),
  cesTimeoutMs: duration(
    'CES_TIMEOUT',
    '15s',
    'Longest time that one call to CES may take; a run whose worker died is taken up after twice that.',
  ),
  quotaProject: word('CES_QUOTA_PROJECT', "Sent as `x-goog-user-project`; the app's own project when it is not set."),
  configFile: textOr('EVALS_CONFIG', 'evals.yaml', 'Path of the configuration file.'),
  slackBotToken: {
    name: 'SLACK_BOT_TOKEN',
    absent: undefined,
    default: '',
    meaning: 'Bot token of the Slack app, `xoxb-…`.',
    parse: slackToken,
  },
  slackApiUrl: {
    name: 'SLACK_API_URL',
    absent: 'https://slack.com/api/',
    default: 'https://slack.com/api/',
    meaning: "Base URL of Slack's Web API.",
    parse: baseUrl,
  },
  smtpUrl: {
    name: 'SMTP_URL',
    absent: undefined,
    default: '',
    meaning: 'The mail server, `smtp://` or `smtps://`, with credentials.',
    parse: smtpUrl,
  },
  emailFrom: {
    name: 'EMAIL_FROM',
    absent: undefined,
    default: '',
    meaning: 'Sender of the e-mails, an address or `Name <address>`; needed with `SMTP_URL`.',
    parse: sender,
  },
  webhookSecrets: {
    name: 'WEBHOOK_SECRET',
    absent: [],
    default: '',
    meaning: 'Standard Webhooks secret, `whsec_…`; several separated by spaces during a rotation.',
    parse: webhookSecrets,
  },
  githubWebhookSecret: text('GITHUB_WEBHOOK_SECRET', 'Secret of the GitHub webhook, for `X-Hub-Signature-256`.'),
  dataDir: textOr('DATA_DIR', '.ces-evals', 'Where the embedded store lives. All commands share it.'),
  pollMinMs: duration('POLL_MIN', '5s', 'Shortest time between two polls of one run.'),
  pollMaxMs: duration('POLL_MAX', '60s', 'Longest time between two polls of one run.'),
  tickMs: duration('TICK', '1s', 'Period of the embedded ticker.'),
  apiToken: {
    name: 'API_TOKEN',
    absent: undefined,
    default: '',
    meaning:
      'Bearer token of the API and password of the dashboard; needed when the server is not on a loopback address.',
    parse: apiToken,
  },
  logLevel: choice(
    'LOG_LEVEL',
    ['debug', 'info', 'warn', 'error'],
    'info',
    'What is logged: `debug`, `info`, `warn` or `error`.',
  ),
  googleCloudProject: word('GOOGLE_CLOUD_PROJECT', 'In the cloud only, set by `infra/`: the project.'),
  firestoreDatabase: word('FIRESTORE_DATABASE', 'In the cloud only, set by `infra/`: the Firestore database.'),
  tasksQueue: word('TASKS_QUEUE', 'In the cloud only, set by `infra/`: the Cloud Tasks queue for delayed messages.'),
  topicPrefix: word('TOPIC_PREFIX', 'In the cloud only, set by `infra/`: what the names of the topics begin with.'),
} as const satisfies Readonly<Record<string, EnvVariable<unknown>>>;

function text(name: string, meaning: string): EnvVariable<string | undefined> {
  return { name, absent: undefined, default: '', meaning, parse: ok };
}

function textOr(name: string, fallback: string, meaning: string): EnvVariable<string> {
  return { name, absent: fallback, default: fallback, meaning, parse: ok };
}

function word(name: string, meaning: string): EnvVariable<string | undefined> {
  return { name, absent: undefined, default: '', meaning, parse: oneWord };
}

/** Timers count to 24.8 days only, and nobody waits for a step of ours as long as a day. */
const LONGEST_MS = 86_400_000;
const SHORTEST_MS = 10;

function duration(name: string, fallback: string, meaning: string): EnvVariable<number> {
  return {
    name,
    absent: parseDuration(fallback) ?? 0,
    default: fallback,
    meaning,
    parse: (value) => {
      const ms = parseDuration(value);
      if (ms === undefined) return wrong('is not a duration; write it with its unit: 500ms, 30s, 15m, 2h or 1d');
      return ms < SHORTEST_MS || ms > LONGEST_MS ? wrong('must be between 10ms and 1d') : ok(ms);
    },
  };
}

function choice<const T extends string>(
  name: string,
  options: readonly T[],
  fallback: T,
  meaning: string,
): EnvVariable<T> {
  return {
    name,
    absent: fallback,
    default: fallback,
    meaning,
    parse: (value) => {
      const found = options.find((option) => option === value);
      if (found !== undefined) return ok(found);
      const close = nearest(value, options);
      return wrong(`is none of ${options.join(', ')}${close === undefined ? '' : `; did you mean ${close}?`}`);
    },
  };
}
