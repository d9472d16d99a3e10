import type { SendOutcome } from '../../domain/delivery.ts';
import type { WebhookAnswer } from './post.ts';

/** A receiver may ask for patience, but not for more than the time after which a delivery is given up. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/**
 * 4xx answers that may change by themselves. 409 is among them: a receiver that is still busy with the first copy of a
 * delivery gives it to the second.
 */
const PASSING = new Set([408, 409, 425, 429]);

/** @param host all of the URL that may be shown: its path and query can be secrets */
export function outcomeOf(answer: WebhookAnswer, host: string, now: Date): SendOutcome {
  const attempt = `posting to the webhook at ${host}`;
  switch (answer.kind) {
    case 'not_sent':
      return { kind: 'retry', problem: `${attempt}: no connection could be made (${answer.code}); check the URL` };
    case 'no_answer':
      return { kind: 'unknown', problem: `${attempt}: the request went out and no answer came back (${answer.code})` };
    case 'forbidden':
      return {
        kind: 'refused',
        problem: `${attempt}: the name leads to ${answer.address}, which is not a public address; correct the URL in evals.yaml`,
      };
    case 'answered':
      return answered(answer, attempt, host, now);
  }
}

function answered(
  { status, retryAfter }: WebhookAnswer & { kind: 'answered' },
  attempt: string,
  host: string,
  now: Date,
): SendOutcome {
  const said = `${attempt}: HTTP ${status}`;
  if (status >= 200 && status < 300) return { kind: 'sent', receipt: `HTTP ${status} from ${host}` };
  if (status >= 500 || PASSING.has(status)) {
    const afterMs = waitMs(retryAfter, now);
    return { kind: 'retry', problem: said, ...(afterMs === undefined ? {} : { afterMs }) };
  }
  if (status === 410) {
    return {
      kind: 'refused',
      problem: `${said}: the endpoint says that it is gone; remove the subscriber from evals.yaml or correct its URL`,
    };
  }
  if (status === 401 || status === 403) {
    return { kind: 'refused', problem: `${said}; check that the receiver has the same secret` };
  }
  const redirected = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return { kind: 'refused', problem: `${said}${redirected}; correct the URL in evals.yaml` };
}

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
function waitMs(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now.getTime();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_WAIT_MS) : undefined;
}
