import type { Json } from '../../../shared/domain/json.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { within } from './names.ts';

export interface Subject {
  readonly app: string;
  /** Full resource name. */
  readonly conversation: string;
  readonly evaluation: CatalogueEntry;
  readonly passed: boolean;
}

/** A `GoldenResult` of one turn: the agent said what was expected, or its usual mistake. */
export function goldenResult({ app, conversation, evaluation, passed }: Subject): Json {
  const outcome = passed ? 'PASS' : 'FAIL';
  const spoken = {
    expectation: { agentResponse: says('agent', evaluation.expected) },
    observedAgentResponse: says('agent', passed ? evaluation.expected : evaluation.mistake),
    outcome,
  };
  return {
    turnReplayResults: [
      {
        conversation,
        expectationOutcome: [spoken, ...toolExpectations(app, evaluation, passed)],
        hallucinationResult: grounded(passed),
        semanticSimilarityResult: passed
          ? { score: 4, label: 'Fully Consistent', explanation: 'The answer says what was expected.', outcome }
          : { score: 1, label: 'Mostly Inconsistent', explanation: 'The answer misses what was expected.', outcome },
        ...(evaluation.tool === undefined
          ? {}
          : { overallToolInvocationResult: { toolInvocationScore: passed ? 1 : 0, outcome } }),
        turnLatency: '1.420s',
      },
    ],
  };
}

/** A `ScenarioResult`: the simulated customer reached the goal, or was turned away. */
export function scenarioResult({ app, conversation, evaluation, passed }: Subject): Json {
  return {
    conversation,
    task: evaluation.customer,
    userFacts: [{ name: 'customer_number', value: 'AC-20417' }],
    expectationOutcomes: [
      {
        expectation: { agentResponse: says('agent', evaluation.expected) },
        observedAgentResponse: says('agent', passed ? evaluation.expected : evaluation.mistake),
        outcome: passed ? 'PASS' : 'FAIL',
      },
    ],
    rubricOutcomes: [
      {
        rubric: 'The agent stays polite and does not invent rules.',
        score: passed ? 1 : 0,
        scoreExplanation: passed
          ? 'Polite, and every rule exists.'
          : `"${evaluation.mistake}" is not a rule of the shop.`,
      },
    ],
    hallucinationResult: [grounded(passed)],
    userGoalSatisfactionResult: passed
      ? { score: 1, label: 'Satisfied', explanation: 'The customer got what they came for.' }
      : { score: 0, label: 'Not Satisfied', explanation: 'The customer left without help.' },
    allExpectationsSatisfied: passed,
    taskCompleted: passed,
    toolCallLatencies:
      evaluation.tool === undefined
        ? []
        : [{ tool: within(app, 'tools', evaluation.tool), displayName: evaluation.tool, executionLatency: '0.310s' }],
  };
}

const says = (role: string, text: string): Json => ({ role, chunks: [{ text }] });

const grounded = (passed: boolean): Json =>
  passed
    ? { score: 1, label: 'Justified', explanation: 'Every claim is in the context.' }
    : { score: 0, label: 'Not Justified', explanation: 'A claim has no support in the context.' };

function toolExpectations(app: string, { tool }: CatalogueEntry, passed: boolean): readonly Json[] {
  if (tool === undefined) return [];
  const expectation = { toolCall: { tool: within(app, 'tools', tool), displayName: tool } };
  return passed
    ? [
        {
          expectation,
          observedToolCall: expectation.toolCall,
          outcome: 'PASS',
          toolInvocationResult: { parameterCorrectnessScore: 1, outcome: 'PASS' },
        },
      ]
    : [{ expectation, outcome: 'FAIL', toolInvocationResult: { parameterCorrectnessScore: 0, outcome: 'FAIL' } }];
}
