import type { Json } from '../../../shared/domain/json.ts';
import { badRequest } from './refusal.ts';

export interface Listing {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  readonly orderBy?: string | undefined;
}

interface Listable {
  readonly name: string;
  readonly createdAt: Date;
}

/** CES documents neither its default nor its maximum; these are common at Google. */
const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

/**
 * One page of `items`, under `key`. The token names the last item of the page before, so that what is created between
 * two pages neither repeats an entry nor hides one.
 *
 * @param items oldest first
 */
export function page<T extends Listable>(
  key: string,
  items: readonly T[],
  { pageSize = 0, pageToken = '', orderBy = '' }: Listing,
  view: (item: T) => Json,
): Json {
  if (pageSize < 0) throw badRequest(`page_size must not be negative, but is ${pageSize}.`);
  const ordered = order(items, orderBy);
  const begin = pageToken === '' ? 0 : ordered.findIndex(({ name }) => tokenOf(name) === pageToken) + 1;
  if (pageToken !== '' && begin === 0) throw badRequest('page_token is not one that this listing gave out.');
  const size = Math.min(pageSize === 0 ? DEFAULT_PAGE_SIZE : pageSize, MAX_PAGE_SIZE);
  const shown = ordered.slice(begin, begin + size);
  const last = shown.at(-1);
  return {
    ...(shown.length === 0 ? {} : { [key]: shown.map(view) }),
    ...(last === undefined || begin + size >= ordered.length ? {} : { nextPageToken: tokenOf(last.name) }),
  };
}

const tokenOf = (name: string): string => Buffer.from(name).toString('base64url');

/** Nothing here is ever updated, so `update_time`, which is also the default, is `create_time`. */
function order<T extends Listable>(items: readonly T[], orderBy: string): readonly T[] {
  switch (orderBy) {
    case '':
    case 'create_time':
    case 'update_time':
      return items.toReversed().toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    case 'name':
      return items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    default:
      throw badRequest(`order_by must be name, create_time or update_time, but is '${orderBy}'.`);
  }
}
