import { composeLocal, type Local } from '../functions/compose/local.ts';
import { servingIn } from '../infra/local/serve-lock.ts';
import { checkSmtp } from '../shared/adapters/email/check.ts';
import { checkSlack } from '../shared/adapters/slack/check.ts';
import { signed } from '../shared/adapters/webhook/sign.ts';
import type { Env } from '../shared/config/env.ts';
import type { Config, Subscriber } from '../shared/domain/plan.ts';
import { messageOf, TransientError } from '../shared/errors.ts';
import { checkedConfiguration, environment, systemClock } from './context.ts';
import { createLog } from './log.ts';
import { count } from './output.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** What was found; for a problem also what to do. */
  readonly detail: string;
}

/** Longest time for one question to Slack or the mail server. */
const TIMEOUT_MS = 10_000;

/** Looks at everything that a run needs, one thing after the other, and goes on after what fails. */
export async function diagnose(configFile: string | undefined): Promise<readonly Finding[]> {
  const environmentCheck = await find('environment', async () => environment());
  if (environmentCheck.value === undefined) return [environmentCheck.finding];
  const env = environmentCheck.value;
  const file = configFile ?? env.configFile;
  const config = await find(
    'configuration',
    async () => checkedConfiguration(file),
    ({ config: { plans, subscribers } }) =>
      `${file}: ${count(Object.keys(plans).length, 'plan')}, ${count(Object.keys(subscribers).length, 'subscriber')}`,
  );
  const findings = [environmentCheck.finding, config.finding];
  if (config.value === undefined) return findings;
  const { config: checked, warnings } = config.value;
  findings.push(...warnings.map((detail) => ({ check: 'configuration', state: 'warning', detail }) as const));
  const local = await find(
    'store',
    async () => open(env, checked),
    () => `${env.dataDir} can be read and written`,
  );
  findings.push(local.finding);
  if (local.value === undefined) return findings;
  try {
    return [...findings, ...(await look(env, checked, local.value))];
  } finally {
    await local.value.close();
  }
}

async function look(env: Env, config: Config, local: Local): Promise<readonly Finding[]> {
  return [
    await deadLetters(local),
    serving(env),
    ...(await Promise.all(Object.entries(config.apps).map(([name, app]) => ces(env, local, name, app)))),
    ...(await channels(env, config)),
  ];
}

const open = (env: Env, config: Config): Local =>
  composeLocal({
    config,
    env,
    secrets: process.env,
    endpoint: () => '',
    clock: systemClock,
    log: createLog('silent'),
  });

function serving({ dataDir }: Env): Finding {
  const server = servingIn(dataDir);
  return server === undefined
    ? {
        check: 'serve',
        state: 'warning',
        detail: `nobody serves ${dataDir}: schedules do not fire until \`ces-evals serve\` runs`,
      }
    : { check: 'serve', state: 'ok', detail: `process ${server.pid}, ${server.url}` };
}

async function deadLetters({ deps }: Local): Promise<Finding> {
  const { length } = await deps.store.find('deadletter', { limit: 100 });
  return length === 0
    ? { check: 'dead letters', state: 'ok', detail: 'none' }
    : {
        check: 'dead letters',
        state: 'warning',
        detail: `${count(length, 'message')} could not be used; the log says why`,
      };
}

const ces = async ({ cesMcpUrl }: Env, local: Local, name: string, app: string): Promise<Finding> =>
  (
    await find(
      `CES ${name}`,
      () => local.probe(app).catch(withRemedy),
      () => `${app} answers at ${cesMcpUrl}`,
    )
  ).finding;

function withRemedy(error: unknown): never {
  if (!(error instanceof TransientError)) throw error;
  throw new TransientError(`${error.message}; check CES_MCP_URL and the network`, { cause: error });
}

async function channels(env: Env, { subscribers }: Config): Promise<readonly Finding[]> {
  const used = new Set(Object.values(subscribers).map(({ address }) => address.kind));
  const checks = [
    ...(used.has('slack') ? [find('Slack', () => checkSlack(slackOf(env)), asItIs)] : []),
    ...(used.has('email') ? [find('SMTP', () => checkSmtp(smtpOf(env)), asItIs)] : []),
  ];
  const found = await Promise.all(checks);
  return [...found.map(({ finding }) => finding), ...Object.values(subscribers).flatMap(webhookSecret)];
}

const asItIs = (detail: string): string => detail;
const slackOf = (env: Env) => ({ token: env.slackBotToken, apiUrl: env.slackApiUrl, timeoutMs: TIMEOUT_MS });
const smtpOf = (env: Env) => ({ smtpUrl: env.smtpUrl, from: env.emailFrom, timeoutMs: TIMEOUT_MS });

function webhookSecret({ name, address }: Subscriber): readonly Finding[] {
  if (address.kind !== 'webhook') return [];
  const { url, secretEnv } = address;
  const finding = (state: Finding['state'], detail: string) => [{ check: `webhook ${name}`, state, detail }];
  const secrets = process.env[secretEnv]?.trim() ?? '';
  if (secrets === '') return finding('problem', `there is no secret; set ${secretEnv}`);
  return signed(name, systemClock.now(), '', secrets) === undefined
    ? finding('problem', `${secretEnv} holds no secret of the form whsec_ and base64; correct it`)
    : finding('ok', `posts to ${new URL(url).host}, signed with ${secretEnv}`);
}

async function find<T>(
  check: string,
  work: () => Promise<T>,
  describe: (value: T) => string = () => 'fine',
): Promise<{ readonly finding: Finding; readonly value?: T }> {
  try {
    const value = await work();
    return { value, finding: { check, state: 'ok', detail: describe(value) } };
  } catch (error) {
    return { finding: { check, state: 'problem', detail: messageOf(error) } };
  }
}
