import { parseDuration } from './durations.ts';
import { nearest } from './nearest.ts';

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export interface EnvVariable<T> {
  readonly name: string;
  /** The value when the variable is not set. */
  readonly absent: T;
  /** For people; empty when there is none. */
  readonly default: string;
  readonly meaning: string;
  readonly parse: (value: string) => Parsed<T>;
}

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const wrong = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

/** Every variable there is; docs/configuration.md is held to this table by a test. */
export const ENV_VARIABLES = {
  cesMcpUrl: url('CES_MCP_URL', 'https://ces.googleapis.com/mcp', 'The MCP endpoint of CES.'),
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
  quotaProject: text('CES_QUOTA_PROJECT', "Sent as `x-goog-user-project`; the app's own project when it is not set."),
  configFile: textOr('EVALS_CONFIG', 'evals.yaml', 'Path of the configuration file.'),
  slackBotToken: text('SLACK_BOT_TOKEN', 'Token of the Slack app, `xoxb-…`.'),
  slackApiUrl: url('SLACK_API_URL', 'https://slack.com/api/', "Base URL of Slack's Web API."),
  smtpUrl: {
    name: 'SMTP_URL',
    absent: undefined,
    default: '',
    meaning: 'The mail server, `smtp://` or `smtps://`, with credentials.',
    parse: smtpUrl,
  },
  emailFrom: text('EMAIL_FROM', 'Sender of the e-mails.'),
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
} as const satisfies Readonly<Record<string, EnvVariable<unknown>>>;

function text(name: string, meaning: string): EnvVariable<string | undefined> {
  return { name, absent: undefined, default: '', meaning, parse: ok };
}

function textOr(name: string, fallback: string, meaning: string): EnvVariable<string> {
  return { name, absent: fallback, default: fallback, meaning, parse: ok };
}

function url(name: string, fallback: string, meaning: string): EnvVariable<string> {
  return {
    name,
    absent: fallback,
    default: fallback,
    meaning,
    parse: (value) => {
      const parsed = URL.parse(value);
      return parsed !== null && /^https?:$/.test(parsed.protocol) ? ok(value) : wrong('is not an http or https URL');
    },
  };
}

function duration(name: string, fallback: string, meaning: string): EnvVariable<number> {
  return {
    name,
    absent: parseDuration(fallback) ?? 0,
    default: fallback,
    meaning,
    parse: (value) => {
      const ms = parseDuration(value);
      if (ms === undefined) return wrong('is not a duration; write 500ms, 30s, 15m, 2h or 1d');
      return ms < 10 ? wrong('is too short; write 10ms or more') : ok(ms);
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

function smtpUrl(value: string): Parsed<string | undefined> {
  const parsed = URL.parse(value);
  return parsed !== null && /^smtps?:$/.test(parsed.protocol) && parsed.hostname !== ''
    ? ok(value)
    : wrong('is not an smtp:// or smtps:// URL with a host');
}

/** The Standard Webhooks specification: base64 of 24 to 64 random bytes behind `whsec_`. */
function webhookSecrets(value: string): Parsed<readonly string[]> {
  const secrets = value.split(/\s+/);
  const bad = secrets.findIndex((secret) => {
    const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
    const { length } = Buffer.from(base64 ?? '', 'base64');
    return length < 24 || length > 64;
  });
  if (bad === -1) return ok(secrets);
  const which = secrets.length === 1 ? 'is' : `holds, as number ${bad + 1},`;
  return wrong(`${which} no Standard Webhooks secret: write whsec_ and the base64 of 24 to 64 random bytes`);
}

/** Sixteen characters are the least that cannot be guessed over a network. */
function apiToken(value: string): Parsed<string | undefined> {
  return value.length >= 16
    ? ok(value)
    : wrong('is shorter than 16 characters; `openssl rand -hex 32` makes a good one');
}
