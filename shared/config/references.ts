import { isRecord, type Json } from '../domain/json.ts';
import { scheduleProblem } from '../domain/schedule.ts';
import { parseDuration } from './durations.ts';
import { isLoopback } from './env.ts';
import { nearest } from './nearest.ts';
import type { Flaw, Path } from './problems.ts';

/**
 * What is wrong between places that are each well formed: names that nobody declared, two of what there may be one of.
 * It reads the file as it is, so that these are told together with flaws of shape.
 */
export function referenceFlaws(data: Json, now: Date): readonly Flaw[] {
  return [
    ...timezoneFlaws(data['timezone'], ['timezone']),
    ...each(data, 'datasets').flatMap(({ path, value }) =>
      undeclared(value['app'], group(data, 'apps'), [...path, 'app'], 'app'),
    ),
    ...each(data, 'plans').flatMap(({ path, value }) => planFlaws(data, value, path, now)),
    ...each(data, 'subscribers').flatMap(({ path, value }) => subscriberFlaws(value, path)),
  ];
}

function planFlaws(data: Json, plan: Json, path: Path, now: Date): readonly Flaw[] {
  return [
    ...undeclared(plan['app'], group(data, 'apps'), [...path, 'app'], 'app'),
    ...undeclared(plan['dataset'], group(data, 'datasets'), [...path, 'dataset'], 'dataset'),
    ...texts(plan['alerts']).flatMap((name, index) =>
      undeclared(name, group(data, 'subscribers'), [...path, 'alerts', index], 'subscriber'),
    ),
    ...repeated(plan['alerts'], [...path, 'alerts']),
    ...repeated(plan['evaluations'], [...path, 'evaluations']),
    ...whatToEvaluate(data, plan, path),
    ...timezoneFlaws(plan['timezone'], [...path, 'timezone']),
    ...scheduleFlaws(data, plan, path, now),
    ...mustPassFlaws(data, plan, path),
    ...deadlineFlaws(plan['deadline'], [...path, 'deadline']),
  ];
}

function whatToEvaluate(data: Json, plan: Json, path: Path): readonly Flaw[] {
  const { dataset, evaluations } = plan;
  if (dataset !== undefined && evaluations !== undefined) {
    return [
      {
        path: [...path, 'evaluations'],
        message: 'a plan has a dataset or evaluations, not both',
        hint: 'remove one',
        atKey: true,
      },
    ];
  }
  if (dataset === undefined && evaluations === undefined) {
    return [{ path, message: 'does not say what to evaluate', hint: 'add dataset or evaluations', atKey: true }];
  }
  const declared = typeof dataset === 'string' ? member(group(data, 'datasets'), dataset) : undefined;
  if (declared === undefined || declared['app'] === plan['app'] || typeof plan['app'] !== 'string') return [];
  return [
    {
      path: [...path, 'dataset'],
      message: `dataset ${String(dataset)} belongs to app ${String(declared['app'])}, the plan to ${plan['app']}`,
    },
  ];
}

function mustPassFlaws(data: Json, plan: Json, path: Path): readonly Flaw[] {
  const gate = isRecord(plan['gate']) ? plan['gate'] : {};
  const dataset = typeof plan['dataset'] === 'string' ? member(group(data, 'datasets'), plan['dataset']) : undefined;
  const known = texts(plan['evaluations'] ?? dataset?.['evaluations']);
  if (known.length === 0) return [];
  return texts(gate['mustPass']).flatMap((name, index) =>
    known.includes(name)
      ? []
      : [
          {
            path: [...path, 'gate', 'mustPass', index],
            message: `${name} is not among the evaluations of the plan`,
            ...hintFor(name, known),
          },
        ],
  );
}

function scheduleFlaws(data: Json, plan: Json, path: Path, now: Date): readonly Flaw[] {
  const { schedule } = plan;
  const timezone = plan['timezone'] ?? data['timezone'] ?? 'UTC';
  if (typeof schedule !== 'string' || typeof timezone !== 'string' || !isTimezone(timezone)) return [];
  const message = scheduleProblem({ cron: schedule, timezone }, now);
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

const CHANNELS = ['slack', 'email', 'webhook'] as const;

function subscriberFlaws(subscriber: Json, path: Path): readonly Flaw[] {
  const used = CHANNELS.filter((channel) => subscriber[channel] !== undefined);
  const count: readonly Flaw[] =
    used.length === 1
      ? []
      : [
          {
            path,
            message: `must have one of ${CHANNELS.join(', ')}; it has ${used.join(' and ') || 'none'}`,
            atKey: true,
          },
        ];
  return [
    ...count,
    ...repeated(subscriber['on'], [...path, 'on']),
    ...localeFlaws(subscriber['locale'], [...path, 'locale']),
    ...webhookFlaws(subscriber['webhook'], [...path, 'webhook', 'url']),
  ];
}

function webhookFlaws(webhook: unknown, path: Path): readonly Flaw[] {
  const url = isRecord(webhook) && typeof webhook['url'] === 'string' ? URL.parse(webhook['url']) : null;
  if (url === null) return [];
  if (url.username !== '' || url.password !== '') {
    return [{ path, message: 'holds credentials', hint: 'the request is signed; remove them' }];
  }
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.href))
    ? []
    : [{ path, message: 'must be an https URL' }];
}

function localeFlaws(locale: unknown, path: Path): readonly Flaw[] {
  if (typeof locale !== 'string') return [];
  try {
    Intl.getCanonicalLocales(locale);
    return [];
  } catch {
    return [{ path, message: `"${locale}" is not a locale`, hint: 'write it as en, de or pt-BR' }];
  }
}

function timezoneFlaws(timezone: unknown, path: Path): readonly Flaw[] {
  if (typeof timezone !== 'string' || isTimezone(timezone)) return [];
  const known = Intl.supportedValuesOf('timeZone');
  return [{ path, message: `"${timezone}" is not a time zone`, ...hintFor(timezone, known) }];
}

function isTimezone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function undeclared(name: unknown, known: Json, path: Path, noun: string): readonly Flaw[] {
  if (typeof name !== 'string' || Object.hasOwn(known, name)) return [];
  return [{ path, message: `there is no ${noun} ${name}`, ...hintFor(name, Object.keys(known)) }];
}

function hintFor(name: string, known: readonly string[]): { readonly hint?: string } {
  const close = nearest(name, known);
  return close === undefined ? {} : { hint: `did you mean "${close}"?` };
}

const repeated = (list: unknown, path: Path): readonly Flaw[] =>
  texts(list).flatMap((text, index, all) =>
    all.indexOf(text) === index ? [] : [{ path: [...path, index], message: `${text} is named twice` }],
  );

const texts = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];

const group = (data: Json, name: string): Json => (isRecord(data[name]) ? data[name] : {});

function member(of: Json, name: string): Json | undefined {
  const value = Object.hasOwn(of, name) ? of[name] : undefined;
  return isRecord(value) ? value : undefined;
}

const each = (data: Json, name: string): readonly { readonly path: Path; readonly value: Json }[] =>
  Object.entries(group(data, name)).flatMap(([key, value]) => (isRecord(value) ? [{ path: [name, key], value }] : []));
