import { lastSegment, textOf, type Json } from '../../shared/domain/json.ts';
import type { Dataset } from '../../shared/domain/plan.ts';
import type { Deps } from '../../shared/ports.ts';

export interface Ensured {
  readonly dataset: string;
  /** `differs`: there is one by this name or id, but a run of the plan would not evaluate what is declared. */
  readonly state: 'created' | 'exists' | 'differs';
  readonly detail: string;
}

/** Creates a declared dataset unless it exists. One that exists is never changed: others may use it. */
export async function ensureDataset({ datasets }: Pick<Deps, 'datasets'>, dataset: Dataset): Promise<Ensured> {
  const existing = (await datasets.list(dataset.app)).find((candidate) => isSame(candidate, dataset));
  if (existing !== undefined) return compare(existing, dataset);
  const created = await datasets.create(dataset);
  return { dataset: dataset.name, state: 'created', detail: textOf(created['name']) ?? dataset.id };
}

/** Both the id and the display name are unique in an app. */
const isSame = (candidate: Json, dataset: Dataset): boolean =>
  idOf(candidate) === dataset.id || candidate['displayName'] === dataset.displayName;

function compare(existing: Json, dataset: Dataset): Ensured {
  const name = textOf(existing['name']) ?? '';
  const id = idOf(existing);
  if (id !== dataset.id) {
    const detail = `${name} has the display name "${dataset.displayName}"; add \`id: ${id}\` to the dataset to use it`;
    return { dataset: dataset.name, state: 'differs', detail };
  }
  const theirs = new Set(evaluationsOf(existing));
  const absent = dataset.evaluations.filter((evaluation) => !theirs.has(evaluation));
  const extra = [...theirs].filter((evaluation) => !dataset.evaluations.includes(evaluation));
  if (absent.length === 0 && extra.length === 0) return { dataset: dataset.name, state: 'exists', detail: name };
  const detail = [
    ...(absent.length === 0 ? [] : [`lacks ${absent.join(', ')}`]),
    ...(extra.length === 0 ? [] : [`also has ${extra.join(', ')}`]),
  ].join('; ');
  return {
    dataset: dataset.name,
    state: 'differs',
    detail: `${name} ${detail}; change it in CES or in the configuration`,
  };
}

const idOf = (dataset: Json): string => lastSegment(textOf(dataset['name']) ?? '');

const evaluationsOf = (dataset: Json): readonly string[] =>
  Array.isArray(dataset['evaluations'])
    ? dataset['evaluations'].flatMap((name: unknown) => (typeof name === 'string' ? lastSegment(name) : []))
    : [];
