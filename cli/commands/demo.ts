import type { Command } from 'commander';

import { EXIT } from '../exit-codes.ts';
import { createLog } from '../log.ts';
import { portOption } from '../options.ts';
import { print, say } from '../output.ts';
import { untilStopped } from '../signals.ts';

interface Options {
  readonly exit?: true;
  readonly port: number;
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('the whole product on this machine with a simulated CES: no account, no network')
    .option('--exit', 'end after the last night instead of leaving the dashboard open')
    .option('--port <number>', 'port of the dashboard, default any free one', portOption, 0)
    .action(demo);
}

async function demo({ exit, port }: Options): Promise<void> {
  const { startDemo } = await import('../../infra/local/demo/demo.ts');
  const started = await startDemo({ port, print, log: createLog(process.env['LOG_LEVEL'] ?? 'warn') });
  try {
    print(`ces-evals demo: three nights of the plan "nightly", 02:00 in Berlin. Dashboard: ${started.url}/`);
    const asExpected = await started.play();
    if (!asExpected) {
      say('\nces-evals: the demo did not go as it should; LOG_LEVEL=debug shows why');
      process.exitCode = EXIT.error;
    }
    if (exit) return;
    print(`\nThe dashboard stays open at ${started.url}/ until Ctrl-C.`);
    await untilStopped();
  } finally {
    await started.close();
  }
}
