import { isKnownLocale } from './places.ts';
import type { Flaw } from './problems.ts';
import type { File } from './schema.ts';

type FilePlan = File['plans'][string];
type FileDataset = NonNullable<File['datasets']>[string];
type FileSubscriber = NonNullable<File['subscribers']>[string];

/** What is allowed and yet probably not meant. */
export function warningsAbout(file: File): readonly Flaw[] {
  const plans = Object.entries(file.plans);
  const datasets = Object.entries(file.datasets ?? {});
  const subscribers = Object.entries(file.subscribers ?? {});
  const usedApps = new Set([...plans, ...datasets].map(([, { app }]) => app));
  const usedDatasets = new Set(plans.map(([, { dataset }]) => dataset));
  const told = new Set(plans.flatMap(([, { alerts }]) => alerts ?? []));
  return [
    ...unused('apps', Object.keys(file.apps), (name) => usedApps.has(name)),
    ...unused('datasets', Object.keys(file.datasets ?? {}), (name) => usedDatasets.has(name)),
    ...unused('subscribers', Object.keys(file.subscribers ?? {}), (name) => told.has(name)),
    ...datasets.flatMap(([name, dataset]) => datasetWarnings(name, dataset)),
    ...plans.flatMap(([name, plan]) => planWarnings(name, plan)),
    ...subscribers.flatMap(([name, subscriber]) => subscriberWarnings(name, subscriber)),
  ];
}

const unused = (group: string, names: readonly string[], isUsed: (name: string) => boolean): readonly Flaw[] =>
  names
    .filter((name) => !isUsed(name))
    .map((name) => ({ path: [group, name], message: 'is not used by any plan', atKey: true }));

/** What users of CES report of the ids that it takes; Google does not document it, so it is no problem. */
const [SHORTEST_ID_CHARACTERS, LONGEST_ID_CHARACTERS] = [5, 36];

function datasetWarnings(name: string, { id }: FileDataset): readonly Flaw[] {
  const { length } = id ?? name;
  if (length >= SHORTEST_ID_CHARACTERS && length <= LONGEST_ID_CHARACTERS) return [];
  const message = `CES is said to take ids of ${SHORTEST_ID_CHARACTERS} to ${LONGEST_ID_CHARACTERS} characters only`;
  return id === undefined
    ? [{ path: ['datasets', name], message, hint: 'add an id, or choose another name', atKey: true }]
    : [{ path: ['datasets', name, 'id'], message }];
}

function planWarnings(name: string, plan: FilePlan): readonly Flaw[] {
  const path = ['plans', name];
  if (plan.schedule === undefined) {
    return (['timezone', 'overlap'] as const)
      .filter((key) => plan[key] !== undefined)
      .map((key) => ({ path: [...path, key], message: 'has no effect without a schedule', atKey: true }));
  }
  return /^\s*\*(?:\/1)?\s/.test(plan.schedule)
    ? [
        {
          path: [...path, 'schedule'],
          message: 'fires every minute of the hours that it names',
          hint: 'write a minute first, as in "0 2 * * *"',
        },
      ]
    : [];
}

function subscriberWarnings(name: string, { on, slack, locale }: FileSubscriber): readonly Flaw[] {
  const path = ['subscribers', name];
  const deaf = on?.includes('recovered') && !on.includes('failed') && !on.includes('still_failing');
  return [
    ...(deaf
      ? [{ path: [...path, 'on'], message: '"recovered" only goes to who was told of the failure', hint: 'add failed' }]
      : []),
    ...(slack?.channel.startsWith('#')
      ? [
          {
            path: [...path, 'slack', 'channel'],
            message: 'a channel that is named stops getting alerts when it is renamed',
            hint: 'write its id',
          },
        ]
      : []),
    ...(locale === undefined || isKnownLocale(locale)
      ? []
      : [
          {
            path: [...path, 'locale'],
            message: `nothing is known of the locale ${locale}, so alerts may be in English`,
          },
        ]),
  ];
}
