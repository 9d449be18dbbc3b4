/**
 * Reads the platform's bets of one partner. Each bet is in the last state that the partner
 * acknowledged.
 */

import type { Money } from '@purser/protocol/values/money'
import { UUID } from '@purser/protocol/wire-ids'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Row, statement, type Tx } from '../core/database/db.ts'
import { type BetState, type FailedDelivery, formatStoredAmount, type Pages, type PlatformSide } from './bet-sides.ts'

interface BetRow extends Row {
  bet_id: string
  user_id: string
  operator_user: string | null
  currency: string
  stake: Money
  status: string
  payout: Money | null
  result_type: string | null
  acknowledged_status: 'open' | 'settled' | 'cancelled' | null
  acknowledged_payout: Money | null
  acknowledged_result_type: string | null
  deliveries: number
  moving: boolean
  late: boolean | null
  failed_operation: string | null
  failed_status: Exclude<FailedDelivery['status'], 'late'> | null
  failed_code: number | null
  scale: number | null
}

/**
 * In SQL: a delivery has waited for an hour longer than its schedule explains. The schedule is 6
 * minutes for a Rollback (C-4) and 25 hours for a result (C-5). The partner is down, or the
 * database rejects the mark of the delivery (C-15). Both count as owed.
 */
const LATE = `l.operation <> 'place' and least(case when not l.is_claimed then l.due_at end,
    l.first_attempt_at + case l.operation when 'rollback' then interval '6 minutes' else interval '25 hours' end) < now() - interval '1 hour'`

/**
 * The failed delivery is the last one, if the partner refused it; a refused Place bet is the bet's
 * own status. Otherwise it is the first delivery that holds back others: stuck, or retried and owed
 * (needs-attention.ts). A delivery without an answer, before a later decision, is under way, as the
 * partner may have it (W-48).
 */
const SELECT = `select b.bet_id::text as bet_id, b.user_id, b.operator_user, b.currency, b.stake, b.status, b.payout, b.result_type,
    b.acknowledged_status, b.acknowledged_payout, b.acknowledged_result_type, b.deliveries, coalesce(d.moving and not d.late, false) as moving,
    d.moving and d.late as late,
    d.operation as failed_operation, d.status as failed_status, d.code as failed_code, c.scale
  from platform.bet b
  left join platform.currency c on c.currency = b.currency
  left join lateral (
    select l.status = 'pending' and (l.owed_since is null or (l.code is null and l.number < b.deliveries)) as moving, coalesce(${LATE}, false) as late, l.operation, l.status, l.code
    from platform.delivery l
    where l.bet_id = b.bet_id and (l.status in ('pending', 'stuck') or (l.status = 'refused' and l.operation <> 'place' and l.number = b.deliveries))
    order by l.number limit 1
  ) d on true`

const DECLARE = statement(
  'reconcile_declare_platform',
  `declare reconcile_platform no scroll cursor for ${SELECT} where b.partner_id = $1 order by b.bet_id`,
)
const FETCH = statement('reconcile_fetch_platform', 'fetch 1000 from reconcile_platform')
const READ = statement('reconcile_read_platform', `${SELECT} where b.partner_id = $1 and b.bet_id = any($2::uuid[])`)
/** Reads a limited number of bets, although the partner may have few of them. */
const SCAN = statement(
  'reconcile_scan_platform',
  'select bet_id::text as bet_id, partner_id = $1 as is_own from platform.bet where bet_id > $2::uuid order by bet_id limit 1000',
)
const PARTNERS = statement(
  'reconcile_partners',
  'select partner_id from platform.partner where $1::text is null or partner_id = $1 order by partner_id limit 2',
)

type Reading = Pick<Tx, 'query'>

