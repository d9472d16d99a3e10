/** How values of the environment are read. Many of them are secrets, so no message repeats a value. */

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const wrong = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

/** An id, which ends up in a header or in a name. */
export const oneWord = (value: string): Parsed<string | undefined> =>
  /^[^\s\p{Cc}]+$/u.test(value) ? ok(value) : wrong('must be one word');

/** Whether a URL names this very machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** A URL that credentials may be sent to. */
export function secureUrl(value: string): Parsed<string> {
  const parsed = URL.parse(value);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return wrong('is not an http or https URL');
  if (parsed.username !== '' || parsed.password !== '') return wrong('must not hold credentials');
  return parsed.protocol === 'https:' || isLoopback(value)
    ? ok(value)
    : wrong('would send credentials in clear text; write https, or name a loopback address');
}

/** The Slack client puts the names of methods right behind it. */
export function baseUrl(value: string): Parsed<string> {
  const parsed = secureUrl(value);
  return parsed.ok && !value.endsWith('/') ? ok(`${value}/`) : parsed;
}

/** Tokens that Slack rotates begin with `xoxe.`. */
export const slackToken = (value: string): Parsed<string | undefined> =>
  /^(?:xoxe\.)?xoxb-[A-Za-z0-9-]+$/.test(value)
    ? ok(value)
    : wrong('is no bot token: those begin with xoxb-; see "OAuth & Permissions" of the Slack app');

export function smtpUrl(value: string): Parsed<string | undefined> {
  const parsed = URL.parse(value);
  return parsed !== null && /^smtps?:$/.test(parsed.protocol) && parsed.hostname !== ''
    ? ok(value)
    : wrong('is not an smtp:// or smtps:// URL with a host');
}

/** A line break here would add headers to every mail. */
export const sender = (value: string): Parsed<string | undefined> =>
  /^(?:[^\p{Cc}<>@]*<[^\s\p{Cc}<>@,;]+@[^\s\p{Cc}<>@,;]+>|[^\s\p{Cc}<>@,;]+@[^\s\p{Cc}<>@,;]+)$/u.test(value)
    ? ok(value)
    : wrong('is not one address; write evals@acme.example or Evals <evals@acme.example>');

/** The Standard Webhooks specification: base64 of 24 to 64 random bytes behind `whsec_`. */
export function webhookSecrets(value: string): Parsed<readonly string[]> {
  const secrets = value.split(/\s+/);
  const bad = secrets.findIndex((secret) => !isWebhookSecret(secret));
  if (bad === -1) return ok(secrets);
  const which = secrets.length === 1 ? 'is' : `holds, as number ${bad + 1},`;
  return wrong(`${which} no Standard Webhooks secret: write whsec_ and the base64 of 24 to 64 random bytes`);
}

/** Base64 that is cut or badly padded is decoded to something by Node, and to something else by others. */
function isWebhookSecret(secret: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (base64 === undefined || base64.length % 4 !== 0) return false;
  const { length } = Buffer.from(base64, 'base64');
  return length >= 24 && length <= 64;
}

/** Sixteen characters are the least that cannot be guessed over a network. */
export function apiToken(value: string): Parsed<string | undefined> {
  if (!/^[\x21-\x7e]+$/.test(value)) return wrong('does not fit into a header: write ASCII without spaces');
  return value.length >= 16
    ? ok(value)
    : wrong('is shorter than 16 characters; `openssl rand -hex 32` makes a good one');
}
