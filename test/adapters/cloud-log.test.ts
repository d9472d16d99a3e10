import { describe, expect, test } from '@jest/globals';

import { createCloudLog } from '../../shared/adapters/cloud-log/log.ts';
import { traceOf, type Trace } from '../../shared/adapters/cloud-log/trace.ts';
import type { Log } from '../../shared/ports.ts';
import { testClock } from '../fixtures.ts';

const TRACE: Trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true };

function logged(write: (log: Log) => void, trace?: Trace): readonly unknown[] {
  const lines: string[] = [];
  write(
    createCloudLog({
      level: 'info',
      projectId: 'acme-evals',
      trace: () => trace,
      clock: testClock(),
      write: (line) => lines.push(line),
    }),
  );
  return lines.map((line): unknown => JSON.parse(line));
}

describe('a log line for Cloud Logging', () => {
  test('has severity, message, time, trace, and the run as a label', () => {
    expect(
      logged((log) => {
        log.info({ runId: 'nightly-1', state: 'running' }, 'run polled');
      }, TRACE),
    ).toEqual([
      {
        runId: 'nightly-1',
        state: 'running',
        severity: 'INFO',
        message: 'run polled',
        time: '2026-11-30T02:00:00.000Z',
        'logging.googleapis.com/labels': { run_id: 'nightly-1' },
        'logging.googleapis.com/trace': 'projects/acme-evals/traces/4bf92f3577b34da6a3ce929d0e0e4736',
        'logging.googleapis.com/spanId': '00f067aa0ba902b7',
        'logging.googleapis.com/trace_sampled': true,
      },
    ]);
  });

  test('of an error reaches Error Reporting, with the stacks of all causes and nothing else of the error', () => {
    const cause = Object.assign(new Error('inner'), { config: { headers: { authorization: 'Bearer secret' } } });
    const [line] = logged((log) => {
      log.error({ err: new AggregateError([new Error('outer', { cause })], 'both') }, 'request failed');
    });

    expect(line).toEqual({
      severity: 'ERROR',
      message: 'request failed',
      time: '2026-11-30T02:00:00.000Z',
      '@type': 'type.googleapis.com/google.devtools.clouderrorreporting.v1beta1.ReportedErrorEvent',
      stack_trace: expect.stringMatching(
        /^AggregateError: both\n.*\nCaused by: Error: outer\n.*\nCaused by: Error: inner\n/s,
      ),
    });
    expect(JSON.stringify(line)).not.toContain('secret');
  });

  test('keeps its own fields whatever is logged, and is written even when a field cannot be', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;

    expect(
      logged((log) => {
        log.debug({}, 'not wanted');
        log.warn({ severity: 'DEBUG', message: 'other' }, 'slot skipped');
        log.warn({ cycle }, 'odd');
      }),
    ).toEqual([
      { severity: 'WARNING', message: 'slot skipped', time: '2026-11-30T02:00:00.000Z' },
      { fields: 'cycle', severity: 'WARNING', message: 'odd', time: '2026-11-30T02:00:00.000Z' },
    ]);
  });
});

test.each([
  ['W3C', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }, TRACE],
  [
    'Google, with the span as a decimal',
    { 'x-cloud-trace-context': '4bf92f3577b34da6a3ce929d0e0e4736/67667974448284343;o=1' },
    TRACE,
  ],
  [
    'Google, the trace alone',
    { 'x-cloud-trace-context': '4bf92f3577b34da6a3ce929d0e0e4736' },
    { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: false },
  ],
  ['malformed', { traceparent: '00-xyz', 'x-cloud-trace-context': '../../etc' }, undefined],
  ['none', {}, undefined],
])('the trace of a request is read from its headers: %s', (_, headers, expected) => {
  expect(traceOf(headers)).toEqual(expected);
});
