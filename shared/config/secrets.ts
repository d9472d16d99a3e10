/**
 * What tokens of Slack, Standard Webhooks, GitHub and Google look like, Slack's webhook URLs, which are secrets too:
 * whoever has one can post with it, and URLs with a user or a password.
 */
const SECRET =
  /(?:\bxox[a-z]-|\bxapp-\d-|whsec_|\bgh[oprsu]_[A-Za-z0-9]{16}|\bgithub_pat_|\bAIza[A-Za-z0-9_-]{20}|hooks\.slack\.com\/|:\/\/[^\s/?#]*@)\S*/g;

export const holdsSecret = (text: string): boolean => text.search(SECRET) !== -1;

/** The text without what looks like a secret, for messages and paths. */
export const redact = (text: string): string => text.replaceAll(SECRET, '…');
