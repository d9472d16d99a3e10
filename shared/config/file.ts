import type { Config } from '../domain/plan.ts';
import { buildConfig } from './build.ts';
import { readDocument } from './document.ts';
import type { Problem } from './problems.ts';
import { referenceFlaws } from './references.ts';
import { fileSchema } from './schema.ts';
import { shapeFlaws } from './shape.ts';
import { warningsAbout } from './warnings.ts';

export { formatProblem, type Problem } from './problems.ts';

export type Parsed =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads evals.yaml and checks it as a whole: every problem at once, in the order of the file. It never throws.
 * @param now schedules that never fire again are told by it
 */
export function parseConfig(text: string, { now }: { readonly file?: string; readonly now: Date }): Parsed {
  const read = readDocument(text);
  if (!read.ok) return read;
  const { data, place } = read;
  const flaws = [...read.flaws, ...shapeFlaws(data), ...referenceFlaws(data, now)];
  if (flaws.length > 0) return { ok: false, problems: place(flaws) };
  const file = fileSchema.parse(data);
  return { ok: true, config: buildConfig(file), warnings: place(warningsAbout(file)) };
}
