import { expect, test } from '@jest/globals';

import { parseConfig } from '../../shared/config/file.ts';
import { NOW } from './files.ts';

test('names are resolved, durations are milliseconds, and what the file says is kept', () => {
  const text = `version: 1
timezone: Europe/Berlin
apps:
  support: projects/acme-cx/locations/us/apps/support-bot
datasets:
  smoke: { app: support, displayName: Smoke, evaluations: [greeting, refund], id: smoke-2026 }
plans:
  nightly:
    app: support
    dataset: smoke
    appVersion: v42
    schedule: "0 2 * * *"
    timezone: America/New_York
    overlap: queue
    deadline: 90m
    gate:
      minPassRate: 0.95
      maxNewlyFailing: 0
      maxErrorRate: 0.05
      mustPass: [refund]
      maxP90: { llm: 4s, tool: 2s, callback: 1s, guardrail: 500ms }
    alerts: [oncall, qa, release-bot]
subscribers:
  oncall: { slack: { channel: C0123456789 }, on: [failed, recovered] }
  qa: { email: { to: qa@acme.example }, locale: pt-BR }
  release-bot: { webhook: { url: "https://ci.acme.example/evals", secretEnv: RELEASE_BOT_SECRET } }
`;

  expect(parseConfig(text, { file: 'evals.yaml', now: NOW })).toEqual({
    ok: true,
    warnings: [],
    config: {
      timezone: 'Europe/Berlin',
      apps: { support: 'projects/acme-cx/locations/us/apps/support-bot' },
      datasets: {
        smoke: {
          name: 'smoke',
          app: 'projects/acme-cx/locations/us/apps/support-bot',
          id: 'smoke-2026',
          displayName: 'Smoke',
          evaluations: ['greeting', 'refund'],
        },
      },
      plans: {
        nightly: {
          name: 'nightly',
          schedule: { cron: '0 2 * * *', timezone: 'America/New_York', overlap: 'queue' },
          spec: {
            app: 'projects/acme-cx/locations/us/apps/support-bot',
            dataset: 'smoke-2026',
            appVersion: 'v42',
            deadlineMs: 5_400_000,
            gate: {
              minPassRate: 0.95,
              maxNewlyFailing: 0,
              maxErrorRate: 0.05,
              mustPass: ['refund'],
              maxP90Ms: { llm: 4_000, tool: 2_000, callback: 1_000, guardrail: 500 },
            },
            alerts: ['oncall', 'qa', 'release-bot'],
          },
        },
      },
      subscribers: {
        oncall: {
          name: 'oncall',
          address: { kind: 'slack', channel: 'C0123456789' },
          on: ['failed', 'recovered'],
          locale: 'en',
          timezone: 'Europe/Berlin',
        },
        qa: {
          name: 'qa',
          address: { kind: 'email', to: 'qa@acme.example' },
          on: ['failed', 'recovered', 'inconclusive', 'overdue'],
          locale: 'pt-BR',
          timezone: 'Europe/Berlin',
        },
        'release-bot': {
          name: 'release-bot',
          address: { kind: 'webhook', url: 'https://ci.acme.example/evals', secretEnv: 'RELEASE_BOT_SECRET' },
          on: ['failed', 'recovered', 'inconclusive', 'overdue'],
          locale: 'en',
          timezone: 'Europe/Berlin',
        },
      },
    },
  });
});

test('a plan that says no more than it has to gets the defaults of the contract', () => {
  const text = `version: 1
apps: { support: projects/acme-cx/locations/us/apps/support-bot }
plans:
  refunds: { app: support, evaluations: [refund] }
  nightly: { app: support, evaluations: [greeting], schedule: "0 2 * * *" }
`;

  const everythingMustPass = { minPassRate: 1, maxErrorRate: 0, mustPass: [], maxP90Ms: {} };
  const app = 'projects/acme-cx/locations/us/apps/support-bot';
  expect(parseConfig(text, { file: 'evals.yaml', now: NOW })).toStrictEqual({
    ok: true,
    warnings: [],
    config: {
      timezone: 'UTC',
      apps: { support: app },
      datasets: {},
      plans: {
        refunds: {
          name: 'refunds',
          spec: { app, evaluations: ['refund'], deadlineMs: 7_200_000, gate: everythingMustPass, alerts: [] },
        },
        nightly: {
          name: 'nightly',
          spec: { app, evaluations: ['greeting'], deadlineMs: 7_200_000, gate: everythingMustPass, alerts: [] },
          schedule: { cron: '0 2 * * *', timezone: 'UTC', overlap: 'skip' },
        },
      },
      subscribers: {},
    },
  });
});
