/**
 * Audit of the feed against the ledger. A consumer that adds up the feed's events must get the
 * balances of the accounts.
 *
 * The audit keeps the last balance of each account in memory, with some hundred bytes per account.
 * It compares these balances with the accounts in the last snapshot of the feed.
 */

import type { StoredEvent } from '../../core/change-feed/change-store.ts'
import { type Row, statement, type Tx } from '../../core/database/db.ts'
import type { Findings } from '../../core/database/invariant-checks.ts'
import { mapRows } from '../../core/database/row-mapping.ts'

export const FEED_BALANCE_CHECKS = {
  follows: 'each balance in the feed follows from the one before it',
  last: 'the last balance in the feed equals the balance of the account',
} as const

/** Accounts per statement. */
const ACCOUNTS_PER_QUERY = 5_000

export interface FeedBalance {
  readonly bucket: number
  readonly player: string
  readonly currency: string
  readonly change: bigint
  readonly balance: bigint
  readonly version: bigint
}

/** Undefined for an event without a balance, null for an unreadable one. */
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
  `select t.player, t.currency, t.balance as published, a.balance
   from ${BALANCES.from} t
   cross join lateral (select * from purser.account a where a.bucket = t.bucket and a.player = t.player and a.currency = t.currency offset 0) a
   where a.balance <> t.balance`,
  `select t.player, t.currency, t.balance as published, a.balance
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

  /** Must be called in the order of the feed, which is the order of an account's transfers. */
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

  /** `tx` is a snapshot in which every event was added. */
  async compare(tx: Tx): Promise<void> {
    const all = [...this.last.values()]
    for (let i = 0; i < all.length; i += ACCOUNTS_PER_QUERY) {
      const published = BALANCES.values(all.slice(i, i + ACCOUNTS_PER_QUERY))
      for (const row of await tx.query<Row>(COMPARE, published)) this.findings.add(FEED_BALANCE_CHECKS.last, row)
    }
  }
}
