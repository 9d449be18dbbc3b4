import { defineConfig } from 'vitest/config'

const BY_HAND = 'test/wallet/changed-by-hand.test.ts'

/**
 * The wallet's tests on three Citus nodes (test/support/citus-nodes.ts). Left out are those that ask for the plans of one Postgres, or change rows
 * by hand in ways that Citus refuses.
 */
export default defineConfig({
  test: {
    include: ['test/{wallet,operator,feed,ledger,reconcile}/**/*.test.ts', 'test/citus/**/*.citus.ts'],
    exclude: ['**/*.long.test.ts', '**/*plan*.test.ts', BY_HAND, 'test/feed/bad-hours.test.ts'],
    globalSetup: ['test/support/citus-nodes.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    isolate: false,
  },
})
