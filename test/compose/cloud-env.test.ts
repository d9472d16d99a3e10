import { describe, expect, test } from '@jest/globals';

import { loadCloudEnv } from '../../functions/compose/cloud-env.ts';

const COMPLETE = {
  GOOGLE_CLOUD_PROJECT: 'acme-evals',
  TASKS_QUEUE: 'ces-evals-waits',
  TASKS_LOCATION: 'europe-west1',
  TOPIC_PREFIX: 'ces-evals-',
  TASKS_SERVICE_ACCOUNT: 'tasks@acme-evals.iam.gserviceaccount.com',
};

const problemsOf = (source: Record<string, string>): readonly string[] => {
  const loaded = loadCloudEnv(source);
  return loaded.ok ? [] : loaded.problems.map(({ name, message }) => `${name} ${message}`);
};

describe('the environment of a deployed function', () => {
  test('is read with its defaults', () => {
    expect(loadCloudEnv(COMPLETE)).toMatchObject({
      ok: true,
      env: {
        common: { cesMcpUrl: 'https://ces.googleapis.com/mcp', configFile: 'evals.yaml' },
        projectId: 'acme-evals',
        database: '(default)',
        queue: 'ces-evals-waits',
        location: 'europe-west1',
        topicPrefix: 'ces-evals-',
        tasksServiceAccount: 'tasks@acme-evals.iam.gserviceaccount.com',
        publicUrl: undefined,
        push: undefined,
      },
    });
  });

  test('tells everything that is wrong at once, with what is wrong on one machine too', () => {
    expect(
      problemsOf({
        POLL_MIN: 'soon',
        GOOGLE_CLOUD_PROJECT: 'Acme-Evals',
        FIRESTORE_DATABASE: '(other)',
        TASKS_QUEUE: 'projects/acme-evals/locations/europe-west1/queues/waits',
        TASKS_LOCATION: '',
        PUBLIC_URL: 'http://evals.acme.example/',
        PUSH_AUDIENCE: 'https://poller.acme.example',
      }).map((problem) => problem.split(' ').slice(0, 4).join(' ')),
    ).toEqual([
      expect.stringMatching(/^POLL_MIN /),
      'PUSH_SERVICE_ACCOUNT is not set,',
      'GOOGLE_CLOUD_PROJECT is no project',
      'FIRESTORE_DATABASE is no name',
      'TASKS_QUEUE is no name',
      'TASKS_LOCATION is set but',
      'TOPIC_PREFIX is not set;',
      'TASKS_SERVICE_ACCOUNT is not set;',
      'PUBLIC_URL is no https',
    ]);
  });

  test('has both of who pushes and for whom, or neither', () => {
    const push = { PUSH_SERVICE_ACCOUNT: 'push@acme-evals.iam.gserviceaccount.com', PUSH_AUDIENCE: 'poller' };

    expect(loadCloudEnv({ ...COMPLETE, ...push })).toMatchObject({
      env: { push: { serviceAccount: 'push@acme-evals.iam.gserviceaccount.com', audience: 'poller' } },
    });
    expect(problemsOf({ ...COMPLETE, PUSH_SERVICE_ACCOUNT: push.PUSH_SERVICE_ACCOUNT })).toEqual([
      'PUSH_AUDIENCE is not set, but PUSH_SERVICE_ACCOUNT is; set both or neither',
    ]);
  });
});
