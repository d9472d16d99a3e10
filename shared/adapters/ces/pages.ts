import { isRecord, textOf, type Json } from '../../domain/json.ts';
import { TransientError } from '../../errors.ts';
import type { Call } from './connection.ts';

/** The largest page that is usual at Google; CES documents no limit of its own and may give less. */
const PAGE_SIZE = 100;

/** More than any app has. A server that never stops must not keep us for ever. */
const MOST_PAGES = 1000;

/** A list tool, and where its answer has the entries. */
export interface Listing {
  readonly tool: string;
  readonly entries: string;
  /** Besides those that turn the pages. */
  readonly args: Json & { readonly parent: string };
}

/** Page by page, until the server names no next page, or one that was read before. */
export async function* pagesOf(call: Call, listing: Listing): AsyncGenerator<readonly Json[]> {
  const seen = new Set<string>();
  let pageToken: string | undefined;
  do {
    const page = await call(listing.tool, {
      ...listing.args,
      pageSize: PAGE_SIZE,
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    const entries = page[listing.entries];
    yield Array.isArray(entries) ? entries.filter(isRecord) : [];
    pageToken = textOf(page['nextPageToken']);
    if (pageToken !== undefined && seen.has(pageToken)) return;
    if (pageToken !== undefined) seen.add(pageToken);
  } while (pageToken !== undefined);
}

/** All entries. A list that is cut short would look complete, so one that does not end is an error. */
export async function allOf(call: Call, listing: Listing): Promise<readonly Json[]> {
  const all: Json[] = [];
  let pages = 0;
  for await (const page of pagesOf(call, listing)) {
    all.push(...page);
    if (++pages === MOST_PAGES)
      throw new TransientError(`${listing.tool} on ${listing.args.parent} does not end after ${MOST_PAGES} pages`);
  }
  return all;
}
