import { describe, expect, test } from '@jest/globals';

import { changed, GOOD, problemsOf, warningsOf } from './files.ts';

const ONCALL = '{ slack: { channel: C0123456789 } }';

/** Name, what is changed in the good file, to what, and all that is said about it without the name of the file. */
type Row = readonly [string, string, string, readonly string[]];

function tells(rows: readonly Row[]): void {
  test.each(rows)('%s', (_name, from, to, problems) => {
    expect(problemsOf(changed(from, to))).toEqual(problems.map((problem) => `evals.yaml:${problem}`));
  });
}

test('a good file has no problems and no warnings', () => {
  expect(problemsOf(GOOD)).toEqual([]);
  expect(warningsOf(GOOD)).toEqual([]);
});

describe('the shape of the file', () => {
  tells([
    ['no version', 'version: 1\n', '', ['1:1 version: is missing; add "version: 1"']],
    ['another version', 'version: 1', 'version: 2', ['1:10 version: must be 1']],
    ['a misspelt key', 'schedule:', 'schedul:', ['11:5 plans.nightly.schedul: unknown key; did you mean "schedule"?']],
    [
      'a key that nothing resembles',
      'deadline: 45m',
      'colour: red',
      [
        '12:5 plans.nightly.colour: unknown key; known are app, dataset, evaluations, appVersion, schedule, timezone, overlap, deadline, gate, alerts',
      ],
    ],
    [
      'a misspelt key of the file',
      'timezone: Europe',
      'time_zone: Europe',
      ['2:1 time_zone: unknown key; did you mean "timezone"?'],
    ],
    ['a key that is missing', '    app: support\n', '', ['8:3 plans.nightly.app: is missing']],
    [
      'a key that is there twice',
      '    deadline: 45m',
      '    deadline: 45m\n    deadline: 46m',
      ['13:5 plans.nightly.deadline: is there twice; keep one'],
    ],
    [
      'a key that no object can have',
      '  nightly:\n',
      '  __proto__: {}\n  nightly:\n',
      ['8:3 plans.__proto__: is not usable as a name'],
    ],
    [
      'a number for a name',
      'dataset: smoke',
      'dataset: 42',
      ['10:14 plans.nightly.dataset: must be text, not 42; put it in quotes: "42"'],
    ],
    [
      'one name for a list',
      '[oncall]',
      'oncall',
      ['14:13 plans.nightly.alerts: must be a list, not text; put it in [brackets]'],
    ],
    [
      'a key without a value',
      'alerts: [oncall]',
      'alerts:',
      ['14:12 plans.nightly.alerts: must be a list, not nothing; give it a value or remove the key'],
    ],
    [
      'a list for keys',
      'gate: { minPassRate: 0.95, mustPass: [refund] }',
      'gate: [strict]',
      ['13:11 plans.nightly.gate: must be a group of keys, not a list'],
    ],
    [
      'a value that is no option',
      'deadline: 45m',
      'overlap: skp',
      ['12:14 plans.nightly.overlap: must be one of skip, queue; did you mean "skip"?'],
    ],
    [
      'a value that no option resembles',
      'deadline: 45m',
      'overlap: replace',
      ['12:14 plans.nightly.overlap: must be one of skip, queue'],
    ],
    [
      'a name that does not fit into an id',
      '  nightly:\n',
      '  "every night":\n',
      [
        '8:3 plans.every night: a name becomes part of ids: 1 to 63 letters, digits, - and _, beginning with a letter or digit',
      ],
    ],
  ]);
});

