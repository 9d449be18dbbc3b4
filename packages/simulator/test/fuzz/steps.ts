/**
 * Measures the work of our code for an input in steps. A step is one execution of a block of code,
 * counted by V8's coverage.
 *
 * Unlike milliseconds, steps are equal on every machine. V8 counts only code that is compiled after
 * the counting began, and not its own functions (JSON.parse, regular expressions). An input for
 * which our code does not end is found by the time limit of `npm run fuzz`.
 */
import { Session } from 'node:inspector'

interface CoverageRange {
  readonly count: number
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly CoverageRange[] }[]
}

export interface StepCounter {
  /** The steps since the last call. */
  take(): number
  close(): void
}

export function countSteps(): StepCounter {
  const session = new Session()
  session.connect()
  const ask = <T>(method: string, options: object = {}): T => {
    let [answer, fault]: [unknown, Error | null] = [undefined, null]
    session.post(method, options, (error: Error | null, result?: object) => {
      fault = error
      answer = result
    })
    if (fault !== null) throw new Error(`${method} failed`, { cause: fault })
    return answer as T
  }
  ask('Profiler.enable')
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    take() {
      const { result } = ask<{ result: readonly ScriptCoverage[] }>('Profiler.takePreciseCoverage')
      return result.filter(({ url }) => isOurs(url)).reduce((sum, script) => sum + stepsOf(script), 0)
    },
    close() {
      ask('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

function isOurs(url: string): boolean {
  return url.includes('/src/') && !url.includes('/node_modules/')
}

function stepsOf({ functions }: ScriptCoverage): number {
  return functions.reduce((sum, { ranges }) => sum + ranges.reduce((all, { count }) => all + count, 0), 0)
}
