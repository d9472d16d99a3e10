import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parse, stringify } from 'yaml';

import { formatProblem, parseConfig } from '../../shared/config/file.ts';
import { changed, GOOD, NOW, problemsOf, warningsOf } from './files.ts';

/** Ten levels of nine: 9^10 values, if they were all made. */
const BOMB = [
  'l0: &l0 [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`),
].join('\n');

const REPEATED = Array.from({ length: 50 }, (_, i) => `, n${i + 1}: { alerts: *all }`).join('');

describe('text that is no configuration', () => {
  test.each<[string, string, string[]]>([
    ['nothing', '', ['1:1 the file is empty; start from docs/evals.example.yaml']],
    ['a comment only', '# later\n', ['1:1 the file is empty; start from docs/evals.example.yaml']],
    [
      'a list',
      '- version: 1\n',
      ['1:1 the file must hold keys such as version, apps and plans; start from docs/evals.example.yaml'],
    ],
    ['two documents', `${GOOD}---\n${GOOD}`, ['1:1 the file holds several documents; keep one, without lines of ---']],
    ['a tab', 'version: 1\nplans:\n\tnightly: {}\n', ['3:1 Tabs are not allowed as indentation; indent with spaces']],
    [
      'a tag',
      'version: !one 1\n',
      ['1:10 Unresolved tag: !one; remove the tag, and put text that begins with ! in quotes'],
    ],
    [
      'a tag for what is neither text, number, list nor keys',
      'version: 1\nplans: !!set { nightly }\n',
      ['2:8 Unresolved tag: tag:yaml.org,2002:set; remove the tag, and put text that begins with ! in quotes'],
    ],
    ['a key of keys', '{ version: 1 }: 1\n', ['1:1 a key has to be text; put it in quotes']],
    ['an alias without an anchor', 'version: 1\nplans: *none\n', ['2:8 the alias *none has no anchor before it']],
    ['an alias to itself', 'plans: &p { nightly: *p }\n', ['1:22 the alias *p stands within its own anchor']],
    [
      'aliases that would fill the memory',
      BOMB,
      ['1:1 the file cannot be read: Excessive alias count indicates a resource exhaustion attack'],
    ],
    [
      'a long list that aliases repeat',
      `version: 1\nplans: { n0: { alerts: &all [${'oncall, '.repeat(500)}] }${REPEATED} }\n`,
      ['1:1 the file holds more than 10000 values; what an alias repeats counts each time'],
    ],
    ['a file of a megabyte', '#'.repeat(1_000_000), ['1:1 the file is larger than 256 Ki characters']],
  ])('%s', (_name, text, problems) => {
    expect(problemsOf(text)).toEqual(problems.map((problem) => `evals.yaml:${problem}`));
  });

  test.each<[string, string]>([
    ['lists', '[ '.repeat(20_000)],
    ['blocks', '- '.repeat(20_000)],
    ['keys', '? '.repeat(20_000)],
  ])('%s that are nested deep are refused, soon', (_name, text) => {
    const problems = problemsOf(text);

    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(10);
  });

  test('a file of very many keys is read soon', () => {
    const text = Array.from({ length: 5_000 }, (_, i) => `k${i}: 1`).join('\n');

    expect(problemsOf(text)).toHaveLength(5_003);
  });
});

describe('a long file that is wrong throughout is told so, soon', () => {
  const numbered = (text: (i: number) => string): string => Array.from({ length: 2_000 }, (_, i) => text(i)).join('');

  test.each<[string, string, number]>([
    [
      'names that nobody declared, among many that somebody did',
      `version: 1\nsubscribers: {${numbered((i) => `s${i}: , `)}}\nplans: { n: { alerts: [${numbered((i) => `t${i}, `)}] } }`,
      2_000 + 2_000 + 3,
    ],
    ['schedules that never fire', `plans:\n${numbered((i) => `  p${i}: { schedule: 0 0 31 2 * }\n`)}`, 3 * 2_000 + 2],
    ['time zones that are none', `plans:\n${numbered((i) => `  p${i}: { timezone: Mars${i} }\n`)}`, 3 * 2_000 + 2],
  ])('%s', (_name, text, problems) => {
    expect(problemsOf(text)).toHaveLength(problems);
  });
});

test('a name cannot turn the line around that it stands in', () => {
  expect(problemsOf(changed('[oncall]', '["\u202Ellacno"]'))).toEqual([
    'evals.yaml:14:14 plans.nightly.alerts.0: there is no subscriber llacno',
  ]);
});

