import type { Clock } from '../../../shared/ports.ts';
import type { Json } from '../../../shared/domain/json.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { within } from './names.ts';
import { page, type Listing } from './paging.ts';
import { message } from './proto-json.ts';
import type { Chance } from './random.ts';
import { alreadyExists, badRequest, notFound } from './refusal.ts';

export interface SimulatedDataset {
  readonly name: string;
  readonly displayName: string;
  readonly createdAt: Date;
  readonly evaluations: readonly CatalogueEntry[];
}

export interface Datasets {
  create(wanted: WantedDataset): Json;
  get(name: string): Json;
  list(parent: string, listing: Listing): Json;
  /** By id or full resource name. */
  find(idOrName: string): SimulatedDataset;
}

export interface WantedDataset {
  readonly parent: string;
  /** Absent or empty = the service chooses. */
  readonly id?: string | undefined;
  readonly displayName: string;
  /** Full resource names. */
  readonly evaluations: readonly string[];
}

interface Deps {
  readonly app: string;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Throws for an evaluation that does not exist. */
  readonly evaluation: (name: string) => CatalogueEntry;
}

export function createDatasets({ app, clock, chance, evaluation }: Deps): Datasets {
  const datasets = new Map<string, SimulatedDataset>();

  const find = (idOrName: string): SimulatedDataset => {
    const name = within(app, 'evaluationDatasets', idOrName);
    const dataset = datasets.get(name);
    if (dataset === undefined) throw notFound(name);
    return dataset;
  };

  const create = ({ parent, id, displayName, evaluations }: WantedDataset): Json => {
    if (parent !== app) throw notFound(parent);
    const partial = evaluations.find((name) => !name.startsWith(`${app}/evaluations/`));
    if (partial !== undefined) {
      throw badRequest(`evaluation_dataset.evaluations: '${partial}' is not the full name of an evaluation of ${app}.`);
    }
    const name = within(app, 'evaluationDatasets', id || chance.id('dataset', datasets.size));
    if (datasets.has(name)) throw alreadyExists(`Resource '${name}' already exists.`);
    if ([...datasets.values()].some((other) => other.displayName === displayName)) {
      throw alreadyExists(`An evaluation dataset with the display name '${displayName}' already exists.`);
    }
    const dataset = { name, displayName, createdAt: clock.now(), evaluations: evaluations.map(evaluation) };
    datasets.set(name, dataset);
    return view(app, dataset);
  };

  return {
    create,
    find,
    get: (name) => view(app, find(name)),
    list: (parent, listing) => {
      if (parent !== app) throw notFound(parent);
      return page('evaluationDatasets', [...datasets.values()], listing, (dataset) => view(app, dataset));
    },
  };
}

const view = (app: string, { name, displayName, createdAt, evaluations }: SimulatedDataset): Json =>
  message({
    name,
    displayName,
    evaluations: evaluations.map(({ id }) => within(app, 'evaluations', id)),
    createTime: createdAt.toISOString(),
    updateTime: createdAt.toISOString(),
    etag: `"${createdAt.getTime().toString(36)}"`,
  });
