import { cloudEvent, http, type CloudEvent } from '@google-cloud/functions-framework';

import type { Topic } from '../shared/messages.ts';
import type { Deps } from '../shared/ports.ts';
import { createDashboard } from './dashboard/handle.ts';
import { onMessage } from './edge/on-message.ts';
import { guarded, pushed, type PushGuard } from './edge/push-token.ts';
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
 * Makes a function known to the framework. A subscriber takes one parameter: with two declared, the framework takes it
 * for one that calls back, and its request never ends. A bundle of the build holds one of them and what it imports.
 * @param guard looks at who pushes, where the function is not behind IAM
 */
export type Register = (deps: () => Promise<Deps>, guard?: PushGuard) => void;

export const scheduler: Register = (deps, guard) => {
  const tick = respond(deps, createTickHandler);
  http('scheduler', guard === undefined ? tick : guarded(guard, tick));
};
export const webhook: Register = (deps) => {
  http('webhook', respond(deps, createReceive));
};
export const starter: Register = (deps, guard) => {
  subscribe('starter', onMessage(deps, 'run-requested', createStart), guard);
};
export const poller: Register = (deps, guard) => {
  subscribe('poller', onMessage(deps, 'run-poll', createPoll), guard);
};
export const sink: Register = (deps, guard) => {
  subscribe('sink', onMessage(deps, 'run-finished', createJudge), guard);
};
export const notifier: Register = (deps, guard) => {
  subscribe('notifier', onMessage(deps, 'alert-due', createNotify), guard);
};
export const dashboard: Register = (deps) => {
  http('dashboard', respond(deps, createDashboard));
};

/** All of them. */
export const register: Register = (deps, guard) => {
  for (const one of [scheduler, webhook, starter, poller, sink, notifier, dashboard]) one(deps, guard);
};

function subscribe(name: FunctionName, handle: (event: CloudEvent<unknown>) => Promise<void>, guard?: PushGuard): void {
  if (guard === undefined) cloudEvent(name, handle);
  else http(name, guarded(guard, pushed(handle)));
}
