import type { Address, AlertReason, Config, Dataset, Gate, Plan, RunSpec, Subscriber } from '../domain/plan.ts';
import { parseDuration } from './durations.ts';
import type { File } from './schema.ts';

const DEFAULT_DEADLINE_MS = 2 * 60 * 60 * 1000;
const DEFAULT_ON: readonly AlertReason[] = ['failed', 'recovered', 'inconclusive', 'overdue'];

/** The configuration that the pipeline works with: names resolved, defaults filled in, durations in milliseconds. */
export function buildConfig(file: File): Config {
  const timezone = file.timezone ?? 'UTC';
  const datasets = mapValues(file.datasets ?? {}, (dataset, name): Dataset => ({
    name,
    app: file.apps[dataset.app] ?? '',
    id: dataset.id ?? name,
    displayName: dataset.displayName,
    evaluations: dataset.evaluations,
  }));
  return {
    timezone,
    apps: { ...file.apps },
    datasets,
    plans: mapValues(file.plans, (plan, name) => planOf(name, plan, file.apps[plan.app] ?? '', datasets, timezone)),
    subscribers: mapValues(file.subscribers ?? {}, (subscriber, name) => subscriberOf(name, subscriber, timezone)),
  };
}

type FilePlan = File['plans'][string];
type FileSubscriber = NonNullable<File['subscribers']>[string];

function planOf(name: string, plan: FilePlan, app: string, datasets: Config['datasets'], fallbackZone: string): Plan {
  const dataset = plan.dataset === undefined ? undefined : datasets[plan.dataset];
  const spec: RunSpec = {
    app,
    deadlineMs: msOf(plan.deadline) ?? DEFAULT_DEADLINE_MS,
    gate: gateOf(plan.gate ?? {}),
    alerts: plan.alerts ?? [],
    ...(dataset === undefined ? {} : { dataset: dataset.id }),
    ...(plan.evaluations === undefined ? {} : { evaluations: plan.evaluations }),
    ...(plan.appVersion === undefined ? {} : { appVersion: plan.appVersion }),
  };
  if (plan.schedule === undefined) return { name, spec };
  const schedule = { cron: plan.schedule, timezone: plan.timezone ?? fallbackZone, overlap: plan.overlap ?? 'skip' };
  return { name, spec, schedule };
}

function gateOf(gate: NonNullable<FilePlan['gate']>): Gate {
  const maxP90Ms: Record<string, number> = {};
  for (const [kind, limit] of Object.entries(gate.maxP90 ?? {})) {
    const ms = msOf(limit);
    if (ms !== undefined) maxP90Ms[kind] = ms;
  }
  return {
    minPassRate: gate.minPassRate ?? 1,
    maxErrorRate: gate.maxErrorRate ?? 0,
    mustPass: gate.mustPass ?? [],
    maxP90Ms,
    ...(gate.maxNewlyFailing === undefined ? {} : { maxNewlyFailing: gate.maxNewlyFailing }),
  };
}

const subscriberOf = (name: string, subscriber: FileSubscriber, timezone: string): Subscriber => ({
  name,
  address: addressOf(subscriber),
  on: subscriber.on ?? DEFAULT_ON,
  locale: subscriber.locale ?? 'en',
  timezone,
});

/** Exactly one of the three is there: the references were checked before. */
function addressOf({ slack, email, webhook }: FileSubscriber): Address {
  if (slack !== undefined) return { kind: 'slack', channel: slack.channel };
  if (email !== undefined) return { kind: 'email', to: email.to };
  return { kind: 'webhook', url: webhook?.url ?? '', secretEnv: webhook?.secretEnv ?? '' };
}

const msOf = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDuration(duration);

const mapValues = <A, B>(record: Readonly<Record<string, A>>, map: (value: A, name: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
