import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import * as grpc from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

import type { PubSubBusOptions } from '../../shared/adapters/pubsub/bus.ts';

export interface PublishedMessage {
  readonly topic: string;
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface CreatedTask {
  readonly parent: string;
  readonly name: string;
  readonly scheduleTime: string;
  readonly dispatchDeadlineSeconds: number;
  readonly httpMethod: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly oauthToken: { readonly serviceAccountEmail: string; readonly scope: string };
}

/** `hang` never answers. */
export type Fault = grpc.status | 'hang';

export interface FakeGoogle {
  readonly clients: NonNullable<PubSubBusOptions['clients']>;
  readonly published: readonly PublishedMessage[];
  readonly tasks: readonly CreatedTask[];
  /** Calls of either method, with those that failed. */
  readonly calls: () => number;
  /** What the next calls answer; once all are used up they succeed. */
  fail(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

/**
 * Publisher.Publish and CloudTasks.CreateTask over gRPC, made from the protos that the client libraries bring. It
 * refuses the name of a task that there is already, as Cloud Tasks does.
 */
export async function startFakeGoogle(): Promise<FakeGoogle> {
  const published: PublishedMessage[] = [];
  const tasks: CreatedTask[] = [];
  const faults: Fault[] = [];
  let calls = 0;

  const answering =
    <Request, Response>(answer: (request: Request) => Response | Refusal) =>
    ({ request }: { request: Request }, callback: grpc.sendUnaryData<Response>): void => {
      calls += 1;
      const fault = faults.shift();
      if (fault === 'hang') return;
      const answered = fault === undefined ? answer(request) : new Refusal(fault);
      if (answered instanceof Refusal) callback({ code: answered.code, details: 'as the test wants it' });
      else callback(null, answered);
    };

  const server = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(serviceOf('@google-cloud/pubsub-api', 'google.pubsub.v1.Publisher'), {
    publish: answering(({ topic, messages }: PublishRequest) => {
      for (const { data, attributes } of messages) published.push({ topic, data: data.toString('utf8'), attributes });
      return { messageIds: messages.map((_, index) => String(published.length + index)) };
    }),
  });
  server.addService(serviceOf('@google-cloud/tasks', 'google.cloud.tasks.v2.CloudTasks'), {
    createTask: answering(({ parent, task }: CreateTaskRequest) => {
      if (tasks.some(({ name }) => name === task.name)) {
        return new Refusal(grpc.status.ALREADY_EXISTS);
      }
      tasks.push(createdOf(parent, task));
      return task;
    }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    clients: {
      pubsub: { apiEndpoint: `127.0.0.1:${port}` },
      tasks: { apiEndpoint: '127.0.0.1', port, sslCreds: grpc.credentials.createInsecure() },
    },
    published,
    tasks,
    calls: () => calls,
    fail: (...more) => {
      faults.push(...more);
    },
    close: async () => {
      server.forceShutdown();
    },
  };
}

class Refusal {
  readonly code: grpc.status;
  constructor(code: grpc.status) {
    this.code = code;
  }
}

interface PublishRequest {
  readonly topic: string;
  readonly messages: readonly { readonly data: Buffer; readonly attributes: Record<string, string> }[];
}

interface Task {
  readonly name: string;
  readonly scheduleTime: { readonly seconds: string; readonly nanos: number };
  readonly dispatchDeadline: { readonly seconds: string };
  readonly httpRequest: {
    readonly httpMethod: string;
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly body: Buffer;
    readonly oauthToken: CreatedTask['oauthToken'];
  };
}

interface CreateTaskRequest {
  readonly parent: string;
  readonly task: Task;
}

function createdOf(parent: string, { name, scheduleTime, dispatchDeadline, httpRequest }: Task): CreatedTask {
  const { httpMethod, url, headers, body, oauthToken } = httpRequest;
  return {
    parent,
    name,
    scheduleTime: new Date(Number(scheduleTime.seconds) * 1_000 + scheduleTime.nanos / 1_000_000).toISOString(),
    dispatchDeadlineSeconds: Number(dispatchDeadline.seconds),
    httpMethod,
    url,
    headers,
    body: JSON.parse(body.toString('utf8')),
    oauthToken,
  };
}

function serviceOf(packageName: string, service: string): grpc.ServiceDefinition {
  const { resolve } = createRequire(import.meta.url);
  const folder = dirname(resolve(packageName)).replace(/(\/build)\/.*$/, '$1');
  const json: unknown = JSON.parse(readFileSync(join(folder, 'protos', 'protos.json'), 'utf8'));
  const definitions = fromJSON(json as Parameters<typeof fromJSON>[0], { defaults: true, enums: String });
  return definitions[service] as unknown as grpc.ServiceDefinition;
}
