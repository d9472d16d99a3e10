import type { Command } from 'commander';

import { configJsonSchema } from '../../shared/config/json-schema.ts';
import { checkedConfiguration, environment } from '../context.ts';
import { count, print, printJson, say } from '../output.ts';

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('check the configuration');
  config
    .command('validate')
    .description('every problem at once, with its line; exit code 2 when there is one')
    .argument('[file]', 'default EVALS_CONFIG or evals.yaml')
    .action((file: string | undefined) => {
      const name = file ?? environment().configFile;
      const { config: checked, warnings } = checkedConfiguration(name);
      for (const warning of warnings) say(`warning: ${warning}`);
      const { plans, subscribers } = checked;
      print(
        `${name} is fine: ${count(Object.keys(plans).length, 'plan')}, ${count(Object.keys(subscribers).length, 'subscriber')}`,
      );
    });
  config
    .command('schema')
    .description('the JSON Schema of the configuration, for editors')
    .action(() => {
      printJson(configJsonSchema());
    });
}
