import { join } from 'node:path';

import { createCes } from '../../shared/adapters/ces/client.ts';
import { applicationDefaultCredentials, noCredentials } from '../../shared/adapters/ces/credentials.ts';
import { createEmailChannel } from '../../shared/adapters/email/channel.ts';
import { createLocalBus } from '../../shared/adapters/local-bus/bus.ts';
import { createSlackChannel } from '../../shared/adapters/slack/channel.ts';
import { createSqliteStore, type SqliteStore } from '../../shared/adapters/sqlite/store.ts';
import { createWebhookChannel } from '../../shared/adapters/webhook/channel.ts';
import type { Env } from '../../shared/config/env.ts';
import type { Config } from '../../shared/domain/plan.ts';
import type { Topic } from '../../shared/messages.ts';
import type { Channels, Clock, Deps, Log, Settings, Store } from '../../shared/ports.ts';
import { nonce } from './nonce.ts';

export interface LocalOptions {
  readonly config: Config;
  readonly env: Env;
  /** The process environment, where subscribers' secrets are looked up by the name that the configuration gives. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  /** Where the function that is subscribed to a topic takes push requests. */
  readonly endpoint: (topic: Topic) => string;
  readonly publicUrl?: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Local {
  readonly deps: Deps;
  /** One cheap read from CES, for `doctor`. */
  readonly probe: (app: string) => Promise<void>;
  /** Sends no more messages, and waits until those on their way have been answered. */
  readonly settle: () => Promise<void>;
  /** Closes the store and the connection to CES. */
  readonly close: () => Promise<void>;
}

/** A call to a provider of alerts that takes longer than this has failed. Slack and SMTP servers answer in a second. */
const SEND_TIMEOUT_MS = 10_000;

/** The product on one machine: embedded store and bus, the real CES client and the real channels. */
export function composeLocal(options: LocalOptions): Local {
  const { config, env, clock, log } = options;
  const store = openStore(env);
  const ces = createCes({
    url: env.cesMcpUrl,
    credentials: env.cesAuth === 'none' ? noCredentials() : applicationDefaultCredentials(),
    timeoutMs: env.cesTimeoutMs,
    log,
    ...(env.quotaProject === undefined ? {} : { quotaProject: env.quotaProject }),
  });
  const bus = createLocalBus({
    endpoint: options.endpoint,
    keep: (topic, body, reason) => keepDeadLetter(store, clock, { topic, body, reason }),
    clock,
    log,
    ...(env.apiToken === undefined ? {} : { headers: { authorization: `Bearer ${env.apiToken}` } }),
  });
  return {
    deps: {
      config,
      settings: settingsOf(options),
      evaluations: ces.evaluations,
      results: ces.results,
      datasets: ces.datasets,
      store,
      bus,
      channels: channelsOf(options),
      clock,
      log,
      nonce,
    },
    probe: (app) => ces.probe(app),
    settle: bus.close,
    close: async () => {
      await bus.close();
      await ces.close();
      store.close();
    },
  };
}

/** Looking at what is stored needs no more than this. */
export const openStore = ({ dataDir }: Pick<Env, 'dataDir'>): SqliteStore =>
  createSqliteStore(join(dataDir, 'store.sqlite'));

export function channelsOf({
  env,
  secrets,
  clock,
  log,
}: Pick<LocalOptions, 'env' | 'secrets' | 'clock' | 'log'>): Channels {
  const common = { timeoutMs: SEND_TIMEOUT_MS, log };
  return {
    slack: createSlackChannel({ ...common, clock, apiUrl: env.slackApiUrl, token: env.slackBotToken }),
    email: createEmailChannel({ ...common, smtpUrl: env.smtpUrl, from: env.emailFrom }),
    webhook: createWebhookChannel({ ...common, env: secrets, allowLoopback: true, clock }),
  };
}

const settingsOf = ({ env, publicUrl }: LocalOptions): Settings => ({
  pollMinMs: env.pollMinMs,
  pollMaxMs: env.pollMaxMs,
  cesTimeoutMs: env.cesTimeoutMs,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  // A message takes milliseconds here; after a full tick without a sign it is lost.
  rescueAfterMs: env.tickMs,
  webhookSecrets: env.webhookSecrets,
  ...(env.githubWebhookSecret === undefined ? {} : { githubWebhookSecret: env.githubWebhookSecret }),
  ...(publicUrl === undefined ? {} : { publicUrl }),
  ...(env.apiToken === undefined ? {} : { apiToken: env.apiToken }),
});

async function keepDeadLetter(
  store: Store,
  clock: Clock,
  letter: { readonly topic: string; readonly body: string; readonly reason: string },
): Promise<void> {
  const createdAt = clock.now().toISOString();
  const id = `${createdAt}-${nonce()}`;
  await store.commit([{ op: 'create', kind: 'deadletter', id, doc: { createdAt, ...letter } }]);
}