describe('numbers and durations', () => {
  tells([
    [
      'percent for a rate',
      '0.95',
      '95',
      ['13:26 plans.nightly.gate.minPassRate: must be a number from 0 to 1; write 0.95'],
    ],
    ['a rate below 0', '0.95', '-1', ['13:26 plans.nightly.gate.minPassRate: must be a number from 0 to 1']],
    ['a rate above 100', '0.95', '1000', ['13:26 plans.nightly.gate.minPassRate: must be a number from 0 to 1']],
    ['a rate in words', '0.95', 'high', ['13:26 plans.nightly.gate.minPassRate: must be a number, not text']],
    [
      'a fraction for a count',
      'minPassRate: 0.95',
      'maxNewlyFailing: 0.5',
      ['13:30 plans.nightly.gate.maxNewlyFailing: must be a whole number, not a fraction'],
    ],
    [
      'a count below 0',
      'minPassRate: 0.95',
      'maxNewlyFailing: -1',
      ['13:30 plans.nightly.gate.maxNewlyFailing: must be 0 or more'],
    ],
    [
      'a duration without a unit',
      '45m',
      '90',
      ['12:15 plans.nightly.deadline: must be text, not 90; write a unit: 90s, 90m'],
    ],
    [
      'a duration with a unit that we do not know',
      '45m',
      '45min',
      ['12:15 plans.nightly.deadline: write it with a unit: 500ms, 30s, 15m, 2h or 1d'],
    ],
    ['a deadline that is too short', '45m', '999ms', ['12:15 plans.nightly.deadline: must be between 1s and 7d']],
    ['a deadline that is too long', '45m', '8d', ['12:15 plans.nightly.deadline: must be between 1s and 7d']],
    [
      'a latency of nothing',
      'minPassRate: 0.95',
      'maxP90: { llm: 0s }',
      ['13:28 plans.nightly.gate.maxP90.llm: must be longer than 0: every call takes time'],
    ],
    [
      'a kind of latency that is misspelt',
      'minPassRate: 0.95',
      'maxP90: { gardrail: 4s }',
      ['13:23 plans.nightly.gate.maxP90.gardrail: unknown key; did you mean "guardrail"?'],
    ],
  ]);
});

describe('what plans and datasets refer to', () => {
  tells([
    [
      'an app that is not named in full',
      'projects/acme-cx/locations/us/apps/support-bot',
      'support-bot',
      ['4:12 apps.support: an app is written projects/PROJECT/locations/LOCATION/apps/APP'],
    ],
    [
      'an app that is not declared',
      '    app: support\n',
      '    app: suport\n',
      ['9:10 plans.nightly.app: there is no app suport; did you mean "support"?'],
    ],
    [
      'a dataset that is not declared',
      'dataset: smoke',
      'dataset: smok',
      ['10:14 plans.nightly.dataset: there is no dataset smok; did you mean "smoke"?'],
    ],
    [
      'a dataset that every object has',
      'dataset: smoke',
      'dataset: constructor',
      ['10:14 plans.nightly.dataset: there is no dataset constructor'],
    ],
    [
      'a dataset and evaluations',
      'dataset: smoke',
      'dataset: smoke\n    evaluations: [refund]',
      ['11:5 plans.nightly.evaluations: a plan has a dataset or evaluations, not both; remove one'],
    ],
    [
      'neither dataset nor evaluations',
      '    dataset: smoke\n',
      '',
      ['8:3 plans.nightly: does not say what to evaluate; add dataset or evaluations'],
    ],
    ['no evaluations', '[greeting, refund]', '[]', ['6:59 datasets.smoke.evaluations: name at least one evaluation']],
    [
      'an evaluation that is there twice',
      '[greeting, refund]',
      '[greeting, refund, greeting]',
      ['6:78 datasets.smoke.evaluations.2: greeting is there twice; keep one'],
    ],
    [
      'an evaluation that is named in full',
      '[greeting, refund]',
      '[refund, projects/acme-cx/locations/us/apps/support-bot/evaluations/greeting]',
      [
        '6:68 datasets.smoke.evaluations.1: an evaluation is named by its CES id, which is the last part of its resource name',
      ],
    ],
    [
      'an evaluation that must pass and is not run',
      '[refund] }\n    a',
      '[refnd] }\n    a',
      ['13:43 plans.nightly.gate.mustPass.0: refnd is not among the evaluations of the plan; did you mean "refund"?'],
    ],
    [
      'a subscriber that is not declared',
      '[oncall]',
      '[oncal]',
      ['14:14 plans.nightly.alerts.0: there is no subscriber oncal; did you mean "oncall"?'],
    ],
    [
      'a subscriber that is not declared, behind one that is no text',
      '[oncall]',
      '[5, oncal]',
      [
        '14:14 plans.nightly.alerts.0: must be text, not 5; put it in quotes: "5"',
        '14:17 plans.nightly.alerts.1: there is no subscriber oncal; did you mean "oncall"?',
      ],
    ],
    [
      'an evaluation that must pass and is not run, behind one that is no text',
      '[refund] }\n    a',
      '[5, refnd] }\n    a',
      [
        '13:43 plans.nightly.gate.mustPass.0: must be text, not 5; put it in quotes: "5"',
        '13:46 plans.nightly.gate.mustPass.1: refnd is not among the evaluations of the plan; did you mean "refund"?',
      ],
    ],
    [
      'a subscriber that is there twice',
      '[oncall]',
      '[oncall, oncall]',
      ['14:22 plans.nightly.alerts.1: oncall is there twice; keep one'],
    ],
    [
      'a version of another app',
      'deadline: 45m',
      'appVersion: projects/acme-cx/locations/us/apps/sales-bot/versions/v42',
      [
        '12:17 plans.nightly.appVersion: is not a version of the app of the plan; that is projects/acme-cx/locations/us/apps/support-bot',
      ],
    ],
    [
      'a version that is a part of a name',
      'deadline: 45m',
      'appVersion: versions/v42',
      [
        '12:17 plans.nightly.appVersion: a version is its id, or projects/PROJECT/locations/LOCATION/apps/APP/versions/VERSION',
      ],
    ],
  ]);
});

