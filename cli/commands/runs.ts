import type { Command } from 'commander';

import { changeRun } from '../../functions/pipeline/change-run.ts';
import { wake } from '../../functions/pipeline/wake.ts';
import { createPoll } from '../../functions/poller/poll.ts';
import { diffScores } from '../../shared/domain/diff.ts';
import { hasEnded, type Run, type RunEvent } from '../../shared/domain/run.ts';
import { UsageError } from '../../shared/errors.ts';
import type { Store } from '../../shared/ports.ts';
import { configuration, environment, whoAmI, withStore } from '../context.ts';
import { diffLines, progressOf, showRun, standing, tookOf } from '../describe-run.ts';
import { EXIT } from '../exit-codes.ts';
import { countOption, durationOption } from '../options.ts';
import { print, printJson, say, table } from '../output.ts';
import { documentOf, howToGoOn, runOf, waitForVerdict, waitUntil } from '../wait-for-run.ts';
import type { Worker } from '../worker.ts';

interface ListOptions {
  readonly plan?: string;
  readonly limit: number;
  readonly json?: true;
}

interface WatchOptions {
  readonly timeout?: number;
  readonly json?: true;
  readonly config?: string;
}

interface RepairOptions {
  readonly config?: string;
}

const CONFIG_OPTION = 'the configuration, default EVALS_CONFIG or evals.yaml';

export function addRunsCommands(program: Command): void {
  const runs = program.command('runs').description('look at runs, and repair them');
  runs
    .command('list')
    .description('the latest runs')
    .option('--plan <plan>', 'of this plan only')
    .option('--limit <number>', 'how many', countOption, 20)
    .option('--json', 'print the run documents')
    .action(list);
  runs
    .command('show')
    .description('everything about a run; with --json also the EvaluationRun and the results as CES gave them')
    .argument('<run>')
    .option('--json', 'print the run document')
    .action(show);
  runs
    .command('watch')
    .description('wait for a run that is going on, and exit with its verdict')
    .argument('<run>')
    .option('--timeout <duration>', "give up waiting after this long; default: the plan's deadline", durationOption)
    .option('--json', 'print the run document')
    .option('--config <file>', CONFIG_OPTION)
    .action(watch);
  runs
    .command('diff')
    .description('compare a run with another one, or with its baseline')
    .argument('<run>')
    .argument('[other]', 'the earlier run')
    .option('--json', 'print the difference')
    .action(diff);
  runs
    .command('repoll')
    .description('look at a run again now, without waiting for its next poll')
    .argument('<run>')
    .option('--config <file>', CONFIG_OPTION)
    .action((id: string, options: RepairOptions) => repair(id, { kind: 'repoll', by: whoAmI() }, options));
  runs
    .command('abandon')
    .description('stop waiting for a run; it is judged inconclusive, and goes on at CES')
    .argument('<run>')
    .option('--config <file>', CONFIG_OPTION)
    .action((id: string, options: RepairOptions) => repair(id, { kind: 'abandoned', by: whoAmI() }, options));
}

const list = ({ plan, limit, json }: ListOptions): Promise<void> =>
  withStore(async (store) => {
    const found = await store.find('run', { limit, ...(plan === undefined ? {} : { plan }) });
    const documents = await Promise.all(found.map(({ doc }) => documentOf(store, doc)));
    if (json) printJson(documents);
    else if (documents.length === 0) say('no runs yet; start one with: ces-evals run PLAN');
    else {
      const rows = documents.map((run) => [
        standing(run),
        run.id,
        run.createdAt.slice(0, 16).replace('T', ' '),
        tookOf(run),
        progressOf(run),
      ]);
      print(table(['VERDICT', 'RUN', 'REQUESTED (UTC)', 'TOOK', 'RESULTS'], rows));
    }
  });

const show = (id: string, { json }: { readonly json?: true }): Promise<void> =>
  withStore(async (store) => {
    const document = await documentOf(store, await runOf(store, id));
    if (!json) return showRun(store, document, {});
    const snapshot = await store.get('snapshot', id);
    const results = await store.find('result', { run: id, limit: 100_000 });
    printJson({
      ...document,
      snapshot: snapshot?.doc.evaluationRun ?? null,
      results: results.map(({ doc }) => doc.result).toReversed(),
    });
  });

async function watch(id: string, { timeout, json, config }: WatchOptions): Promise<void> {
  const env = environment();
  const checked = configuration(config ?? env.configFile);
  const { workOn } = await import('../worker.ts');
  const worker = await workOn(id, env, checked);
  try {
    const { document, code } = await waitForVerdict(worker, id, timeout);
    await showRun(worker.deps.store, document, json === undefined ? {} : { json });
    if (document.verdict === null) say(`${id} is still ${document.state}; ${howToGoOn(document, worker)}`);
    process.exitCode = code;
  } finally {
    await worker.close();
  }
}

const diff = (id: string, other: string | undefined, { json }: { readonly json?: true }): Promise<void> =>
  withStore(async (store) => {
    const baseline = other ?? (await runOf(store, id)).verdict?.baseline;
    if (baseline === undefined) throw new UsageError(`${id} has no baseline; name the run to compare it with`);
    const [now, before] = await Promise.all([judgedScoresOf(store, id), judgedScoresOf(store, baseline)]);
    const difference = diffScores(now, before);
    if (json) printJson({ run: id, baseline, diff: difference });
    else {
      print(`${id} compared with ${baseline}`);
      const lines = diffLines(difference);
      for (const line of lines.length === 0 ? ['no difference'] : lines) print(`  ${line}`);
    }
  });

type Repair = RunEvent & { readonly kind: 'repoll' | 'abandoned' };

async function repair(id: string, event: Repair, { config }: RepairOptions): Promise<void> {
  const env = environment();
  const checked = configuration(config ?? env.configFile);
  const { workOn } = await import('../worker.ts');
  const worker = await workOn(id, env, checked);
  try {
    await runOf(worker.deps.store, id);
    const changed = await changeRun(worker.deps, id, event);
    if (changed === undefined || changed.timeline.at(-1)?.event !== event.kind) {
      say(`${id} is ${changed?.state ?? 'gone'}: there is nothing to ${event.kind === 'repoll' ? 'poll' : 'abandon'}`);
      process.exitCode = EXIT.error;
      return;
    }
    await takeStep(worker, changed);
    const document = await documentOf(worker.deps.store, await runOf(worker.deps.store, id));
    print(`${standing(document)}  ${id}`);
  } finally {
    await worker.close();
  }
}

/** A step takes a call or two to CES, and for an ended run the results and the alerts. */
const REPAIR_WITHIN_MS = 30_000;

/** Stays until the step that was asked for is taken: a poll for a run that goes on, the verdict for one that has ended. */
async function takeStep(worker: Worker, changed: Run): Promise<void> {
  if (hasEnded(changed) || worker.isJoined()) {
    await wake(worker.deps, changed);
  } else {
    await createPoll(worker.deps)(changed.id);
  }
  const polled = await waitUntil(worker, changed.id, REPAIR_WITHIN_MS, ({ state, polls, verdict }) =>
    hasEnded({ state }) ? verdict !== undefined : polls > changed.polls,
  );
  if (polled.verdict !== undefined) await waitForVerdict(worker, changed.id, REPAIR_WITHIN_MS);
}

async function judgedScoresOf(store: Store, id: string) {
  await runOf(store, id);
  const stored = await store.get('scores', id);
  if (stored === undefined) throw new UsageError(`${id} has no results to compare: it has no verdict yet`);
  return stored.doc.scores;
}
