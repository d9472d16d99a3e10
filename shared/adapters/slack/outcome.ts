import type { SendOutcome } from '../../domain/delivery.ts';
import type { SlackProblem } from './answer.ts';

type NotSent = Exclude<SendOutcome, { kind: 'sent' }>;

const CHANNEL = 'set the channel of the subscriber in evals.yaml to the id of a channel that the app can see';
const INVITE = 'invite the app to the channel (/invite @app)';
const TOKEN = 'install the app again and set SLACK_BOT_TOKEN to its new bot token';
const SCOPE = 'give the app the scope chat:write, install it again and set SLACK_BOT_TOKEN';
const ADMIN = 'ask an administrator of the workspace to let the app post there';

/** Errors that stay until somebody does something, from the reference of chat.postMessage, and what that is. */
const REMEDIES: Readonly<Record<string, string>> = {
  channel_not_found: `${CHANNEL}; ${INVITE} if it is private`,
  channel_is_archived: 'restore the channel, or name another one in evals.yaml',
  is_archived: 'restore the channel, or name another one in evals.yaml',
  not_in_channel: INVITE,
  no_permission: `${INVITE}; ${ADMIN}`,
  restricted_action: ADMIN,
  restricted_action_read_only_channel: ADMIN,
  restricted_action_thread_only_channel: ADMIN,
  restricted_action_non_threadable_channel: ADMIN,
  team_access_not_granted: ADMIN,
  ekm_access_denied: ADMIN,
  access_denied: ADMIN,
  enterprise_is_restricted: ADMIN,
  accesslimited: ADMIN,
  org_login_required: TOKEN,
  invalid_auth: TOKEN,
  not_authed: TOKEN,
  token_revoked: TOKEN,
  token_expired: TOKEN,
  account_inactive: TOKEN,
  missing_scope: SCOPE,
  not_allowed_token_type: 'set SLACK_BOT_TOKEN to a bot token (xoxb-…)',
  messages_tab_disabled: 'turn on the messages tab of the app, or name a channel in evals.yaml',
  invalid_arguments: CHANNEL,
  invalid_channel: CHANNEL,
  unknown_method: 'correct SLACK_API_URL',
  metadata_too_large: 'report this as a defect of ces-evals',
  msg_too_long: 'report this as a defect of ces-evals',
  no_text: 'report this as a defect of ces-evals',
};

/** "It's possible some aspect of the operation succeeded before the error was raised", says Slack's reference of both. */
const HALF_DONE = new Set(['internal_error', 'fatal_error']);

export const remedyOf = (error: string): string | undefined =>
  Object.hasOwn(REMEDIES, error) ? REMEDIES[error] : undefined;

/** What a failed chat.postMessage means for the alert. */
export function outcomeOf(problem: SlackProblem, channel: string): NotSent {
  const attempt = `posting to Slack channel ${channel}`;
  switch (problem.kind) {
    case 'rate_limited':
      return { kind: 'retry', problem: `${attempt}: Slack asks to wait`, afterMs: problem.retryAfterMs };
    case 'not_sent':
      return {
        kind: 'retry',
        problem: `${attempt}: Slack could not be reached (${problem.code}); check SLACK_API_URL and the network`,
      };
    case 'no_answer':
      return { kind: 'unknown', problem: `${attempt}: the request went out and no answer came back` };
    case 'http':
      return httpOutcome(problem.status, attempt);
    case 'error':
      return errorOutcome(problem, attempt);
  }
}

function errorOutcome({ error, retryAfterMs }: SlackProblem & { kind: 'error' }, attempt: string): NotSent {
  const said = `${attempt}: Slack answered ${error}`;
  if (HALF_DONE.has(error)) return { kind: 'unknown', problem: `${said}, after which the message may be there` };
  const remedy = remedyOf(error);
  if (remedy !== undefined) return { kind: 'refused', problem: `${said}; ${remedy}` };
  // An error that we do not know is tried again: Slack adds new ones, and retries end by themselves.
  return { kind: 'retry', problem: said, ...(retryAfterMs === undefined ? {} : { afterMs: retryAfterMs }) };
}

function httpOutcome(status: number, attempt: string): NotSent {
  const said = `${attempt}: HTTP ${status}`;
  // A gateway that gave up waiting says only that it has no answer.
  if (status === 504) return { kind: 'unknown', problem: `${said}, after which the message may be there` };
  if (status >= 500 || status === 408 || status === 425) return { kind: 'retry', problem: said };
  return { kind: 'refused', problem: `${said}; check SLACK_API_URL` };
}
