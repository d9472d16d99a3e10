import { describe, expect, test } from '@jest/globals';

import { renderSlack, type SlackBlock } from '../../shared/adapters/slack/render.ts';
import { FAILED_ALERT, hostileAlert, INCONCLUSIVE_ALERT, subscriberAt } from './alert-fixtures.ts';

const ONCALL = subscriberAt({ kind: 'slack', channel: 'C0123456789' });

describe('an alert as a Slack message', () => {
  test('says what happened, why, and what to look at', () => {
    expect(renderSlack(FAILED_ALERT, ONCALL).blocks).toEqual([
      { type: 'header', text: plain('❌ nightly failed: 17 of 20 passed (85.0%)') },
      {
        type: 'section',
        text: plain(
          '• 85.0% of 20 results passed; the plan asks for 95.0%\n• refund must pass and failed 3 of 5 times',
        ),
      },
      {
        type: 'section',
        text: markdown('*Newly failing (2)*\n• `refund` `2 of 5 passed`\n• `cancel-order` `3 of 5 passed`'),
      },
      { type: 'section', text: markdown('*Still failing (1)*\n• `small-talk`') },
      { type: 'section', text: markdown('*Fixed (1)*\n• `greeting`') },
      { type: 'section', text: markdown('*Flaky (1)*\n• `refund` `2 of 5 passed`') },
      { type: 'section', text: markdown('*Errors (1)*\n• `handover` `4 of 5 passed, QUOTA_EXHAUSTED`') },
      {
        type: 'section',
        fields: [
          plain('Results: 17 passed, 2 failed, 1 with errors'),
          plain('App: support-bot'),
          plain('Version: v42'),
          plain('Triggered by: schedule, slot of 30 Nov 2026, 03:00 CET'),
          plain('Started: 30 Nov 2026, 03:00 CET'),
          plain('Duration: 14 min 30 s'),
          plain('Compared with: nightly-20261129T020000Z'),
        ],
      },
      {
        type: 'section',
        text: markdown('<https://evals.acme.example/runs/nightly-20261130T020000Z|Open the run in the dashboard>'),
      },
      {
        type: 'context',
        elements: [
          plain('Finished: 30 Nov 2026, 03:14 CET'),
          plain('Run: nightly-20261130T020000Z'),
          plain(
            'CES evaluation run: projects/acme-cx/locations/us/apps/support-bot/evaluationRuns/5f2c9a1e-7d40-4a6b-9c11-1d2f3a4b5c6d',
          ),
        ],
      },
    ]);
  });

  test('says of an inconclusive run that it says nothing about the agent, and what to do', () => {
    const { blocks, text } = renderSlack(INCONCLUSIVE_ALERT, ONCALL);

    expect(text).toMatch(/^⚠️ nightly is inconclusive\. This says nothing about the agent/);
    expect(blocks[1]).toEqual({
      type: 'section',
      text: plain(
        'This says nothing about the agent, neither good nor bad: the run could not be judged.\n' +
          'Look at the errors; an exhausted quota is the usual cause.\n' +
          'Then start another run: ces-evals run nightly',
      ),
    });
  });

  const hostile: readonly (readonly [string, string])[] = [
    ['a mention of everybody', '<!channel> <!here> <!everyone>'],
    ['a mention of a person', '<@U1> <!subteam^S1>'],
    ['a link that lies', '<https://evil.example|https://acme.example>'],
    ['entities', '&lt;!channel&gt; &amp;'],
    ['markup', '*bold* _it_ ~gone~ `code` ```block```\n> quote\n- item'],
    ['a code span that ends early', '` <!channel> `'],
    ['marks that turn the text around', '\u202Egnp.exe\u2066 \u0000\u0007'],
    ['half a character', 'half \uD83D'],
  ];
  test.each(hostile)('%s in every field stays text', (_name, text) => {
    const { blocks, text: fallback, plain: whole } = renderSlack(hostileAlert(text, 3), ONCALL);

    const marked = textsOf(blocks).filter(({ type }) => type === 'mrkdwn');
    for (const { text: written } of marked) {
      // Outside of code spans, only what we wrote ourselves is left.
      const ours = written.replaceAll(/`[^`\n]*`/g, 'NAME');
      expect(ours).toMatch(
        /^(?:\*(?:Newly failing|Still failing|Fixed|Flaky|Errors) \(\d+\)\*(?:\n(?:• NAME(?: NAME)?|\+\d+ more))+|<https:[^|>]+\|Open the run in the dashboard>)$/,
      );
    }
    for (const written of [fallback, whole, ...textsOf(blocks).map((each) => each.text)]) {
      const ours = '<https://evals.acme.example/runs?id=1&amp;tab=%3Cb%3E%7Cx|Open the run in the dashboard>';
      const left = written.replaceAll(ours, '');
      expect(left).not.toMatch(/[<>]|&(?!lt;|gt;|amp;)/);
      expect(left.replaceAll('\n', '')).not.toMatch(/[\u202A-\u202E\u2066-\u2069\p{Cc}]/u);
      expect(written.isWellFormed()).toBe(true);
    }
  });

  const long: readonly (readonly [string, string])[] = [
    ['ampersands, which are written as five characters', '&'.repeat(5_000)],
    ['characters outside the basic plane', '😀'.repeat(5_000)],
    ['a long word', 'x'.repeat(50_000)],
  ];
  test.each(long)('an endless alert of %s stays within the limits of Slack', (_name, text) => {
    const { blocks, text: fallback, plain: whole } = renderSlack(hostileAlert(text, 400), ONCALL);

    const lengths = textsOf(blocks).map((each) => each.text.length);
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(textsOf([blocks[0]!])[0]!.text.length).toBeLessThanOrEqual(150);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(3_000);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(12_000);
    expect(Math.max(fallback.length, whole.length)).toBeLessThanOrEqual(4_000);
    for (const written of [fallback, whole, ...textsOf(blocks).map((each) => each.text)]) {
      expect(written.isWellFormed()).toBe(true);
      expect(written).not.toMatch(/&(?!lt;|gt;|amp;)/);
    }
  });

  test('names that do not fit are counted', () => {
    const { blocks } = renderSlack(hostileAlert('evaluation with a name', 400), ONCALL);

    const [newly] = textsOf(blocks).filter(({ text }) => text.startsWith('*Newly failing'));
    expect(newly?.text).toMatch(/^\*Newly failing \(400\)\*\n• `evaluation with a name 0`/);
    expect(newly?.text).toMatch(/\n\+390 more$/);
  });
});

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
const markdown = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });

const textsOf = (blocks: readonly SlackBlock[]) =>
  blocks.flatMap((block) => {
    if ('text' in block) return [block.text];
    return 'fields' in block ? block.fields : block.elements;
  });
