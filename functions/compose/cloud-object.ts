import { readFile } from 'node:fs/promises';

import { messageOf, PermanentError, TransientError } from '../../shared/errors.ts';

export interface VersionedText {
  readonly text: string;
  /** Another one for every version. */
  readonly generation: string;
}

/** Reads a text, or answers undefined when it still is the version that is known already. */
export type ReadText = (known: string | undefined) => Promise<VersionedText | undefined>;

/** A file in the bundle's own folder never changes while the process lives. */
const FILE_GENERATION = 'file';

/** Cloud Storage answers in some tens of milliseconds; a function that waits longer had better start anew. */
const TIMEOUT_MS = 10_000;

/**
 * A reader for `gs://bucket/object`, or for a path.
 * @param request sends an authorised request; google-auth-library's, unless a test brings another
 */
export function createReadText(location: string, request: AuthorisedRequest = googleRequest()): ReadText {
  const [, bucket, object] = /^gs:\/\/([^/]+)\/(.+)$/.exec(location) ?? [];
  return bucket === undefined || object === undefined
    ? fromFile(location)
    : fromBucket(location, { bucket, object }, request);
}

export interface ObjectAnswer {
  readonly status: number;
  readonly text: string;
  readonly generation: string | null;
}

export type AuthorisedRequest = (url: string) => Promise<ObjectAnswer>;

const fromFile =
  (path: string): ReadText =>
  async (known) => {
    if (known === FILE_GENERATION) return undefined;
    try {
      return { text: await readFile(path, 'utf8'), generation: FILE_GENERATION };
    } catch (error) {
      throw new PermanentError(
        `could not read the configuration ${path}: ${messageOf(error)}; set EVALS_CONFIG to gs://BUCKET/evals.yaml`,
        { cause: error },
      );
    }
  };

const fromBucket =
  (
    location: string,
    { bucket, object }: { readonly bucket: string; readonly object: string },
    request: AuthorisedRequest,
  ): ReadText =>
  async (known) => {
    const query = known === undefined ? '' : `&ifGenerationNotMatch=${encodeURIComponent(known)}`;
    const url = `https://storage.googleapis.com/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(object)}?alt=media${query}`;
    const { status, text, generation } = await request(url).catch((error: unknown) => {
      // Without `cause`: errors of the token endpoint carry the request, and with it secrets.
      throw new TransientError(`could not read ${location}: ${messageOf(error)}`);
    });
    if (status === 304) return undefined;
    if (status === 200 && generation !== null) return { text, generation };
    throw refusal(location, status);
  };

function refusal(location: string, status: number): PermanentError | TransientError {
  switch (status) {
    case 404:
      return new PermanentError(
        `could not read ${location}: there is no such object; upload it with ces-evals config apply, or correct EVALS_CONFIG`,
      );
    case 401:
    case 403:
      return new PermanentError(
        `could not read ${location}: HTTP ${status}; give the function's service account the role roles/storage.objectViewer on the bucket`,
      );
    default:
      return new TransientError(`could not read ${location}: HTTP ${status}`);
  }
}

/** Loaded with the first request: a function whose configuration is a file does not need it. */
function googleRequest(): AuthorisedRequest {
  let client: Promise<{ request: AuthorisedRequest }> | undefined;
  return async (url) => {
    client ??= googleClient();
    return (await client).request(url);
  };
}

async function googleClient(): Promise<{ request: AuthorisedRequest }> {
  const { GoogleAuth } = await import('google-auth-library');
  const auth = new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/devstorage.read_only' });
  return {
    request: async (url) => {
      const { status, data, headers } = await auth.request<string>({
        url,
        responseType: 'text',
        timeout: TIMEOUT_MS,
        validateStatus: () => true,
      });
      return { status, text: data, generation: headers.get('x-goog-generation') };
    },
  };
}
