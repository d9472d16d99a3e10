import { describe, expect, test } from '@jest/globals';

import { renderEmail } from '../../shared/adapters/email/render.ts';
import { alertAbout, FAILED_ALERT, FAILED_RUN, hostileAlert, RECOVERED_ALERT, subscriberAt } from './alert-fixtures.ts';

const QA = subscriberAt({ kind: 'email', to: 'qa@acme.example' });

describe('an alert as an e-mail', () => {
  test('says in its text what happened, why, and what to look at', () => {
    expect(renderEmail(FAILED_ALERT, QA).text).toBe(`nightly failed: 17 of 20 passed (85.0%)

- 85.0% of 20 results passed; the plan asks for 95.0%
- refund must pass and failed 3 of 5 times

Newly failing (2): refund (2 of 5 passed), cancel-order (3 of 5 passed)
Still failing (1): small-talk
Fixed (1): greeting
Flaky (1): refund (2 of 5 passed)
Errors (1): handover (4 of 5 passed, QUOTA_EXHAUSTED)

Results: 17 passed, 2 failed, 1 with errors
App: support-bot
Version: v42
Triggered by: schedule, slot of 30 Nov 2026, 03:00 CET
Started: 30 Nov 2026, 03:00 CET
Finished: 30 Nov 2026, 03:14 CET
Duration: 14 min 30 s
Compared with: nightly-20261129T020000Z
Run: nightly-20261130T020000Z
CES evaluation run: projects/acme-cx/locations/us/apps/support-bot/evaluationRuns/5f2c9a1e-7d40-4a6b-9c11-1d2f3a4b5c6d

https://evals.acme.example/runs/nightly-20261130T020000Z

-- 
Sent by ces-evals because evals.yaml names this address as subscriber oncall.
`);
  });

  test('says when a failure ended how long it had lasted', () => {
    expect(renderEmail(RECOVERED_ALERT, QA).text.split('\n').slice(0, 3)).toEqual([
      'nightly recovered: 20 of 20 passed (100.0%)',
      '',
      'It had been failing since nightly-20261128T020000Z: 3 failed runs.',
    ]);
  });

  test('has a subject of its own for each run', () => {
    const subjects = ['nightly-20261130T020000Z', 'nightly-20261201T020000Z'].map(
      (id) => renderEmail(alertAbout({ ...FAILED_RUN, id }, 'failed'), QA).subject,
    );

    expect(subjects).toEqual([
      'nightly failed: 17 of 20 passed (85.0%) [nightly-20261130T020000Z]',
      'nightly failed: 17 of 20 passed (85.0%) [nightly-20261201T020000Z]',
    ]);
  });

  test.each([
    ['a plain id', 'nightly-1.qa.failed', '<nightly-1.qa.failed@ces-evals>'],
    ['what an address has no place for', 'a b.<qa>@"x"', '<a%20b.%3Cqa%3E%40%22x%22@ces-evals>'],
    ['dots where an address has none', '.a..b.', '<%2Ea%2E.b%2E@ces-evals>'],
    ['line ends', 'a\r\nBcc: eve', '<a%0D%0ABcc%3A%20eve@ces-evals>'],
  ])('makes a Message-ID of %s', (_name, id, expected) => {
    expect(renderEmail({ ...FAILED_ALERT, id }, QA).messageId).toBe(expected);
  });

  test('holds no markup but its own', () => {
    const { html } = renderEmail(hostileAlert('<script>alert(1)</script><a href="x" onclick=\'y\'>&', 3), QA);

    const tags = new Set([...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag));
    expect(tags).toEqual(
      new Set(['a', 'body', 'div', 'h1', 'h2', 'head', 'html', 'li', 'meta', 'p', 'table', 'td', 'title', 'tr', 'ul']),
    );
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).toContain('href="https://evals.acme.example/runs?id=1&amp;tab=%3Cb%3E|x"');
    expect(html).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;',
    );
  });

  test.each([
    ['quotation marks, which are written as six characters', '"'.repeat(5_000)],
    ['characters of four bytes', '😀'.repeat(5_000)],
  ])('an endless alert of %s stays below what Gmail shows', (_name, text) => {
    const mail = renderEmail(hostileAlert(text, 400), QA);

    expect(Buffer.byteLength(mail.html)).toBeLessThanOrEqual(92_160);
    expect(Buffer.byteLength(mail.text)).toBeLessThanOrEqual(92_160);
    expect(mail.subject.length).toBeLessThanOrEqual(260);
    expect(mail.html).toContain('+39');
  });
});
