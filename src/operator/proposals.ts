/**
 * Adjustments that need a second person (W-27). All that happens to one happens under the lock of its player, so that of two who
 * approve at once one does.
 *
 * pending ──another person approves──► approved, with its movement
 *    ├──anybody refuses──► refused
 *    └──its time is over──► expired: nothing is written, it can only no longer be approved
 */
import { type Static, Type } from 'typebox'
import type { Reading, Tx } from '../db/db.ts'
import { decodeCursor, limitOf, onlyKnown, pageOf, pageQuery, toPage } from '../http/page.ts'
import { conflict, notFound, Problem } from '../http/problem.ts'
import type { Author } from '../people/actions.ts'
import { CurrencySchema, UserIdSchema } from '../protocol/bet-request.ts'
import type { BetId } from '../protocol/ids.ts'
import { SIGNED_DECIMAL_PATTERN } from '../protocol/money.ts'
import { findMovement, type Movement, makeMovement, ReferenceSchema, referenceReused } from './movement.ts'
import { findPlayer, type Located, locate, type OperatorDeps, show, withPlayer } from './operator.ts'
import {
  decideProposal,
  insertProposal,
  LIFE_MS,
  listRows,
  type OfPlayer,
  type ProposalRow,
  readPending,
  readProposal,
} from './proposal-store.ts'
import { type Doer, doerOf, isSamePerson } from './second-person.ts'
import { BetIdSchema } from './shapes.ts'

const STATES = ['pending', 'approved', 'refused', 'expired'] as const

const time = (description: string) => Type.String({ format: 'date-time', description })
const ByKey = (description: string) => Type.Object({ key: Type.String(), person: Type.String() }, { description })
export const ProposalSchema = Type.Object({
  userId: UserIdSchema,
  reference: ReferenceSchema,
  status: Type.Enum([...STATES]),
  currency: CurrencySchema,
  amount: Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description: 'Signed.' }),
  reason: Type.String(),
  ticket: Type.Optional(Type.String()),
  transactionId: Type.Optional(BetIdSchema),
  proposedBy: ByKey('The first person.'),
  proposedAt: time('When it was asked for.'),
  expiresAt: time('From then on it cannot be approved.'),
  decidedBy: Type.Optional(ByKey('Who approved or refused it.')),
  decidedAt: Type.Optional(time('When.')),
})
export const ProposalPageSchema = pageOf(ProposalSchema)
export const ProposalQuerySchema = Type.Object(
  { status: Type.Optional(Type.Enum([...STATES])), userId: Type.Optional(UserIdSchema), ...pageQuery },
  onlyKnown,
)
export const DecisionSchema = Type.Object(
  { reference: ReferenceSchema },
  { additionalProperties: false, examples: [{ reference: 'corr-17' }] },
)

/** The adjustment that this reference has asked for: answered as before, or a problem when it comes to nothing any more. */
export function repeatProposal(deps: OperatorDeps, proposal: ProposalRow, { kind, ...wanted }: Movement) {
  const { currency, change, correction } = wanted
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
  return showProposal(deps, proposal)
}

export async function propose(deps: OperatorDeps, author: Author, tx: Tx, located: Located, movement: Movement) {
  const { currency, change, reference, correction } = movement
  if (correction === undefined) throw new Error('only an adjustment is proposed')
  const { reason, person, ticket, betId } = correction
  const at = deps.clock.now()
  const [by, expiresAt] = [{ keyName: author.keyName, person }, new Date(at.getTime() + LIFE_MS)]
  const wish = { reference, currency, amount: change, reason, ticket, betId }
  await insertProposal(tx, located, { ...wish, by, proposedAt: at, expiresAt })
  const proposal = await readProposal(tx, located, reference)
  if (proposal === undefined) throw new Error('the proposal was not stored')
  const shown = showProposal(deps, proposal)
  const { userId, proposedBy: _by, ...after } = shown
  await author.record(tx, { on: { userId }, before: {}, after, at })
  return shown
}

export function approve(deps: OperatorDeps, author: Author, userId: string, reference: string) {
  return withPlayer(deps, userId, async (tx, located) => {
    const proposal = await findProposal(tx, located, reference)
    const by = doerOf(author)
    if (proposal.status === 'approved' && isDecidedBy(proposal, by)) return repeatApproval(deps, tx, located, proposal)
    requireOpen(proposal, deps.clock.now())
    if (isSamePerson({ keyName: proposal.key_name, person: proposal.person }, by))
      throw new Problem(403, 'same_person', 'whoever asked for it cannot approve it: another key, and another person')
    const proposedBy = { key: proposal.key_name, person: proposal.person }
    const said = { approvedBy: by.person, log: { proposedBy } }
    const receipt = await makeMovement(deps, author, tx, located, toMovement(proposal), said)
    await decideProposal(tx, located, reference, { status: 'approved', by, at: deps.clock.now() })
    return receipt
  })
}

