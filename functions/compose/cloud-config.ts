import { formatProblem, parseConfig } from '../../shared/config/file.ts';
import type { Config } from '../../shared/domain/plan.ts';
import { messageOf, PermanentError } from '../../shared/errors.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import type { ReadText } from './cloud-object.ts';

export interface ConfigSource {
  /** What was read last. Throws before the first `refresh` has succeeded. */
  current(): Config;
  /**
   * Looks for a new version when the last look is a minute ago. Without any version yet it throws PermanentError with
   * all that is wrong, or what `read` throws; later a version that cannot be read or used leaves the old one in place.
   */
  refresh(): Promise<void>;
}

export interface ConfigSourceOptions {
  /** As the messages name it. */
  readonly location: string;
  readonly read: ReadText;
  readonly clock: Clock;
  readonly log: Log;
}

/** A change takes effect within this time; a look costs one request that is answered with "not modified". */
const MAX_AGE_MS = 60_000;

/** The configuration while the process lives: it may be replaced without a deployment. */
export function createConfigSource({ location, read, clock, log }: ConfigSourceOptions): ConfigSource {
  let config: Config | undefined;
  let generation: string | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const found = await read(generation);
    if (found === undefined) return;
    // Noted before it is looked at, so that a version that cannot be used is told of once.
    generation = found.generation;
    config = parsed(found.text);
    log.info({ location, generation }, 'configuration loaded');
  };

  const parsed = (text: string): Config => {
    const outcome = parseConfig(text, { file: location, now: clock.now() });
    if (outcome.ok) return outcome.config;
    const lines = outcome.problems.map((problem) => formatProblem(location, problem));
    throw new PermanentError(`the configuration is not usable: ${lines.join(' | ')}`);
  };

  const lookAndKeep = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      if (config === undefined) {
        generation = undefined;
        throw error;
      }
      log.error({ location, problem: messageOf(error) }, 'new configuration not usable, the old one stays');
    }
    lookedAtMs = clock.now().getTime();
  };

  return {
    current: () => {
      if (config === undefined) throw new Error('the configuration was asked for before it was loaded');
      return config;
    },
    refresh: () => {
      if (clock.now().getTime() - lookedAtMs < MAX_AGE_MS) return Promise.resolve();
      looking ??= lookAndKeep().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}
