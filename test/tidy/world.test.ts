/**
 * The rule of world.ts finds time, timers and randomness of Node in every spelling, and ignores
 * members that only have the same name.
 */
import { expect, test } from 'vitest'
import { sourceOf } from './source.ts'
import { complaintsAboutTheWorld } from './world.ts'

test.each([
  ['the time of day', 'const at = new Date()'],
  ['time that passes', 'const begun = performance.now()'],
  ['chance, handed on', 'const { random = Math.random } = deps'],
  ['a timer', 'setTimeout(wake, 5)'],
  ['a sleep', "import { setTimeout as sleep } from 'node:timers/promises'"],
  ['an id', "import { randomUUID } from 'node:crypto'"],
  ['a time-out that escapes', 'const signal = AbortSignal.timeout(5)'],
  ['a time-out by another spelling', 'const signal = AbortSignal?.timeout(5)'],
  ['a timer by another name', 'const later = setTimeout'],
  ['a turn that is handed on', 'await new Promise(setImmediate)'],
  ['the time of day, spelt out', "const at = Date['now']()"],
  ['chance, taken apart', 'const { random } = Math'],
  ['what can be reached over the global object', 'globalThis.setTimeout(wake, 5)'],
  ['what nobody can guess', "import { randomBytes } from 'node:crypto'"],
  ['another clock', "import { performance as clock } from 'node:perf_hooks'"],
])('the house rules find %s that does not come from the environment', (_name, text) => {
  expect(complaintsAboutTheWorld(sourceOf('packages/server/src/wallet/queue/rules-path.ts', text))).not.toEqual([])
  expect(complaintsAboutTheWorld(sourceOf('packages/conformance/src/load/worker/worker-task.ts', text))).toEqual([])
})

test('the house rules find nothing in names that are only alike', () => {
  const asks = 'const at = new Date(world.wall()); socket.setTimeout(5); start({ setTimeout: 5 })'
  expect(complaintsAboutTheWorld(sourceOf('packages/server/src/wallet/queue/rules-path.ts', asks))).toEqual([])
})
