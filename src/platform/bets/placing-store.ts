/** The rows of bets that are being placed: written before the partner is called, closed when it has answered (placing.ts). */
import { statement, type Tx } from '../../db/db.ts'
import type { BetStatus, PlatformBet, Selection } from './bet.ts'
import { formatOdds } from './odds.ts'

const INSERT_BETS = statement(
  'platform_insert_bets',
  `insert into platform.bet (bet_id, partner_id, frame_session_id, idempotency_key, request_hash, user_id, operator_user, currency, token,
     stake, status, reason, ticket_type, coefficient, booster, bonus_id, bonus_template_id, deliveries, placed_at, changed_at)
   select *, $20::timestamptz from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::int[], $17::int[], $18::int[],
     $19::timestamptz[])
   on conflict (partner_id, idempotency_key) where idempotency_key is not null do nothing returning bet_id`,
)

export interface Submission {
  readonly frameSessionId: string
  readonly idempotencyKey: string | null
  readonly requestHash: string
}

export interface NewBet {
  readonly bet: PlatformBet
  readonly submission: Submission
}

/** Resolves to those that were written; of the others another bet has the idempotency key. */
export async function insertBets(tx: Tx, bets: readonly NewBet[], now: Date): Promise<Set<string>> {
  const sorted = [...bets].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) // two that have the same keys never wait in a circle
  const [all, submissions] = [sorted.map(({ bet }) => bet), sorted.map(({ submission }) => submission)]
  const rows = await tx.query<{ bet_id: string }>(INSERT_BETS, [
    all.map((b) => b.betId),
    all.map((b) => b.partnerId),
    submissions.map((s) => s.frameSessionId),
    submissions.map((s) => s.idempotencyKey),
    submissions.map((s) => s.requestHash),
    all.map((b) => b.userId),
    all.map((b) => b.operatorUser),
    all.map((b) => b.currency),
    all.map((b) => b.token),
    all.map((b) => b.stake),
    all.map((b) => b.status),
    all.map((b) => b.reason),
    all.map((b) => b.ticketType),
    all.map((b) => formatOdds(b.odds)),
    all.map((b) => (b.booster === null ? null : formatOdds(b.booster))),
    all.map((b) => b.bonusId),
    all.map((b) => b.bonusTemplateId),
    all.map((b) => b.deliveries),
    all.map((b) => b.placedAt.toISOString()),
    now,
  ])
  return new Set(rows.map((row) => row.bet_id))
}

function keyOf({ bet: { partnerId }, submission: { idempotencyKey } }: NewBet): string {
  return `${partnerId}\u0000${idempotencyKey}`
}

const INSERT_SELECTIONS = statement(
  'platform_insert_selections',
  `insert into platform.selection (bet_id, number, event_id, outcome_id, coefficient, details)
   select bet_id, number, event_id, outcome_id, coefficient, details::json
   from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[])
     as r (bet_id, number, event_id, outcome_id, coefficient, details)`,
)

export async function insertSelections(
  tx: Tx,
  bets: readonly { readonly bet: PlatformBet; readonly selections: readonly Selection[] }[],
): Promise<void> {
  const rows = bets.flatMap(({ bet: { betId }, selections }) =>
    selections.map((selection, i) => ({ ...selection, betId, number: i + 1 })),
  )
  if (rows.length === 0) return
  await tx.execute(INSERT_SELECTIONS, [
    rows.map((s) => s.betId),
    rows.map((s) => s.number),
    rows.map((s) => s.eventId),
    rows.map((s) => s.outcomeId),
    rows.map((s) => formatOdds(s.odds)),
    rows.map((s) => JSON.stringify(s.details)),
  ])
}

const READ_SUBMISSION = statement(
  'platform_read_submission',
  'select bet_id, request_hash, status, reason from platform.bet where partner_id = $1 and idempotency_key = $2',
)

/** The bet that was placed with an idempotency key. */
export async function readSubmission(tx: Pick<Tx, 'query'>, partnerId: string, idempotencyKey: string) {
  const [row] = await tx.query<{ bet_id: string; request_hash: string; status: BetStatus; reason: string | null }>(
    READ_SUBMISSION,
    [partnerId, idempotencyKey],
  )
  return row
}

const HOLD_FREE_PLACING = statement(
  'platform_hold_free_placing',
  'select bet_id, status, reason from platform.bet where bet_id = any($1::uuid[]) order by bet_id for update skip locked',
)
const HOLD_PLACING = statement(
  'platform_hold_placing',
  'select bet_id, status, reason from platform.bet where bet_id = any($1::uuid[]) order by bet_id for update',
)

/** What became of a bet. */
export interface Placed {
  readonly status: BetStatus
  readonly reason: string | null
}

/** Locks bets and reads how they stand; those that somebody else holds are waited for, or left out. */
export async function holdPlacing(
  tx: Tx,
  betIds: readonly string[],
  busy: 'wait' | 'leave',
): Promise<Map<string, Placed>> {
  const hold = busy === 'wait' ? HOLD_PLACING : HOLD_FREE_PLACING
  const rows = await tx.query<{ bet_id: string; status: BetStatus; reason: string | null }>(hold, [betIds])
  return new Map(rows.map(({ bet_id, status, reason }) => [bet_id, { status, reason }]))
}

const CLOSE_BETS = statement(
  'platform_close_bets',
  `update platform.bet b set status = r.status, reason = r.reason, told_status = case when r.status = 'accepted' then 'open' end,
     token = case when r.status = 'declined' then '' else b.token end, changed_at = $4::timestamptz
   from unnest($1::uuid[], $2::text[], $3::text[]) as r (bet_id, status, reason) where b.bet_id = r.bet_id`,
)

/** Bets that were being placed and are accepted, of which the partner has said so, or declined. The caller holds them. */
export async function closeBets(tx: Tx, bets: readonly (Placed & { betId: string })[], now: Date): Promise<void> {
  if (bets.length === 0) return
  await tx.execute(CLOSE_BETS, [bets.map((b) => b.betId), bets.map((b) => b.status), bets.map((b) => b.reason), now])
}
