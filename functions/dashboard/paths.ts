import type { Filter } from './data.ts';

export function overviewPath({ plan, outcome }: Filter): string {
  const query = new URLSearchParams({
    ...(plan === undefined ? {} : { plan }),
    ...(outcome === undefined ? {} : { outcome }),
  }).toString();
  return query === '' ? '/' : `/?${query}`;
}

export const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;
