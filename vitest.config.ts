import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/closing-line.ts'

/** Files named *.long.test.ts wait, kill or repeat: `npm test` leaves them out, `npm run test:long` runs them alone. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', new ClosingLine()],
    globalSetup: ['test/support/postgres-server.ts'],
    // They end what hangs. None judges a speed, and a machine may have much else to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
    // A new process for each file would import Fastify, pg and TypeBox a hundred times.
    isolate: false,
  },
})
