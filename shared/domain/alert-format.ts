/** For whom numbers and times are written. A subscriber is one. */
export interface Reader {
  /** BCP 47. */
  readonly locale: string;
  /** IANA name. */
  readonly timezone: string;
}

export interface Formats {
  readonly count: (value: number) => string;
  /** @param rate 0 to 1 */
  readonly percent: (rate: number) => string;
  /** @param at ISO 8601 */
  readonly time: (at: string) => string;
  readonly duration: (ms: number) => string;
}

export function formatsOf(reader: Reader): Formats {
  const locale = knownLocale(reader.locale);
  const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const time = new Intl.DateTimeFormat(locale, {
    timeZone: knownTimezone(reader.timezone),
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return {
    count: (value) => integer.format(value),
    percent: (rate) => percentText(rate, locale),
    time: (at) => time.format(new Date(at)),
    duration: (ms) => durationText(ms, integer),
  };
}

/** Nearly all is not all: 99.98 % is written 99.9 %, where rounding would make it look like 100 %. */
function percentText(rate: number, locale: string): string {
  const roundingMode = rate < 1 && rate >= 0.9995 ? 'trunc' : 'halfExpand';
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(locale, { style: 'percent', ...digits, roundingMode }).format(rate);
}

/** `1 h 14 min`, `14 min 5 s`, `5 s`: the two largest units. */
function durationText(ms: number, integer: Intl.NumberFormat): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  if (first === -1) return `${integer.format(0)} s`;
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${integer.format(value)} ${unit}`)
    .join(' ');
}

/** An alert is worth more than its number format: what Intl does not know is written the English way, in UTC. */
function knownLocale(locale: string): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

function knownTimezone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** Marks that change the direction of the text around them: with one, a name could rewrite the line it stands in. */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A text from outside as one line, without control characters, direction marks and halves of characters. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(DIRECTION, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

/**
 * The text in at most `limit` UTF-16 code units, which is how the receivers that count less generously count. It is
 * cut between code points, and an ellipsis shows that it was.
 */
export const clip = (text: string, limit: number): string => clipDrawn(text, limit, (point) => point);

/** The same where each code point is drawn as something longer, such as an entity: what is drawn stays within `limit`. */
export function clipDrawn(text: string, limit: number, draw: (point: string) => string): string {
  let whole = '';
  let shortened = '';
  for (const point of text) {
    whole += draw(point);
    if (whole.length < limit) shortened = whole;
    else if (whole.length > limit) return `${shortened}…`;
  }
  return whole;
}
