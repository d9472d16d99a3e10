import type { Deps } from '../../shared/ports.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';
import { createGithubVerifier } from './github.ts';
import { createRateLimit } from './rate-limit.ts';
import { createStandardVerifier } from './standard-webhooks.ts';

/** A person who tries out secrets needs fewer, somebody who guesses them needs more. */
const REFUSED_PER_MINUTE = 20;
/** Far more than the evaluations of one team, and little enough for a sender that has gone mad. */
const SIGNED_PER_MINUTE = 120;

export interface Signed {
  readonly source: 'standard' | 'github';
  readonly id: string;
}

export type Admission =
  { readonly ok: true; readonly signed: Signed } | { readonly ok: false; readonly answer: Answer };

/**
 * Lets in what carries a valid signature. Whatever is wrong, the work and the answer are the same: both signatures are
 * computed each time. Signed and refused requests are counted apart, so that a flood of forgeries does not lock out
 * a sender behind the same address.
 */
export function createAdmission({
  settings,
  clock,
  log,
}: Pick<Deps, 'settings' | 'clock' | 'log'>): (request: HttpRequest) => Admission {
  const verifyStandard = createStandardVerifier(settings.webhookSecrets);
  const verifyGithub = createGithubVerifier(settings.githubWebhookSecret);
  const signedLimit = createRateLimit(SIGNED_PER_MINUTE);
  const refusedLimit = createRateLimit(REFUSED_PER_MINUTE);
  const letIn = (signed: Signed, ip: string): Admission => {
    const waitSeconds = signedLimit.take(ip, clock.now());
    return waitSeconds > 0 ? { ok: false, answer: tooMany(waitSeconds) } : { ok: true, signed };
  };
  return (request) => {
    const now = clock.now();
    const { ip } = request;
    const standard = verifyStandard(request, now);
    const github = verifyGithub(request);
    if (standard.ok) return letIn({ source: 'standard', id: standard.id }, ip);
    if (github.ok) return letIn({ source: 'github', id: github.id }, ip);

    const waitSeconds = refusedLimit.take(ip, now);
    if (waitSeconds > 0) return { ok: false, answer: tooMany(waitSeconds) };
    log.warn({ ip, standard: standard.reason, github: github.reason }, 'webhook request refused');
    return { ok: false, answer: UNSIGNED };
  };
}

const UNSIGNED = problem(
  401,
  'No valid signature',
  'Sign the request as Standard Webhooks specifies, with a timestamp at most five minutes off, or have GitHub sign it.',
);

const tooMany = (waitSeconds: number): Answer =>
  problem(429, 'Too many requests', `Try again in ${waitSeconds} s.`, { 'retry-after': String(waitSeconds) });
