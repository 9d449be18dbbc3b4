import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './packages/server/test/support/closing-line.ts'

/**
 * The suffix of a test file names its needs:
 *
 * - `*.test.ts`: only Node and npm.
 * - `*.long.test.ts`: waits, kills or repeats, and may need other programs.
 * - `*.browser.test.ts`: also Chromium.
 * - `*.nightly.test.ts`: runs only at night.
 *
 * vitest.long.config.ts runs the last three.
 */
export default defineConfig({
  // Packages import each other's sources in tests, and each other's dist in programs.
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new ClosingLine()],
    globalSetup: ['packages/server/test/support/postgres-server.ts'],
    // These timeouts only end a test that hangs; the machine may be slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: availableParallelism(),
    // A new process for each file would import Fastify, pg and TypeBox a hundred times.
    isolate: false,
  },
})
