/** Long enough for Google's usual sentence with its link, short enough for one line of a log. */
const EXCERPT_CHARACTERS = 300;

/** Error pages put styles first; what stands further back than this is not looked for. */
const READ_CHARACTERS = 20_000;

/** What a server wrote, as one short line without markup: fit for an error message. */
export function excerptOf(text: string): string {
  const plain = text
    .slice(0, READ_CHARACTERS)
    .replaceAll(/<(style|script)\b[^]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<[a-z!/][^>]*>/gi, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return plain.length <= EXCERPT_CHARACTERS ? plain : `${plain.slice(0, EXCERPT_CHARACTERS - 1)}…`;
}

/** Servers and proxies that quote a request back must not bring a token into a log or into a stored document. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);

/**
 * Milliseconds of a `Retry-After`: a number of seconds, or a date that is compared with the answer's own `Date`, so
 * that a wrong clock on this machine does not matter.
 */
export function retryAfterMsOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, until - (Number.isNaN(sent) ? Date.now() : sent));
}
