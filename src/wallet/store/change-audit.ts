/**
 * The feed against the ledger: whoever follows it has the balances that the accounts have. What was told of each account last is remembered
 * while the feed is read, some hundred bytes for each that is in it, and compared with the accounts in the snapshot that the feed ends in.
 */
import type { Findings } from '../../db/checks.ts'
import { type Row, statement, type Tx } from '../../db/db.ts'
import { rowsOf } from '../../db/rows.ts'
import type { StoredEvent } from '../../feed/change-store.ts'

export const TOLD_CHECKS = {
  follows: 'each balance in the feed follows from the one before it',
  last: 'the last balance in the feed is that of the account',
} as const

/** Accounts of one statement. */
const AT_ONCE = 5_000

export interface Balance {
  readonly bucket: number
  readonly player: string
  readonly currency: string
  readonly change: bigint
  readonly balance: bigint
  readonly version: bigint
}

/** Undefined of an event that tells none, null of one that cannot be read. */
export function balanceIn([name, ...members]: StoredEvent, bucket: number): Balance | undefined | null {
  if (name !== 'balance.changed') return undefined
  const [player, currency, change, balance, version] = members.map(String)
  try {
    const amounts = { change: BigInt(change ?? ''), balance: BigInt(balance ?? ''), version: BigInt(version ?? '') }
    return { bucket, player: player ?? '', currency: currency ?? '', ...amounts }
  } catch {
    return null
  }
}

const BALANCES = rowsOf<Balance>(1, {
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

export class Told {
  private readonly last = new Map<string, Balance>()

  private readonly findings: Findings

  constructor(findings: Findings) {
    this.findings = findings
  }

  /** In the order of the feed, in which later transfers of an account come later. */
  see(told: Balance): void {
    const { bucket, player, currency, change, balance, version } = told
    const account = JSON.stringify([bucket, player, currency])
    const before = this.last.get(account)
    if (before !== undefined && (before.version >= version || before.balance + change !== balance))
      this.findings.add(TOLD_CHECKS.follows, { player, currency, version, balance, before: before.balance, change })
    this.last.set(account, told)
  }

  forget(): void {
    this.last.clear()
  }

  /** In a snapshot of which every event was seen. */
  async compare(tx: Tx): Promise<void> {
    const all = [...this.last.values()]
    for (let i = 0; i < all.length; i += AT_ONCE) {
      const told = BALANCES.values(all.slice(i, i + AT_ONCE))
      for (const row of await tx.query<Row>(COMPARE, told)) this.findings.add(TOLD_CHECKS.last, row)
    }
  }
}
