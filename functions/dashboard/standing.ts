import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Outcome } from '../../shared/domain/result.ts';
import { hasEnded, type Run } from '../../shared/domain/run.ts';
import type { VerdictOutcome } from '../../shared/domain/verdict.ts';

/** How a thing stands: in a word, and in a mark and a colour that say the same. */
export interface Standing {
  readonly tone: 'good' | 'bad' | 'unclear' | 'waiting' | 'neutral';
  readonly mark: string;
  readonly label: string;
}

const VERDICTS: Readonly<Record<VerdictOutcome, Standing>> = {
  passed: { tone: 'good', mark: '✓', label: 'passed' },
  failed: { tone: 'bad', mark: '✕', label: 'failed' },
  inconclusive: { tone: 'unclear', mark: '?', label: 'inconclusive' },
};

export const verdictStanding = (outcome: VerdictOutcome): Standing => VERDICTS[outcome];

/** The verdict, or until there is one how far the run has come. */
export function runStanding(run: Run): Standing {
  if (run.verdict !== undefined) return verdictStanding(run.verdict.outcome);
  if (hasEnded(run)) return { tone: 'waiting', mark: '…', label: 'being judged' };
  return { tone: 'waiting', mark: run.state === 'running' ? '◐' : '○', label: run.state };
}

export const isOpen = (run: Run): boolean => run.verdict === undefined;

export function deliveryStanding({ state, error }: Delivery): Standing {
  switch (state) {
    case 'sent':
      return { tone: 'good', mark: '✓', label: 'sent' };
    case 'pending':
      return error === undefined
        ? { tone: 'waiting', mark: '○', label: 'pending' }
        : { tone: 'unclear', mark: '↻', label: 'retrying' };
    case 'sending':
      return { tone: 'waiting', mark: '◐', label: 'sending' };
    case 'unknown':
      return { tone: 'unclear', mark: '?', label: 'unknown' };
    case 'undeliverable':
      return { tone: 'bad', mark: '✕', label: 'undeliverable' };
    case 'suppressed':
      return { tone: 'neutral', mark: '–', label: 'suppressed' };
  }
}

/** The worst first: where not all are shown, a pass does not hide a failure. */
export const OUTCOMES: readonly { readonly outcome: Outcome; readonly standing: Standing }[] = [
  { outcome: 'failed', standing: { tone: 'bad', mark: '✕', label: 'failed' } },
  { outcome: 'errored', standing: { tone: 'unclear', mark: '!', label: 'errored' } },
  { outcome: 'cancelled', standing: { tone: 'unclear', mark: '–', label: 'cancelled' } },
  { outcome: 'passed', standing: { tone: 'good', mark: '✓', label: 'passed' } },
  { outcome: 'skipped', standing: { tone: 'neutral', mark: '○', label: 'skipped' } },
];
