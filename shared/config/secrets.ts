import { isRecord } from '../domain/json.ts';
import type { Flaw, Path } from './problems.ts';

/** What tokens of Slack, Standard Webhooks, GitHub and Google look like, and Slack's webhook URLs, which are secrets too. */
const SECRET = /xox[abeoprs]-|whsec_|gh[oprsu]_[A-Za-z0-9]{16}|AIza[A-Za-z0-9_-]{20}|hooks\.slack\.com\/services\//;

/** Secrets stand in the environment, never in the file. The value is not repeated. */
export function secretFlaws(value: unknown, path: Path = []): readonly Flaw[] {
  if (typeof value === 'string') {
    return SECRET.test(value)
      ? [
          {
            path,
            message: 'looks like a secret',
            hint: 'put it into the environment, and take it out of this file and its history',
          },
        ]
      : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => secretFlaws(item, [...path, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([key, item]) => secretFlaws(item, [...path, key])) : [];
}
