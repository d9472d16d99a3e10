import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Json } from '../../shared/domain/json.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import type { PlanState } from '../../shared/domain/plan-state.ts';
import type { Scores } from '../../shared/domain/result.ts';
import type { Run } from '../../shared/domain/run.ts';
import type { Deps, Store } from '../../shared/ports.ts';

export const SPARKLINE_RUNS = 30;
export const TABLE_RUNS = 50;
/** How far back runs are looked through for those of one outcome, which the store cannot look up by itself. */
export const SEARCHED_RUNS = 500;
export const LOGGED_DELIVERIES = 100;
/** More than any run has subscribers, or any configuration plans. */
const ALL = 1_000;

/** What the table of runs is narrowed down to. */
export interface Filter {
  readonly plan?: string;
  /** `passed`, `failed`, `inconclusive`, or `open` for runs without a verdict; any other word fits no run. */
  readonly outcome?: string;
}

export interface PlanCard {
  readonly name: string;
  /** Absent when only history knows the plan. */
  readonly plan?: Plan;
  readonly state?: PlanState;
  /** Newest first. */
  readonly runs: readonly Run[];
  /** The run that failed first, while the plan fails. */
  readonly firstFailed?: Run;
}

export interface RunRow {
  readonly run: Run;
  /** Oldest first. */
  readonly deliveries: readonly Delivery[];
}

export interface Overview {
  readonly cards: readonly PlanCard[];
  readonly rows: readonly RunRow[];
}

export interface RunDetail extends RunRow {
  readonly scores: Scores;
  readonly snapshot?: Json;
}

export async function readOverview(
  { config, store }: Pick<Deps, 'config' | 'store'>,
  filter: Filter,
): Promise<Overview> {
  const [states, runs] = await Promise.all([store.find('plan', { limit: ALL }), latestRuns(store, filter)]);
  const known = new Map(states.map(({ doc }) => [doc.plan, doc]));
  const inHistory = [...known.keys(), ...runs.map(({ plan }) => plan)].toSorted();
  const names = [...new Set([...Object.keys(config.plans), ...inHistory])];
  const [cards, rows] = await Promise.all([
    Promise.all(
      names
        .filter((name) => filter.plan === undefined || name === filter.plan)
        .map((name) => readCard(store, name, configured(config.plans, name), known.get(name))),
    ),
    withDeliveries(store, runs.filter(fits(filter)).slice(0, TABLE_RUNS)),
  ]);
  return { cards, rows };
}

const configured = (plans: Readonly<Record<string, Plan>>, name: string): Plan | undefined =>
  Object.hasOwn(plans, name) ? plans[name] : undefined;

async function readCard(
  store: Store,
  name: string,
  plan: Plan | undefined,
  state: PlanState | undefined,
): Promise<PlanCard> {
  const since = state?.failing?.since;
  const [runs, first] = await Promise.all([
    store.find('run', { plan: name, limit: SPARKLINE_RUNS }),
    since === undefined ? undefined : store.get('run', since),
  ]);
  return {
    name,
    runs: runs.map(({ doc }) => doc),
    ...(plan === undefined ? {} : { plan }),
    ...(state === undefined ? {} : { state }),
    ...(first === undefined ? {} : { firstFailed: first.doc }),
  };
}

async function latestRuns(store: Store, { plan, outcome }: Filter): Promise<readonly Run[]> {
  const limit = outcome === undefined ? TABLE_RUNS : SEARCHED_RUNS;
  const found = await store.find('run', { limit, ...(plan === undefined ? {} : { plan }) });
  return found.map(({ doc }) => doc);
}

const fits =
  ({ outcome }: Filter) =>
  (run: Run): boolean =>
    outcome === undefined || outcome === (run.verdict?.outcome ?? 'open');

export const withDeliveries = (store: Store, runs: readonly Run[]): Promise<readonly RunRow[]> =>
  Promise.all(runs.map(async (run) => ({ run, deliveries: await deliveriesOf(store, run.id) })));

export async function readRow(store: Store, id: string): Promise<RunRow | undefined> {
  const stored = await store.get('run', id);
  return stored === undefined ? undefined : { run: stored.doc, deliveries: await deliveriesOf(store, id) };
}

export async function readDetail(store: Store, id: string): Promise<RunDetail | undefined> {
  const [row, scores, snapshot] = await Promise.all([
    readRow(store, id),
    store.get('scores', id),
    store.get('snapshot', id),
  ]);
  if (row === undefined) return undefined;
  return {
    ...row,
    scores: scores?.doc.scores ?? {},
    ...(snapshot === undefined ? {} : { snapshot: snapshot.doc.evaluationRun }),
  };
}

/** Newest first. */
export async function readDeliveryLog(store: Store): Promise<readonly Delivery[]> {
  const found = await store.find('delivery', { limit: LOGGED_DELIVERIES });
  return found.map(({ doc }) => doc);
}

async function deliveriesOf(store: Store, run: string): Promise<readonly Delivery[]> {
  const found = await store.find('delivery', { run, limit: ALL });
  return found.map(({ doc }) => doc).toReversed();
}