describe('schedules and time zones', () => {
  tells([
    [
      'six fields',
      '0 2 * * *',
      '0 0 2 * * *',
      ['11:15 plans.nightly.schedule: a schedule has five fields: minute, hour, day of month, month, day of week'],
    ],
    [
      'an hour that no day has',
      '0 2 * * *',
      '0 25 * * *',
      ['11:15 plans.nightly.schedule: Invalid value for hour: 25'],
    ],
    ['a day that no year has', '0 2 * * *', '0 2 30 2 *', ['11:15 plans.nightly.schedule: this schedule never fires']],
    [
      'a misspelt time zone',
      'Europe/Berlin',
      'Europe/Berln',
      ['2:11 timezone: "Europe/Berln" is not an IANA time zone; did you mean "Europe/Berlin"?'],
    ],
    [
      'a city',
      'Europe/Berlin',
      'berlin',
      ['2:11 timezone: "berlin" is not an IANA time zone; did you mean "Europe/Berlin"?'],
    ],
    ['an offset', 'Europe/Berlin', '"+01:00"', ['2:11 timezone: "+01:00" is not an IANA time zone']],
    [
      'a time zone of a plan',
      'deadline: 45m',
      'timezone: Mars',
      ['12:15 plans.nightly.timezone: "Mars" is not an IANA time zone'],
    ],
  ]);
});

describe('subscribers', () => {
  tells([
    ['no channel', ONCALL, '{}', ['16:3 subscribers.oncall: must have one of slack, email, webhook; it has none']],
    [
      'two channels',
      ONCALL,
      '{ slack: { channel: C0123456789 }, email: { to: qa@acme.example } }',
      ['16:3 subscribers.oncall: must have one of slack, email, webhook; it has slack and email'],
    ],
    [
      'a channel that YAML takes for a comment',
      ONCALL,
      '\n    slack:\n      channel: #alerts',
      ['18:16 subscribers.oncall.slack.channel: must be text, not nothing; # begins a comment in YAML; write "#name"'],
    ],
    [
      'a channel by its bare name',
      ONCALL,
      '{ slack: { channel: alerts } }',
      ['16:31 subscribers.oncall.slack.channel: a channel is its id (C0123456789) or "#name"'],
    ],
    [
      'two addresses',
      ONCALL,
      '{ email: { to: "qa@acme.example, ops@acme.example" } }',
      ['16:26 subscribers.oncall.email.to: must be one e-mail address'],
    ],
    [
      'a header behind the address',
      ONCALL,
      '{ email: { to: "qa@acme.example\\nBcc: x@evil.example" } }',
      ['16:26 subscribers.oncall.email.to: must be one e-mail address'],
    ],
    [
      'a webhook without encryption',
      ONCALL,
      '{ webhook: { url: "http://ci.acme.example/evals", secretEnv: BOT_SECRET } }',
      ['16:29 subscribers.oncall.webhook.url: must be an https URL; http is for a loopback address only'],
    ],
    [
      'a webhook that is no URL',
      ONCALL,
      '{ webhook: { url: ci.acme.example, secretEnv: BOT_SECRET } }',
      ['16:29 subscribers.oncall.webhook.url: must be an https URL'],
    ],
    [
      'a variable that is no name',
      ONCALL,
      '{ webhook: { url: "https://ci.acme.example/evals", secretEnv: hunter2 } }',
      [
        '16:73 subscribers.oncall.webhook.secretEnv: names an environment variable, such as RELEASE_BOT_SECRET; the secret itself never stands in the file',
      ],
    ],
    [
      'a misspelt reason',
      ONCALL,
      '{ slack: { channel: C0123456789 }, on: [faild] }',
      [
        '16:51 subscribers.oncall.on.0: must be one of started, passed, failed, still_failing, recovered, inconclusive, overdue; did you mean "failed"?',
      ],
    ],
    [
      'no reason',
      ONCALL,
      '{ slack: { channel: C0123456789 }, on: [] }',
      ['16:50 subscribers.oncall.on: name at least one reason'],
    ],
    [
      'a reason that is there twice',
      ONCALL,
      '{ slack: { channel: C0123456789 }, on: [failed, failed] }',
      ['16:59 subscribers.oncall.on.1: failed is there twice; keep one'],
    ],
    [
      'a locale with an underscore',
      ONCALL,
      '{ slack: { channel: C0123456789 }, locale: pt_BR }',
      ['16:54 subscribers.oncall.locale: "pt_BR" is not a locale; write it as en, de or pt-BR'],
    ],
  ]);
});

