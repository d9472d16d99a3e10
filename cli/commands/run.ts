import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { nonce } from '../../functions/compose/local.ts';
import { ensureRun } from '../../functions/pipeline/request-run.ts';
import { wake } from '../../functions/pipeline/wake.ts';
import { runIdOfKey, runIdOfMoment } from '../../shared/domain/keys.ts';
import { hasEnded, type Run } from '../../shared/domain/run.ts';
import { configuration, environment, planOf, systemClock } from '../context.ts';
import { describeRun, standing } from '../describe-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { durationOption } from '../options.ts';
import { print, printJson, say } from '../output.ts';
import { documentOf, waitForVerdict, waitUntil } from '../wait-for-run.ts';
import { workOn, type Worker } from '../worker.ts';

interface Options {
  readonly appVersion?: string;
  readonly key?: string;
  readonly wait?: true;
  readonly timeout?: number;
  readonly json?: true;
  readonly config?: string;
}

/** How long a start may take until the command that does not wait for the end gives its answer. */
const START_WITHIN_MS = 60_000;

export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('start a run of a plan now')
    .argument('<plan>', 'a plan of the configuration')
    .option('--app-version <version>', "evaluate this version of the app instead of the plan's own")
    .option('--key <key>', 'names the run: the same key gives the same run')
    .option('--wait', 'show the progress and exit with the verdict: 0 passed, 1 failed, 3 inconclusive, 4 timed out')
    .option(
      '--timeout <duration>',
      "with --wait: give up waiting after this long; default: the plan's deadline",
      durationOption,
    )
    .option('--json', 'print the run document')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(async (plan: string, options: Options) => {
      process.exitCode = await run(plan, options);
    });
}

async function run(planName: string, options: Options): Promise<ExitCode> {
  const env = environment();
  const config = configuration(options.config ?? env.configFile);
  const plan = planOf(config, planName);
  const by = userInfo().username;
  const id =
    options.key === undefined
      ? runIdOfMoment(plan.name, systemClock.now(), nonce())
      : runIdOfKey(plan.name, 'manual', options.key);
  const worker = await workOn(id, env, config);
  try {
    const { run: requested, created } = await ensureRun(worker.deps, {
      id,
      plan,
      trigger: { kind: 'manual', by },
      ...(options.appVersion === undefined ? {} : { appVersion: options.appVersion }),
    });
    if (created) await wake(worker.deps, requested);
    else say(`${id} exists already: the same key gives the same run`);
    return options.wait ? await wait(worker, id, options) : await start(worker, id, options);
  } finally {
    await worker.close();
  }
}

async function wait(worker: Worker, id: string, options: Options): Promise<ExitCode> {
  const { document, code } = await waitForVerdict(worker, id, options.timeout);
  if (options.json) printJson(document);
  else for (const line of describeRun(document)) print(line);
  if (code === EXIT.timedOut) say(`still ${document.state}; go on waiting with: ces-evals runs watch ${id}`);
  return code;
}

async function start(worker: Worker, id: string, options: Options): Promise<ExitCode> {
  const endAt = systemClock.now().getTime() + START_WITHIN_MS;
  const started = await waitUntil(worker, id, endAt, isUnderWay);
  const document = await documentOf(worker.deps.store, started);
  if (options.json) printJson(document);
  else print(`${standing(document)}  ${id}  ${document.evaluationRun ?? document.operation ?? ''}`.trimEnd());
  if (started.state === 'start_failed') say(`not started: ${started.problem}`);
  else if (!worker.joined && !hasEnded(started)) {
    say(`nobody is polling it: start \`ces-evals serve\`, or wait here with \`ces-evals runs watch ${id}\``);
  }
  return started.state === 'start_failed' ? EXIT.error : EXIT.done;
}

const isUnderWay = (current: Run): boolean => current.state !== 'requested' && current.state !== 'starting';
