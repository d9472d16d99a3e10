import type { Command } from 'commander';

import { ensureRun } from '../../functions/pipeline/request-run.ts';
import { wake } from '../../functions/pipeline/wake.ts';
import { runIdOfKey, runIdOfMoment } from '../../shared/domain/keys.ts';
import { UsageError } from '../../shared/errors.ts';
import { configuration, environment, planOf, systemClock, whoAmI } from '../context.ts';
import { scoresOf, showRun, standing } from '../describe-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { createJunitFile, type JunitFile } from '../junit.ts';
import { durationOption } from '../options.ts';
import { print, printJson, say } from '../output.ts';
import { documentOf, howToGoOn, isUnderWay, waitForVerdict, waitUntil } from '../wait-for-run.ts';
import type { Worker } from '../worker.ts';

interface Options {
  readonly appVersion?: string;
  readonly key?: string;
  readonly wait?: true;
  readonly timeout?: number;
  readonly json?: true;
  readonly junit?: string;
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
    .option('--junit <file>', 'with --wait: write the results as JUnit XML')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(async (plan: string, options: Options) => {
      process.exitCode = await run(plan, options);
    });
}

async function run(planName: string, options: Options): Promise<ExitCode> {
  // Whoever forgets --wait in a pipeline would take every start for a pass.
  for (const name of ['timeout', 'junit'] as const) {
    if (options[name] !== undefined && !options.wait)
      throw new UsageError(`--${name} is about the verdict; add --wait`);
  }
  const env = environment();
  const config = configuration(options.config ?? env.configFile);
  const plan = planOf(config, planName);
  const [{ nonce }, { workOn }] = await Promise.all([
    import('../../functions/compose/nonce.ts'),
    import('../worker.ts'),
  ]);
  const id =
    options.key === undefined
      ? runIdOfMoment(plan.name, systemClock.now(), nonce())
      : runIdOfKey(plan.name, 'manual', options.key);
  const junit = options.junit === undefined ? undefined : createJunitFile(options.junit);
  const worker = await workOn(id, env, config);
  try {
    const { run: requested, created } = await ensureRun(worker.deps, {
      id,
      plan,
      trigger: { kind: 'manual', by: whoAmI() },
      ...(options.appVersion === undefined ? {} : { appVersion: options.appVersion }),
    });
    if (created) await wake(worker.deps, requested);
    else say(`${id} exists already: the same key gives the same run`);
    return options.wait ? await wait(worker, id, options, junit) : await start(worker, id, options);
  } finally {
    await worker.close();
  }
}

async function wait(worker: Worker, id: string, options: Options, junit: JunitFile | undefined): Promise<ExitCode> {
  const { document, code } = await waitForVerdict(worker, id, options.timeout);
  if (document.verdict !== null || code === EXIT.timedOut) await showRun(worker.deps.store, document, options);
  junit?.write(document, await scoresOf(worker.deps.store, id));
  if (document.verdict === null) say(`${id} is still ${document.state}; ${howToGoOn(document, worker)}`);
  return code;
}

async function start(worker: Worker, id: string, options: Options): Promise<ExitCode> {
  const started = await waitUntil(worker, id, START_WITHIN_MS, isUnderWay);
  const document = await documentOf(worker.deps.store, started);
  if (options.json) printJson(document);
  else print(`${standing(document)}  ${id}  ${document.evaluationRun ?? document.operation ?? ''}`.trimEnd());
  if (started.state === 'start_failed') say(`not started: ${started.problem}`);
  else if (!isUnderWay(started)) say(`not started yet: ${started.problem ?? 'CES has not answered'}`);
  if (started.verdict === undefined) say(howToGoOn(document, worker));
  if (started.state === 'start_failed') return EXIT.error;
  return isUnderWay(started) ? EXIT.done : (worker.stopped() ?? EXIT.timedOut);
}
