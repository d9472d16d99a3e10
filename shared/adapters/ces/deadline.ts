import { TransientError } from '../../errors.ts';

/**
 * Runs `work` for at most `timeoutMs`. The signal tells it to stop; the caller is answered on time even when it does
 * not, as token sources and bodies that trickle may not.
 */
export async function withDeadline<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new TransientError(`no complete answer within ${timeoutMs} ms`);
    controller.abort(error);
    over.reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
