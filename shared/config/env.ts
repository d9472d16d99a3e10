import { isLoopback } from './env-parsers.ts';
import { ENV_VARIABLES, type EnvVariable } from './env-variables.ts';

/** The environment, read once and checked as a whole. Durations are milliseconds. */
export interface Env {
  readonly cesMcpUrl: string;
  readonly cesAuth: 'adc' | 'none';
  readonly cesTimeoutMs: number;
  readonly quotaProject: string | undefined;
  readonly configFile: string;
  readonly slackBotToken: string | undefined;
  readonly slackApiUrl: string;
  readonly smtpUrl: string | undefined;
  readonly emailFrom: string | undefined;
  readonly webhookSecrets: readonly string[];
  readonly githubWebhookSecret: string | undefined;
  readonly dataDir: string;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  readonly tickMs: number;
  readonly apiToken: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly googleCloudProject: string | undefined;
  readonly firestoreDatabase: string | undefined;
  readonly tasksQueue: string | undefined;
  readonly topicPrefix: string | undefined;
}

export interface EnvProblem {
  readonly name: string;
  /** Never holds the value: it may be a secret. */
  readonly message: string;
}

export type LoadedEnv =
  { readonly ok: true; readonly env: Env } | { readonly ok: false; readonly problems: readonly EnvProblem[] };

type Source = Readonly<Record<string, string | undefined>>;

/** Reads the variables of ENV_VARIABLES. A missing one has its default, an empty one is a problem, and all problems are told. */
export function loadEnv(source: Source): LoadedEnv {
  const problems: EnvProblem[] = [];
  const read = <T>(variable: EnvVariable<T>): T => {
    const value = source[variable.name];
    if (value === undefined) return variable.absent;
    const parsed = value.trim() === '' ? EMPTY : variable.parse(value.trim());
    if (parsed.ok) return parsed.value;
    problems.push({ name: variable.name, message: parsed.message });
    return variable.absent;
  };
  const v = ENV_VARIABLES;
  const env: Env = {
    cesMcpUrl: read(v.cesMcpUrl),
    cesAuth: read(v.cesAuth),
    cesTimeoutMs: read(v.cesTimeoutMs),
    quotaProject: read(v.quotaProject),
    configFile: read(v.configFile),
    slackBotToken: read(v.slackBotToken),
    slackApiUrl: read(v.slackApiUrl),
    smtpUrl: read(v.smtpUrl),
    emailFrom: read(v.emailFrom),
    webhookSecrets: read(v.webhookSecrets),
    githubWebhookSecret: read(v.githubWebhookSecret),
    dataDir: read(v.dataDir),
    pollMinMs: read(v.pollMinMs),
    pollMaxMs: read(v.pollMaxMs),
    tickMs: read(v.tickMs),
    apiToken: read(v.apiToken),
    logLevel: read(v.logLevel),
    googleCloudProject: read(v.googleCloudProject),
    firestoreDatabase: read(v.firestoreDatabase),
    tasksQueue: read(v.tasksQueue),
    topicPrefix: read(v.topicPrefix),
  };
  const all = [...problems, ...contradictions(env, problems)];
  return all.length === 0 ? { ok: true, env } : { ok: false, problems: all };
}

const EMPTY = { ok: false, message: 'is set but empty; unset it or give it a value' } as const;

/** What is wrong with values that are fine one by one. */
function contradictions(env: Env, known: readonly EnvProblem[]): readonly EnvProblem[] {
  const isKnown = (name: string): boolean => known.some((problem) => problem.name === name);
  const found: EnvProblem[] = [];
  if (env.pollMinMs > env.pollMaxMs && !isKnown('POLL_MIN') && !isKnown('POLL_MAX')) {
    found.push({
      name: 'POLL_MIN',
      message: 'is longer than POLL_MAX; lower it or raise POLL_MAX (defaults 5s and 60s)',
    });
  }
  if (env.smtpUrl !== undefined && env.emailFrom === undefined && !isKnown('EMAIL_FROM')) {
    found.push({ name: 'EMAIL_FROM', message: 'is missing: SMTP_URL is set, and an e-mail needs a sender' });
  }
  if (env.cesAuth === 'none' && !isKnown('CES_MCP_URL') && !isLoopback(env.cesMcpUrl)) {
    found.push({
      name: 'CES_AUTH',
      message: 'none is for a CES on this machine; CES_MCP_URL names another one, so use adc',
    });
  }
  return found;
}
