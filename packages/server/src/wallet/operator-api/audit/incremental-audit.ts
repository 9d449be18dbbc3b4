/**
 * Incremental audit: it checks only the accounts and bets that new events of the feed name. It
 * checks an account from the first changed transfer on, and a bet with all its calls and transfers.
 *
 * It trusts earlier rows, because an earlier audit checked them. Only a complete audit finds a row
 * that was changed without an event.
 */

import type { StoredEvent } from '../../../core/change-feed/change-store.ts'
import { AUDIT_CHUNK_SETTINGS, type Db, type Statement } from '../../../core/database/db.ts'
import {
  composeChecks,
  type Findings,
  type InvariantChecks,
  runChecks,
} from '../../../core/database/invariant-checks.ts'
import { mapRows } from '../../../core/database/row-mapping.ts'
import { AUDIT_TRANSFER_COLUMNS, buildBaseRows } from '../../ledger/carried-balance.ts'
import type { FeedBalance } from '../../store/feed-balance-audit.ts'
import { buildPlayerChecks } from './player-audit.ts'

/** Events that are collected before a check, so an account with several changes is checked once. */
const MAX_GATHERED = 200_000
/** Events per slice. */
const SLICE_SIZE = 5_000

interface FeedCall {
  readonly player: string
  readonly betId: string
  readonly requestId: string
}

const CALLS = mapRows<FeedCall>(2, {
  player: ['text', ({ player }) => player],
  bet_id: ['text', ({ betId }) => betId],
  request_id: ['text', ({ requestId }) => requestId],
})
const BALANCES = mapRows<FeedBalance>(5, {
  player: ['text', ({ player }) => player],
  currency: ['text', ({ currency }) => currency],
  version: ['bigint', ({ version }) => version],
})

/**
 * Rows of the calls and balances in the parameters. `key` has the accounts and the base version of
 * each, which is not before its carried balance. `offset 0` keeps each lookup by primary key a
 * lookup.
 */
const PARTS = `
  changed as materialized (select distinct ${CALLS.columns} from ${CALLS.from} c),
  moved as materialized (
    select c.player, b.currency, v.version from changed c
    cross join lateral (select * from purser.bet b where b.bucket = $1::int and b.bet_id = c.bet_id and b.player = c.player offset 0) b
    cross join lateral (
      select b.stake_version as version where b.request_id = c.request_id and b.stake_version is not null
      union all
      select t.version from purser.bet_call k cross join unnest(k.transfers) as t (version)
      where k.bucket = $1::int and k.player = c.player and k.bet_id = c.bet_id and k.request_id = c.request_id
    ) v
  ),
  carried as materialized (
    select c.* from (select player from changed union select player from ${BALANCES.from} b) o cross join lateral (
      select distinct on (c.currency) c.* from purser.carried_balance c where c.bucket = $1::int and c.player = o.player
      order by c.currency, c.version desc offset 0
    ) c
  ),
  key as materialized (
    select m.player, m.currency, greatest(min(m.version) - 1, max(c.version)) as base from (
      select ${BALANCES.columns} from ${BALANCES.from} published union all select * from moved
    ) m left join carried c on c.player = m.player and c.currency = m.currency group by m.player, m.currency
  ),
  owner as materialized (select distinct player from key),
  account as materialized (
    select a.* from key k
    cross join lateral (select * from purser.account a where a.bucket = $1::int and a.player = k.player and a.currency = k.currency offset 0) a
  ),
  transfer as materialized (
    select ${AUDIT_TRANSFER_COLUMNS.replaceAll(/\w+/g, 't.$&')}, t.version = k.base as is_base from key k cross join lateral (
      select * from purser.transfer t where t.bucket = $1::int and t.player = k.player and t.currency = k.currency and t.version >= k.base offset 0
    ) t
    union all ${buildBaseRows('carried c join key k on k.player = c.player and k.currency = c.currency and k.base = c.version')}
  ),
  cash_movement as materialized (
    select m.* from owner o
    cross join lateral (select * from purser.cash_movement m where m.bucket = $1::int and m.player = o.player offset 0) m
    join key k on k.player = m.player and k.currency = m.currency where m.version > k.base
  ),
  proposal as materialized (
    select p.* from owner o
    cross join lateral (select * from purser.proposal p where p.bucket = $1::int and p.player = o.player offset 0) p
    left join (select distinct player, reference, true as is_new from cash_movement) m on m.player = p.player and m.reference = p.reference
    where p.status <> 'approved' or m.is_new
  ),
  touched as materialized (
    select player, bet_id from changed union select player, bet_id from transfer where bet_id is not null and not is_base
  ),
  bet as materialized (
    select b.* from touched n
    cross join lateral (select * from purser.bet b where b.bucket = $1::int and b.bet_id = n.bet_id and b.player = n.player offset 0) b
  ),
  bet_call as materialized (
    select c.* from touched n
    cross join lateral (select * from purser.bet_call c where c.bucket = $1::int and c.player = n.player and c.bet_id = n.bet_id offset 0) c
  ),
  named as materialized (
    select player, bet_id, currency, stake_version as version from bet where stake_version is not null
    union select c.player, c.bet_id, b.currency, v.version from bet_call c join bet b on b.player = c.player and b.bet_id = c.bet_id
      cross join unnest(c.transfers) as v (version)
  ),
  bet_transfer as materialized (
    select ${AUDIT_TRANSFER_COLUMNS.replaceAll(/\w+/g, 't.$&')} from named n cross join lateral (
      select * from purser.transfer t where t.bucket = $1::int and t.player = n.player and t.currency = n.currency and t.version = n.version offset 0
    ) t where t.bet_id = n.bet_id
    union select ${AUDIT_TRANSFER_COLUMNS} from transfer where bet_id is not null and not is_base
  )`

