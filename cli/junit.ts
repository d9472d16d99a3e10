import { accessSync, constants, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Score, Scores } from '../shared/domain/result.ts';
import type { RunDocument } from '../shared/domain/run-document.ts';
import { messageOf, UsageError } from '../shared/errors.ts';
import { shortfallOf } from './describe-run.ts';

export interface JunitFile {
  /** Replaces the file as a whole: a reader never finds half of it. */
  write(run: RunDocument, scores: Scores): void;
}

/**
 * A report for the test tab of a CI system. Its folder is made at once, so that a wrong path is told before an
 * evaluation is paid for and not after it.
 */
export function createJunitFile(file: string): JunitFile {
  attempt(file, () => {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(dirname(file), constants.W_OK);
  });
  return {
    write: (run, scores) => {
      attempt(file, () => {
        const unfinished = `${file}.${process.pid}.tmp`;
        writeFileSync(unfinished, junitXml(run, scores));
        renameSync(unfinished, file);
      });
    },
  };
}

function attempt(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UsageError(`could not write the JUnit report ${file}: ${messageOf(error)}`, { cause: error });
  }
}

interface Case {
  readonly name: string;
  /** Absent = passed. */
  readonly fault?: { readonly element: 'failure' | 'error' | 'skipped'; readonly message: string };
}

/** One test suite for the run, one test case for each evaluation. */
export function junitXml(run: RunDocument, scores: Scores): string {
  const cases = withVerdict(
    run,
    Object.entries(scores).map(([name, score]) => caseOf(name, score)),
  );
  const count = (element: string): number => cases.filter(({ fault }) => fault?.element === element).length;
  const counts = {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: secondsOf(run),
  };
  const suite = { name: run.plan, ...counts, timestamp: run.createdAt, id: run.id };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'ces-evals', ...counts })}>`,
    `  <testsuite${attributes(suite)}>`,
    ...cases.map((one) => `    ${elementOf(run, one)}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseOf(name: string, score: Score): Case {
  const { passed, failed, errored, cancelled, skipped } = score;
  if (failed > 0) return { name, fault: { element: 'failure', message: shortfallOf(score) } };
  if (errored + cancelled > 0) return { name, fault: { element: 'error', message: shortfallOf(score) } };
  return passed === 0 && skipped > 0
    ? { name, fault: { element: 'skipped', message: 'skipped in every repetition' } }
    : { name };
}

/** A verdict that no evaluation explains, such as a start that was refused, must not look like a pass. */
function withVerdict({ verdict, state }: RunDocument, cases: readonly Case[]): readonly Case[] {
  const isExplained = cases.some(({ fault }) => fault !== undefined && fault.element !== 'skipped');
  if (verdict?.outcome === 'passed' || (verdict !== null && isExplained)) return cases;
  const message = verdict === null ? `no verdict yet: the run is ${state}` : messages(verdict.reasons);
  return [
    ...cases,
    { name: 'verdict', fault: { element: verdict?.outcome === 'failed' ? 'failure' : 'error', message } },
  ];
}

const messages = (reasons: readonly { readonly message: string }[]): string =>
  reasons.map(({ message }) => message).join('; ');

function elementOf({ plan }: RunDocument, { name, fault }: Case): string {
  const opening = `<testcase${attributes({ classname: plan, name })}`;
  return fault === undefined
    ? `${opening}/>`
    : `${opening}><${fault.element}${attributes({ message: fault.message })}/></testcase>`;
}

const secondsOf = ({ startedAt, finishedAt }: RunDocument): string =>
  startedAt === null || finishedAt === null
    ? '0.000'
    : ((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 has no way at all to write most control characters, half a surrogate pair and two more: they are left out. */
const escapeXml = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
