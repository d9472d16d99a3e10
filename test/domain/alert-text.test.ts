import { describe, expect, test } from '@jest/globals';

import type { Reader } from '../../shared/domain/alert-format.ts';
import { alertText, plainLines } from '../../shared/domain/alert-text.ts';
import type { AlertReason } from '../../shared/domain/plan.ts';
import type { RunDocument } from '../../shared/domain/run-document.ts';
import type { InconclusiveCode } from '../../shared/domain/verdict.ts';
import {
  alertAbout,
  FAILED_ALERT,
  FAILED_RUN,
  INCONCLUSIVE_ALERT,
  RECOVERED_ALERT,
} from '../adapters/alert-fixtures.ts';

const BERLIN: Reader = { locale: 'en-GB', timezone: 'Europe/Berlin' };

const RUNNING: RunDocument = {
  ...FAILED_RUN,
  state: 'running',
  finishedAt: null,
  judgedAt: null,
  progress: { total: 20, completed: 3, passed: 3, failed: 0, error: 0, cancelled: 0 },
  verdict: null,
};

const inconclusive = (...codes: readonly InconclusiveCode[]) =>
  alertAbout(
    {
      ...FAILED_RUN,
      verdict: { outcome: 'inconclusive', passRate: null, reasons: codes.map((code) => ({ code, message: code })) },
    },
    'inconclusive',
  );

const factOf = (run: RunDocument, label: string, reader = BERLIN): string | undefined =>
  alertText(alertAbout(run, 'failed'), reader, 10).facts.find((fact) => fact.label === label)?.value;

describe('the headline', () => {
  const headlines: readonly (readonly [AlertReason, RunDocument, string, string])[] = [
    ['failed', FAILED_RUN, 'bad', 'nightly failed: 17 of 20 passed (85.0%)'],
    ['still_failing', FAILED_RUN, 'bad', 'nightly is still failing: 17 of 20 passed (85.0%)'],
    ['recovered', RECOVERED_ALERT.run, 'good', 'nightly recovered: 20 of 20 passed (100.0%)'],
    ['passed', RECOVERED_ALERT.run, 'good', 'nightly passed: 20 of 20 passed (100.0%)'],
    ['inconclusive', INCONCLUSIVE_ALERT.run, 'unclear', 'nightly is inconclusive'],
    ['overdue', RUNNING, 'unclear', 'nightly is overdue'],
    ['started', RUNNING, 'neutral', 'nightly started'],
  ];
  test.each(headlines)('of a run that is reported as %s', (reason, run, tone, headline) => {
    const text = alertText(alertAbout(run, reason), BERLIN, 10);

    expect({ tone: text.tone, headline: text.headline }).toEqual({ tone, headline });
  });

  test('leaves out counts that do not go with the rate that was judged', () => {
    const run = {
      ...FAILED_RUN,
      progress: { total: 20, completed: 20, passed: 19, failed: 1, error: 0, cancelled: 0 },
    };

    expect(alertText(alertAbout(run, 'failed'), BERLIN, 10).headline).toBe('nightly failed: 85.0% passed');
  });

  test('writes numbers as the subscriber does', () => {
    const run: RunDocument = {
      ...FAILED_RUN,
      progress: { total: 20_000, completed: 20_000, passed: 17_000, failed: 3_000, error: 0, cancelled: 0 },
    };

    const written = ['en', 'de-DE', 'pt-BR'].map(
      (locale) => alertText(alertAbout(run, 'failed'), { ...BERLIN, locale }, 10).headline,
    );
    expect(written).toEqual([
      'nightly failed: 17,000 of 20,000 passed (85.0%)',
      'nightly failed: 17.000 of 20.000 passed (85,0\u00a0%)',
      'nightly failed: 17.000 of 20.000 passed (85,0%)',
    ]);
  });
});