/** Checks the changes of one bucket; PARTS defines the parameters. */
export function buildChangesSlice(checks: InvariantChecks, allowNegative: boolean): Statement {
  return composeChecks(`audit_changed${allowNegative ? '_lenient' : ''}`, PARTS, checks)
}

type FeedChange = { readonly bucket: number; readonly player: string } & (
  | { readonly call: FeedCall }
  | { readonly balance: FeedBalance }
)

export class IncrementalAuditor {
  private changes: FeedChange[] = []
  private readonly db: Pick<Db, 'snapshot'>
  private readonly findings: Findings
  private readonly allowNegative: boolean

  constructor(db: Pick<Db, 'snapshot'>, findings: Findings, allowNegative: boolean) {
    this.db = db
    this.findings = findings
    this.allowNegative = allowNegative
  }

  add([name, player, betId, requestId]: StoredEvent, bucket: number, balance: FeedBalance | undefined): void {
    if (balance !== undefined) this.changes.push({ bucket, player: balance.player, balance })
    else if (name.startsWith('bet.')) {
      const call = { player: String(player), betId: String(betId), requestId: String(requestId) }
      this.changes.push({ bucket, player: call.player, call })
    }
  }

  isFull(): boolean {
    return this.changes.length >= MAX_GATHERED
  }

  /** A player stays within one slice, so the changes of an account are checked together. */
  async audit(): Promise<void> {
    const all = this.changes.sort(
      (a, b) => a.bucket - b.bucket || (a.player < b.player ? -1 : a.player > b.player ? 1 : 0),
    )
    this.changes = []
    for (let from = 0; from < all.length; ) {
      let to = from
      const isNext = ({ bucket, player }: FeedChange, before: FeedChange) =>
        bucket === before.bucket && (to - from < SLICE_SIZE || player === before.player)
      do to += 1
      while (to < all.length && isNext(all[to] as FeedChange, all[to - 1] as FeedChange))
      await this.auditSome(all.slice(from, to))
      from = to
    }
  }

  private async auditSome(some: readonly FeedChange[]): Promise<void> {
    const calls = some.flatMap((one) => ('call' in one ? [one.call] : []))
    const balances = some.flatMap((one) => ('balance' in one ? [one.balance] : []))
    const values = [...CALLS.values(calls), ...BALANCES.values(balances)]
    const checks = buildPlayerChecks(this.allowNegative)
    const query = buildChangesSlice(checks, this.allowNegative)
    await this.db.snapshot(async (tx) => {
      await tx.query(AUDIT_CHUNK_SETTINGS)
      await runChecks(tx, query, [some[0]?.bucket, ...values], checks, this.findings)
    })
  }
}
