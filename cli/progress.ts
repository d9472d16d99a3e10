import type { Run } from '../shared/domain/run.ts';
import { duration, plain } from './output.ts';

/** As much of a terminal as is needed. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & { write(text: string): unknown };

export interface Progress {
  show(run: Run, now: Date): void;
  /** Leaves the terminal on a fresh line. */
  end(): void;
}

/** To the beginning of the line, and clear it. */
const FRESH_LINE = '\r\u001B[2K';
/** A terminal that does not tell its width says 0. */
const DEFAULT_COLUMNS = 80;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** One line that changes in place on a terminal; elsewhere a plain line whenever there is something new to say. */
export const createProgress = (stream: ProgressStream): Progress =>
  stream.isTTY ? liveLine(stream) : plainLines(stream);

function liveLine(stream: ProgressStream): Progress {
  let frame = 0;
  return {
    show: (run, now) => {
      frame += 1;
      const line = `${FRAMES[frame % FRAMES.length] ?? ''} ${summary(run)}  ${elapsed(run, now)}  ${nextPoll(run, now)}`;
      stream.write(`${FRESH_LINE}${line.trimEnd().slice(0, (stream.columns || DEFAULT_COLUMNS) - 1)}`);
    },
    end: () => {
      stream.write(FRESH_LINE);
    },
  };
}

function plainLines(stream: ProgressStream): Progress {
  let last = '';
  return {
    show: (run, now) => {
      const line = summary(run);
      if (line === last) return;
      last = line;
      stream.write(`${line}  ${elapsed(run, now)}\n`);
    },
    end: () => {},
  };
}

/** `nightly-20261130T020000Z  RUNNING 34/50 ✓31 ✗2 ⚠1`. */
export function summary(run: Run): string {
  const { progress } = run;
  const state = run.state.toUpperCase();
  const trouble = run.failuresInARow > 0 && run.problem !== undefined ? `  (${plain(run.problem)})` : '';
  if (progress === undefined || progress.total === 0) return `${run.id}  ${state}${trouble}`;
  const done = progress.completed + progress.error + progress.cancelled;
  const counts = [`✓${progress.passed}`, `✗${progress.failed}`, `⚠${progress.error + progress.cancelled}`];
  return `${run.id}  ${state} ${done}/${progress.total} ${counts.join(' ')}${trouble}`;
}

const elapsed = (run: Run, now: Date): string => duration(now.getTime() - Date.parse(run.createdAt));

const nextPoll = (run: Run, now: Date): string =>
  run.nextAt === undefined || (run.state !== 'queued' && run.state !== 'running')
    ? ''
    : `next poll ${duration(Date.parse(run.nextAt) - now.getTime())}`;
