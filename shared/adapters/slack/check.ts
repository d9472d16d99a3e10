import { PermanentError, TransientError } from '../../errors.ts';
import { problemOf } from './answer.ts';
import { createSlackClient } from './client.ts';
import { remedyOf } from './outcome.ts';

/**
 * Asks Slack who we are, without posting anything. Answers the bot and its workspace.
 * @throws PermanentError or TransientError with what to do
 */
export async function checkSlack(options: {
  readonly token: string | undefined;
  readonly apiUrl: string;
  readonly timeoutMs: number;
}): Promise<string> {
  const { token, ...rest } = options;
  if (token === undefined) throw new PermanentError('there is no token for Slack; set SLACK_BOT_TOKEN');
  try {
    const { user, team } = await createSlackClient({ token, ...rest }).auth.test();
    return `posts as ${user ?? 'an unnamed bot'} in ${team ?? 'an unnamed workspace'}`;
  } catch (error) {
    const problem = problemOf(error);
    const remedy = problem.kind === 'error' ? remedyOf(problem.error) : undefined;
    if (problem.kind === 'error' && remedy !== undefined) {
      throw new PermanentError(`Slack answered ${problem.error}; ${remedy}`, { cause: error });
    }
    throw new TransientError(
      `Slack did not answer as it should (${problem.kind}); check SLACK_API_URL and the network`,
      {
        cause: error,
      },
    );
  }
}
