import type { Script, ScriptedRun } from '../simulated-ces/script.ts';

/** Long enough to be seen happening, short enough to watch. */
const TIMES = { queuedMs: 600, runningMs: 2_400 } as const;

const night = (nth: number, outcomes: NonNullable<ScriptedRun['outcomes']>): ScriptedRun => ({
  nth,
  ...TIMES,
  outcomes,
});

/** Three nights: all is well, a change breaks the refunds, the change is undone. */
export const DEMO_SCRIPT: Script = {
  runs: [night(1, {}), night(2, { refund: { failed: 4 }, escalation: { failed: 1 } }), night(3, {})],
};

export interface Night {
  readonly title: string;
  readonly expected: 'passed' | 'failed';
  /** Subscriber and reason of the alerts that the night must bring, in no particular order. */
  readonly alerts: readonly string[];
}

export const NIGHTS: readonly Night[] = [
  { title: 'The first night: all is well', expected: 'passed', alerts: ['qa passed'] },
  { title: 'The second night: a change broke the refunds', expected: 'failed', alerts: ['oncall failed', 'qa failed'] },
  { title: 'The third night: the change was undone', expected: 'passed', alerts: ['oncall recovered', 'qa recovered'] },
];
