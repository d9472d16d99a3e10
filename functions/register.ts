import { cloudEvent, http } from '@google-cloud/functions-framework';

import type { Topic } from '../shared/messages.ts';
import type { Deps } from '../shared/ports.ts';
import { createDashboard } from './dashboard/handle.ts';
import { onMessage } from './edge/on-message.ts';
import { respond } from './edge/respond.ts';
import { createNotify } from './notifier/notify.ts';
import { createPoll } from './poller/poll.ts';
import { createTickHandler } from './scheduler/handle.ts';
import { createJudge } from './sink/judge.ts';
import { createStart } from './starter/start.ts';
import { createReceive } from './webhook/receive.ts';

/** The functions, in the order in which a run meets them, and what brings them to life. */
export const FUNCTIONS = [
  { name: 'scheduler', trigger: 'http' },
  { name: 'webhook', trigger: 'http' },
  { name: 'starter', trigger: 'run-requested' },
  { name: 'poller', trigger: 'run-poll' },
  { name: 'sink', trigger: 'run-finished' },
  { name: 'notifier', trigger: 'alert-due' },
  { name: 'dashboard', trigger: 'http' },
] as const satisfies readonly { readonly name: string; readonly trigger: 'http' | Topic }[];

export type FunctionName = (typeof FUNCTIONS)[number]['name'];

/**
 * Makes the functions known to the framework. They take one parameter each: with two declared, the framework takes a
 * function for one that calls back, and its request never ends.
 */
export function register(deps: () => Promise<Deps>): void {
  http('scheduler', respond(deps, createTickHandler));
  http('webhook', respond(deps, createReceive));
  cloudEvent('starter', onMessage(deps, 'run-requested', createStart));
  cloudEvent('poller', onMessage(deps, 'run-poll', createPoll));
  cloudEvent('sink', onMessage(deps, 'run-finished', createJudge));
  cloudEvent('notifier', onMessage(deps, 'alert-due', createNotify));
  http('dashboard', respond(deps, createDashboard));
}
