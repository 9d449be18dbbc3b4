#!/usr/bin/env node
/**
 * Entry of the program `purser`. The commands are loaded only on a supported JavaScript runtime.
 */
import { runtimeProblem } from '@purser/runtime/supported'

const problem = runtimeProblem(process.versions)
if (problem === undefined) await import('./cli/commands.ts')
else {
  process.stderr.write(problem)
  process.exitCode = 2
}
