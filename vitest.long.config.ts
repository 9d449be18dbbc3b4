import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowestFirst } from './packages/server/test/support/slowest-first.ts'
import quick from './vitest.config.ts'

/** Long tests wait for more than half of their time. */
const WORKERS_PER_CORE = 2

const kinds = process.env.PURSER_NIGHTLY === undefined ? 'browser,long' : 'browser,long,nightly'

/** `npm run test:long`: each file in a process of its own, the slowest files first. */
export default defineConfig({
  ...quick,
  test: {
    ...quick.test,
    include: [`packages/*/test/**/*.{${kinds}}.test.ts`, `test/**/*.{${kinds}}.test.ts`],
    isolate: true,
    maxWorkers: WORKERS_PER_CORE * availableParallelism(),
    sequence: { sequencer: SlowestFirst },
  },
})
