import { userInfo } from 'node:os';

import type { Command } from 'commander';

import { changeRun } from '../../functions/pipeline/change-run.ts';
import { wake } from '../../functions/pipeline/wake.ts';
import { diffScores } from '../../shared/domain/diff.ts';
import type { Run, RunEvent } from '../../shared/domain/run.ts';
import { UsageError } from '../../shared/errors.ts';
import type { Store } from '../../shared/ports.ts';
import { configuration, environment, withStore } from '../context.ts';
import { describeRun, diffLines, progressOf, standing, tookOf } from '../describe-run.ts';
import { EXIT } from '../exit-codes.ts';
import { countOption, durationOption } from '../options.ts';
import { print, printJson, say, table } from '../output.ts';
import { documentOf, waitForVerdict } from '../wait-for-run.ts';
import { workOn } from '../worker.ts';

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
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
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
    .action((id: string) => repair(id, { kind: 'repoll', by: userInfo().username }));
  runs
    .command('abandon')
    .description('stop waiting for a run; it is judged inconclusive, and goes on at CES')
    .argument('<run>')
    .action((id: string) => repair(id, { kind: 'abandoned', by: userInfo().username }));
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
    if (!json) {
      for (const line of describeRun(document)) print(line);
      return;
    }
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
  const worker = await workOn(id, env, configuration(config ?? env.configFile));
  try {
    const { document, code } = await waitForVerdict(worker, id, timeout);
    if (json) printJson(document);
    else for (const line of describeRun(document)) print(line);
    process.exitCode = code;
  } finally {
    await worker.close();
  }
}

const diff = (id: string, other: string | undefined, { json }: { readonly json?: true }): Promise<void> =>
  withStore(async (store) => {
    const baseline = other ?? (await runOf(store, id)).verdict?.baseline;
    if (baseline === undefined) throw new UsageError(`${id} has no baseline; name the run to compare it with`);
    const [now, before] = await Promise.all([scoresOf(store, id), scoresOf(store, baseline)]);
    const difference = diffScores(now, before);
    if (json) printJson({ run: id, baseline, diff: difference });
    else {
      print(`${id} compared with ${baseline}`);
      const lines = diffLines(difference);
      for (const line of lines.length === 0 ? ['no difference'] : lines) print(`  ${line}`);
    }
  });

async function repair(id: string, event: RunEvent): Promise<void> {
  const env = environment();
  const worker = await workOn(id, env, configuration(env.configFile));
  try {
    await runOf(worker.deps.store, id);
    const changed = await changeRun(worker.deps, id, event);
    if (changed === undefined || changed.timeline.at(-1)?.event !== event.kind) {
      say(`${id} is ${changed?.state ?? 'gone'}: there is nothing to ${event.kind === 'repoll' ? 'poll' : 'abandon'}`);
      process.exitCode = EXIT.error;
      return;
    }
    await wake(worker.deps, changed);
    if (!worker.joined) await waitForVerdict(worker, id, REPAIR_WITHIN_MS);
    const document = await documentOf(worker.deps.store, await runOf(worker.deps.store, id));
    print(`${standing(document)}  ${id}`);
  } finally {
    await worker.close();
  }
}

/** With no `serve` at work this process takes the step itself, and stays this long for it. */
const REPAIR_WITHIN_MS = 10_000;

async function runOf(store: Store, id: string): Promise<Run> {
  const stored = await store.get('run', id);
  if (stored === undefined) throw new UsageError(`there is no run ${id}; \`ces-evals runs list\` shows those that are`);
  return stored.doc;
}

async function scoresOf(store: Store, id: string) {
  await runOf(store, id);
  const stored = await store.get('scores', id);
  if (stored === undefined) throw new UsageError(`${id} has no results to compare: it has no verdict yet`);
  return stored.doc.scores;
}