describe('what the alert means', () => {
  test.each([
    ['still_failing', 1, 'It has been failing since nightly-20261128T020000Z: 1 failed run.'],
    ['recovered', 3, 'It had been failing since nightly-20261128T020000Z: 3 failed runs.'],
  ] as const)('%s after %d runs', (reason, runs, sentence) => {
    const alert = alertAbout(FAILED_RUN, reason, { failingSince: { run: 'nightly-20261128T020000Z', runs } });

    expect(alertText(alert, BERLIN, 10).explanation).toEqual([sentence]);
  });

  const advice: readonly (readonly [InconclusiveCode, string])[] = [
    ['run_timed_out', 'Look at the evaluation run in CES; if it is only slow, raise the deadline of the plan.'],
    ['run_abandoned', 'Somebody gave this run up; ask them why.'],
    ['start_failed', 'Correct what the reason names.'],
    ['run_error', 'Look at the evaluation run in CES for the cause of the error.'],
    ['run_cancelled', 'Find out who cancelled the evaluation run in CES.'],
    ['results_unavailable', 'See whether the evaluation run in CES still has its results.'],
    ['counts_disagree', 'Compare the results with the evaluation run in CES.'],
    ['no_results', 'See that the dataset has evaluations, and that they are not skipped.'],
    ['error_rate_above_maximum', 'Look at the errors; an exhausted quota is the usual cause.'],
    ['must_pass_not_measured', 'See that every evaluation that must pass is in the dataset and can be measured.'],
  ];
  test.each(advice)('%s says nothing about the agent, and what to do', (code, sentence) => {
    expect(alertText(inconclusive(code, code), BERLIN, 10).explanation).toEqual([
      'This says nothing about the agent, neither good nor bad: the run could not be judged.',
      sentence,
      'Then start another run: ces-evals run nightly',
    ]);
  });

  test('an overdue run is not called a failure', () => {
    expect(alertText(alertAbout(RUNNING, 'overdue'), BERLIN, 10).explanation).toEqual([
      'A verdict was due and is not there. This says nothing about the agent.',
      'See what the run is waiting for: ces-evals runs show nightly-20261130T020000Z',
    ]);
  });

  test('without a verdict the problem of the run is the reason', () => {
    const alert = alertAbout({ ...RUNNING, problem: 'CES answered 503' }, 'overdue');

    expect(alertText(alert, BERLIN, 10).reasons).toEqual(['CES answered 503']);
  });

  test('of many reasons the first ones are given', () => {
    const reasons = Array.from({ length: 30 }, (_, index) => ({
      code: 'must_pass_failed' as const,
      message: `refund-${index} must pass and failed 1 of 1 times`,
    }));
    const alert = alertAbout({ ...FAILED_RUN, verdict: { outcome: 'failed', passRate: 0.85, reasons } }, 'failed');

    const text = alertText(alert, BERLIN, 10);
    expect(text.reasons).toHaveLength(9);
    expect(text.reasons.slice(-2)).toEqual(['refund-7 must pass and failed 1 of 1 times', '+22 more']);
  });

  test('the summary is the alert in a few sentences', () => {
    expect(alertText(FAILED_ALERT, BERLIN, 10).summary).toBe(
      'nightly failed: 17 of 20 passed (85.0%). 85.0% of 20 results passed; the plan asks for 95.0%. ' +
        'Newly failing (2): refund (2 of 5 passed), cancel-order (3 of 5 passed). Run nightly-20261130T020000Z.',
    );
  });
});

describe('the evaluations', () => {
  test('are listed by what changed, the worst first, and the rest is counted', () => {
    expect(alertText(FAILED_ALERT, BERLIN, 1).evaluations).toEqual([
      { title: 'Newly failing (2)', items: [{ name: 'refund', detail: '2 of 5 passed' }], more: 1 },
      { title: 'Still failing (1)', items: [{ name: 'small-talk' }], more: 0 },
      { title: 'Fixed (1)', items: [{ name: 'greeting' }], more: 0 },
      { title: 'Flaky (1)', items: [{ name: 'refund', detail: '2 of 5 passed' }], more: 0 },
      { title: 'Errors (1)', items: [{ name: 'handover', detail: '4 of 5 passed, QUOTA_EXHAUSTED' }], more: 0 },
    ]);
  });

  test('without a baseline are those that failed', () => {
    const alert = alertAbout({ ...FAILED_RUN, verdict: { outcome: 'failed', passRate: 0.85, reasons: [] } }, 'failed', {
      failing: FAILED_ALERT.failing,
      errored: FAILED_ALERT.errored,
      omitted: 7,
    });

    expect(plainLines(alertText(alert, BERLIN, 2)).slice(2, 5)).toEqual([
      'Failing (3): small-talk, refund (2 of 5 passed), +1 more',
      'Errors (1): handover (4 of 5 passed, QUOTA_EXHAUSTED)',
      'More failing or with errors (7): +7 more',
    ]);
  });

  test('that the alert leaves out are counted where the diff does not name them', () => {
    const names = Array.from({ length: 60 }, (_, index) => `refund-${index}`);
    const alert = alertAbout(
      {
        ...FAILED_RUN,
        verdict: {
          outcome: 'failed',
          passRate: 0.1,
          reasons: [],
          baseline: 'nightly-20261129T020000Z',
          diff: { ...FAILED_RUN.verdict!.diff!, newlyFailing: names, stillFailing: [], fixed: [], flaky: [] },
        },
      },
      'failed',
      {
        failing: names.slice(0, 50).map((evaluation) => ({ evaluation, passed: 0, of: 1 })),
        errored: Array.from({ length: 50 }, (_, index) => ({ evaluation: `faq-${index}`, passed: 0, of: 1 })),
        // Ten that fail, which the diff names, and four with errors.
        omitted: 14,
      },
    );

    const lists = alertText(alert, BERLIN, 5).evaluations;
    expect(lists.map(({ title, more }) => ({ title, more }))).toEqual([
      { title: 'Newly failing (60)', more: 55 },
      { title: 'Errors (54)', more: 49 },
    ]);
  });
});

