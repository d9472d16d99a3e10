import * as z from 'zod';

import type { Deps } from '../../shared/ports.ts';
import { problem, type Answer, type HttpRequest } from '../edge/respond.ts';
import { createTick } from './tick.ts';

/** Cloud Scheduler sends no body; a lone `run --wait` names the one run that it looks after. */
const body = z.object({ run: z.string().min(1).optional() });

/** `POST`: one tick. */
export function createTickHandler(deps: Deps): (request: HttpRequest) => Promise<Answer> {
  const tick = createTick(deps);
  return async ({ method, rawBody }) => {
    if (method !== 'POST') return problem(405, 'Method not allowed', 'A tick is a POST.', { allow: 'POST' });
    const parsed = body.safeParse(rawBody.length === 0 ? {} : jsonOf(rawBody));
    if (!parsed.success) return problem(400, 'Malformed tick', 'The body is empty or {"run": "<run id>"}.');
    await tick(parsed.data.run);
    return { status: 204 };
  };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
