import * as z from 'zod';

import type { Json } from '../../../shared/domain/json.ts';
import type { Datasets } from './datasets.ts';
import { badRequest } from './refusal.ts';
import type { Runs } from './runs.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  /** Throws a Refusal for arguments that do not fit. */
  readonly call: (args: unknown) => Json;
}

interface Definition<S extends z.ZodType> {
  readonly description: string;
  readonly readOnly: boolean;
  readonly input: S;
  readonly call: (args: z.infer<S>) => Json;
}

/** ProtoJSON means the same by an empty string and a missing field, and refuses fields that it does not know. */
const required = z.string({ error: 'the field is required' }).min(1, 'the field is required');
const optional = z.string().default('');
const listing = { pageSize: z.int().optional(), pageToken: z.string().optional(), orderBy: z.string().optional() };

/** Reported form of ids that a user may choose. */
const chosenId = z
  .string()
  .regex(/^([a-zA-Z0-9][a-zA-Z0-9-_]{4,35})?$/, 'an id has 5 to 36 letters, digits, hyphens and underscores')
  .optional();

export function createTools(runs: Runs, datasets: Datasets): ReadonlyMap<string, Tool> {
  const named = (description: string, call: (name: string) => Json) =>
    tool({ description, readOnly: true, input: z.strictObject({ name: required }), call: ({ name }) => call(name) });

  return tableOf({
    run_evaluation: tool({
      description: 'Runs an evaluation for a CES app.',
      readOnly: false,
      input: z.strictObject({
        app: required,
        evaluations: z.array(z.string()).default([]),
        evaluationDataset: optional,
        displayName: optional,
        appVersion: optional,
      }),
      call: (request) => runs.start(request),
    }),
    get_operation: named('Gets the latest state of a long-running operation.', (name) => runs.operation(name)),
    get_evaluation_run: named('Gets details of the specified evaluation run.', (name) => runs.get(name)),
    list_evaluation_runs: tool({
      description: 'Lists all evaluation runs in the given app.',
      readOnly: true,
      input: z.strictObject({ parent: required, ...listing }),
      call: ({ parent, ...rest }) => runs.list(parent, rest),
    }),
    get_evaluation_result: named('Gets details of the specified evaluation result.', (name) => runs.result(name)),
    list_evaluation_results: tool({
      description: 'Lists all evaluation results for a given evaluation; use - to list those of all evaluations.',
      readOnly: true,
      input: z.strictObject({ parent: required, filter: optional, ...listing }),
      call: ({ parent, filter, ...rest }) => runs.results(parent, filter, rest),
    }),
    create_evaluation_dataset: tool({
      description: 'Creates an evaluation dataset.',
      readOnly: false,
      input: z.strictObject({
        parent: required,
        evaluationDatasetId: chosenId,
        evaluationDataset: z.strictObject({ displayName: required, evaluations: z.array(z.string()).default([]) }),
      }),
      call: ({ parent, evaluationDatasetId, evaluationDataset }) =>
        datasets.create({ parent, id: evaluationDatasetId, ...evaluationDataset }),
    }),
    get_evaluation_dataset: named('Gets details of the specified evaluation dataset.', (name) => datasets.get(name)),
    list_evaluation_datasets: tool({
      description: 'Lists all evaluation datasets in the given app.',
      readOnly: true,
      input: z.strictObject({ parent: required, ...listing }),
      call: ({ parent, ...rest }) => datasets.list(parent, rest),
    }),
  });
}

type Nameless = Omit<Tool, 'name'>;

const tool = <S extends z.ZodType>({ description, readOnly, input, call }: Definition<S>): Nameless => ({
  description,
  inputSchema: { ...z.toJSONSchema(input, { io: 'input' }), type: 'object' },
  annotations: { readOnlyHint: readOnly, destructiveHint: false },
  call: (args) => {
    const parsed = input.safeParse(args);
    if (parsed.success) return call(parsed.data);
    const [issue] = parsed.error.issues;
    throw badRequest(`Invalid value at '${issue?.path.join('.') ?? ''}': ${issue?.message ?? 'not understood'}.`);
  },
});

const tableOf = (tools: Readonly<Record<string, Nameless>>): ReadonlyMap<string, Tool> =>
  new Map(Object.entries(tools).map(([name, rest]) => [name, { name, ...rest }]));
