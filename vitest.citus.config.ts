import { defineConfig } from 'vitest/config'
import quick from './vitest.config.ts'

const BY_HAND = 'packages/server/test/wallet/changed-by-hand.test.ts'

/** Console tests that need a browser or a database. */
const CONSOLE =
  'attack,bet,bets,conformance,console,find,freebet,live,money,now,people,player,reports,sandbox-page,truth,webhooks'

/**
 * The tests of the wallet and its console on three Citus nodes
 * (packages/server/test/support/citus-nodes.ts). Tests are left out if they check query plans of
 * one Postgres, or change rows in ways that Citus refuses.
 */
export default defineConfig({
  ...quick,
  test: {
    include: [
      'packages/server/test/{wallet,operator,feed,ledger,reconcile}/**/*.test.ts',
      'packages/server/test/citus/**/*.citus.ts',
      `packages/console/test/{${CONSOLE}}.{browser,long}.test.ts`,
    ],
    exclude: [
      'packages/server/test/{wallet,operator,feed,ledger,reconcile}/**/*.{browser,long,nightly}.test.ts',
      '**/*plan*.test.ts',
      BY_HAND,
      'packages/server/test/feed/bad-hours.test.ts',
    ],
    globalSetup: ['packages/server/test/support/citus-nodes.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    isolate: false,
  },
})
