import { formatProblem, parseConfig } from '../../shared/config/file.ts';

export const NOW = new Date('2026-11-30T01:00:00Z');

/** A file without problems and warnings, for tests that change one place of it. */
export const GOOD = `version: 1
timezone: Europe/Berlin
apps:
  support: projects/acme-cx/locations/us/apps/support-bot
datasets:
  smoke: { app: support, displayName: Smoke, evaluations: [greeting, refund] }
plans:
  nightly:
    app: support
    dataset: smoke
    schedule: '0 2 * * *'
    deadline: 45m
    gate: { minPassRate: 0.95, mustPass: [refund] }
    alerts: [oncall]
subscribers:
  oncall: { slack: { channel: C0123456789 } }
`;

/** GOOD with one place changed. */
export function changed(from: string, to: string): string {
  if (!GOOD.includes(from)) throw new Error(`GOOD does not hold ${from}`);
  return GOOD.replace(from, () => to);
}

export function problemsOf(text: string): readonly string[] {
  const parsed = parseConfig(text, { file: 'evals.yaml', now: NOW });
  return parsed.ok ? [] : parsed.problems.map((problem) => formatProblem('evals.yaml', problem));
}

export function warningsOf(text: string): readonly string[] {
  const parsed = parseConfig(text, { file: 'evals.yaml', now: NOW });
  if (!parsed.ok) throw new Error(problemsOf(text).join('\n'));
  return parsed.warnings.map((warning) => formatProblem('evals.yaml', warning));
}
