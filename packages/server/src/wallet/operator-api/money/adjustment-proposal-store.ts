/**
 * Store of the adjustments that need a second person. A caller must hold the player's lock to
 * change one.
 */

import type { Money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Queryable, statement, type Tx } from '../../../core/database/db.ts'
import { buildQuery, type QueryCondition } from '../../../core/database/query-builder.ts'
import { mapSingleRow } from '../../../core/database/row-mapping.ts'
import type { LocatedPlayer } from '../operator-context.ts'
import type { ApprovalActor } from './dual-approval.ts'

export interface ProposalRow extends Record<string, unknown> {
  readonly player: PlayerId
  readonly reference: string
  readonly currency: Currency
  /** Signed. */
  readonly amount: Money
  readonly reason: string
  readonly ticket: string | null
  readonly bet_id: BetId | null
  readonly key_name: string
  readonly person: string
  readonly proposed_at: Date
  readonly expires_at: Date
  readonly status: 'pending' | 'approved' | 'refused'
  readonly decided_key: string | null
  readonly decided_person: string | null
  readonly decided_at: Date | null
}

const COLUMNS = `player, reference, currency, amount, reason, ticket, bet_id, key_name, person, proposed_at, expires_at, status,
  decided_key, decided_person, decided_at`

const READ = statement(
  'read_proposal',
  `select ${COLUMNS} from purser.proposal where bucket = $1::int and player = $2::text and reference = $3::text`,
)
export interface NewProposal extends Pick<ProposalRow, 'reference' | 'currency' | 'amount' | 'reason' | 'ticket'> {
  readonly betId: BetId | null
  readonly by: ApprovalActor
  readonly proposedAt: Date
  readonly expiresAt: Date
}

const NEW = mapSingleRow<NewProposal>(3, {
  reference: ['text', ({ reference }) => reference],
  currency: ['text', ({ currency }) => currency],
  amount: ['bigint', ({ amount }) => amount],
  reason: ['text', ({ reason }) => reason],
  ticket: ['text', ({ ticket }) => ticket],
  bet_id: ['text', ({ betId }) => betId],
  key_name: ['text', ({ by }) => by.keyName],
  person: ['text', ({ by }) => by.person],
  proposed_at: ['timestamptz', ({ proposedAt }) => proposedAt],
  expires_at: ['timestamptz', ({ expiresAt }) => expiresAt],
})
const INSERT = statement(
  'insert_proposal',
  `insert into purser.proposal (bucket, player, ${NEW.columns}) values ($1::int, $2::text, ${NEW.parameters})`,
)
const DECIDE = statement(
  'decide_proposal',
  `update purser.proposal set status = $4::text, decided_key = $5::text, decided_person = $6::text, decided_at = $7::timestamptz
   where bucket = $1::int and player = $2::text and reference = $3::text and status = 'pending'`,
)

export async function readProposal(
  reading: Queryable,
  { player, bucket }: LocatedPlayer,
  reference: string,
): Promise<ProposalRow | undefined> {
  const [row] = await reading.query<ProposalRow>(READ, [bucket, player.id, reference])
  return row
}

export async function insertProposal(tx: Tx, { player, bucket }: LocatedPlayer, proposal: NewProposal): Promise<void> {
  await tx.execute(INSERT, [bucket, player.id, ...NEW.values(proposal)])
}

export async function decideProposal(
  tx: Tx,
  { player, bucket }: LocatedPlayer,
  reference: string,
  decision: { readonly status: 'approved' | 'refused'; readonly by: ApprovalActor; readonly at: Date },
): Promise<void> {
  const { status, by, at } = decision
  const decided = await tx.execute(DECIDE, [bucket, player.id, reference, status, by.keyName, by.person, at])
  if (decided !== 1) throw new Error('a pending adjustment was decided while its player was locked')
}

/** Milliseconds until a proposal expires; they include a week-end. */
export const PROPOSAL_TTL_MS = 7 * 86_400_000

export interface ProposalFilter {
  readonly of?: { readonly bucket: number; readonly id: PlayerId } | undefined
  readonly status?: ProposalRow['status'] | undefined
  /** Among pending proposals: only expired ones, or only others, at this time. */
  readonly expired?: { readonly is: boolean; readonly at: Date } | undefined
  readonly after?: readonly [at: Date, player: string, reference: string] | undefined
  readonly limit: number
}

export function listProposalRows(
  reading: Queryable,
  { of, status, expired, after, limit }: ProposalFilter,
): Promise<ProposalRow[]> {
  const { statement: list, values } = buildQuery(
    'list_proposals',
    [limit],
    {
      all: status === undefined ? ["proposed_at < 'infinity'"] : undefined,
      whose: of && ['bucket = ?::int and player = ?::text', of.bucket, of.id],
      status: status && ['status = ?::text', status],
      expired: expired?.is ? ['expires_at <= ?::timestamptz', expired.at] : undefined,
      waiting: expired?.is === false ? buildWaitingAt(expired.at) : undefined,
      after: after && ['(proposed_at, player, reference) < (?::timestamptz, ?::text, ?::text)', ...after],
    },
    (conditions) =>
      `select ${COLUMNS} from purser.proposal where true${conditions}
       order by proposed_at desc, player desc, reference desc limit $1::int`,
  )
  return reading.query<ProposalRow>(list, values)
}

/** As `LocatedPlayer`, with only the id. */
export interface PlayerKey {
  readonly bucket: number
  readonly player: { readonly id: PlayerId }
}

/** Rows per player or bet at most. */
const MAX_ROWS = 100
const READ_PENDING = statement(
  'read_pending_proposals',
  `select ${COLUMNS} from purser.proposal
   where bucket = $1::int and player = $2::text and status = 'pending' and expires_at > $3::timestamptz
     and ($4::text is null or bet_id = $4::text)
   order by proposed_at, reference limit ${MAX_ROWS}`,
)

/** Proposals that can still be approved, oldest first. */
export function readPendingProposals(
  reading: Queryable,
  { player, bucket }: PlayerKey,
  betId: BetId | undefined,
  now: Date,
): Promise<ProposalRow[]> {
  return reading.query<ProposalRow>(READ_PENDING, [bucket, player.id, now, betId ?? null])
}

/**
 * An expired proposal stays pending in its row. The condition on `proposed_at` ends the scan where
 * every proposal has expired.
 */
function buildWaitingAt(at: Date): QueryCondition {
  const oldest = new Date(at.getTime() - PROPOSAL_TTL_MS)
  return ['(expires_at > ?::timestamptz and proposed_at > ?::timestamptz)', at, oldest]
}
