import type { Command } from 'commander';

import { print, printJson } from '../output.ts';
import { EXIT } from '../exit-codes.ts';
import type { Finding } from '../diagnose.ts';

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
      const { diagnose } = await import('../diagnose.ts');
      const findings = await diagnose(config);
      if (json) printJson(findings);
      else print(findings.map((finding) => lineOf(finding, widthOf(findings))).join('\n'));
      if (findings.some(({ state }) => state === 'problem')) process.exitCode = EXIT.error;
    });
}

const widthOf = (findings: readonly Finding[]): number => Math.max(...findings.map(({ check }) => check.length));

const lineOf = ({ state, check, detail }: Finding, width: number): string =>
  `${MARKS[state]} ${check.padEnd(width)}  ${detail.replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`;
