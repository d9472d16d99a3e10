import * as z from 'zod';

import { ALERT_REASONS } from '../domain/plan.ts';
import { DURATION } from './durations.ts';

/** The shape of evals.yaml. The JSON Schema that editors use is made from it, so descriptions are written for people. */

/** Names become part of ids and of file and document names. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const name = z.string().regex(NAME, 'a name is 1 to 63 letters, digits, - and _, beginning with a letter or digit');

const duration = z
  .string({ error: 'write it with a unit: 500ms, 30s, 15m, 2h or 1d' })
  .regex(DURATION, 'write it with a unit: 500ms, 30s, 15m, 2h or 1d');

const rate = z
  .number({ error: 'must be a number from 0 to 1' })
  .min(0, 'must be a number from 0 to 1')
  .max(1, 'must be a number from 0 to 1; 95 % is written 0.95');

const timezone = z
  .string()
  .meta({ description: 'IANA time zone', examples: ['Europe/Berlin', 'America/New_York', 'UTC'] });

const evaluationId = z.string().regex(/^[^/\s]+$/, 'an evaluation is named by its CES id, not by its resource name');
const evaluations = z.array(evaluationId).min(1, 'name at least one evaluation');

const app = z
  .string()
  .regex(
    /^projects\/[^/\s]+\/locations\/[^/\s]+\/apps\/[^/\s]+$/,
    'an app is written projects/PROJECT/locations/LOCATION/apps/APP',
  )
  .meta({ description: 'Full resource name of the app', examples: ['projects/acme-cx/locations/us/apps/support-bot'] });

const dataset = z
  .strictObject({
    app: z.string().meta({ description: 'One of the apps above' }),
    displayName: z
      .string()
      .min(1, 'must not be empty')
      .meta({ description: 'Shown in the CES console; unique in the app' }),
    evaluations: evaluations.meta({ description: 'CES ids of the evaluations' }),
    id: z
      .string()
      .regex(NAME, 'a dataset id is letters, digits, - and _')
      .optional()
      .meta({ description: 'The id that CES knows it by, when that is not the name here' }),
  })
  .meta({ description: 'An evaluation dataset; `ces-evals datasets ensure` creates it' });

const latencies = z.strictObject({
  llm: duration.optional(),
  tool: duration.optional(),
  callback: duration.optional(),
  guardrail: duration.optional(),
});

const gate = z.strictObject({
  minPassRate: rate.optional().meta({ description: 'Smallest share of results that must pass, 0 to 1', default: 1 }),
  maxNewlyFailing: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .optional()
    .meta({ description: 'Most evaluations that may fail now and did not in the baseline' }),
  maxErrorRate: rate.optional().meta({
    description: 'Largest share of results that may end in an error; above it the verdict is inconclusive',
    default: 0,
  }),
  mustPass: z.array(evaluationId).optional().meta({ description: 'Evaluations that must pass in every repetition' }),
  maxP90: latencies
    .optional()
    .meta({ description: '90th percentile latency by kind of component, where there is a latency report' }),
});

const plan = z.strictObject({
  app: z.string().meta({ description: 'One of the apps above' }),
  dataset: z.string().optional().meta({ description: 'One of the datasets above; or `evaluations`' }),
  evaluations: evaluations.optional().meta({ description: 'CES ids of the evaluations; or `dataset`' }),
  appVersion: z
    .string()
    .min(1, 'must not be empty')
    .optional()
    .meta({ description: 'Id or full resource name of the version; the draft when it is not there' }),
  schedule: z
    .string()
    .optional()
    .meta({
      description: 'Five-field cron; the plan runs on demand only when it is not there',
      examples: ['0 2 * * *'],
    }),
  timezone: timezone.optional(),
  overlap: z
    .enum(['skip', 'queue'])
    .optional()
    .meta({ description: 'What happens to a slot while another run of the plan is going on', default: 'skip' }),
  deadline: duration
    .optional()
    .meta({ description: 'How long a run may take', default: '2h', examples: ['45m', '2h'] }),
  gate: gate.optional().meta({ description: 'When a run passes; without it everything must pass' }),
  alerts: z.array(z.string()).optional().meta({ description: 'Subscribers that hear about it' }),
});

const subscriber = z.strictObject({
  slack: z
    .strictObject({
      channel: z
        .string()
        .regex(/^(?:[CGD][A-Z0-9]{6,}|#[^\s#]{1,80})$/, 'a channel is its id (C0123456789) or #name')
        .meta({ description: 'Id of the channel', examples: ['C0123456789'] }),
    })
    .optional(),
  email: z
    .strictObject({
      to: z
        .string()
        .regex(/^[^\s@,;<>]+@[^\s@,;<>]+$/, 'must be one e-mail address')
        .meta({ description: 'One address' }),
    })
    .optional(),
  webhook: z
    .strictObject({
      url: z.url('must be a URL').meta({ description: 'https; receives the alert document' }),
      secretEnv: z
        .string()
        .regex(
          /^[A-Z][A-Z0-9_]*$/,
          'names an environment variable, such as RELEASE_BOT_SECRET; the secret itself never stands in the file',
        )
        .meta({ description: 'Environment variable that holds the Standard Webhooks secret' }),
    })
    .optional(),
  on: z
    .array(z.enum(ALERT_REASONS))
    .min(1, 'name at least one reason')
    .optional()
    .meta({ description: 'What it is told', default: ['failed', 'recovered', 'inconclusive', 'overdue'] }),
  locale: z
    .string()
    .optional()
    .meta({ description: 'How numbers and times are written', default: 'en', examples: ['pt-BR'] }),
});

export const fileSchema = z
  .strictObject({
    version: z.literal(1, { error: 'must be 1' }).meta({ description: 'Version of this format' }),
    timezone: timezone.optional().meta({ description: 'Default time zone of the schedules', default: 'UTC' }),
    apps: z.record(name, app).meta({ description: 'The apps, by a name of your own' }),
    datasets: z.record(name, dataset).optional(),
    plans: z
      .record(name, plan)
      .meta({ description: 'What is evaluated, when, how it is judged and who hears about it' }),
    subscribers: z.record(name, subscriber).optional().meta({ description: 'Who can be told, and how' }),
  })
  .meta({ title: 'ces-evals' });

export type File = z.infer<typeof fileSchema>;