describe('the facts', () => {
  test('are what identifies a run and places it in time', () => {
    expect(alertText(FAILED_ALERT, { locale: 'pt-BR', timezone: 'America/Sao_Paulo' }, 10).facts).toEqual([
      { label: 'Results', value: '17 passed, 2 failed, 1 with errors' },
      { label: 'App', value: 'support-bot' },
      { label: 'Version', value: 'v42' },
      { label: 'Triggered by', value: 'schedule, slot of 29 de nov. de 2026, 23:00 BRT' },
      { label: 'Started', value: '29 de nov. de 2026, 23:00 BRT' },
      { label: 'Finished', value: '29 de nov. de 2026, 23:14 BRT' },
      { label: 'Duration', value: '14 min 30 s' },
      { label: 'Compared with', value: 'nightly-20261129T020000Z' },
      { label: 'Run', value: 'nightly-20261130T020000Z' },
      {
        label: 'CES evaluation run',
        value: 'projects/acme-cx/locations/us/apps/support-bot/evaluationRuns/5f2c9a1e-7d40-4a6b-9c11-1d2f3a4b5c6d',
      },
    ]);
  });

  test('of a run that never started are those that there are', () => {
    const run: RunDocument = {
      ...FAILED_RUN,
      state: 'start_failed',
      startedAt: null,
      finishedAt: '2026-11-30T02:00:04Z',
      evaluationRun: null,
      appVersion: null,
      progress: null,
      verdict: { outcome: 'inconclusive', passRate: null, reasons: [] },
    };

    expect(alertText(alertAbout(run, 'inconclusive'), BERLIN, 10).facts).toEqual([
      { label: 'App', value: 'support-bot' },
      { label: 'Version', value: 'draft' },
      { label: 'Triggered by', value: 'schedule, slot of 30 Nov 2026, 03:00 CET' },
      { label: 'Requested', value: '30 Nov 2026, 03:00 CET' },
      { label: 'Finished', value: '30 Nov 2026, 03:00 CET' },
      { label: 'Duration', value: '1 s' },
      { label: 'Run', value: 'nightly-20261130T020000Z' },
    ]);
  });

  test.each([
    [{ kind: 'manual', by: 'mara@acme.example' } as const, 'mara@acme.example (by hand)'],
    [
      { kind: 'webhook', by: 'GitHub acme/bot', labels: { commit: 'c0ffee1', branch: 'main' } } as const,
      'GitHub acme/bot (webhook), commit=c0ffee1, branch=main',
    ],
  ])('name who triggered the run: %o', (trigger, expected) => {
    expect(factOf({ ...FAILED_RUN, trigger }, 'Triggered by')).toBe(expected);
  });

  test('are written even for a locale and a time zone that do not exist', () => {
    expect(factOf(FAILED_RUN, 'Started', { locale: 'not a locale', timezone: 'Mars/Olympus' })).toBe(
      'Nov 30, 2026, 02:00 AM UTC',
    );
  });

  test.each([
    ['https://evals.acme.example/runs/1', 'https://evals.acme.example/runs/1'],
    ['javascript:alert(1)', undefined],
    ['/runs/1', undefined],
  ])('a dashboard at %s is linked to %s', (dashboard, expected) => {
    expect(alertText(alertAbout(FAILED_RUN, 'failed', { links: { dashboard } }), BERLIN, 10).dashboard).toBe(expected);
  });
});
