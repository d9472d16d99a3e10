import * as z from 'zod';

import { ALERT_REASONS } from '../domain/plan.ts';
import {
  appName,
  duration,
  emailAddress,
  evaluationId,
  name,
  NAME,
  rate,
  secretEnv,
  slackChannel,
  timezone,
  title,
  versionName,
  webhookUrl,
} from './scalars.ts';

/** The shape of evals.yaml. The JSON Schema that editors use is made from it, so descriptions are written for people. */

const APPS = { support: 'projects/acme-cx/locations/us/apps/support-bot' };
const SMOKE = { app: 'support', displayName: 'Smoke', evaluations: ['greeting', 'refund'] };
const ONCALL = { slack: { channel: 'C0123456789' } };

const evaluations = z.array(evaluationId).min(1, 'name at least one evaluation');

const dataset = z.strictObject({
  app: z.string().meta({ description: 'Name of one of `apps`.', examples: ['support'] }),
  displayName: title.meta({ description: 'Shown in the CES console; unique within the app.', examples: ['Smoke'] }),
  evaluations: evaluations.meta({
    description: 'CES ids of the evaluations.',
    examples: [['greeting', 'refund']],
    uniqueItems: true,
  }),
  id: z
    .string()
    .regex(NAME, 'a dataset id is letters, digits, - and _')
    .optional()
    .meta({
      description: 'The id that CES knows the dataset by, where it is not the name here.',
      examples: ['smoke-2026'],
    }),
});

const latency = (kind: string): z.ZodOptional<z.ZodString> =>
  duration.optional().meta({ description: `Most that the p90 of any ${kind} may be.`, examples: ['2s'] });

const latencies = z.strictObject({
  llm: latency('LLM call'),
  tool: latency('tool call'),
  callback: latency('callback'),
  guardrail: latency('guardrail'),
});

const gate = z.strictObject({
  minPassRate: rate
    .optional()
    .meta({ description: 'Smallest share of results that must pass, 0 to 1.', examples: [0.95], default: 1 }),
  maxNewlyFailing: z
    .number()
    .int()
    .min(0, 'must be 0 or more')
    .optional()
    .meta({
      description: 'Most evaluations that may fail now and did not in the last run that passed. Absent = not checked.',
      examples: [0],
    }),
  maxErrorRate: rate.optional().meta({
    description: 'Largest share of results that may end in an error, 0 to 1; above it the verdict is inconclusive.',
    examples: [0.05],
    default: 0,
  }),
  mustPass: z
    .array(evaluationId)
    .optional()
    .meta({
      description: 'Evaluations of the plan that must pass in every repetition.',
      examples: [['refund']],
      uniqueItems: true,
    }),
  maxP90: latencies.optional().meta({
    description: '90th percentile latencies by kind of component, checked where CES has a latency report.',
    examples: [{ llm: '4s', tool: '2s' }],
  }),
});

const plan = z.strictObject({
  app: z.string().meta({ description: 'Name of one of `apps`.', examples: ['support'] }),
  dataset: z
    .string()
    .optional()
    .meta({ description: 'Name of one of `datasets`. Either this or `evaluations`.', examples: ['smoke'] }),
  evaluations: evaluations.optional().meta({
    description: 'CES ids of the evaluations. Either this or `dataset`.',
    examples: [['greeting', 'refund']],
    uniqueItems: true,
  }),
  appVersion: versionName.optional().meta({
    description: 'Id or full resource name of the version to run against. Absent = the draft.',
    examples: ['v42'],
  }),
  schedule: z
    .string()
    .optional()
    .meta({
      description: 'Cron of five fields: minute, hour, day of month, month, day of week. Absent = on demand only.',
      examples: ['0 2 * * *'],
    }),
  timezone: timezone.optional().meta({
    description: 'IANA time zone of the schedule. Absent = that of the file.',
    examples: ['America/New_York'],
  }),
  overlap: z
    .enum(['skip', 'queue'])
    .optional()
    .meta({
      description: 'What happens to a slot while another run of the plan is going on.',
      examples: ['queue'],
      default: 'skip',
    }),
  deadline: duration.optional().meta({
    description: 'How long a run is waited for, from 1s to 7d; then it is inconclusive.',
    examples: ['45m'],
    default: '2h',
  }),
  gate: gate.optional().meta({
    description: 'When a run passes. Absent = everything must pass and nothing may error.',
    examples: [{ minPassRate: 0.95, mustPass: ['refund'] }],
  }),
  alerts: z
    .array(z.string())
    .optional()
    .meta({ description: 'Names of the `subscribers` that hear of it.', examples: [['oncall']], uniqueItems: true }),
});

