/**
 * Adjustments that need a second person (W-27). Each change takes the lock on the player, so only
 * one of two concurrent approvals succeeds.
 *
 * States:
 * - pending: another person approves → approved, with its movement; any person refuses → refused;
 *   its time ends → expired
 * - expired: nothing is written; the adjustment can no longer be approved
 * - approved and refused are final
 */

import { CurrencySchema, UserIdSchema } from '@purser/protocol/bet-request'
import { SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { BetId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import type { Queryable, Tx } from '../../../core/database/db.ts'
import {
  decodeCursor,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
} from '../../../core/http/api/pagination.ts'
import { conflict, notFound, Problem } from '../../../core/http/api/problem-details.ts'
import {
  findPlayer,
  formatAmount,
  type LocatedPlayer,
  locatePlayer,
  type OperatorDeps,
  withPlayer,
} from '../operator-context.ts'
import { StoredBetIdSchema } from '../operator-schemas.ts'
import {
  decideProposal,
  insertProposal,
  listProposalRows,
  type PlayerKey,
  PROPOSAL_TTL_MS,
  type ProposalRow,
  readPendingProposals,
  readProposal,
} from './adjustment-proposal-store.ts'
import { type CashMovement, findMovement, makeMovement, ReferenceSchema, referenceReused } from './cash-movement.ts'
import { type ApprovalActor, isSamePerson, toApprovalActor } from './dual-approval.ts'

const STATES = ['pending', 'approved', 'refused', 'expired'] as const

const time = (description: string) => Type.String({ format: 'date-time', description })
const ByKey = (description: string) => Type.Object({ key: Type.String(), person: Type.String() }, { description })
export const ProposalSchema = Type.Object({
  userId: UserIdSchema,
  reference: ReferenceSchema,
  status: Type.Enum([...STATES]),
  currency: CurrencySchema,
  amount: Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description: 'A signed amount.' }),
  reason: Type.String(),
  ticket: Type.Optional(Type.String()),
  transactionId: Type.Optional(StoredBetIdSchema),
  proposedBy: ByKey('The person who requested it.'),
  proposedAt: time('The time of the request.'),
  expiresAt: time('After this time it cannot be approved.'),
  decidedBy: Type.Optional(ByKey('The person who approved or rejected it.')),
  decidedAt: Type.Optional(time('The time of that decision.')),
})
export const ProposalPageSchema = toPageSchema(ProposalSchema)
export const ProposalQuerySchema = Type.Object(
  { status: Type.Optional(Type.Enum([...STATES])), userId: Type.Optional(UserIdSchema), ...pageQuery },
  noUnknownMembers,
)
export const DecisionSchema = Type.Object(
  { reference: ReferenceSchema },
  { additionalProperties: false, examples: [{ reference: 'corr-17' }] },
)

/**
 * Answers a repeated request with the existing proposal. Throws if the request differs from the
 * proposal, or the proposal is no longer pending.
 */
export function repeatProposal(deps: OperatorDeps, proposal: ProposalRow, { kind, ...requested }: CashMovement) {
  const { currency, change, correction } = requested
  const isSame =
    kind === 'adjustment' &&
    proposal.currency === currency &&
    proposal.amount === change &&
    proposal.reason === correction?.reason &&
    proposal.person === correction.person &&
    proposal.ticket === correction.ticket &&
    proposal.bet_id === correction.betId
  if (!isSame) throw referenceReused()
  requireOpen(proposal, deps.clock.now())
  return renderProposal(deps, proposal)
}

export async function proposeAdjustment(
  deps: OperatorDeps,
  author: Actor,
  tx: Tx,
  located: LocatedPlayer,
  movement: CashMovement,
) {
  const { currency, change, reference, correction } = movement
  if (correction === undefined) throw new Error('only an adjustment is proposed')
  const { reason, person, ticket, betId } = correction
  const at = deps.clock.now()
  const [by, expiresAt] = [{ keyName: author.keyName, person }, new Date(at.getTime() + PROPOSAL_TTL_MS)]
  const draft = { reference, currency, amount: change, reason, ticket, betId }
  await insertProposal(tx, located, { ...draft, by, proposedAt: at, expiresAt })
  const proposal = await readProposal(tx, located, reference)
  if (proposal === undefined) throw new Error('the proposal was not stored')
  const shown = renderProposal(deps, proposal)
  const { userId, proposedBy: _by, ...after } = shown
  await author.record(tx, { on: { userId }, before: {}, after, at })
  return shown
}

