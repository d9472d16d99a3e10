import { lastSegment, type Json } from '../../../shared/domain/json.ts';
import { resultsAt, type Life, type PlannedResult, type ResultState } from './life.ts';
import { within } from './names.ts';
import { message } from './proto-json.ts';
import { goldenResult, scenarioResult } from './transcript.ts';

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  QUOTA_EXHAUSTED: "Quota exceeded for quota metric 'Evaluation RunSession'.",
  USER_SIMULATION_FAILURE: 'The simulated user did not answer in time.',
  METRIC_CALCULATION_FAILURE: 'A metric could not be calculated.',
};

/** An `EvaluationErrorInfo`. */
export const errorInfo = (errorType: string, sessionId?: string): Json =>
  message({ errorType, errorMessage: ERROR_TEXTS[errorType] ?? 'Internal error during execution.', sessionId });

export const initiator = (life: Life): string =>
  `ces-evals@${life.app.split('/')[1] ?? 'project'}.iam.gserviceaccount.com`;

/**
 * The `EvaluationResult` as it is at an instant, or undefined when it does not exist yet.
 *
 * @param detail `listed` leaves the conversation out: only `get` promises the whole payload.
 */
export function viewResult(life: Life, name: string, at: Date, detail: 'full' | 'listed'): Json | undefined {
  const visible = resultsAt(life, at).find(({ plan }) => plan.name === name);
  return visible === undefined ? undefined : view(life, visible.plan, visible.state, detail);
}

function view(life: Life, plan: PlannedResult, state: ResultState, detail: 'full' | 'listed'): Json {
  const assessed = state === 'COMPLETED' && plan.outcome !== 'skipped';
  return message({
    name: plan.name,
    displayName: `${plan.evaluation.displayName} result - ${life.createdAt.toISOString()}`,
    createTime: new Date(life.createdAt.getTime() + plan.startsAfterMs).toISOString(),
    evaluationStatus: state === 'COMPLETED' ? statusOf(plan) : undefined,
    evaluationRun: life.name,
    ...(assessed && detail === 'full' ? contentOf(life, plan) : {}),
    initiatedBy: initiator(life),
    appVersion: life.appVersion,
    appVersionDisplayName: life.appVersion === undefined ? undefined : lastSegment(life.appVersion),
    changelog: life.changelog?.name,
    changelogCreateTime: life.changelog?.createdAt.toISOString(),
    executionState: state,
    errorInfo: state === 'ERROR' ? errorInfo(errorTypeOf(life, plan), sessionOf(life, plan)) : undefined,
    persona: plan.persona === undefined ? undefined : personaOf(life, plan.persona),
    goldenRunMethod: plan.evaluation.kind === 'golden' ? 'STABLE' : undefined,
  });
}

const STATUSES = { passed: 'PASS', failed: 'FAIL', skipped: 'SKIPPED', errored: undefined } as const;
const statusOf = (plan: PlannedResult): string | undefined => STATUSES[plan.outcome];

/** A result that broke off with the run shares the run's reason. */
const errorTypeOf = (life: Life, plan: PlannedResult): string =>
  plan.outcome === 'errored' ? plan.errorType : life.errorType;

const sessionOf = (life: Life, plan: PlannedResult): string => within(life.app, 'sessions', lastSegment(plan.name));

const personaOf = (life: Life, { id, displayName, description }: NonNullable<PlannedResult['persona']>): Json => ({
  name: within(life.app, 'evaluationPersonas', id),
  displayName,
  description,
});

function contentOf(life: Life, plan: PlannedResult): Json {
  const subject = {
    app: life.app,
    conversation: within(life.app, 'conversations', lastSegment(plan.name)),
    evaluation: plan.evaluation,
    passed: plan.outcome === 'passed',
  };
  return plan.evaluation.kind === 'golden'
    ? { goldenResult: goldenResult(subject) }
    : { scenarioResult: scenarioResult(subject) };
}
