import type { Command } from 'commander';

import { print, printJson } from '../output.ts';
import { EXIT } from '../exit-codes.ts';
import { diagnose, type Finding } from '../diagnose.ts';

interface Options {
  readonly json?: true;
  readonly config?: string;
}

const MARKS = { ok: '✓', warning: '!', problem: '✗' } as const;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the configuration, credentials, CES, Slack and SMTP, and say what to do about what fails')
    .option('--json', 'print the findings')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(async ({ json, config }: Options) => {
      const findings = await diagnose(config);
      if (json) printJson(findings);
      else for (const finding of findings) print(lineOf(finding));
      if (findings.some(({ state }) => state === 'problem')) process.exitCode = EXIT.error;
    });
}

const lineOf = ({ state, check, detail }: Finding): string =>
  `${MARKS[state]} ${check.padEnd(16)} ${detail.replaceAll('\n', `\n${' '.repeat(19)}`)}`;
