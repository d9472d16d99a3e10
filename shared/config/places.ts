import type { Flaw, Path } from './problems.ts';
import { hintFor } from './raw.ts';

/** Time zones and locales, as this Node knows them. */

export function timezoneFlaws(timezone: unknown, path: Path): readonly Flaw[] {
  if (typeof timezone !== 'string' || timezone === '' || isTimezone(timezone)) return [];
  const known = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const city = known.find((zone) => zone.toLowerCase().endsWith(`/${timezone.toLowerCase().replaceAll(' ', '_')}`));
  const hint = city === undefined ? hintFor(timezone, known) : { hint: `did you mean "${city}"?` };
  return [{ path, message: `"${timezone}" is not an IANA time zone`, ...hint }];
}

/** Offsets such as +01:00 are known to Intl too, but they do not follow the clock changes of any place. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export function localeFlaws(locale: unknown, path: Path): readonly Flaw[] {
  if (typeof locale !== 'string') return [];
  try {
    Intl.getCanonicalLocales(locale);
    return [];
  } catch {
    return [{ path, message: `"${locale}" is not a locale`, hint: 'write it as en, de or pt-BR' }];
  }
}

/** Whether numbers and times can be written in a locale that is well formed. */
export const isKnownLocale = (locale: string): boolean => Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