/** Also by whoever asked for it, who takes it back then. */
export function refuse(deps: OperatorDeps, author: Author, userId: string, reference: string) {
  return withPlayer(deps, userId, async (tx, located) => {
    const proposal = await findProposal(tx, located, reference)
    const by = doerOf(author)
    if (proposal.status !== 'refused' || !isDecidedBy(proposal, by)) {
      requireOpen(proposal, deps.clock.now())
      const at = deps.clock.now()
      await decideProposal(tx, located, reference, { status: 'refused', by, at })
      const on = { userId, reference }
      await author.record(tx, { on, before: { status: 'pending' }, after: { status: 'refused' }, at })
    }
    return showProposal(deps, await findProposal(tx, located, reference))
  })
}

export async function getProposal(deps: OperatorDeps, userId: string, reference: string) {
  return showProposal(deps, await findProposal(deps.db.people, await findPlayer(deps, userId), reference))
}

/** Those that wait for a second person, of a player or of one bet of the player. */
export async function pendingOf(deps: OperatorDeps, located: OfPlayer, betId?: BetId) {
  const rows = await readPending(deps.db.people, located, betId, deps.clock.now())
  return rows.map((row) => showProposal(deps, row))
}

async function findProposal(reading: Reading, located: Located, reference: string): Promise<ProposalRow> {
  const found = await readProposal(reading, located, reference)
  if (found === undefined) throw notFound('the adjustment')
  return found
}

function isDecidedBy({ decided_key, decided_person }: ProposalRow, { keyName, person }: Doer): boolean {
  return decided_key === keyName && decided_person === person
}

function requireOpen(proposal: ProposalRow, now: Date): void {
  const state = stateOf(proposal, now)
  if (state === 'expired')
    throw conflict('adjustment_expired', 'nobody approved it in time; ask for it with another reference')
  if (state !== 'pending') throw conflict('adjustment_decided', `it has been ${state}`)
}

function stateOf({ status, expires_at }: ProposalRow, now: Date): (typeof STATES)[number] {
  return status === 'pending' && expires_at <= now ? 'expired' : status
}

async function repeatApproval(deps: OperatorDeps, tx: Tx, located: Located, proposal: ProposalRow) {
  const made = await findMovement(deps, tx, located, toMovement(proposal))
  if (made === undefined) throw new Error('an approved adjustment has no movement')
  return made
}

function toMovement({ currency, amount, reference, reason, person, ticket, bet_id }: ProposalRow): Movement {
  const correction = { reason, person, ticket, betId: bet_id }
  return { kind: 'adjustment', currency, change: amount, reference, correction }
}

export async function listProposals(deps: OperatorDeps, query: Static<typeof ProposalQuerySchema>) {
  const limit = limitOf(query)
  const now = deps.clock.now()
  const cursor = decodeCursor(query.after, 3)
  const isTimed = query.status === 'pending' || query.status === 'expired'
  const rows = await listRows(deps.db.people, {
    of: query.userId === undefined ? undefined : locate(deps, query.userId, '/query/userId'),
    status: query.status === 'expired' ? 'pending' : query.status,
    expired: isTimed ? { is: query.status === 'expired', at: now } : undefined,
    after: cursor && [cursor.at, cursor.ids[0] ?? '', cursor.ids[1] ?? ''],
    limit: limit + 1,
  })
  return toPage(
    rows,
    limit,
    (row) => showProposal(deps, row),
    ({ proposed_at, player, reference }) => [proposed_at.toISOString(), player, reference],
  )
}

function showProposal(deps: OperatorDeps, row: ProposalRow): Static<typeof ProposalSchema> {
  const { player, reference, currency, ticket, bet_id, decided_key, decided_person, decided_at } = row
  return {
    ...{ userId: player, reference, status: stateOf(row, deps.clock.now()) },
    ...{ currency, amount: show(deps, row.amount, currency), reason: row.reason },
    ...(ticket !== null && { ticket }),
    ...(bet_id !== null && { transactionId: bet_id }),
    proposedBy: { key: row.key_name, person: row.person },
    ...{ proposedAt: row.proposed_at.toISOString(), expiresAt: row.expires_at.toISOString() },
    ...(decided_key !== null && decided_person !== null && { decidedBy: { key: decided_key, person: decided_person } }),
    ...(decided_at !== null && { decidedAt: decided_at.toISOString() }),
  }
}
