/**
 * The feed against the ledger: whoever follows it has the balances that the accounts have. What was told of each account last is remembered
 * while the feed is read, some hundred bytes for each that is in it, and compared with the accounts in the snapshot that the feed ends in.
 */

import type { StoredEvent } from '../../core/change-feed/change-store.ts'
import { type Row, statement, type Tx } from '../../core/database/db.ts'
import type { Findings } from '../../core/database/invariant-checks.ts'
import { mapRows } from '../../core/database/row-mapping.ts'

export const FEED_BALANCE_CHECKS = {
  follows: 'each balance in the feed follows from the one before it',
  last: 'the last balance in the feed equals the balance of the account',
} as const

/** Accounts of one statement. */
const ACCOUNTS_PER_QUERY = 5_000

export interface FeedBalance {
  readonly bucket: number
  readonly player: string
  readonly currency: string
  readonly change: bigint
  readonly balance: bigint
  readonly version: bigint
}

/** Undefined of an event that tells none, null of one that cannot be read. */
export function parseFeedBalance([name, ...members]: StoredEvent, bucket: number): FeedBalance | undefined | null {
  if (name !== 'balance.changed') return undefined
  const [player, currency, change, balance, version] = members.map(String)
  try {
    const amounts = { change: BigInt(change ?? ''), balance: BigInt(balance ?? ''), version: BigInt(version ?? '') }
    return { bucket, player: player ?? '', currency: currency ?? '', ...amounts }
  } catch {
    return null
  }
}

const BALANCES = mapRows<FeedBalance>(1, {
  bucket: ['int', ({ bucket }) => bucket],
  player: ['text', ({ player }) => player],
  currency: ['text', ({ currency }) => currency],
  balance: ['numeric', ({ balance }) => balance],
})
const COMPARE = statement(
  'audit_compare_told',
  `select t.player, t.currency, t.balance as told, a.balance
   from ${BALANCES.from} t
   cross join lateral (select * from purser.account a where a.bucket = t.bucket and a.player = t.player and a.currency = t.currency offset 0) a
   where a.balance <> t.balance`,
  `select t.player, t.currency, t.balance as told, a.balance
   from ${BALANCES.from} t
   join purser.account a on a.bucket = t.bucket and a.player = t.player and a.currency = t.currency
   where a.balance <> t.balance`,
)

export class FeedBalanceAuditor {
  private readonly last = new Map<string, FeedBalance>()

  private readonly findings: Findings

  constructor(findings: Findings) {
    this.findings = findings
  }

  /** In the order of the feed, in which later transfers of an account come later. */
  add(published: FeedBalance): void {
    const { bucket, player, currency, change, balance, version } = published
    const account = JSON.stringify([bucket, player, currency])
    const before = this.last.get(account)
    if (before !== undefined && (before.version >= version || before.balance + change !== balance))
      this.findings.add(FEED_BALANCE_CHECKS.follows, {
        player,
        currency,
        version,
        balance,
        before: before.balance,
        change,
      })
    this.last.set(account, published)
  }

  clear(): void {
    this.last.clear()
  }

  /** In a snapshot of which every event was seen. */
  async compare(tx: Tx): Promise<void> {
    const all = [...this.last.values()]
    for (let i = 0; i < all.length; i += ACCOUNTS_PER_QUERY) {
      const published = BALANCES.values(all.slice(i, i + ACCOUNTS_PER_QUERY))
      for (const row of await tx.query<Row>(COMPARE, published)) this.findings.add(FEED_BALANCE_CHECKS.last, row)
    }
  }
}
