import * as z from 'zod';

import { fileSchema } from './schema.ts';

/** The JSON Schema (draft 2020-12) of evals.yaml, as `ces-evals config schema` prints it. */
export const configJsonSchema = (): object => z.toJSONSchema(fileSchema, { io: 'input', target: 'draft-2020-12' });
