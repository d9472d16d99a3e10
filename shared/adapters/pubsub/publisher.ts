import type { ClientConfig, PubSub, Topic } from '@google-cloud/pubsub';

import { createCall, PATIENCE, type Remedies } from './call.ts';

export interface PublisherOptions {
  readonly projectId: string;
  readonly client: ClientConfig | undefined;
}

export interface Publisher {
  /** @param topic full resource name */
  publish(
    topic: string,
    message: { readonly data: Buffer; readonly attributes?: Readonly<Record<string, string>> },
  ): Promise<void>;
  close(): Promise<void>;
}

const REMEDIES: Remedies = {
  notFound: 'the topic does not exist; apply infra/gcp, or correct GOOGLE_CLOUD_PROJECT and TOPIC_PREFIX',
  denied: "give the function's service account the role roles/pubsub.publisher on the topic",
};

export function createPublisher({ projectId, client }: PublisherOptions): Publisher {
  const call = createCall<PubSub>(async () => {
    const { PubSub } = await import('@google-cloud/pubsub');
    return new PubSub({ ...client, projectId });
  });
  const topics = new Map<string, Topic>();

  const topicOf = (pubsub: PubSub, name: string): Topic => {
    // A batch of one message is sent at once. The caller waits for the answer, so there is nothing to gather.
    const topic = topics.get(name) ?? pubsub.topic(name, { batching: { maxMessages: 1 }, gaxOpts: PATIENCE });
    topics.set(name, topic);
    return topic;
  };

  return {
    publish: (name, { data, attributes }) =>
      call.run({ what: `publish to ${name}`, remedies: REMEDIES }, async (pubsub) => {
        await topicOf(pubsub, name).publishMessage({ data, ...(attributes === undefined ? {} : { attributes }) });
      }),
    close: () => call.close((pubsub) => pubsub.close()),
  };
}
