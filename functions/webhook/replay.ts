import { createHash } from 'node:crypto';

import { runIdOfKey } from '../../shared/domain/keys.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import type { Run } from '../../shared/domain/run.ts';
import { cut } from '../../shared/domain/text.ts';
import { TransientError } from '../../shared/errors.ts';
import type { Deps, Documents, Stored, Write } from '../../shared/ports.ts';
import { creationOf, newRun } from '../pipeline/request-run.ts';
import type { Wish } from './body.ts';

const HOUR_MS = 60 * 60 * 1000;

/**
 * How long an id is remembered. A Standard Webhooks signature is good for ten minutes at most, and senders that try
 * again do so for hours. GitHub's has no end, and its owner can have a delivery sent again for days.
 */
const KEPT_MS = { standard: 24 * HOUR_MS, github: 30 * 24 * HOUR_MS } as const;

/** How often a commit is tried that somebody else was faster with. */
const ATTEMPTS = 4;

export interface SignedRun {
  readonly source: keyof typeof KEPT_MS;
  /** `webhook-id` or `X-GitHub-Delivery`. */
  readonly id: string;
  readonly rawBody: Buffer;
  readonly wish: Wish;
  readonly plan: Plan;
}

export type Outcome =
  | { readonly kind: 'requested' | 'duplicate'; readonly run: Run }
  /** The id was used before, for something else. */
  | { readonly kind: 'conflict' };

type ReplayDeps = Pick<Deps, 'store' | 'clock' | 'nonce'>;

/**
 * Stores the run that a signed request asks for, together with the memory of its id: whichever comes first, of several
 * at once too, makes the run, and the others find it. Nobody is woken yet.
 * @throws TransientError when others were faster each time
 */
export async function requestOnce(deps: ReplayDeps, request: SignedRun): Promise<Outcome> {
  const id = triggerId(request);
  const run = runOf(deps, request, id);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const seen = await deps.store.get('trigger', id);
    const trigger = triggerOf(deps, request, run.id);
    if (seen !== undefined && isRemembered(seen.doc, deps) && seen.doc.bodySha256 !== trigger.bodySha256) {
      return { kind: 'conflict' };
    }
    // A run outlives the memory of the request: its id says which key it was made of.
    const made = await deps.store.get('run', run.id);
    if (made !== undefined) return { kind: 'duplicate', run: made.doc };
    if (await deps.store.commit([writeOf(id, trigger, seen), creationOf(run)])) return { kind: 'requested', run };
  }
  throw new TransientError(`trigger ${id} is being written by too many at once`);
}

/** Fit for the id of a Firestore document, and so short that it can be read. */
const PLAIN_ID = /^[\w.:-]{1,200}$/;

const triggerId = ({ source, id }: SignedRun): string =>
  PLAIN_ID.test(id) ? `${source}:${id}` : `${source}-sha256:${createHash('sha256').update(id).digest('hex')}`;

function runOf(deps: ReplayDeps, { source, id, wish, plan }: SignedRun, key: string): Run {
  const by = cut(source === 'github' ? `GitHub delivery ${id}` : `webhook ${id}`);
  return newRun(deps, {
    id: runIdOfKey(plan.name, 'webhook', key),
    plan,
    trigger: { kind: 'webhook', by, ...(wish.labels === undefined ? {} : { labels: wish.labels }) },
    ...(wish.appVersion === undefined ? {} : { appVersion: wish.appVersion }),
  });
}

function triggerOf({ clock }: Pick<Deps, 'clock'>, request: SignedRun, run: string): Documents['trigger'] {
  const now = clock.now();
  return {
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + KEPT_MS[request.source]).toISOString(),
    bodySha256: digestOf(request),
    run,
  };
}

/** GitHub signs the body only: without the query in it, one delivery caught on its way could start any plan. */
function digestOf({ source, rawBody, wish }: SignedRun): string {
  const hash = createHash('sha256').update(rawBody);
  return (source === 'github' ? hash.update(JSON.stringify([wish.plan, wish.appVersion])) : hash).digest('hex');
}

const isRemembered = (trigger: Documents['trigger'], { clock }: Pick<Deps, 'clock'>): boolean =>
  clock.now().getTime() < Date.parse(trigger.expiresAt);

const writeOf = (id: string, doc: Documents['trigger'], seen: Stored<'trigger'> | undefined): Write =>
  seen === undefined
    ? { op: 'create', kind: 'trigger', id, doc }
    : { op: 'replace', kind: 'trigger', id, version: seen.version, doc };