export function approveAdjustment(deps: OperatorDeps, author: Actor, userId: string, reference: string) {
  return withPlayer(deps, userId, async (tx, located) => {
    const proposal = await findProposal(tx, located, reference)
    const by = toApprovalActor(author)
    if (proposal.status === 'approved' && isDecidedBy(proposal, by)) return repeatApproval(deps, tx, located, proposal)
    requireOpen(proposal, deps.clock.now())
    if (isSamePerson({ keyName: proposal.key_name, person: proposal.person }, by))
      throw new Problem(
        403,
        'same_person',
        'the person who requested it cannot approve it: use another key of another person',
      )
    const proposedBy = { key: proposal.key_name, person: proposal.person }
    const extras = { approvedBy: by.person, log: { proposedBy } }
    const receipt = await makeMovement(deps, author, tx, located, toMovement(proposal), extras)
    await decideProposal(tx, located, reference, { status: 'approved', by, at: deps.clock.now() })
    return receipt
  })
}

/** Refuses a proposal. Its author may do so too, to withdraw it. */
export function refuseAdjustment(deps: OperatorDeps, author: Actor, userId: string, reference: string) {
  return withPlayer(deps, userId, async (tx, located) => {
    const proposal = await findProposal(tx, located, reference)
    const by = toApprovalActor(author)
    if (proposal.status !== 'refused' || !isDecidedBy(proposal, by)) {
      requireOpen(proposal, deps.clock.now())
      const at = deps.clock.now()
      await decideProposal(tx, located, reference, { status: 'refused', by, at })
      const on = { userId, reference }
      await author.record(tx, { on, before: { status: 'pending' }, after: { status: 'refused' }, at })
    }
    return renderProposal(deps, await findProposal(tx, located, reference))
  })
}

export async function getProposal(deps: OperatorDeps, userId: string, reference: string) {
  return renderProposal(deps, await findProposal(deps.db.userQueries, await findPlayer(deps, userId), reference))
}

export async function listPendingProposals(deps: OperatorDeps, located: PlayerKey, betId?: BetId) {
  const rows = await readPendingProposals(deps.db.userQueries, located, betId, deps.clock.now())
  return rows.map((row) => renderProposal(deps, row))
}

async function findProposal(reading: Queryable, located: LocatedPlayer, reference: string): Promise<ProposalRow> {
  const found = await readProposal(reading, located, reference)
  if (found === undefined) throw notFound('the adjustment')
  return found
}

function isDecidedBy({ decided_key, decided_person }: ProposalRow, { keyName, person }: ApprovalActor): boolean {
  return decided_key === keyName && decided_person === person
}

function requireOpen(proposal: ProposalRow, now: Date): void {
  const state = proposalState(proposal, now)
  if (state === 'expired')
    throw conflict('adjustment_expired', 'the approval period has expired: request it with another reference')
  if (state !== 'pending') throw conflict('adjustment_decided', `it has been ${state}`)
}

function proposalState({ status, expires_at }: ProposalRow, now: Date): (typeof STATES)[number] {
  return status === 'pending' && expires_at <= now ? 'expired' : status
}

async function repeatApproval(deps: OperatorDeps, tx: Tx, located: LocatedPlayer, proposal: ProposalRow) {
  const made = await findMovement(deps, tx, located, toMovement(proposal))
  if (made === undefined) throw new Error('an approved adjustment has no transfer')
  return made
}

function toMovement({ currency, amount, reference, reason, person, ticket, bet_id }: ProposalRow): CashMovement {
  const correction = { reason, person, ticket, betId: bet_id }
  return { kind: 'adjustment', currency, change: amount, reference, correction }
}

export async function listProposals(deps: OperatorDeps, query: Static<typeof ProposalQuerySchema>) {
  const limit = parseLimit(query)
  const now = deps.clock.now()
  const cursor = decodeCursor(query.after, 3)
  const isTimed = query.status === 'pending' || query.status === 'expired'
  const rows = await listProposalRows(deps.db.userQueries, {
    of: query.userId === undefined ? undefined : locatePlayer(deps, query.userId, '/query/userId'),
    status: query.status === 'expired' ? 'pending' : query.status,
    expired: isTimed ? { is: query.status === 'expired', at: now } : undefined,
    after: cursor && [cursor.at, cursor.ids[0] ?? '', cursor.ids[1] ?? ''],
    limit: limit + 1,
  })
  return toPage(
    rows,
    limit,
    (row) => renderProposal(deps, row),
    ({ proposed_at, player, reference }) => [proposed_at.toISOString(), player, reference],
  )
}

function renderProposal(deps: OperatorDeps, row: ProposalRow): Static<typeof ProposalSchema> {
  const { player, reference, currency, ticket, bet_id, decided_key, decided_person, decided_at } = row
  return {
    ...{ userId: player, reference, status: proposalState(row, deps.clock.now()) },
    ...{ currency, amount: formatAmount(deps, row.amount, currency), reason: row.reason },
    ...(ticket !== null && { ticket }),
    ...(bet_id !== null && { transactionId: bet_id }),
    proposedBy: { key: row.key_name, person: row.person },
    ...{ proposedAt: row.proposed_at.toISOString(), expiresAt: row.expires_at.toISOString() },
    ...(decided_key !== null && decided_person !== null && { decidedBy: { key: decided_key, person: decided_person } }),
    ...(decided_at !== null && { decidedAt: decided_at.toISOString() }),
  }
}