describe('secrets, which are not repeated', () => {
  tells([
    [
      'for the name of a variable',
      ONCALL,
      '{ webhook: { url: "https://ci.acme.example/evals", secretEnv: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw } }',
      [
        '16:73 subscribers.oncall.webhook.secretEnv: looks like a secret, and secrets never stand in this file; put it into the environment, and take it out of the history of the file',
      ],
    ],
    [
      'in a URL',
      ONCALL,
      '{ webhook: { url: "https://hooks.slack.com/services/T0001/B0001/f00f00f00f00", secretEnv: BOT_SECRET } }',
      [
        '16:29 subscribers.oncall.webhook.url: looks like a secret, and secrets never stand in this file; put it into the environment, and take it out of the history of the file',
      ],
    ],
    [
      'in a URL with credentials',
      ONCALL,
      '{ webhook: { url: "https://bot:hunter2@ci.acme.example/evals", secretEnv: BOT_SECRET } }',
      [
        '16:29 subscribers.oncall.webhook.url: looks like a secret, and secrets never stand in this file; put it into the environment, and take it out of the history of the file',
      ],
    ],
    [
      'in a URL for a name that is not declared',
      '[oncall]',
      '["smtps://bot:hunter2@mail.acme.example:465"]',
      [
        '14:14 plans.nightly.alerts.0: looks like a secret, and secrets never stand in this file; put it into the environment, and take it out of the history of the file',
      ],
    ],
    [
      'for a name that is not declared',
      '[oncall]',
      '[xoxb-1234-f00f00f00f00]',
      [
        '14:14 plans.nightly.alerts.0: looks like a secret, and secrets never stand in this file; put it into the environment, and take it out of the history of the file',
      ],
    ],
    [
      'for a key',
      ONCALL,
      '{ slack: { channel: C0123456789 } }\n  xoxb-1234-f00f00f00f00: { slack: { channel: C0123456789 } }',
      [
        '17:3 subscribers.…: looks like a secret, and secrets never stand in this file; put it into the environment, and take it out of the history of the file',
      ],
    ],
  ]);
});

test('a dataset of another app is a problem of the plan', () => {
  const text = changed('datasets:', '  sales: projects/acme-cx/locations/us/apps/sales-bot\ndatasets:');

  expect(problemsOf(text.replace('    app: support\n', '    app: sales\n'))).toEqual([
    'evals.yaml:11:14 plans.nightly.dataset: dataset smoke belongs to app support, the plan to sales',
  ]);
});

