#!/usr/bin/env node
/** The entry of the program: the commands load only on a supported runtime. */
import { runtimeProblem } from '@purser/runtime/supported'

const problem = runtimeProblem(process.versions)
if (problem === undefined) await import('./cli/commands.ts')
else {
  process.stderr.write(problem)
  process.exitCode = 2
}
