import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { beforeAll, describe, expect, test } from '@jest/globals';

import { FUNCTIONS } from '../../functions/register.ts';
import { DEAD_LETTER_TOPIC } from '../../shared/adapters/pubsub/bus.ts';
import { ENV_VARIABLES } from '../../shared/config/env-variables.ts';
import { TOPICS } from '../../shared/messages.ts';
import { bodyOf, only, ofType, readTerraform, type Block, type Terraform } from './terraform.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A row of the table in functions.tf. */
interface FunctionRow {
  readonly topic: string | null;
  readonly publishes: readonly string[];
  readonly delays: boolean;
  readonly timeout_seconds: number;
}

/** A line of the logs that is counted. */
interface Metric {
  readonly function: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

let terraform: Terraform;
let rows: Readonly<Record<string, FunctionRow>>;

beforeAll(async () => {
  terraform = await readTerraform();
  rows = terraform.locals['functions'] as typeof rows;
});

const allText = (): string => [...terraform.files.values()].join('\n');

describe('the folder', () => {
  test('is flat, and knows no provider but google', () => {
    expect({ modules: terraform.modules, providers: terraform.settings['required_providers'] }).toEqual({
      modules: [],
      providers: [{ google: { source: 'hashicorp/google', version: '~> 6.50' } }],
    });
  });

  test('has lines of at most 100 characters', () => {
    const long = [...terraform.files].flatMap(([name, text]) =>
      text.split('\n').flatMap((line, index) => (line.length > 100 ? [`${name}:${index + 1}`] : [])),
    );
    expect(long).toEqual([]);
  });

  test.each(['variable', 'output'])('has every %s in alphabetical order, with a description', (kind) => {
    const names = [...(terraform.files.get(`${kind}s.tf`) ?? '').matchAll(/^(\w+) "(\w+)"/gm)].map(
      ([, , name = '']) => name,
    );
    const blocks = kind === 'variable' ? terraform.variables : terraform.outputs;
    expect(names.toSorted()).toEqual(Object.keys(blocks).toSorted());
    expect(names).toEqual(names.toSorted());
    expect(Object.keys(blocks).filter((name) => blocks[name]?.['description'] === undefined)).toEqual([]);
  });

  test('asks for nothing but the project', () => {
    const required = Object.entries(terraform.variables).filter(([, variable]) => !('default' in variable));
    expect(required.map(([name]) => name)).toEqual(['project']);
  });

  test('counts no resources, so that none takes the place of another', () => {
    expect(terraform.resources.filter(({ body }) => 'count' in body).map(({ address }) => address)).toEqual([]);
  });

  test('says what to do instead when an input is refused', () => {
    const messages = Object.values(terraform.variables).flatMap((variable) =>
      ((variable['validation'] ?? []) as Block[]).map((rule) => String(rule['error_message'])),
    );
    expect(
      messages.filter(
        (message) => !/^(?:Begin|Give|Write|Make|Set|Leave out|E-mails need|environment takes) .*\.$/.test(message),
      ),
    ).toEqual([]);
    expect(messages.length).toBeGreaterThan(12);
  });

  test('has every input in docs/deploy.md', () => {
    const guide = readFileSync(resolve(ROOT, 'docs/deploy.md'), 'utf8');
    expect(Object.keys(terraform.variables).filter((name) => !guide.includes(`| \`${name}\` |`))).toEqual([]);
  });
});

describe('the functions', () => {
  test('are those that are registered, with their triggers', () => {
    expect(Object.fromEntries(Object.entries(rows).map(([name, { topic }]) => [name, topic ?? 'http']))).toEqual(
      Object.fromEntries(FUNCTIONS.map(({ name, trigger }) => [name, trigger])),
    );
  });

  test('run on the Node that they are tested on, as themselves', () => {
    const { build_config: build, service_config: service } = bodyOf(
      terraform,
      'google_cloudfunctions2_function.function',
    );
    expect(only(build)).toMatchObject({ runtime: 'nodejs24', entry_point: '${each.key}' });
    expect(only(service)).toMatchObject({
      service_account_email: '${local.function_accounts[each.key]}',
      environment_variables: '${local.environment}',
    });
    expect(bodyOf(terraform, 'google_service_account.function')['for_each']).toBe('${local.functions}');
    expect(bodyOf(terraform, 'google_cloudfunctions2_function.function')['event_trigger']).toBeUndefined();
  });

  test('get an environment that the product knows', () => {
    const source = globSync('functions/compose/*.ts', { cwd: ROOT })
      .map((path) => readFileSync(resolve(ROOT, path), 'utf8'))
      .join('\n');
    const known = new Set<string>(Object.values(ENV_VARIABLES).map(({ name }) => name));
    const fixed = terraform.locals['fixed_environment'] as Block;
    const given = [...Object.keys(fixed), ...(terraform.locals['settable_environment'] as string[])];
    expect(given.filter((name) => !known.has(name) && !source.includes(`'${name}'`))).toEqual(['NODE_ENV']);
    expect(fixed).toMatchObject({ NODE_ENV: 'production' });
  });

  test('put off a step only where they may make tasks, and tasks may publish what is put off', () => {
    const delayed = Object.entries(rows).filter(([, { delays }]) => delays);
    expect(delayed.map(([name]) => name).toSorted()).toEqual(['notifier', 'poller', 'sink', 'starter']);
    expect(bodyOf(terraform, 'google_pubsub_topic_iam_member.tasks')).toMatchObject({
      for_each: '${setsubtract(local.topics, ["dead-letter"])}',
      role: 'roles/pubsub.publisher',
    });
  });
});

describe('messages', () => {
  test('have the topics of the product', () => {
    for (const topic of [...TOPICS, DEAD_LETTER_TOPIC]) expect(terraform.locals['topics']).toContain(`"${topic}"`);
    const published = Object.values(rows).flatMap(({ publishes }) => publishes);
    expect([...new Set(published)].toSorted()).toEqual([...TOPICS, DEAD_LETTER_TOPIC].toSorted());
  });

  test('are retried on every subscription, and none expires', () => {
    const subscriptions = ofType(terraform, 'google_pubsub_subscription');
    expect(
      subscriptions.map(({ address, body }) => [address, only(body['retry_policy']), only(body['expiration_policy'])]),
    ).toEqual(
      ['dead_letters', 'push'].map((name) => [
        `google_pubsub_subscription.${name}`,
        { minimum_backoff: '10s', maximum_backoff: '600s' },
        { ttl: '' },
      ]),
    );
  });

  test('are pushed with a token and dead-lettered after some attempts, to where they can be pulled', () => {
    const push = bodyOf(terraform, 'google_pubsub_subscription.push');
    expect(push['for_each']).toBe('${local.subscribed}');
    expect(only(only(push['push_config'])['oidc_token'])).toEqual({
      service_account_email: '${local.push_accounts[each.key]}',
      audience: '${local.service_urls[each.key]}',
    });
    expect(only(push['dead_letter_policy'])).toEqual({
      dead_letter_topic: '${local.topic_ids["dead-letter"]}',
      max_delivery_attempts: '${local.delivery_attempts}',
    });
    expect(terraform.locals['delivery_attempts']).toBeGreaterThanOrEqual(5);
    expect(bodyOf(terraform, 'google_pubsub_subscription.dead_letters')).toMatchObject({
      topic: '${local.topic_ids["dead-letter"]}',
    });
  });

  test('come again only after the function was cut off', () => {
    const margin = Number(terraform.locals['ack_margin_seconds']);
    const timeouts = Object.values(rows).map((row) => row.timeout_seconds);
    expect(margin).toBeGreaterThan(0);
    expect(Math.max(...timeouts) + margin).toBeLessThanOrEqual(600);
    expect(bodyOf(terraform, 'google_pubsub_subscription.push')['ack_deadline_seconds']).toBe(
      '${each.value.timeout_seconds + local.ack_margin_seconds}',
    );
    const { service_config: service } = bodyOf(terraform, 'google_cloudfunctions2_function.function');
    expect(only(service)['timeout_seconds']).toBe('${each.value.timeout_seconds}');
  });

  test('are followed by a tick each minute, with a token', () => {
    const job = bodyOf(terraform, 'google_cloud_scheduler_job.tick');
    expect(job['schedule']).toBe('* * * * *');
    expect(only(only(job['http_target'])['oidc_token'])).toEqual({
      service_account_email: '${local.tick_account}',
      audience: '${local.service_urls["scheduler"]}',
    });
  });
});

describe('access', () => {
  test('is public at the webhook only', () => {
    const code = allText().replaceAll(/#.*$/gm, '');
    expect(code.match(/allUsers|allAuthenticatedUsers/g)).toEqual(['allUsers']);
    expect(terraform.locals['invokers']).toMatch(/webhook\s+= \["allUsers"\]/);
  });

  test('is given by no role that is broader than its use', () => {
    const code = allText().replaceAll(/#.*$/gm, '');
    const basic = terraform.locals['basic_roles'] as readonly string[];
    const named = new Set(code.match(/roles\/[a-z][\w.]*/gi));
    expect([...named].filter((role) => !basic.includes(role) && !role.startsWith('roles/ces.')).toSorted()).toEqual([
      'roles/artifactregistry.writer',
      'roles/cloudtasks.enqueuer',
      'roles/datastore.user',
      'roles/datastore.viewer',
      'roles/iam.serviceAccountTokenCreator',
      'roles/iam.serviceAccountUser',
      'roles/logging.logWriter',
      'roles/mcp.toolUser',
      'roles/pubsub.publisher',
      'roles/pubsub.subscriber',
      'roles/run.invoker',
      'roles/secretmanager.secretAccessor',
      'roles/serviceusage.serviceUsageConsumer',
      'roles/storage.objectViewer',
    ]);
    const given = JSON.stringify(terraform.resources.map(({ body }) => body['role']));
    expect(basic.filter((role) => given.includes(`"${role}"`))).toEqual([]);
  });

  test('to secrets is by reference: no value passes through terraform', () => {
    expect(ofType(terraform, 'google_secret_manager_secret_version')).toEqual([]);
    expect(ofType(terraform, 'google_secret_manager_secret')).toEqual([]);
    expect(Object.keys(terraform.locals['secret_owners'] as Block)).toEqual([
      'API_TOKEN',
      'GITHUB_WEBHOOK_SECRET',
      'SLACK_BOT_TOKEN',
      'SMTP_URL',
      'WEBHOOK_SECRET',
    ]);
  });
});

describe('monitoring', () => {
  test('counts lines that the functions write, by fields that they have', () => {
    const metrics = terraform.locals['log_metrics'] as Readonly<Record<string, Metric>>;
    const missing = Object.values(metrics).flatMap(({ function: name, message, fields }) => {
      const code = globSync(`functions/${name}/*.ts`, { cwd: ROOT })
        .map((path) => readFileSync(resolve(ROOT, path), 'utf8'))
        .join('\n');
      const at = code.indexOf(`'${message}'`);
      // The call that ends in the message, or the object that is handed to it, stands in the lines before.
      const before = code.slice(Math.max(0, at - 600), at);
      return [
        ...(at === -1 ? [message] : []),
        ...Object.keys(fields).flatMap((field) => (new RegExp(`\\b${field}\\b`).test(before) ? [] : [field])),
      ];
    });
    expect(missing).toEqual([]);
  });

  test('tells of dead letters, of messages that wait, of failing deliveries, of late runs and of silence', () => {
    expect(ofType(terraform, 'google_monitoring_alert_policy').map(({ address }) => address)).toEqual([
      'google_monitoring_alert_policy.backlog',
      'google_monitoring_alert_policy.dead_letters',
      'google_monitoring_alert_policy.log',
    ]);
    for (const metric of ['deliveries_failed', 'runs_inconclusive', 'runs_judged']) {
      expect(terraform.locals['log_alerts']).toContain(`local.counted.${metric}`);
    }
  });
});
