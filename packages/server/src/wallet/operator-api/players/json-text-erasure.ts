/**
 * Erasure of a player's data within stored JSON texts (O-10): address and free text of bets, and
 * values of the audit log.
 *
 * This program parses the texts, because Postgres cannot read JSON with a NUL or a lone surrogate.
 * A player whose bet contains one could otherwise never be erased.
 */
import { type Row, type Statement, statement, type Tx } from '../../../core/database/db.ts'
import { mapRows } from '../../../core/database/row-mapping.ts'
import { anonymizeBetDetails } from '../../store/bet-store.ts'

/** Rows per statement. */
const SLICE = 1_000

/** The bets still have the player's id, because their details are found by it. */
const READ_DETAILS = statement(
  'erasure_read_details',
  `select b.first_seen_at::text as at, b.bet_id as id, d.details::text as details from purser.bet b
   left join lateral (
     select details from purser.bet_details
     where bucket = $1::int and first_seen_at = b.first_seen_at and bet_id = b.bet_id and player = $2::text limit 1
   ) d on true
   where b.bucket = $1::int and b.player = $2::text and b.first_seen_at > '-infinity' and (b.first_seen_at, b.bet_id) > ($3::timestamptz, $4::text)
   order by b.first_seen_at, b.bet_id limit ${SLICE}`,
)

interface BetDetailsRow extends Row {
  at: string
  id: string
  details: string | null
}

const DETAILS = mapRows<BetDetailsRow>(4, {
  at: ['timestamptz', ({ at }) => at],
  id: ['text', ({ id }) => id],
  details: ['json', ({ details }) => anonymizeBetDetails(details)],
})
const WRITE_DETAILS = statement(
  'erasure_write_details',
  `update purser.bet_details d set player = $3::text, details = r.details from ${DETAILS.from} r
   where d.bucket = $1::int and d.first_seen_at = r.at and d.bet_id = r.id and d.player = $2::text`,
)

export function eraseDetails(tx: Tx, bucket: number, player: string, pseudonym: string): Promise<void> {
  return forEachSlice<BetDetailsRow>(tx, READ_DETAILS, [bucket, player], async (rows) => {
    const described = rows.filter(({ details }) => details !== null)
    await tx.execute(WRITE_DETAILS, [bucket, player, pseudonym, ...DETAILS.values(described)])
  })
}

/** Visits the rows in the order of time and id, after the position in the last two values. */
async function forEachSlice<R extends Row & { at: string; id: string }>(
  tx: Tx,
  query: Statement,
  values: readonly unknown[],
  work: (rows: R[]) => Promise<void>,
): Promise<void> {
  for (let place = ['-infinity', '']; ; ) {
    const rows = await tx.query<R>(query, [...values, ...place])
    await work(rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < SLICE) return
    place = [last.at, last.id]
  }
}

/** Members of an audit log entry that keep their values, because they describe no person. */
const RETAINED_VALUES: ReadonlySet<string> = new Set(
  'status currency currencies amount balance isTest brand locked limits erased pseudonym'.split(' '),
)

const READ_ACTIONS = statement(
  'erasure_read_actions',
  `select at::text, request_id as id, ids, before::text, after::text from purser.action
   where subject = $1::text and (at, request_id) > ($2::timestamptz, $3::text) order by at, request_id limit ${SLICE}`,
)

interface Action extends Row {
  at: string
  id: string
  ids: Record<string, string>
  before: string
  after: string
}

const ACTIONS = (pseudonym: string) =>
  mapRows<Action>(3, {
    at: ['timestamptz', ({ at }) => at],
    id: ['text', ({ id }) => id],
    ids: ['json', ({ ids }) => JSON.stringify({ ...ids, userId: pseudonym })],
    before: ['json', ({ before }) => redactValues(before)],
    after: ['json', ({ after }) => redactValues(after)],
  })
const WRITE_ACTIONS = statement(
  'erasure_write_actions',
  `update purser.action a set subject = $2::text, ids = r.ids, before = r.before, after = r.after from ${ACTIONS('').from} r
   where a.subject = $1::text and a.at = r.at and a.request_id = r.id`,
)

export function eraseActions(tx: Tx, player: string, pseudonym: string): Promise<void> {
  return forEachSlice<Action>(tx, READ_ACTIONS, [player], async (rows) => {
    const own = rows.filter(({ ids }) => ids.userId === player) // a key may have the same name
    await tx.execute(WRITE_ACTIONS, [player, pseudonym, ...ACTIONS(pseudonym).values(own)])
  })
}

function redactValues(text: string): string {
  const values = Object.entries(JSON.parse(text) as Record<string, unknown>)
  return JSON.stringify(
    Object.fromEntries(values.map(([key, value]) => [key, RETAINED_VALUES.has(key) ? value : '***'])),
  )
}
