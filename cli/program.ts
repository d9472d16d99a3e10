import { readFileSync } from 'node:fs';

import { Command, CommanderError } from 'commander';

import { messageOf, PermanentError, TransientError, UsageError } from '../shared/errors.ts';
import { addConfigCommands } from './commands/config.ts';
import { addDatasetCommands } from './commands/datasets.ts';
import { addDeliveryCommands } from './commands/deliveries.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addRunCommand } from './commands/run.ts';
import { addRunsCommands } from './commands/runs.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSubscriberCommands } from './commands/subscribers.ts';
import { EXIT } from './exit-codes.ts';
import { say } from './output.ts';

const HELP_AFTER = `
Exit codes: 0 passed or done, 1 failed, 2 usage, configuration or infrastructure error,
3 inconclusive, 4 timed out waiting.`;

/** Every command loads the heavy parts (CES, Slack, mail, the HTTP host) when it is called, so that a typo is told at once. */
export function createProgram(): Command {
  const program = new Command('ces-evals')
    .description('Runs the evaluations of CX Agent Studio on schedule or on demand, judges them, and tells who asked.')
    .version(version())
    .showHelpAfterError('(add --help for the options)')
    .exitOverride()
    .addHelpText('after', HELP_AFTER);
  addDemoCommand(program);
  addServeCommand(program);
  addRunCommand(program);
  addRunsCommands(program);
  addScheduleCommands(program);
  addConfigCommands(program);
  addDatasetCommands(program);
  addSubscriberCommands(program);
  addDeliveryCommands(program);
  addDoctorCommand(program);
  return program;
}

function version(): string {
  const { version: own }: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return own;
}

/** Tells a person what went wrong. Answers the exit code. */
export function report(error: unknown): number {
  // Commander has already written its own message; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.error;
  const expected = error instanceof UsageError || error instanceof PermanentError || error instanceof TransientError;
  say(expected || !(error instanceof Error) ? `ces-evals: ${messageOf(error)}` : `ces-evals: ${error.stack}`);
  return EXIT.error;
}