const slack = z.strictObject({
  channel: slackChannel.meta({ description: 'Id of the channel, or "#name" in quotes.', examples: ['C0123456789'] }),
});

const email = z.strictObject({
  to: emailAddress.meta({ description: 'One address.', examples: ['qa@acme.example'] }),
});

const webhook = z.strictObject({
  url: webhookUrl.meta({
    description: 'https URL that gets the alert document; http for a loopback address only.',
    examples: ['https://ci.acme.example/evals'],
  }),
  secretEnv: secretEnv.meta({
    description: 'Name of the environment variable that holds the Standard Webhooks secret, `whsec_…`.',
    examples: ['RELEASE_BOT_SECRET'],
  }),
});

const subscriber = z.strictObject({
  slack: slack.optional().meta({ description: 'Tell a Slack channel.', examples: [{ channel: 'C0123456789' }] }),
  email: email.optional().meta({ description: 'Tell an e-mail address.', examples: [{ to: 'qa@acme.example' }] }),
  webhook: webhook.optional().meta({
    description: 'Tell a program, with a signed request.',
    examples: [{ url: 'https://ci.acme.example/evals', secretEnv: 'RELEASE_BOT_SECRET' }],
  }),
  on: z
    .array(z.enum(ALERT_REASONS))
    .min(1, 'name at least one reason')
    .optional()
    .meta({
      description: 'What it is told of.',
      examples: [['failed', 'recovered']],
      default: ['failed', 'recovered', 'inconclusive', 'overdue'],
      uniqueItems: true,
    }),
  locale: z
    .string()
    .optional()
    .meta({ description: 'BCP 47: how numbers and times are written.', examples: ['pt-BR'], default: 'en' }),
});

const onlyOneOf = (
  ...keys: readonly string[]
): { readonly oneOf: readonly { readonly required: readonly string[] }[] } => ({
  oneOf: keys.map((key) => ({ required: [key] })),
});

export const fileSchema = z
  .strictObject({
    version: z
      .literal(1, { error: 'must be 1' })
      .meta({ description: 'Version of this format; always 1.', examples: [1] }),
    timezone: timezone.optional().meta({
      description: 'IANA time zone of schedules and of times in alerts.',
      examples: ['Europe/Berlin'],
      default: 'UTC',
    }),
    apps: z
      .record(name, appName)
      .meta({ description: 'Full resource names of the apps, by names of your own.', examples: [APPS] }),
    datasets: z
      .record(name, dataset)
      .optional()
      .meta({
        description: 'Evaluation datasets; `ces-evals datasets ensure` creates those that do not exist.',
        examples: [{ smoke: SMOKE }],
      }),
    plans: z.record(name, plan.meta(onlyOneOf('dataset', 'evaluations'))).meta({
      description: 'What is evaluated, when, how it is judged and who hears of it.',
      examples: [{ nightly: { app: 'support', dataset: 'smoke', schedule: '0 2 * * *', alerts: ['oncall'] } }],
    }),
    subscribers: z
      .record(name, subscriber.meta(onlyOneOf('slack', 'email', 'webhook')))
      .optional()
      .meta({ description: 'Who can be told, and how.', examples: [{ oncall: ONCALL }] }),
  })
  .meta({ title: 'ces-evals', description: 'The configuration file of ces-evals, evals.yaml.' });

export type File = z.infer<typeof fileSchema>;
