/**
 * What the poll policy costs and how late it sees the end of a run, beside fixed intervals: `node test/bench-polling.ts`.
 *
 * The model: 4,000 runs. 70 % wait 0 to 10 s at CES, the others 90 s on average (exponential). A run then takes 8 min
 * (median, log-normal, sigma 0.8) for 60 results (median, log-normal, sigma 0.6). In one run of four a few stragglers
 * take the rest of the time after all other results are there. The same seed gives the same lives.
 */
import type { Progress } from '../shared/domain/observation.ts';
import { untilNextPoll, type PollBounds } from '../shared/domain/poll-policy.ts';

const RUNS = 4_000;
const SEED = 20261130;
/** The defaults of POLL_MIN and POLL_MAX. */
const BOUNDS: PollBounds = { minMs: 5_000, maxMs: 60_000 };

interface Life {
  readonly endMs: number;
  /** When each result is there, sorted; the last at `endMs`. */
  readonly resultsMs: readonly number[];
}

type Wait = (ageMs: number, progress: Progress) => number;

/** mulberry32: uniform in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function lifeOf(random: () => number): Life {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const logNormal = (median: number, sigma: number): number => median * Math.exp(sigma * normal());
  const queuedMs = random() < 0.7 ? random() * 10_000 : -90_000 * Math.log(1 - random());
  const runningMs = logNormal(8 * 60_000, 0.8);
  const results = Math.max(1, Math.round(logNormal(60, 0.6)));
  const stragglers = random() < 0.25 ? 1 + Math.floor(random() * 3) : 0;
  const bulkShare = stragglers === 0 ? 1 : 0.3 + 0.6 * random();
  const shares = Array.from({ length: results }, (_, index) => {
    if (index === 0) return 1;
    return index < stragglers ? bulkShare + (1 - bulkShare) * random() : bulkShare * random();
  });
  const resultsMs = shares.map((share) => queuedMs + runningMs * share).toSorted((a, b) => a - b);
  return { endMs: queuedMs + runningMs, resultsMs };
}

function watch({ endMs, resultsMs }: Life, wait: Wait): { readonly polls: number; readonly lateMs: number } {
  let atMs = 0;
  let completed = 0;
  for (let polls = 0; ; polls += 1) {
    if (polls > 0 && atMs >= endMs) return { polls, lateMs: atMs - endMs };
    while ((resultsMs[completed] ?? Infinity) <= atMs) completed += 1;
    const progress = { total: resultsMs.length, completed, passed: completed, failed: 0, error: 0, cancelled: 0 };
    atMs += wait(atMs, progress);
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

function measure(lives: readonly Life[], wait: Wait) {
  const watched = lives.map((life) => watch(life, wait));
  const lateMs = watched.map((life) => life.lateMs).toSorted((a, b) => a - b);
  return {
    polls: watched.reduce((sum, life) => sum + life.polls, 0) / watched.length,
    p50Seconds: quantile(lateMs, 0.5) / 1000,
    p95Seconds: quantile(lateMs, 0.95) / 1000,
  };
}

const random = createRandom(SEED);
const lives = Array.from({ length: RUNS }, () => lifeOf(random));
const policies: readonly (readonly [string, Wait])[] = [
  ['untilNextPoll', (ageMs, progress) => untilNextPoll(ageMs, progress, BOUNDS)],
  ...[5, 10, 30, 60].map((seconds) => [`fixed ${seconds} s`, () => seconds * 1000] as const),
];
const fixed30 = measure(lives, () => 30_000);

process.stdout.write('policy           polls/run   late p50   late p95   polls to fixed 30 s   p50 to fixed 30 s\n');
for (const [name, wait] of policies) {
  const { polls, p50Seconds, p95Seconds } = measure(lives, wait);
  const columns = [
    name.padEnd(15),
    polls.toFixed(1).padStart(10),
    `${p50Seconds.toFixed(1)} s`.padStart(10),
    `${p95Seconds.toFixed(1)} s`.padStart(10),
    `${(polls / fixed30.polls).toFixed(2)} x`.padStart(21),
    `${(p50Seconds / fixed30.p50Seconds).toFixed(2)} x`.padStart(19),
  ];
  process.stdout.write(`${columns.join(' ')}\n`);
}
