import * as z from 'zod';

import { DURATION } from './durations.ts';

/** The kinds of values that stand in evals.yaml, each with the message of who gets it wrong. */

/** Names of plans, datasets and subscribers become part of ids and of document names. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

export const name = z
  .string()
  .regex(NAME, 'a name becomes part of ids: 1 to 63 letters, digits, - and _, beginning with a letter or digit');

const UNIT = 'write it with a unit: 500ms, 30s, 15m, 2h or 1d';

export const duration = z
  .string({
    error: ({ input }) => (typeof input === 'number' ? `write a unit: ${input}s, ${input}m` : UNIT),
  })
  .regex(DURATION, UNIT);

const RATE = 'must be a number from 0 to 1';

export const rate = z
  .number()
  .min(0, RATE)
  .max(1, {
    error: ({ input }) =>
      typeof input === 'number' && input <= 100 ? `${RATE}; write ${Number((input / 100).toPrecision(12))}` : RATE,
  });

export const timezone = z.string().min(1, 'must not be empty');

export const evaluationId = z
  .string()
  .regex(/^[^/\s]+$/, 'an evaluation is named by its CES id, which is the last part of its resource name');

export const appName = z
  .string()
  .regex(
    /^projects\/[^/\s]+\/locations\/[^/\s]+\/apps\/[^/\s]+$/,
    'an app is written projects/PROJECT/locations/LOCATION/apps/APP',
  );

export const versionName = z
  .string()
  .regex(
    /^(?:[^/\s]+|projects\/[^/\s]+\/locations\/[^/\s]+\/apps\/[^/\s]+\/versions\/[^/\s]+)$/,
    'a version is its id, or projects/PROJECT/locations/LOCATION/apps/APP/versions/VERSION',
  );

export const title = z
  .string()
  .min(1, 'must not be empty')
  .regex(/^\P{Cc}*$/u, 'must be one line of text');

export const slackChannel = z
  .string({ error: ({ input }) => (input === null ? '# begins a comment in YAML; write "#name"' : undefined) })
  .regex(/^(?:[CGD][A-Z0-9]{6,}|#[^\s#]{1,80})$/, 'a channel is its id (C0123456789) or "#name"');

/** One address only, and nothing that could add a header or a second recipient. */
export const emailAddress = z
  .string()
  .max(254, 'must be one e-mail address')
  .regex(/^[^\s\p{Cc}@,;:<>()"\\]+@[^\s\p{Cc}@,;:<>()"\\]+$/u, 'must be one e-mail address');

export const webhookUrl = z
  .string()
  .regex(/^https?:\/\/[^\s\p{Cc}]+$/u, 'must be an https URL')
  .refine((url) => URL.canParse(url), 'must be an https URL');

export const secretEnv = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9_]{0,127}$/,
    'names an environment variable, such as RELEASE_BOT_SECRET; the secret itself never stands in the file',
  );
