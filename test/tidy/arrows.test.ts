/**
 * The rules for imports find each planted fault and accept allowed imports: direction, loops, and
 * modules that every command would load.
 */
import { describe, expect, test } from 'vitest'
import {
  complaintsAboutArrows,
  complaintsAboutDependencies,
  complaintsAboutLoops,
  complaintsAboutMutualParts,
  complaintsAboutTheStart,
} from './arrows.ts'
import { sourceOf } from './source.ts'

describe('the house rules find', () => {
  const arrows: [string, string, string][] = [
    [
      'the wallet importing the operator',
      'packages/server/src/wallet/queue/call-queue.ts',
      "import { audit } from '../operator-api/audit/wallet-audit.ts'",
    ],
    [
      'the operator importing the wallet’s server',
      'packages/server/src/wallet/operator-api/bets/bet-detail.ts',
      "import { registerWire } from '../../wire/wallet-wire.ts'",
    ],
    [
      'the operator importing a rule',
      'packages/server/src/wallet/operator-api/bets/bet-detail.ts',
      "import { decidePlace } from '../../rules/place.ts'",
    ],
    [
      'the ledger importing the wallet',
      'packages/server/src/wallet/ledger/book.ts',
      "import type { Bet } from '../store/bet.ts'",
    ],
    [
      'the ledger importing another part of the protocol',
      'packages/server/src/wallet/ledger/book.ts',
      "import { REPLY_CODES } from '@purser/protocol/reply-codes'",
    ],
    [
      'the protocol importing anything of ours',
      'packages/protocol/src/values/exact-json.ts',
      "import type { Tx } from 'purser/core/database/db'",
    ],
    [
      'the protocol reading a file',
      'packages/protocol/src/values/exact-json.ts',
      "import { readFileSync } from 'node:fs'",
    ],
    [
      'the database importing the ledger',
      'packages/server/src/core/database/fixed.ts',
      "import { openBook } from '../../wallet/ledger/book.ts'",
    ],
    [
      'a rule using the database',
      'packages/server/src/wallet/rules/place.ts',
      "import { statement } from '../../core/database/db.ts'",
    ],
    [
      'a rule using the clock',
      'packages/server/src/wallet/rules/place.ts',
      "import { systemClock } from '../../../runtime/clock.ts'",
    ],
    [
      'a rule using the logger',
      'packages/server/src/wallet/rules/place.ts',
      "import { createLogger } from '../../../runtime/logger.ts'",
    ],
    [
      'a rule reading sessions',
      'packages/server/src/wallet/rules/place.ts',
      "import { readSessions, type Session } from '../store/session.ts'",
    ],
    ['a rule using a library', 'packages/server/src/wallet/rules/place.ts', "import pg from 'pg'"],
    [
      'the platform importing the wallet',
      'packages/server/src/platform/store/platform-bet.ts',
      "import { openBook } from '../../wallet/queue/call-batch.ts'",
    ],
    [
      'deliveries importing their API',
      'packages/server/src/platform/delivery/a.ts',
      "import type { A } from '../api/views.ts'",
    ],
    [
      'bets importing HTTP',
      'packages/server/src/platform/bets/a.ts',
      "import { notFound } from '../../core/http/api/problem-details.ts'",
    ],
    [
      'deliveries importing bets',
      'packages/server/src/platform/delivery/a.ts',
      "import type { A } from '../bets/bet-flow.ts'",
    ],
    [
      'bets importing deliveries',
      'packages/server/src/platform/bets/a.ts',
      "import { a } from '../delivery/deliverer.ts'",
    ],
    [
      'placement importing recovery',
      'packages/server/src/platform/placement/a.ts',
      "import { a } from '../recovery/lease-watch.ts'",
    ],
    [
      'rows importing bets',
      'packages/server/src/platform/store/outbox.ts',
      "import type { A } from '../bets/bet-flow.ts'",
    ],
    [
      'the gateway importing the ledger',
      'packages/server/src/gateway/route.ts',
      "import { saveBook } from '../wallet/ledger/book-store.ts'",
    ],
    [
      'the conformance kit importing the database',
      'packages/conformance/src/run.ts',
      "import { openDb } from '../db/open.ts'",
    ],
    [
      'the sandbox importing the wallet',
      'packages/server/src/sandbox/sandbox-run.ts',
      "import { createWallet } from '../wallet/wallet.ts'",
    ],
    [
      'configuration opening a database',
      'packages/server/src/core/config/config.ts',
      "import { openDb } from '../db/open.ts'",
    ],
    [
      'a re-export against the arrows',
      'packages/server/src/wallet/ledger/book.ts',
      "export { hashToken } from '../wallet/store/session.ts'",
    ],
    [
      'an import at run time against the arrows',
      'packages/server/src/wallet/ledger/book.ts',
      "const x = await import('../wallet/store/session.ts')",
    ],
    [
      'the console importing the HTTP client',
      'packages/console/src/app/a.ts',
      "import { createWalletClient } from '@purser/protocol/client/wallet-client'",
    ],
    [
      'the console importing rows of the wallet at run time',
      'packages/console/src/app/a.ts',
      "import { readPlayer } from 'purser/wallet/store/player'",
    ],
    [
      'the timeline importing the kit',
      'packages/timeline/src/a.ts',
      "import { CLAUSES } from '@purser/conformance/clauses'",
    ],
    [
      'a part that the architecture does not have',
      'packages/server/src/cache/store.ts',
      "import { x } from '../core/database/db.ts'",
    ],
  ]
  test.each(arrows)('%s', (_name, path, text) => {
    expect(complaintsAboutArrows(sourceOf(path, text))).toHaveLength(1)
  })

  test('nothing in allowed imports', () => {
    const allowed = [
      "import type { Account } from '../ledger/account.ts'",
      "import { effectOnPlayer, type Posting } from '../ledger/posting.ts'",
      "import { type Facts } from '../store/player.ts'",
    ]
    expect(complaintsAboutArrows(sourceOf('packages/server/src/wallet/rules/place.ts', allowed.join('\n')))).toEqual([])
    const operator =
      "import { readPlayer } from '../../store/player.ts'\nimport type { Rules } from '../../rules/decision.ts'"
    expect(
      complaintsAboutArrows(sourceOf('packages/server/src/wallet/operator-api/players/player-profile.ts', operator)),
    ).toEqual([])
  })

  test('a loop of imports', () => {
    const a = sourceOf('packages/runtime/src/a.ts', "import { b } from './b.ts'\nexport const a = b")
    const b = sourceOf('packages/runtime/src/b.ts', "import { a } from './a.ts'\nexport const b = a")
    const typed = sourceOf(
      'packages/runtime/src/b.ts',
      "import type { a } from './a.ts'\nexport const b = 1 as typeof a",
    )
    expect(complaintsAboutLoops([a, b])).toEqual([
      'imports run in a loop: packages/runtime/src/a.ts → packages/runtime/src/b.ts → packages/runtime/src/a.ts',
    ])
    expect(complaintsAboutLoops([a, typed])).toEqual([])
  })

  test('two parts of the platform that import each other', () => {
    const bets = sourceOf(
      'packages/server/src/platform/bets/a.ts',
      "import type { B } from '../delivery/b.ts'\nexport type A = B",
    )
    const delivery = sourceOf(
      'packages/server/src/platform/delivery/b.ts',
      "import type { A } from '../bets/a.ts'\nexport type B = A",
    )
    expect(complaintsAboutMutualParts([bets, delivery])).toEqual([
      'packages/server/src/platform/bets/a.ts:1: server/platform/bets and server/platform/delivery import each other',
      'packages/server/src/platform/delivery/b.ts:1: server/platform/delivery and server/platform/bets import each other',
    ])
    expect(complaintsAboutMutualParts([bets])).toEqual([])
  })

  test('what every command would load', () => {
    const main = sourceOf(
      'packages/server/src/cli/commands.ts',
      "import { add } from './add.ts'\nimport { Command } from 'commander'\nadd(Command)",
    )
    const eager = sourceOf(
      'packages/server/src/cli/add.ts',
      "import pg from 'pg'\nimport type { Command } from 'commander'\nexport const add = pg",
    )
    const lazy = sourceOf('packages/server/src/cli/add.ts', "export const add = () => import('pg')")
    expect(complaintsAboutTheStart([main, eager])).toEqual([
      'every command loads pg: packages/server/src/cli/commands.ts → packages/server/src/cli/add.ts',
    ])
    expect(complaintsAboutTheStart([main, lazy])).toEqual([])
  })

  test('an import by the path of another package', () => {
    const source = sourceOf('packages/protocol/src/client/a.ts', "import { a } from '../../../runtime/src/clock.ts'")
    expect(complaintsAboutArrows(source)).toEqual([expect.stringContaining("import it by the package's name")])
  })

  test('a module that the package.json does not name', () => {
    const source = sourceOf('packages/protocol/src/a.ts', "import pg from 'pg'\nimport { b } from '@purser/runtime/b'")
    expect(complaintsAboutDependencies(source, ['@purser/runtime'])).toHaveLength(1)
  })
})
