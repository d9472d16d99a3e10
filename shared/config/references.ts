import { isRecord, type Json } from '../domain/json.ts';
import { scheduleProblem } from '../domain/schedule.ts';
import { parseDuration } from './durations.ts';
import { isTimezone, timezoneFlaws } from './places.ts';
import type { Flaw, Path } from './problems.ts';
import { each, group, hintFor, items, member, own, repeated, undeclared } from './raw.ts';
import { subscriberFlaws } from './subscriber-references.ts';

/**
 * What is wrong between places that are each well formed: names that nobody declared, two of what there may be one of.
 * It reads the file as it is, so that these are told together with flaws of shape.
 */
export function referenceFlaws(data: Json, now: Date): readonly Flaw[] {
  return [
    ...timezoneFlaws(data['timezone'], ['timezone']),
    ...each(data, 'datasets').flatMap(({ path, value }) => [
      ...undeclared(value['app'], group(data, 'apps'), [...path, 'app'], 'app'),
      ...repeated(value['evaluations'], [...path, 'evaluations']),
    ]),
    ...each(data, 'plans').flatMap(({ path, value }) => planFlaws(data, value, path, now)),
    ...each(data, 'subscribers').flatMap(({ path, value }) => subscriberFlaws(value, path)),
  ];
}

function planFlaws(data: Json, plan: Json, path: Path, now: Date): readonly Flaw[] {
  return [
    ...undeclared(plan['app'], group(data, 'apps'), [...path, 'app'], 'app'),
    ...undeclared(plan['dataset'], group(data, 'datasets'), [...path, 'dataset'], 'dataset'),
    ...items(plan['alerts']).flatMap((name, index) =>
      undeclared(name, group(data, 'subscribers'), [...path, 'alerts', index], 'subscriber'),
    ),
    ...repeated(plan['alerts'], [...path, 'alerts']),
    ...repeated(plan['evaluations'], [...path, 'evaluations']),
    ...whatToEvaluate(data, plan, path),
    ...versionFlaws(data, plan, [...path, 'appVersion']),
    ...timezoneFlaws(plan['timezone'], [...path, 'timezone']),
    ...scheduleFlaws(data, plan, path, now),
    ...deadlineFlaws(plan['deadline'], [...path, 'deadline']),
    ...gateFlaws(data, plan, [...path, 'gate']),
  ];
}

function whatToEvaluate(data: Json, plan: Json, path: Path): readonly Flaw[] {
  const { app, dataset, evaluations } = plan;
  if (dataset !== undefined && evaluations !== undefined) {
    const message = 'a plan has a dataset or evaluations, not both';
    return [{ path: [...path, 'evaluations'], message, hint: 'remove one', atKey: true }];
  }
  if (dataset === undefined && evaluations === undefined) {
    return [{ path, message: 'does not say what to evaluate', hint: 'add dataset or evaluations', atKey: true }];
  }
  const other = member(group(data, 'datasets'), dataset)?.['app'];
  if (typeof app !== 'string' || typeof other !== 'string' || other === app) return [];
  if (!Object.hasOwn(group(data, 'apps'), app)) return [];
  const message = `dataset ${String(dataset)} belongs to app ${other}, the plan to ${app}`;
  return [{ path: [...path, 'dataset'], message }];
}

/** A version that is named in full belongs to one app, and that has to be the plan's. */
function versionFlaws(data: Json, { app, appVersion }: Json, path: Path): readonly Flaw[] {
  const full = typeof app === 'string' ? own(group(data, 'apps'), app) : undefined;
  if (typeof full !== 'string' || typeof appVersion !== 'string' || !appVersion.startsWith('projects/')) return [];
  return appVersion.startsWith(`${full}/versions/`)
    ? []
    : [{ path, message: 'is not a version of the app of the plan', hint: `that is ${full}` }];
}

function scheduleFlaws(data: Json, plan: Json, path: Path, now: Date): readonly Flaw[] {
  const { schedule } = plan;
  const timezone = plan['timezone'] ?? data['timezone'] ?? 'UTC';
  if (typeof schedule !== 'string') return [];
  // With a zone that is wrong itself, the five fields can still be looked at.
  const zone = typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
  const message = scheduleProblem({ cron: schedule, timezone: zone }, now);
  return message === undefined ? [] : [{ path: [...path, 'schedule'], message }];
}

/** A run that is waited for longer than a week is one that nobody waits for. */
const LONGEST_DEADLINE_MS = 7 * 24 * 60 * 60 * 1000;
const SHORTEST_DEADLINE_MS = 1_000;

function deadlineFlaws(value: unknown, path: Path): readonly Flaw[] {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  const fits = ms === undefined || (ms >= SHORTEST_DEADLINE_MS && ms <= LONGEST_DEADLINE_MS);
  return fits ? [] : [{ path, message: 'must be between 1s and 7d' }];
}

function gateFlaws(data: Json, plan: Json, path: Path): readonly Flaw[] {
  const { gate } = plan;
  if (!isRecord(gate)) return [];
  const declared = member(group(data, 'datasets'), plan['dataset'])?.['evaluations'];
  return [
    ...mustPassFlaws(items(gate['mustPass']), texts(plan['evaluations'] ?? declared), [...path, 'mustPass']),
    ...repeated(gate['mustPass'], [...path, 'mustPass']),
    ...Object.entries(group(gate, 'maxP90'))
      .filter(([, limit]) => typeof limit === 'string' && parseDuration(limit) === 0)
      .map(([kind]) => ({ path: [...path, 'maxP90', kind], message: 'must be longer than 0: every call takes time' })),
  ];
}

const texts = (list: unknown): readonly string[] => items(list).filter((item) => typeof item === 'string');

function mustPassFlaws(names: readonly unknown[], evaluated: readonly string[], path: Path): readonly Flaw[] {
  // Without any the plan is wrong already, and told so.
  if (evaluated.length === 0) return [];
  return names.flatMap((name, index) => {
    if (typeof name !== 'string' || evaluated.includes(name)) return [];
    const message = `${name} is not among the evaluations of the plan`;
    return [{ path: [...path, index], message, ...hintFor(name, evaluated) }];
  });
}