test('all problems are told at once, in the order of the file', () => {
  const text = `timezone: Europe/Berln
apps:
  support: support-bot
plans:
  nightly:
    app: suport
    schedul: '0 2 * * *'
    deadline: 90
    alerts: [oncall]
subscribers:
  oncal: { slack: { channel: alerts }, on: [faild] }
`;

  expect(problemsOf(text)).toEqual([
    'evals.yaml:1:1 version: is missing; add "version: 1"',
    'evals.yaml:1:11 timezone: "Europe/Berln" is not an IANA time zone; did you mean "Europe/Berlin"?',
    'evals.yaml:3:12 apps.support: an app is written projects/PROJECT/locations/LOCATION/apps/APP',
    'evals.yaml:5:3 plans.nightly: does not say what to evaluate; add dataset or evaluations',
    'evals.yaml:6:10 plans.nightly.app: there is no app suport; did you mean "support"?',
    'evals.yaml:7:5 plans.nightly.schedul: unknown key; did you mean "schedule"?',
    'evals.yaml:8:15 plans.nightly.deadline: must be text, not 90; write a unit: 90s, 90m',
    'evals.yaml:9:14 plans.nightly.alerts.0: there is no subscriber oncall; did you mean "oncal"?',
    'evals.yaml:11:30 subscribers.oncal.slack.channel: a channel is its id (C0123456789) or "#name"',
    'evals.yaml:11:45 subscribers.oncal.on.0: must be one of started, passed, failed, still_failing, recovered, inconclusive, overdue; did you mean "failed"?',
  ]);
});

describe('warnings', () => {
  test.each<Row>([
    [
      'an app that nothing uses',
      'datasets:',
      '  sales: projects/acme-cx/locations/us/apps/sales-bot\ndatasets:',
      ['5:3 apps.sales: is not used by any plan'],
    ],
    [
      'a dataset that nothing uses',
      'plans:',
      '  other: { app: support, displayName: Other, evaluations: [refund] }\nplans:',
      ['7:3 datasets.other: is not used by any plan'],
    ],
    [
      'a subscriber that nothing uses',
      ONCALL,
      `${ONCALL}\n  qa: { email: { to: qa@acme.example } }`,
      ['17:3 subscribers.qa: is not used by any plan'],
    ],
    [
      'an id of a length that CES is said to refuse',
      '{ app: support,',
      '{ id: smok, app: support,',
      ['6:16 datasets.smoke.id: CES is said to take ids of 5 to 36 characters only'],
    ],
    [
      'a time zone and an overlap without a schedule',
      "schedule: '0 2 * * *'",
      'timezone: UTC\n    overlap: queue',
      [
        '11:5 plans.nightly.timezone: has no effect without a schedule',
        '12:5 plans.nightly.overlap: has no effect without a schedule',
      ],
    ],
    [
      'a schedule that fires every minute',
      '0 2 * * *',
      '* 2 * * *',
      [
        '11:15 plans.nightly.schedule: fires every minute of the hours that it names; write a minute first, as in "0 2 * * *"',
      ],
    ],
    ['a schedule that fires every five minutes', '0 2 * * *', '*/5 * * * *', []],
    [
      'a channel by its name',
      'C0123456789',
      '"#agent-alerts"',
      [
        '16:31 subscribers.oncall.slack.channel: a channel that is named stops getting alerts when it is renamed; write its id',
      ],
    ],
    [
      'a recovery for who never hears of a failure',
      ONCALL,
      '{ slack: { channel: C0123456789 }, on: [recovered] }',
      ['16:50 subscribers.oncall.on: "recovered" only goes to who was told of the failure; add failed'],
    ],
    [
      'a recovery for who hears of repeated failures',
      ONCALL,
      '{ slack: { channel: C0123456789 }, on: [still_failing, recovered] }',
      [],
    ],
    [
      'a locale that nobody speaks',
      ONCALL,
      '{ slack: { channel: C0123456789 }, locale: xx-YY }',
      ['16:54 subscribers.oncall.locale: nothing is known of the locale xx-YY, so alerts may be in English'],
    ],
    [
      'a webhook on this machine',
      ONCALL,
      '{ webhook: { url: "http://127.0.0.1:8080/evals", secretEnv: BOT_SECRET } }',
      [],
    ],
  ])('%s', (_name, from, to, warnings) => {
    expect(warningsOf(changed(from, to))).toEqual(warnings.map((warning) => `evals.yaml:${warning}`));
  });
});
