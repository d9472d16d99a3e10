/** Answers when the process is asked to stop: Ctrl-C, or SIGTERM from whoever runs it. A second time ends it at once. */
export const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
