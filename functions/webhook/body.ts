import * as z from 'zod';

/** What a caller asks for. */
export interface Wish {
  readonly plan: string;
  readonly appVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export type ReadWish =
  | { readonly ok: true; readonly wish: Wish }
  /** One sentence for each thing that is wrong. */
  | { readonly ok: false; readonly problems: readonly string[] };

const MAX_LABELS = 20;
const label = z.string().max(100, 'is longer than 100 characters');

const wish = z.strictObject({
  plan: z.string().min(1, 'is empty').max(200, 'is longer than 200 characters'),
  // The longest resource names of Google Cloud stay well below this.
  appVersion: z.string().min(1, 'is empty').max(500, 'is longer than 500 characters').optional(),
  labels: z
    .record(label.min(1, 'has an empty name'), label)
    .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `are more than ${MAX_LABELS}`)
    .optional(),
});

/** Our own body: `{"plan": "nightly", "appVersion"?: "v43", "labels"?: {"commit": "4eb3731"}}`, and nothing else. */
export function readBody(rawBody: Buffer): ReadWish {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
  } catch {
    return { ok: false, problems: ['the body is not JSON in UTF-8'] };
  }
  return read(json);
}

/** GitHub's body is the event, which says nothing about plans; they stand in the address that it was told to call. */
export const readQuery = (query: URLSearchParams): ReadWish =>
  read({ plan: query.get('plan') ?? undefined, appVersion: query.get('appVersion') ?? undefined });

function read(json: unknown): ReadWish {
  const parsed = wish.safeParse(json);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(problemsOf) };
  const { plan, appVersion, labels } = parsed.data;
  return {
    ok: true,
    wish: { plan, ...(appVersion === undefined ? {} : { appVersion }), ...(labels === undefined ? {} : { labels }) },
  };
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const where = issue.path.length === 0 ? 'the body' : issue.path.join('.');
  // What is wrong with a key is one level further down.
  const causes = issue.code === 'invalid_key' ? issue.issues : [issue];
  return causes.map(({ message }) => `${where}: ${message}`);
}
