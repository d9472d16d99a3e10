/**
 * Closes a run with its count on a line of its own. A run that executed no test has shown nothing, so it fails.
 */
export default class CountReporter {
  #executed = 0;

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    this.#executed = numPassedTests + numFailedTests;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.stdout.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
  }

  getLastError() {
    return this.#executed === 0 ? new Error('no test was executed') : undefined;
  }
}