test('a long text is cut in messages and paths, between characters', () => {
  const long = '😀'.repeat(1_000);

  const [line = ''] = problemsOf(changed('schedule:', `"${long}": `));

  expect(line.isWellFormed()).toBe(true);
  expect(line.length).toBeLessThan(1_000);
});

describe('text that says the same in another way', () => {
  test.each<[string, string]>([
    ['a byte order mark', `\uFEFF${GOOD}`],
    ['the line ends of Windows', GOOD.replaceAll('\n', '\r\n')],
    ['JSON', JSON.stringify(parse(GOOD))],
    ['an anchor', changed('[greeting, refund] }', '&all [greeting, refund] }')],
    [
      'a merge key',
      changed(
        'plans:\n  nightly:\n',
        'plans:\n  weekly: &base { app: support, dataset: smoke }\n  nightly:\n    <<: *base\n',
      ),
    ],
  ])('%s', (_name, text) => {
    expect(problemsOf(text)).toEqual([]);
    expect(warningsOf(text)).toEqual([]);
  });

  test('lines and columns are those that an editor shows, with a byte order mark and the line ends of Windows', () => {
    const text = `\uFEFF${GOOD.replace('version: 1', 'version: 2').replace('[oncall]', '[oncal]').replaceAll('\n', '\r\n')}`;

    expect(problemsOf(text)).toEqual([
      'evals.yaml:1:10 version: must be 1',
      'evals.yaml:14:14 plans.nightly.alerts.0: there is no subscriber oncal; did you mean "oncall"?',
    ]);
  });

  test('YAML 1.1 is not read: `on` is a key and `yes` is text, even if the file says otherwise', () => {
    const text = `%YAML 1.1\n---\n${changed('C0123456789 }', 'C0123456789 }, on: [yes]')}`;

    expect(problemsOf(text)).toEqual([
      'evals.yaml:18:51 subscribers.oncall.on.0: must be one of started, passed, failed, still_failing, recovered, inconclusive, overdue',
    ]);
  });

  test('what an alias brings in is found where the alias stands', () => {
    const text = changed(
      'plans:\n  nightly:\n',
      'plans:\n  weekly: &base { app: support, dataset: smoke, gate: { minPassRat: 1 } }\n  daily: *base\n  nightly:\n',
    );

    expect(problemsOf(text)).toEqual([
      'evals.yaml:8:57 plans.weekly.gate.minPassRat: unknown key; did you mean "minPassRate"?',
      'evals.yaml:9:3 plans.daily.gate.minPassRat: unknown key; did you mean "minPassRate"?',
    ]);
  });
});

describe('whatever stands in the file', () => {
  /** What is said of a text, where it is not `evals.yaml:LINE:COLUMN …` on one line. */
  function malformed(text: string): readonly string[] {
    const parsed = parseConfig(text, { file: 'evals.yaml', now: NOW });
    const said = parsed.ok ? parsed.warnings : parsed.problems;
    if (!parsed.ok && said.length === 0) return ['it is refused without a reason'];
    return said
      .map((problem) => formatProblem('evals.yaml', problem))
      .filter((line) => !/^evals\.yaml:[1-9]\d*:[1-9]\d* \P{Cc}+$/u.test(line));
  }

  test('no text throws, and every problem is one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(malformed(text)).toEqual([]);
      }),
    );
  });

  test('no text of the characters of YAML throws', () => {
    const marks = Array.from('{}[]:,-?&*!|>%@`"\'#~<= \n\t\rax1');
    const unit = fc.constantFrom(...marks, 'version: 1\n', 'plans:\n', '<<: ', '&a ', '*a ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        expect(malformed(text)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('no value throws, in the place of any other', () => {
    const places = [
      'timezone',
      'apps',
      'datasets',
      'plans',
      'subscribers',
      'gate',
      'alerts',
      'slack',
      'app',
      'schedule',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue(), (place, value) => {
        const text = stringify(parse(GOOD, (key: unknown, old: unknown) => (key === place ? value : old)));

        expect(malformed(text)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('a token is never repeated, wherever it stands', () => {
    const token = 'xoxb-2718281828-f00f00f00f00';
    const places = [
      "'0 2 * * *'",
      'Europe/Berlin',
      'support-bot',
      'C0123456789',
      '45m',
      '0.95',
      '[oncall]',
      'Smoke',
      'greeting',
      'nightly:',
      'deadline:',
    ];

    for (const place of places) {
      const said = problemsOf(changed(place, place.endsWith(':') ? `${token}:` : token)).join('\n');

      expect(said).toContain('looks like a secret');
      expect(said).not.toContain('2718281828');
    }
  });
});
