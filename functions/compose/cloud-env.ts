import { loadEnv, type Env, type EnvProblem } from '../../shared/config/env.ts';

/** The environment of a deployed function; `infra/gcp` sets all of it. */
export interface CloudEnv {
  readonly common: Env;
  readonly projectId: string;
  readonly database: string;
  readonly queue: string;
  readonly location: string;
  readonly topicPrefix: string;
  readonly tasksServiceAccount: string;
  /** Where the dashboard is; absent = alerts carry no links to it. */
  readonly publicUrl: string | undefined;
  /** Who pushes, for a function that is not behind IAM; absent = IAM has looked already. */
  readonly push: { readonly serviceAccount: string; readonly audience: string } | undefined;
}

export type LoadedCloudEnv =
  { readonly ok: true; readonly env: CloudEnv } | { readonly ok: false; readonly problems: readonly EnvProblem[] };

type Source = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly name: string;
  readonly form: RegExp;
  /** Follows "is no ". */
  readonly what: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** The forms are those of the services' own documentation. */
const VARIABLES = {
  project: {
    name: 'GOOGLE_CLOUD_PROJECT',
    form: /^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
    what: 'project id, such as acme-evals',
  },
  database: {
    name: 'FIRESTORE_DATABASE',
    form: /^(?:\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/,
    what: 'name of a Firestore database, such as (default)',
  },
  queue: {
    name: 'TASKS_QUEUE',
    form: /^[A-Za-z0-9-]{1,100}$/,
    what: 'name of a Cloud Tasks queue; write it without its path',
  },
  location: { name: 'TASKS_LOCATION', form: /^[a-z]+-[a-z]+\d+$/, what: 'region, such as europe-west1' },
  topicPrefix: {
    name: 'TOPIC_PREFIX',
    form: /^[A-Za-z][A-Za-z0-9._~+%-]{0,199}$/,
    what: 'beginning of a topic name, such as ces-evals-',
  },
  tasksServiceAccount: { name: 'TASKS_SERVICE_ACCOUNT', form: EMAIL, what: 'e-mail of a service account' },
  publicUrl: {
    name: 'PUBLIC_URL',
    form: /^https:\/\/[^\s/]+(?:\/[^\s]*[^\s/])?$/,
    what: 'https URL without a slash at the end',
  },
  pushServiceAccount: { name: 'PUSH_SERVICE_ACCOUNT', form: EMAIL, what: 'e-mail of a service account' },
  pushAudience: { name: 'PUSH_AUDIENCE', form: /^\S+$/, what: 'audience: write it as one word' },
} as const satisfies Readonly<Record<string, Variable>>;

/** Reads what all deployments need and what only the cloud needs, and tells all problems of both at once. */
export function loadCloudEnv(source: Source): LoadedCloudEnv {
  const common = loadEnv(source);
  const problems: EnvProblem[] = common.ok ? [] : [...common.problems];
  const note = (name: string, message: string): void => {
    if (!problems.some((problem) => problem.name === name)) problems.push({ name, message });
  };
  const optional = ({ name, form, what }: Variable): string | undefined => {
    const value = source[name]?.trim();
    if (value === undefined) return undefined;
    if (value === '') note(name, 'is set but empty; unset it or give it a value');
    else if (!form.test(value)) note(name, `is no ${what}`);
    return value;
  };
  const required = (variable: Variable): string => {
    if (source[variable.name] === undefined) note(variable.name, 'is not set; infra/gcp sets it');
    return optional(variable) ?? '';
  };
  const v = VARIABLES;
  const [serviceAccount, audience] = [optional(v.pushServiceAccount), optional(v.pushAudience)];
  if (serviceAccount === undefined && audience !== undefined) {
    note(v.pushServiceAccount.name, 'is not set, but PUSH_AUDIENCE is; set both or neither');
  }
  if (serviceAccount !== undefined && audience === undefined) {
    note(v.pushAudience.name, 'is not set, but PUSH_SERVICE_ACCOUNT is; set both or neither');
  }
  const cloud = {
    projectId: required(v.project),
    database: optional(v.database) ?? '(default)',
    queue: required(v.queue),
    location: required(v.location),
    topicPrefix: required(v.topicPrefix),
    tasksServiceAccount: required(v.tasksServiceAccount),
    publicUrl: optional(v.publicUrl),
    push: serviceAccount === undefined || audience === undefined ? undefined : { serviceAccount, audience },
  };
  return common.ok && problems.length === 0
    ? { ok: true, env: { common: common.env, ...cloud } }
    : { ok: false, problems };
}
