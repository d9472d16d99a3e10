/** Answers when the process is asked to stop: Ctrl-C, or SIGTERM from whoever runs it. A second time ends it at once. */
export const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    onStop(() => {
      resolve();
    });
  });

/** Exit codes of a shell for a command that a signal ended: 128 and the number of the signal. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
export type StopCode = (typeof CODES)[keyof typeof CODES];

export interface Stop {
  /** Undefined until the process is asked to stop. */
  readonly code: () => StopCode | undefined;
  /** Leaves the signals to Node.js again. */
  readonly release: () => void;
}

/** For work that looks now and then whether it is to stop. */
export function watchForStop(): Stop {
  let code: StopCode | undefined;
  const release = onStop((asked) => {
    code = asked;
  });
  return { code: () => code, release };
}

function onStop(listener: (code: StopCode) => void): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    release();
    listener(signal === 'SIGINT' ? CODES.SIGINT : CODES.SIGTERM);
  };
  const release = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return release;
}
