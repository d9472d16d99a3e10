import { createCloudLog } from '../../shared/adapters/cloud-log/log.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import type { PubSubBus } from '../../shared/adapters/pubsub/bus.ts';
import { PermanentError } from '../../shared/errors.ts';
import type { Channels, Clock, Deps, Log, Settings } from '../../shared/ports.ts';
import { lazily } from '../edge/lazily.ts';
import { createPushGuard, type PushGuard } from '../edge/push-token.ts';
import { createConfigSource } from './cloud-config.ts';
import { loadCloudEnv, type CloudEnv } from './cloud-env.ts';
import { createReadText } from './cloud-object.ts';
import { lateBus, lateCes, lateChannel, type Ces } from './cloud-ports.ts';
import { watchRequests } from './cloud-requests.ts';
import { nonce } from './nonce.ts';

export interface Cloud {
  /** Looks for a newer configuration at each call; what it answers is always the same. */
  readonly deps: () => Promise<Deps>;
  /** There when the functions are not behind IAM. */
  readonly guard?: PushGuard;
  readonly close: () => Promise<void>;
}

/** Longer than this takes no provider of alerts that works. Slack and SMTP servers answer in a second. */
const SEND_TIMEOUT_MS = 10_000;

/** Pub/Sub and Cloud Tasks deliver within seconds. The tick comes once a minute, so less would gain nothing. */
const RESCUE_AFTER_MS = 60_000;

const systemClock: Clock = { now: () => new Date() };

/**
 * The product in a deployed function: logs to the standard output, and ends in order on SIGTERM. Throws PermanentError
 * with all that is wrong in the environment, so that a bad deployment is refused when it starts.
 */
export function deployed(source: Readonly<Record<string, string | undefined>>): Cloud {
  const loaded = loadCloudEnv(source);
  if (!loaded.ok) {
    const lines = loaded.problems.map(({ name, message }) => `${name} ${message}`);
    throw new PermanentError(`the environment is not usable: ${lines.join(' | ')}`);
  }
  const requests = watchRequests(() => cloud.close());
  const log = createCloudLog({
    level: loaded.env.common.logLevel,
    projectId: loaded.env.projectId,
    trace: requests.trace,
    clock: systemClock,
    write: (line) => {
      process.stdout.write(`${line}\n`);
    },
  });
  const cloud = composeCloud({ env: loaded.env, secrets: source, clock: systemClock, log });
  return cloud;
}

export interface CloudOptions {
  readonly env: CloudEnv;
  /** The process environment, where subscribers' secrets are looked up by the name that the configuration gives. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same `Deps` as on one machine, on Google Cloud. Nothing is connected, and hardly anything loaded, until it is used. */
export function composeCloud(options: CloudOptions): Cloud {
  const { env, clock, log } = options;
  const { configFile } = env.common;
  const config = createConfigSource({ location: configFile, read: createReadText(configFile), clock, log });
  const store = createFirestoreStore({ projectId: env.projectId, database: env.database, log });
  const opened: (() => Promise<void>)[] = [() => store.close()];
  const bus = lazily(async () => {
    const made = await openBus(options);
    opened.push(made.close);
    return made;
  });
  const deps: Deps = {
    get config() {
      // Whoever keeps `deps` and reads it again a minute later sets off the look that the next one profits from.
      void config.refresh();
      return config.current();
    },
    settings: settingsOf(env),
    ...lateCes(lazily(() => openCes(options))),
    store,
    bus: lateBus(bus),
    channels: channelsOf(options),
    clock,
    log,
    nonce,
  };
  return {
    deps: async () => {
      await config.refresh();
      return deps;
    },
    close: async () => {
      await Promise.allSettled(opened.map((close) => close()));
    },
    ...(env.push === undefined ? {} : { guard: createPushGuard({ ...env.push, log }) }),
  };
}

async function openBus({ env, clock, log }: CloudOptions): Promise<PubSubBus> {
  const { createPubSubBus } = await import('../../shared/adapters/pubsub/bus.ts');
  return createPubSubBus({ ...env, clock, log });
}

async function openCes({ env: { common }, log }: CloudOptions): Promise<Ces> {
  const { createCes } = await import('../../shared/adapters/ces/client.ts');
  const { applicationDefaultCredentials, noCredentials } = await import('../../shared/adapters/ces/credentials.ts');
  return createCes({
    url: common.cesMcpUrl,
    credentials: common.cesAuth === 'none' ? noCredentials() : applicationDefaultCredentials(),
    timeoutMs: common.cesTimeoutMs,
    log,
    ...(common.quotaProject === undefined ? {} : { quotaProject: common.quotaProject }),
  });
}

function channelsOf({ env: { common }, secrets, clock, log }: CloudOptions): Channels {
  const shared = { timeoutMs: SEND_TIMEOUT_MS, log };
  return {
    slack: lateChannel(
      lazily(async () => {
        const { createSlackChannel } = await import('../../shared/adapters/slack/channel.ts');
        return createSlackChannel({ ...shared, clock, apiUrl: common.slackApiUrl, token: common.slackBotToken });
      }),
    ),
    email: lateChannel(
      lazily(async () => {
        const { createEmailChannel } = await import('../../shared/adapters/email/channel.ts');
        return createEmailChannel({ ...shared, smtpUrl: common.smtpUrl, from: common.emailFrom });
      }),
    ),
    webhook: lateChannel(
      lazily(async () => {
        const { createWebhookChannel } = await import('../../shared/adapters/webhook/channel.ts');
        return createWebhookChannel({ ...shared, env: secrets, allowLoopback: false, clock });
      }),
    ),
  };
}

const settingsOf = ({ common, publicUrl }: CloudEnv): Settings => ({
  pollMinMs: common.pollMinMs,
  pollMaxMs: common.pollMaxMs,
  cesTimeoutMs: common.cesTimeoutMs,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  rescueAfterMs: RESCUE_AFTER_MS,
  webhookSecrets: common.webhookSecrets,
  ...(common.githubWebhookSecret === undefined ? {} : { githubWebhookSecret: common.githubWebhookSecret }),
  ...(publicUrl === undefined ? {} : { publicUrl }),
  ...(common.apiToken === undefined ? {} : { apiToken: common.apiToken }),
});
