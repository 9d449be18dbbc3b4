/** The platform's bets of one partner, as the partner has acknowledged them. Reads only. */
import { type Row, statement, type Tx } from '../db/db.ts'
import type { Money } from '../protocol/money.ts'
import { WrongUse } from '../wrong-use.ts'
import { amountIn, type Expected, type Pages, type PlatformSide } from './sides.ts'

interface BetRow extends Row {
  bet_id: string
  user_id: string
  operator_user: string | null
  currency: string
  stake: Money
  status: string
  payout: Money | null
  result_type: string | null
  told_status: 'open' | 'settled' | 'cancelled' | null
  told_payout: Money | null
  told_result_type: string | null
  deliveries: number
  moving: boolean
  stuck: boolean
  refused: string | null
  scale: number | null
}

/** The last delivery tells whether the partner refused what it was told last; the Place bet's refusal is the bet's own status. */
const SELECT = `select b.bet_id::text as bet_id, b.user_id, b.operator_user, b.currency, b.stake, b.status, b.payout, b.result_type,
    b.told_status, b.told_payout, b.told_result_type, b.deliveries, d.moving, d.stuck, d.refused, c.scale
  from platform.bet b
  left join platform.currency c on c.currency = b.currency
  cross join lateral (
    select coalesce(bool_or(l.status = 'pending'), false) as moving, coalesce(bool_or(l.status = 'stuck'), false) as stuck,
      max(l.operation || ', code ' || l.code) filter (where l.status = 'refused' and l.operation <> 'place' and l.number = b.deliveries) as refused
    from platform.delivery l where l.bet_id = b.bet_id
  ) d`

const DECLARE = statement(
  'reconcile_declare_platform',
  `declare reconcile_platform no scroll cursor for ${SELECT} where b.partner_id = $1 order by b.bet_id`,
)
const FETCH = statement('reconcile_fetch_platform', 'fetch 1000 from reconcile_platform')
const READ = statement('reconcile_read_platform', `${SELECT} where b.partner_id = $1 and b.bet_id = any($2::uuid[])`)
const PARTNERS = statement(
  'reconcile_partners',
  'select partner_id from platform.partner where $1::text is null or partner_id = $1 order by partner_id limit 2',
)

type Reading = Pick<Tx, 'query'>

/** The partner to look at; throws when it is not clear which. */
export async function choosePartner(db: Reading, wanted: string | undefined): Promise<string> {
  const [first, second] = await db.query<{ partner_id: string }>(PARTNERS, [wanted ?? null])
  if (first === undefined) {
    throw new WrongUse(wanted === undefined ? 'the platform has no partner yet' : `there is no partner ${wanted}`)
  }
  if (second !== undefined) throw new WrongUse('the platform has several partners: name one with --partner')
  return first.partner_id
}

export interface PlatformReader {
  readonly partnerId: string
  /** By `userId`. */
  readonly only: (userId: string) => boolean
}

/** All bets in order, from the snapshot of `tx`. A uuid's order is that of its text. */
export async function* streamPlatform(
  tx: Tx,
  { partnerId, only }: PlatformReader,
): Pages<PlatformSide> & AsyncGenerator<PlatformSide[]> {
  await tx.execute(DECLARE, [partnerId])
  for (;;) {
    const rows = await tx.query<BetRow>(FETCH)
    if (rows.length === 0) return
    yield rows.filter(({ user_id }) => only(user_id)).map((row) => toSide(row))
  }
}

/** The wallet may have bets with ids of any form. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Some bets as they are now. */
export async function readPlatform(
  db: Reading,
  { partnerId, only }: PlatformReader,
  betIds: readonly string[],
): Promise<Map<string, PlatformSide>> {
  const rows = await db.query<BetRow>(READ, [partnerId, betIds.filter((betId) => UUID.test(betId))])
  return new Map(rows.filter(({ user_id }) => only(user_id)).map((row) => [row.bet_id, toSide(row)]))
}

function toSide(row: BetRow): PlatformSide {
  const show = (amount: Money) => amountIn(row, amount)
  const { operator_user, user_id, currency, status } = row
  const isMoving = row.moving || status === 'placing'
  return {
    betId: row.bet_id,
    players: operator_user === null ? [user_id] : [operator_user, user_id],
    currency,
    stake: show(row.stake),
    status,
    expected: row.stuck ? decidedState(row, show) : toldState(row, show),
    deliveries: isMoving ? 'moving' : row.stuck ? 'stuck' : 'over',
    refused: row.refused,
    version: row.deliveries,
  }
}

type Show = (amount: Money) => string

function toldState({ told_status, told_payout, told_result_type }: BetRow, show: Show): Expected {
  if (told_status === null) return { kind: 'none' }
  if (told_status !== 'settled') return { kind: told_status }
  return { kind: 'settled', payout: show(told_payout ?? (0n as Money)), resultType: told_result_type ?? '' }
}

/** Nobody knows what a stuck call has done; the bet is in order if the partner has it as it was decided. */
function decidedState({ status, payout, result_type }: BetRow, show: Show): Expected {
  if (status === 'settled')
    return { kind: 'settled', payout: show(payout ?? (0n as Money)), resultType: result_type ?? '' }
  if (status === 'accepted') return { kind: 'open' }
  return { kind: status === 'cancelled' ? 'cancelled' : 'none' }
}
