/**
 * How much work an input is, in steps: how often the blocks of our code run, as V8 counts them for coverage. It is the same on any machine, which
 * milliseconds are not. Counted is what was compiled after the counting began: begin before the code has run. What V8 does itself (JSON.parse, patterns)
 * is not counted; whoever never comes back is seen by the command's watch.
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
  /** Of what ran since the last time. */
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
