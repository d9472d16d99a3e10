import { GoogleAuth, type AuthClient } from 'google-auth-library';

import { messageOf, PermanentError, TransientError } from '../../errors.ts';

/** Who we are towards CES. */
export interface Credentials {
  /** Headers to send, asked for on every call. Throws PermanentError without credentials, TransientError without a token. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** The token was refused: the next `headers` must bring another one. */
  refresh(): Promise<void>;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Without one the library looks for the project of the credentials: it runs gcloud, or asks APIs that the account may
 * not be allowed to use. Nothing here needs it.
 */
const NO_PROJECT = 'not-asked-for';

const REMEDY =
  'run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file; ' +
  'the account needs the role roles/mcp.toolUser';

/** Application Default Credentials: a key file, gcloud's login, or the metadata server of Google Cloud. */
export function applicationDefaultCredentials(): Credentials {
  let client: Promise<AuthClient> | undefined;

  const forget = async (): Promise<void> => {
    // Each kind of client caches its token in a place of its own, some in two. Without the client the token is gone
    // for certain, and a new login of the operator is picked up from the disk.
    client = undefined;
  };

  return {
    refresh: forget,
    async headers() {
      client ??= new GoogleAuth({ scopes: SCOPE, projectId: NO_PROJECT }).getClient();
      try {
        const current = await client.catch((error: unknown) => {
          throw new PermanentError(`no usable Google credentials: ${problemOf(error)}. To have some, ${REMEDY}`);
        });
        return Object.fromEntries(await current.getRequestHeaders());
      } catch (error) {
        await forget();
        if (error instanceof PermanentError) throw error;
        // Without `cause`: errors of the token endpoint carry the request, and with it secrets.
        throw new TransientError(`Google gave no access token: ${messageOf(error)}. If that stays, ${REMEDY}`);
      }
    },
  };
}

/** A JSON error quotes what it could not read, and that may be a key. */
const problemOf = (error: unknown): string =>
  error instanceof SyntaxError ? 'the credentials file is not JSON' : messageOf(error);

/** For a CES on this machine, which asks nobody who they are. */
export const noCredentials = (): Credentials => ({
  headers: () => Promise.resolve({}),
  refresh: () => Promise.resolve(),
});
