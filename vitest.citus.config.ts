import { defineConfig } from 'vitest/config'

const OF_THE_GATE = [
  'test/wallet/changed-by-hand.test.ts',

]

/**
 * The wallet's tests on three Citus nodes (test/support/citus-nodes.ts). Left out are those that ask for the plans of one Postgres, or that look
 * at the gate, which is closed on Citus.
 */
export default defineConfig({
  test: {
    include: ['test/{wallet,operator,feed,ledger}/**/*.test.ts', 'test/citus/**/*.citus.ts'],
    exclude: ['**/*.long.test.ts', '**/*plan*.test.ts', ...OF_THE_GATE, 'test/feed/bad-hours.test.ts'],
    globalSetup: ['test/support/citus-nodes.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    isolate: false,
  },
})