/** Throws when the partner is ambiguous or unknown. */
export async function choosePartner(db: Reading, requested: string | undefined): Promise<string> {
  const [first, second] = await db.query<{ partner_id: string }>(PARTNERS, [requested ?? null])
  if (first === undefined) {
    throw new UsageError(
      requested === undefined
        ? "this database has no partner of a platform: give the platform's database with --platform-database-url, or its bets with --platform-csv"
        : `no partner has the id ${requested}: GET /partners lists the partners of the platform`,
    )
  }
  if (second !== undefined) throw new UsageError('the platform has several partners: name one with --partner')
  return first.partner_id
}

export interface PlatformReader {
  readonly partnerId: string
  /** Selects players by `userId`. */
  readonly only: (userId: string) => boolean
}

/** All bets in order, from the snapshot of `tx`. UUIDs have the same order as their texts. */
export async function* streamPlatform(
  tx: Tx,
  { partnerId, only }: PlatformReader,
): Pages<PlatformSide> & AsyncGenerator<PlatformSide[]> {
  await tx.execute(DECLARE, [partnerId])
  for (;;) {
    const rows = await tx.query<BetRow>(FETCH)
    if (rows.length === 0) return
    yield rows.filter(({ user_id }) => only(user_id)).map((row) => toPlatformSide(row))
  }
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** All bets in order, each page in its current state. */
export async function* readPlatformPages(db: Reading, reader: PlatformReader): AsyncGenerator<PlatformSide[]> {
  let after = BEFORE_ALL
  for (;;) {
    const scanned = await db.query<{ bet_id: string; is_own: boolean }>(SCAN, [reader.partnerId, after])
    const own = scanned.filter(({ is_own }) => is_own).map(({ bet_id }) => bet_id)
    const sides = await readPlatform(db, reader, own)
    yield own.flatMap((betId) => sides.get(betId) ?? [])
    const last = scanned.at(-1)
    if (last === undefined) return
    after = last.bet_id
  }
}

/** Current state of some bets. Ids from the wallet may have any form. */
export async function readPlatform(
  db: Reading,
  { partnerId, only }: PlatformReader,
  betIds: readonly string[],
): Promise<Map<string, PlatformSide>> {
  const rows = await db.query<BetRow>(READ, [partnerId, betIds.filter((betId) => UUID.test(betId))])
  return new Map(rows.filter(({ user_id }) => only(user_id)).map((row) => [row.bet_id, toPlatformSide(row)]))
}

function toPlatformSide(row: BetRow): PlatformSide {
  const formatAmount = (amount: Money) => formatStoredAmount(row, amount)
  const { operator_user, user_id, currency, status } = row
  const isUnderWay = row.moving || status === 'placing'
  return {
    betId: row.bet_id,
    players: operator_user === null ? [user_id] : [operator_user, user_id],
    currency,
    stake: formatAmount(row.stake),
    status,
    decided: toDecidedState(row, formatAmount),
    acknowledged: toAcknowledgedState(row, formatAmount),
    isUnderWay,
    failed: isUnderWay ? null : toFailedDelivery(row),
    version: row.deliveries,
  }
}

function toFailedDelivery({
  failed_operation: operation,
  failed_status: status,
  failed_code: code,
  late,
}: BetRow): FailedDelivery | null {
  if (operation === null || status === null) return null
  return { operation, status: late ? 'late' : status, code }
}

type FormatAmount = (amount: Money) => string

function toAcknowledgedState(
  { acknowledged_status, acknowledged_payout, acknowledged_result_type }: BetRow,
  formatAmount: FormatAmount,
): BetState {
  if (acknowledged_status === null) return { kind: 'none' }
  if (acknowledged_status !== 'settled') return { kind: acknowledged_status }
  return {
    kind: 'settled',
    payout: formatAmount(acknowledged_payout ?? (0n as Money)),
    resultType: acknowledged_result_type ?? '',
  }
}

function toDecidedState({ status, payout, result_type }: BetRow, formatAmount: FormatAmount): BetState {
  if (status === 'settled')
    return { kind: 'settled', payout: formatAmount(payout ?? (0n as Money)), resultType: result_type ?? '' }
  if (status === 'accepted') return { kind: 'open' }
  return { kind: status === 'cancelled' ? 'cancelled' : 'none' }
}
