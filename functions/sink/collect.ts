import { lastSegment, textOf, type Json } from '../../shared/domain/json.ts';
import { observe, type Observation } from '../../shared/domain/observation.ts';
import { readResult, scoresOf, sumOf, type Result } from '../../shared/domain/result.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { Deps, Write } from '../../shared/ports.ts';

/** What is known of a run's results. */
export interface Collected {
  readonly observation: Observation;
  readonly evaluationRun: Json;
  readonly results: readonly Result[];
  /** Why this is not the whole; undefined when it is. */
  readonly missing?: string;
}

/** Single results asked for at one time; CES has a quota of some 600 reads a minute. */
const PARALLEL_GETS = 4;
/** Documents in one commit. Firestore takes 500. */
const WRITES_PER_COMMIT = 100;

/**
 * Brings a run's results into the store, as far as one lease reaches: what is there is not asked for again, so a run
 * with thousands of results, or a worker that dies, goes on where it stopped.
 */
export async function collect(deps: Deps, run: Run): Promise<Collected | undefined> {
  const snapshot = await deps.store.get('snapshot', run.id);
  if (snapshot === undefined || run.evaluationRun === undefined) return undefined;
  const { evaluationRun } = snapshot.doc;
  const observation = observe(evaluationRun);
  const stored = await deps.store.find('result', { run: run.id, limit: 100_000 });
  const have = new Map(stored.map(({ doc }) => [textOf(doc.result['name']) ?? '', doc.result]));
  const listed = await deps.results.list(run.evaluationRun);
  await keep(deps, run, listed.filter(isNews(observation.results, have)), have);
  await addNamed(deps, run, observation.results, have);
  const results = [...have.values()].flatMap((result) => readResult(result) ?? []);
  const missing = whatIsMissing(observation, results);
  return { observation, evaluationRun, results, ...(missing === undefined ? {} : { missing }) };
}

const isFinal = (result: Json): boolean => {
  const outcome = readResult(result)?.outcome;
  return outcome !== undefined && outcome !== 'unfinished';
};

/**
 * A list may hold less than the full result; an entry that already has its outcome is enough to judge by. Where the run
 * names its results, others that a list may hold are not its own.
 */
function isNews(names: readonly string[], have: ReadonlyMap<string, Json>): (result: Json) => boolean {
  const own = new Set(names);
  return (result) => {
    const name = textOf(result['name']) ?? '';
    return isFinal(result) && !have.has(name) && (own.size === 0 || own.has(name));
  };
}

async function addNamed(deps: Deps, run: Run, names: readonly string[], have: Map<string, Json>): Promise<void> {
  const absent = names.filter((name) => !have.has(name));
  const stopAt = deps.clock.now().getTime() + deps.settings.cesTimeoutMs;
  for (let from = 0; from < absent.length && deps.clock.now().getTime() < stopAt; from += PARALLEL_GETS) {
    const batch = absent.slice(from, from + PARALLEL_GETS);
    const answers = await Promise.all(batch.map((name) => deps.results.get(name)));
    await keep(deps, run, answers.filter(isFinal), have);
  }
}

async function keep(deps: Deps, run: Run, results: readonly Json[], have: Map<string, Json>): Promise<void> {
  const createdAt = deps.clock.now().toISOString();
  for (let from = 0; from < results.length; from += WRITES_PER_COMMIT) {
    const batch = results.slice(from, from + WRITES_PER_COMMIT);
    await deps.store.commit(
      batch.map((result): Write => ({
        op: 'put',
        kind: 'result',
        id: idOf(run, result),
        doc: { run: run.id, createdAt, result },
      })),
    );
    for (const result of batch) have.set(textOf(result['name']) ?? '', result);
  }
}

/** Result ids are unique within their evaluation only. */
function idOf(run: Run, result: Json): string {
  const read = readResult(result);
  return `${run.id}/${read?.evaluation ?? ''}.${lastSegment(read?.name ?? '')}`;
}

/**
 * A run that CES completed has as many results as it counted, and every one that it names. One that CES broke off is
 * judged by what there is: it is inconclusive anyway.
 */
function whatIsMissing(observation: Observation, results: readonly Result[]): string | undefined {
  if (observation.end !== 'completed') return undefined;
  const names = new Set(results.map(({ name }) => name));
  const absent = observation.results.filter((name) => !names.has(name)).length;
  if (absent > 0) return `${absent} of ${observation.results.length} results are not there yet`;
  const sum = Object.values(sumOf(scoresOf(results))).reduce((total, count) => total + count, 0);
  const { total } = observation.progress;
  return sum < total ? `${sum} of ${total} results are there` : undefined;
}
