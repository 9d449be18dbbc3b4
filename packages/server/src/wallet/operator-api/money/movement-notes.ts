/**
 * Notes of the operator on deposits and adjustments. They are stored outside the ledger; the
 * reference of a transfer identifies its note.
 */

import type { BetId, PlayerId } from '@purser/protocol/wire-ids'
import { statement } from '../../../core/database/db.ts'
import type { Transfer } from '../../ledger/transfer.ts'
import { bucketOf } from '../../store/bucket.ts'
import type { OperatorDeps } from '../operator-context.ts'

const COLUMNS = 'player, reference, despite_exclusion, reason, person, ticket, bet_id, approved_by'
const READ_NOTES = statement(
  'read_movement_notes',
  `select m.* from unnest($1::int[], $2::text[], $3::text[]) as k (bucket, player, reference)
   cross join lateral (
     select ${COLUMNS} from purser.cash_movement
     where bucket = k.bucket and player = k.player and reference = k.reference limit 1
   ) m`,
  `select ${COLUMNS} from purser.cash_movement
   where bucket = any($1::int[]) and (player, reference) in (select * from unnest($2::text[], $3::text[]))`,
)

interface NoteRow extends Record<string, unknown> {
  player: PlayerId
  reference: string
  despite_exclusion: boolean
  reason: string | null
  person: string | null
  ticket: string | null
  bet_id: BetId | null
  approved_by: string | null
}

type Key = Pick<NoteRow, 'player' | 'reference'>
const keyOf = ({ player, reference }: Key) => JSON.stringify([player, reference])

function toNoteKey({ kind, player, reference }: Transfer): Key | undefined {
  const isMovement = kind === 'deposit' || kind === 'adjustment'
  return isMovement && reference !== undefined ? { player, reference } : undefined
}

/** Returns a lookup of the notes; most transfers have no note. */
export async function readMovementNotes({ db, buckets }: OperatorDeps, transfers: readonly Transfer[]) {
  const keys = transfers.flatMap((transfer) => toNoteKey(transfer) ?? [])
  const values = [
    keys.map(({ player }) => bucketOf(player, buckets)),
    keys.map(({ player }) => player),
    keys.map(({ reference }) => reference),
  ]
  const rows = keys.length === 0 ? [] : await db.userQueries.query<NoteRow>(READ_NOTES, values)
  const notes = new Map(rows.map((row) => [keyOf(row), renderNote(row)]))
  return (transfer: Transfer) => {
    const key = toNoteKey(transfer)
    return key && notes.get(keyOf(key))
  }
}

function renderNote({ despite_exclusion, reason, person, ticket, bet_id, approved_by }: NoteRow) {
  return {
    ...(despite_exclusion && { despiteExclusion: true as const }),
    ...(reason !== null && { reason }),
    ...(person !== null && { person }),
    ...(ticket !== null && { ticket }),
    ...(bet_id !== null && { transactionId: bet_id }),
    ...(approved_by !== null && { approvedBy: approved_by }),
  }
}
