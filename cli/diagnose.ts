import { composeLocal, type Local } from '../functions/compose/local.ts';
import { servingIn } from '../infra/local/serve-lock.ts';
import { checkSmtp } from '../shared/adapters/email/check.ts';
import { checkSlack } from '../shared/adapters/slack/check.ts';
import type { Env } from '../shared/config/env.ts';
import type { Address, Config } from '../shared/domain/plan.ts';
import { messageOf } from '../shared/errors.ts';
import { configuration, environment, systemClock } from './context.ts';
import { createLog } from './log.ts';

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
    async () => configuration(file),
    ({ plans, subscribers }) =>
      `${file}: ${Object.keys(plans).length} plans, ${Object.keys(subscribers).length} subscribers`,
  );
  const findings = [environmentCheck.finding, config.finding];
  if (config.value === undefined) return findings;
  const local = await find(
    'store',
    async () => open(env, config.value),
    () => `${env.dataDir} can be read and written`,
  );
  findings.push(local.finding);
  if (local.value === undefined) return findings;
  try {
    return [...findings, ...(await look(env, config.value, local.value))];
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

function open(env: Env, config: Config | undefined): Local {
  if (config === undefined) throw new Error('there is no configuration');
  return composeLocal({
    config,
    env,
    secrets: process.env,
    endpoint: () => '',
    clock: systemClock,
    log: createLog('silent'),
  });
}

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
    : { check: 'dead letters', state: 'warning', detail: `${length} messages could not be used; the log says why` };
}

const ces = async ({ cesMcpUrl }: Env, local: Local, name: string, app: string): Promise<Finding> =>
  (
    await find(
      `CES ${name}`,
      () => local.probe(app),
      () => `${app} answers at ${cesMcpUrl}`,
    )
  ).finding;

async function channels(env: Env, config: Config): Promise<readonly Finding[]> {
  const addresses = Object.values(config.subscribers).map(({ address }) => address);
  const uses = (kind: Address['kind']): boolean => addresses.some((address) => address.kind === kind);
  const checks = [
    ...(uses('slack')
      ? [
          find(
            'Slack',
            () => checkSlack(slackOf(env)),
            (team) => team,
          ),
        ]
      : []),
    ...(uses('email')
      ? [
          find(
            'SMTP',
            () => checkSmtp(smtpOf(env)),
            (server) => server,
          ),
        ]
      : []),
  ];
  const found = await Promise.all(checks);
  return [...found.map(({ finding }) => finding), ...addresses.flatMap(webhookSecret)];
}

const slackOf = (env: Env) => ({ token: env.slackBotToken, apiUrl: env.slackApiUrl, timeoutMs: TIMEOUT_MS });
const smtpOf = (env: Env) => ({ smtpUrl: env.smtpUrl, from: env.emailFrom, timeoutMs: TIMEOUT_MS });

function webhookSecret(address: Address): readonly Finding[] {
  if (address.kind !== 'webhook') return [];
  const check = `webhook ${new URL(address.url).host}`;
  return process.env[address.secretEnv] === undefined
    ? [{ check, state: 'problem', detail: `its secret is missing: set ${address.secretEnv}` }]
    : [{ check, state: 'ok', detail: `signed with ${address.secretEnv}` }];
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
