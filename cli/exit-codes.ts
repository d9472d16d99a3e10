import type { VerdictOutcome } from '../shared/domain/verdict.ts';
import type { StopCode } from './signals.ts';

/** What the command tells the shell: docs/contract, section 2. */
export const EXIT = { done: 0, failed: 1, error: 2, inconclusive: 3, timedOut: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | StopCode;

export function exitCodeOf(outcome: VerdictOutcome): ExitCode {
  switch (outcome) {
    case 'passed':
      return EXIT.done;
    case 'failed':
      return EXIT.failed;
    case 'inconclusive':
      return EXIT.inconclusive;
  }
}
