import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/closing-line.ts'

/**
 * The suffix of a test file says what it needs. `*.test.ts` needs Node and npm alone. `*.long.test.ts`
 * waits, kills or repeats, and may need programs. `*.browser.test.ts` needs Chromium, too.
 * `*.nightly.test.ts` runs at night alone. vitest.long.config.ts runs the last three.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', new ClosingLine()],
    globalSetup: ['test/support/postgres-server.ts'],
    // They end what hangs. None judges a speed, and a machine may have much else to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: availableParallelism(),
    // A new process for each file would import Fastify, pg and TypeBox a hundred times.
    isolate: false,
  },
})
