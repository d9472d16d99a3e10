import type { Run } from '../../shared/domain/run.ts';
import { cut } from '../../shared/domain/text.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Deps } from '../../shared/ports.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';
import { wake } from '../pipeline/wake.ts';
import { createAdmission, type Signed } from './admission.ts';
import { readBody, readQuery } from './body.ts';
import { requestOnce } from './replay.ts';
import { headerOf } from './verified.ts';

/** GitHub sends events of up to 25 MB; ours need a hundred bytes, and whatever is read has to be hashed. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * `POST /webhook`: starts the run that a signed request asks for, once for each id. Nothing is read or looked up before
 * the signature is verified, and nothing is answered before the run is stored.
 */
export function createReceive(deps: Deps): (request: HttpRequest) => Promise<Answer> {
  const admit = createAdmission(deps);
  return async (request) => {
    const refused = refusalOf(request);
    if (refused !== undefined) return refused;
    const admission = admit(request);
    return admission.ok ? accept(deps, request, admission.signed) : admission.answer;
  };
}

function refusalOf(request: HttpRequest): Answer | undefined {
  if (request.method !== 'POST') {
    return problem(405, 'Method not allowed', 'A run is asked for with POST.', { allow: 'POST' });
  }
  const [mediaType = ''] = headerOf(request, 'content-type').split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') {
    return problem(415, 'Not JSON', 'Send the body as application/json; GitHub does when the webhook is set to it.');
  }
  if (request.rawBody.length > MAX_BODY_BYTES) {
    return problem(
      413,
      'Body too large',
      `The body has ${request.rawBody.length} bytes; ${MAX_BODY_BYTES} are allowed.`,
    );
  }
  return undefined;
}

async function accept(deps: Deps, request: HttpRequest, { source, id }: Signed): Promise<Answer> {
  const read = source === 'github' ? readQuery(request.query) : readBody(request.rawBody);
  if (!read.ok) return problem(400, 'Malformed request', cut(read.problems.join('; ')));
  const { wish } = read;
  const { plans } = deps.config;
  const plan = Object.hasOwn(plans, wish.plan) ? plans[wish.plan] : undefined;
  if (plan === undefined) {
    return problem(
      404,
      'Unknown plan',
      `evals.yaml has no plan ${wish.plan}; it has: ${Object.keys(plans).join(', ')}.`,
    );
  }
  // GitHub sends it when a webhook is set up, to see whether somebody is there: no reason to pay for a run.
  if (source === 'github' && headerOf(request, 'x-github-event') === 'ping') return { status: 204 };

  const outcome = await requestOnce(deps, { source, id, rawBody: request.rawBody, wish, plan });
  switch (outcome.kind) {
    case 'conflict':
      deps.log.warn({ source, requestId: cut(id) }, 'id used again for another request');
      return problem(
        409,
        'Id used before',
        'This id came before with another body or plan. Give each request its own id.',
      );
    case 'duplicate':
      deps.log.info({ source, runId: outcome.run.id }, 'request seen before');
      return { status: 200, body: { ...shown(deps, outcome.run), duplicate: true } };
    case 'requested':
      deps.log.info({ source, runId: outcome.run.id, plan: plan.name }, 'run requested');
      await wakeIfPossible(deps, outcome.run);
      return { status: 202, body: shown(deps, outcome.run) };
  }
}

const shown = ({ settings }: Pick<Deps, 'settings'>, run: Run): object => ({
  run: run.id,
  state: run.state,
  statusUrl: `${settings.publicUrl ?? ''}/api/runs/${run.id}`,
});

/** The run is stored, so it will be: the tick finds whatever was not woken. */
async function wakeIfPossible(deps: Pick<Deps, 'bus' | 'log'>, run: Run): Promise<void> {
  try {
    await wake(deps, run);
  } catch (error) {
    deps.log.warn({ runId: run.id, problem: messageOf(error) }, 'run not woken, the tick will');
  }
}
