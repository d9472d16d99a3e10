import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether a request carries the API token: as a bearer token, or as the password of a browser's own login prompt.
 * Compared by digest, so that neither the time nor the length tells how close a guess came.
 */
export function isAuthorised(authorization: unknown, token: string): boolean {
  const given = typeof authorization === 'string' ? secretOf(authorization) : undefined;
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function secretOf(authorization: string): string | undefined {
  const [scheme = '', value = ''] = authorization.split(' ');
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value;
    case 'basic': {
      const credentials = Buffer.from(value, 'base64').toString('utf8');
      return credentials.slice(credentials.indexOf(':') + 1);
    }
    default:
      return undefined;
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
