import type { Command } from 'commander';

import { wakeDeliveries } from '../../functions/pipeline/alerts.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { redrive } from '../../shared/domain/delivery.ts';
import { UsageError } from '../../shared/errors.ts';
import { configuration, environment, systemClock, withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { countOption } from '../options.ts';
import { print, printJson, say, table } from '../output.ts';
import { waitForDelivery } from '../wait-for-delivery.ts';

interface ListOptions {
  readonly run?: string;
  readonly limit: number;
  readonly json?: true;
}

export function addDeliveryCommands(program: Command): void {
  const deliveries = program.command('deliveries').description('the delivery log');
  deliveries
    .command('list')
    .description('the latest alerts, one line for each subscriber')
    .option('--run <run>', 'about this run only')
    .option('--limit <number>', 'how many', countOption, 20)
    .option('--json', 'print them with the alert documents')
    .action(list);
  deliveries
    .command('redrive')
    .description('try a delivery again that was not sent, or that nobody knows of whether it was')
    .argument('<id>')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(redriveOne);
}

const list = ({ run, limit, json }: ListOptions): Promise<void> =>
  withStore(async (store) => {
    const found = await store.find('delivery', { limit, ...(run === undefined ? {} : { run }) });
    const deliveries = found.map(({ doc }) => doc);
    if (json) printJson(deliveries);
    else if (deliveries.length === 0) say('no alerts yet');
    else print(table(['STATE', 'DELIVERY', 'CHANNEL', 'ATTEMPTS', 'LAST', 'ERROR'], deliveries.map(rowOf)));
  });

const rowOf = (delivery: Delivery): readonly string[] => [
  delivery.state,
  delivery.id,
  delivery.channel,
  String(delivery.attempts),
  delivery.at?.slice(0, 19).replace('T', ' ') ?? '–',
  delivery.error ?? '',
];

async function redriveOne(id: string, { config: file }: { readonly config?: string }): Promise<void> {
  const env = environment();
  const config = configuration(file ?? env.configFile);
  const stored = await withStore((store) => store.get('delivery', id));
  if (stored === undefined) {
    throw new UsageError(`there is no delivery ${id}; \`ces-evals deliveries list\` shows those that are`);
  }
  const { workOn } = await import('../worker.ts');
  const worker = await workOn(stored.doc.run, env, config);
  try {
    const next = redrive(stored.doc, systemClock.now());
    if (next === stored.doc) throw new UsageError(`${id} is ${next.state}: it is not sent again`);
    const { version } = stored;
    if (!(await worker.deps.store.commit([{ op: 'replace', kind: 'delivery', id, version, doc: next }]))) {
      throw new UsageError(`${id} has changed this very moment; look at it and try again`);
    }
    await wakeDeliveries(worker.deps, [next]);
    const settled = await waitForDelivery(worker, id);
    print(`${settled.state}  ${id}${settled.error === undefined ? '' : `  ${settled.error}`}`);
    process.exitCode = settled.state === 'sent' ? EXIT.done : EXIT.error;
  } finally {
    await worker.close();
  }
}
