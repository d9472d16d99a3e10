import type { Command } from 'commander';

import { testDelivery } from '../../shared/domain/test-delivery.ts';
import { UsageError } from '../../shared/errors.ts';
import { configuration, environment, suggestion, systemClock } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { createLog } from '../log.ts';
import { print, say } from '../output.ts';

export function addSubscriberCommands(program: Command): void {
  program
    .command('subscribers')
    .description('who is told')
    .command('test')
    .description('send a test alert to a subscriber')
    .argument('<name>')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(test);
}

async function test(name: string, { config: file }: { readonly config?: string }): Promise<void> {
  const env = environment();
  const { subscribers } = configuration(file ?? env.configFile);
  const subscriber = Object.hasOwn(subscribers, name) ? subscribers[name] : undefined;
  if (subscriber === undefined) {
    throw new UsageError(`there is no subscriber ${name}${suggestion(name, Object.keys(subscribers))}`);
  }
  const log = createLog(env.logLevel);
  const { channelsOf } = await import('../../functions/compose/local.ts');
  const channels = channelsOf({ env, secrets: process.env, clock: systemClock, log });
  const delivery = testDelivery(subscriber, systemClock.now());
  const outcome = await channels[subscriber.address.kind].send(delivery, subscriber);
  if (outcome.kind === 'sent') print(`sent to ${name} by ${subscriber.address.kind}: ${outcome.receipt}`);
  else {
    say(`${outcome.kind === 'unknown' ? 'perhaps sent' : 'not sent'} to ${name}: ${outcome.problem}`);
    process.exitCode = EXIT.error;
  }
}
