/**
 * Prints the last line of a test run: `12 passed, 0 failed, 1 skipped`. The line has no colours, so
 * that any program can read it.
 */
import type { Reporter, TestModule } from 'vitest/node'

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that does not load has no tests, and an error outside tests belongs to no file.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length
    process.stdout.write(
      `\n${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    )
  }
}
