import type { Flaw } from './problems.ts';
import type { File } from './schema.ts';

/** What is allowed and yet probably not meant. */
export function warningsAbout(file: File): readonly Flaw[] {
  const plans = Object.entries(file.plans);
  const subscribers = Object.entries(file.subscribers ?? {});
  const usedApps = new Set([...plans, ...Object.entries(file.datasets ?? {})].map(([, { app }]) => app));
  const usedDatasets = new Set(plans.map(([, { dataset }]) => dataset));
  const told = new Set(plans.flatMap(([, { alerts }]) => alerts ?? []));
  return [
    ...unused('apps', Object.keys(file.apps), (name) => usedApps.has(name)),
    ...unused('datasets', Object.keys(file.datasets ?? {}), (name) => usedDatasets.has(name)),
    ...unused('subscribers', Object.keys(file.subscribers ?? {}), (name) => told.has(name)),
    ...plans.flatMap(([name, plan]) => planWarnings(name, plan)),
    ...subscribers.flatMap(([name, subscriber]) => subscriberWarnings(name, subscriber)),
  ];
}

const unused = (group: string, names: readonly string[], isUsed: (name: string) => boolean): readonly Flaw[] =>
  names
    .filter((name) => !isUsed(name))
    .map((name) => ({ path: [group, name], message: 'is not used by any plan', atKey: true }));

function planWarnings(name: string, plan: File['plans'][string]): readonly Flaw[] {
  const path = ['plans', name];
  if (plan.schedule === undefined) {
    return (['timezone', 'overlap'] as const)
      .filter((key) => plan[key] !== undefined)
      .map((key) => ({ path: [...path, key], message: 'has no effect without a schedule', atKey: true }));
  }
  return /^\s*\*\s+\*\s/.test(plan.schedule)
    ? [
        {
          path: [...path, 'schedule'],
          message: 'fires every minute; each run costs as many sessions as it has results',
        },
      ]
    : [];
}

function subscriberWarnings(name: string, { on, slack }: NonNullable<File['subscribers']>[string]): readonly Flaw[] {
  const path = ['subscribers', name];
  const deaf = on?.includes('recovered') && !on.includes('failed') && !on.includes('still_failing');
  return [
    ...(deaf
      ? [{ path: [...path, 'on'], message: '"recovered" only goes to who was told of the failure; add "failed"' }]
      : []),
    ...(slack?.channel.startsWith('#')
      ? [{ path: [...path, 'slack', 'channel'], message: 'the id of a channel outlives a change of its name' }]
      : []),
  ];
}
