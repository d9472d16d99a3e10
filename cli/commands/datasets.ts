import type { Command } from 'commander';

import { ensureDataset, type Ensured } from '../../functions/pipeline/ensure-dataset.ts';
import { UsageError } from '../../shared/errors.ts';
import { configuration, environment, suggestion, systemClock } from '../context.ts';
import { createLog } from '../log.ts';
import { print, printJson, say } from '../output.ts';
import { EXIT } from '../exit-codes.ts';

interface Options {
  readonly json?: true;
  readonly config?: string;
}

export function addDatasetCommands(program: Command): void {
  program
    .command('datasets')
    .description('evaluation datasets at CES')
    .command('ensure')
    .description('create the declared datasets that do not exist')
    .argument('[name]', 'default: all of the configuration')
    .option('--json', 'print what was found and made')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(ensure);
}

async function ensure(name: string | undefined, { json, config: file }: Options): Promise<void> {
  const env = environment();
  const config = configuration(file ?? env.configFile);
  if (name !== undefined && !Object.hasOwn(config.datasets, name)) {
    throw new UsageError(`there is no dataset ${name}${suggestion(name, Object.keys(config.datasets))}`);
  }
  const datasets = Object.values(config.datasets).filter((dataset) => name === undefined || dataset.name === name);
  const { composeLocal } = await import('../../functions/compose/local.ts');
  const local = composeLocal({
    config,
    env,
    secrets: process.env,
    endpoint: () => '',
    clock: systemClock,
    log: createLog(env.logLevel),
  });
  try {
    const outcomes: Ensured[] = [];
    for (const dataset of datasets) outcomes.push(await ensureDataset(local.deps, dataset));
    if (json) printJson(outcomes);
    else if (outcomes.length === 0) say('the configuration declares no datasets');
    else for (const { dataset, state, detail } of outcomes) print(`${state.padEnd(9)} ${dataset}  ${detail}`);
    if (outcomes.some(({ state }) => state === 'differs')) process.exitCode = EXIT.error;
  } finally {
    await local.close();
  }
}
