/**
 * Store of bets in placement. A row is written before the partner is called, and closed after the
 * answer (placement-batch.ts).
 */
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { formatOdds } from './odds.ts'
import type { BetStatus, PlatformBet, Selection } from './platform-bet.ts'

export interface Submission {
  readonly frameSessionId: string
  readonly idempotencyKey: string | null
  readonly requestHash: string
}

export interface NewBet {
  readonly bet: PlatformBet
  readonly submission: Submission
}

const BETS = mapRows<NewBet>(2, {
  bet_id: ['uuid', ({ bet }) => bet.betId],
  partner_id: ['text', ({ bet }) => bet.partnerId],
  frame_session_id: ['uuid', ({ submission }) => submission.frameSessionId],
  idempotency_key: ['text', ({ submission }) => submission.idempotencyKey],
  request_hash: ['text', ({ submission }) => submission.requestHash],
  user_id: ['text', ({ bet }) => bet.userId],
  operator_user: ['text', ({ bet }) => bet.operatorUser],
  currency: ['text', ({ bet }) => bet.currency],
  token: ['text', ({ bet }) => bet.token],
  stake: ['bigint', ({ bet }) => bet.stake],
  status: ['text', ({ bet }) => bet.status],
  reason: ['text', ({ bet }) => bet.reason],
  ticket_type: ['text', ({ bet }) => bet.ticketType],
  coefficient: ['text', ({ bet }) => formatOdds(bet.odds)],
  booster: ['text', ({ bet }) => bet.booster && formatOdds(bet.booster)],
  bonus_id: ['int', ({ bet }) => bet.bonusId],
  bonus_template_id: ['int', ({ bet }) => bet.bonusTemplateId],
  deliveries: ['int', ({ bet }) => bet.deliveries],
  placed_at: ['timestamptz', ({ bet }) => bet.placedAt.toISOString()],
})

const INSERT_BETS = statement(
  'platform_insert_bets',
  `insert into platform.bet (${BETS.columns}, changed_at)
   select ${BETS.columns}, $1::timestamptz from ${BETS.from} r
   on conflict (partner_id, idempotency_key) where idempotency_key is not null do nothing returning bet_id`,
)

/** Returns the written bets. The idempotency keys of the others belong to earlier bets. */
export async function insertNewBets(tx: Tx, bets: readonly NewBet[], now: Date): Promise<Set<string>> {
  const sorted = [...bets].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) // a fixed order of the keys prevents deadlocks
  const rows = await tx.query<{ bet_id: string }>(INSERT_BETS, [now, ...BETS.values(sorted)])
  return new Set(rows.map((row) => row.bet_id))
}

function keyOf({ bet: { partnerId }, submission: { idempotencyKey } }: NewBet): string {
  return `${partnerId}\u0000${idempotencyKey}`
}

interface NumberedSelection extends Selection {
  readonly betId: string
  readonly number: number
}

const SELECTIONS = mapRows<NumberedSelection>(1, {
  bet_id: ['uuid', ({ betId }) => betId],
  number: ['int', ({ number }) => number],
  event_id: ['text', ({ eventId }) => eventId],
  outcome_id: ['text', ({ outcomeId }) => outcomeId],
  coefficient: ['text', ({ odds }) => formatOdds(odds)],
  details: ['json', ({ details }) => JSON.stringify(details)],
})

const INSERT_SELECTIONS = statement(
  'platform_insert_selections',
  `insert into platform.selection (${SELECTIONS.columns}) select ${SELECTIONS.columns} from ${SELECTIONS.from} r`,
)

export async function insertSelections(
  tx: Tx,
  bets: readonly { readonly bet: PlatformBet; readonly selections: readonly Selection[] }[],
): Promise<void> {
  const rows = bets.flatMap(({ bet: { betId }, selections }) =>
    selections.map((selection, i) => ({ ...selection, betId, number: i + 1 })),
  )
  if (rows.length === 0) return
  await tx.execute(INSERT_SELECTIONS, SELECTIONS.values(rows))
}

const READ_SUBMISSION = statement(
  'platform_read_submission',
  'select bet_id, request_hash, status, reason from platform.bet where partner_id = $1 and idempotency_key = $2',
)

export async function readSubmission(tx: Pick<Tx, 'query'>, partnerId: string, idempotencyKey: string) {
  const [row] = await tx.query<{ bet_id: string; request_hash: string; status: BetStatus; reason: string | null }>(
    READ_SUBMISSION,
    [partnerId, idempotencyKey],
  )
  return row
}

const LOCK_FREE_PLACEMENTS = statement(
  'platform_hold_free_placing',
  'select bet_id, status, reason from platform.bet where bet_id = any($1::uuid[]) order by bet_id for update skip locked',
)
const LOCK_PLACEMENTS = statement(
  'platform_hold_placing',
  'select bet_id, status, reason from platform.bet where bet_id = any($1::uuid[]) order by bet_id for update',
)

export interface PlacementOutcome {
  readonly status: BetStatus
  readonly reason: string | null
}

/**
 * Locks bets and reads their states. Bets that another transaction holds are awaited or left out.
 */
export async function lockPlacements(
  tx: Tx,
  betIds: readonly string[],
  busy: 'wait' | 'leave',
): Promise<Map<string, PlacementOutcome>> {
  const hold = busy === 'wait' ? LOCK_PLACEMENTS : LOCK_FREE_PLACEMENTS
  const rows = await tx.query<{ bet_id: string; status: BetStatus; reason: string | null }>(hold, [betIds])
  return new Map(rows.map(({ bet_id, status, reason }) => [bet_id, { status, reason }]))
}

type ClosedBet = PlacementOutcome & { readonly betId: string }

const CLOSED = mapRows<ClosedBet>(2, {
  bet_id: ['uuid', ({ betId }) => betId],
  status: ['text', ({ status }) => status],
  reason: ['text', ({ reason }) => reason],
})

const CLOSE_BETS = statement(
  'platform_close_bets',
  `update platform.bet b set status = r.status, reason = r.reason, acknowledged_status = case when r.status = 'accepted' then 'open' end,
     token = case when r.status = 'declined' then '' else b.token end, changed_at = $1::timestamptz
   from ${CLOSED.from} r where b.bet_id = r.bet_id`,
)

/**
 * The bets were in placement, and are now accepted by the partner, or declined. The caller holds
 * them.
 */
export async function closeBets(tx: Tx, bets: readonly ClosedBet[], now: Date): Promise<void> {
  if (bets.length > 0) await tx.execute(CLOSE_BETS, [now, ...CLOSED.values(bets)])
}
