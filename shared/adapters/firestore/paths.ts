import type { Kind } from '../../ports.ts';

const COLLECTIONS = {
  run: 'runs',
  delivery: 'deliveries',
  plan: 'plans',
  trigger: 'triggers',
  deadletter: 'deadletters',
} as const;

/** Where a document lies: docs/contract, section 8. What belongs to one run lies below it. */
export function documentPath(kind: Kind, id: string): string {
  switch (kind) {
    case 'snapshot':
      return `runs/${encoded(id)}/snapshots/last`;
    case 'scores':
      return `runs/${encoded(id)}/scores/last`;
    case 'result': {
      const slash = id.indexOf('/');
      return `${collectionPath(kind, id.slice(0, slash))}/${encoded(id.slice(slash + 1))}`;
    }
    case 'run':
    case 'delivery':
    case 'plan':
    case 'trigger':
    case 'deadletter':
      return `${COLLECTIONS[kind]}/${encoded(id)}`;
  }
}

/** @param run the run whose results are meant */
export function collectionPath(kind: Kind, run?: string): string {
  switch (kind) {
    case 'result':
      return `runs/${encoded(run ?? '')}/results`;
    case 'snapshot':
    case 'scores':
      return `runs/${encoded(run ?? '')}/${kind === 'scores' ? 'scores' : 'snapshots'}`;
    case 'run':
    case 'delivery':
    case 'plan':
    case 'trigger':
    case 'deadletter':
      return COLLECTIONS[kind];
  }
}

/** Firestore refuses slashes, ids of dots only, and ids between two underscores on either side. */
const encoded = (id: string): string =>
  encodeURIComponent(id)
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'))
    .replace(/^__(.*)__$/, '%5F%5F$1__');
