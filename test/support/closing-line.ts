/**
 * The last line of a run, in words that any program reads: `12 passed, 0 failed, 1 skipped`, alone on its line and without colours. Whoever looks
 * at the output of the checks must not have to know this test runner.
 */
import type { Reporter, TestModule } from 'vitest/node'

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that does not load has no tests, and an error outside of all tests belongs to none.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length
    process.stdout.write(
      `\n${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    )
  }
}
