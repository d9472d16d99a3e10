import { beforeEach, describe, expect, test } from '@jest/globals';

import { createConfigSource, type ConfigSource } from '../../functions/compose/cloud-config.ts';
import { createReadText, type ObjectAnswer } from '../../functions/compose/cloud-object.ts';
import { PermanentError, TransientError } from '../../shared/errors.ts';
import { silentLog, testClock, type TestClock } from '../fixtures.ts';

const LOCATION = 'gs://acme-evals-config/teams/evals.yaml';
const fileFor = (timezone: string): string => `
version: 1
timezone: ${timezone}
apps:
  support: projects/acme-cx/locations/us/apps/support-bot
plans:
  nightly: { app: support, evaluations: [greeting] }
`;

describe('the configuration of a deployed function', () => {
  let clock: TestClock;
  let answer: () => ObjectAnswer;
  let asked: string[];
  let errors: object[];
  let source: ConfigSource;

  const found = (text: string, generation: string) => (): ObjectAnswer => ({ status: 200, text, generation });

  beforeEach(() => {
    clock = testClock('2026-11-30T02:00:00.000Z');
    asked = [];
    errors = [];
    answer = found(fileFor('Europe/Berlin'), '17');
    source = createConfigSource({
      location: LOCATION,
      read: createReadText(LOCATION, async (url) => {
        asked.push(url);
        return answer();
      }),
      clock,
      log: { ...silentLog, error: (fields, message) => errors.push({ ...fields, message }) },
    });
  });

  test('is read once a minute at most, however many ask', async () => {
    await Promise.all([source.refresh(), source.refresh()]);
    clock.advance(59_999);
    await source.refresh();

    expect(source.current().timezone).toBe('Europe/Berlin');
    expect(asked).toEqual([
      'https://storage.googleapis.com/storage/v1/b/acme-evals-config/o/teams%2Fevals.yaml?alt=media',
    ]);
  });

  test('is replaced by a new version a minute later, and asked for by what is known already', async () => {
    await source.refresh();
    clock.advance(60_000);
    answer = found(fileFor('America/New_York'), '18');
    await source.refresh();

    expect(source.current().timezone).toBe('America/New_York');
    expect(asked[1]).toBe(
      'https://storage.googleapis.com/storage/v1/b/acme-evals-config/o/teams%2Fevals.yaml?alt=media&ifGenerationNotMatch=17',
    );
  });

  test('stays when the object has not changed', async () => {
    await source.refresh();
    clock.advance(60_000);
    answer = () => ({ status: 304, text: '', generation: null });
    await source.refresh();

    expect(source.current().timezone).toBe('Europe/Berlin');
    expect(errors).toEqual([]);
  });

  test('stays when a new version is broken; that is an error in the log, once, and a repaired one is taken', async () => {
    await source.refresh();
    clock.advance(60_000);
    answer = found('version: 2\n', '18');
    await source.refresh();
    clock.advance(60_000);
    answer = () => ({ status: 304, text: '', generation: null });
    await source.refresh();

    expect(source.current().timezone).toBe('Europe/Berlin');
    expect(errors).toEqual([
      {
        location: LOCATION,
        problem: expect.stringMatching(
          /^the configuration is not usable: gs:\/\/acme-evals-config\/teams\/evals\.yaml:1:/,
        ),
        message: 'new configuration not usable, the old one stays',
      },
    ]);

    clock.advance(60_000);
    answer = found(fileFor('UTC'), '19');
    await source.refresh();
    expect(source.current().timezone).toBe('UTC');
  });

  test('that cannot be used when there is no other is an error for the caller, each time', async () => {
    answer = found('version: 2\n', '18');

    await expect(source.refresh()).rejects.toBeInstanceOf(PermanentError);
    await expect(source.refresh()).rejects.toBeInstanceOf(PermanentError);
  });

  test.each([
    [404, PermanentError, /there is no such object; upload it with ces-evals config apply/],
    [403, PermanentError, /roles\/storage\.objectViewer/],
    [503, TransientError, /HTTP 503/],
  ])('HTTP %s is told as what it is', async (status, kind, message) => {
    answer = () => ({ status, text: '', generation: null });
    const error: unknown = await source.refresh().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(kind);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });
});
