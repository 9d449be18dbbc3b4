/**
 * Lookup of an id without its kind: finds the object that has this id, and the related data (W-41).
 */

import { UserIdSchema } from '@purser/protocol/bet-request'
import { toQualifiedBetId, toSentBetId } from '@purser/protocol/qualified-bet-id'
import { isCurrency } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { LIMITS } from '@purser/protocol/wire-limits'
import { type Static, Type } from 'typebox'
import { type CallListEntry, findNewestCalls } from '../../../core/call-journal/journal-call-list.ts'
import { statement } from '../../../core/database/db.ts'
import { invalid, notFound, Problem } from '../../../core/http/api/problem-details.ts'
import type { Routes } from '../../../core/http/api/route-description.ts'
import { findArchiveFile, readCarriedBalances } from '../../ledger/carried-balance.ts'
import { readTransfers } from '../../ledger/transfer.ts'
import { readSession, type TokenHash } from '../../store/session.ts'
import { BetHistorySchema, BetSchema, getBet, toBetId } from '../bets/bet-detail.ts'
import { listBets } from '../bets/bet-list.ts'
import { readBetSummaries, renderBetSelections, selectionProperties } from '../bets/bet-summaries.ts'
import { getProposal, listPendingProposals, ProposalSchema } from '../money/adjustment-proposals.ts'
import { formatTransferId } from '../money/cash-movement.ts'
import { BalancesSchema, getBalances } from '../money/deposits-and-withdrawals.ts'
import { createLineRenderer, getStatement, StatementSchema, TransferSchema } from '../money/statement.ts'
import { findPlayer, type OperatorDeps } from '../operator-context.ts'
import { describeOperatorRoute } from '../operator-schemas.ts'
import { getPlayer, PlayerSchema } from '../players/player-profile.ts'
import { type IdMatch, searchId, searchIdOfPlayer } from './id-search.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })
const { balances } = BalancesSchema.properties

const LookupPath = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      "The id of a bet, a player, a session or a request, a session's token, or the reference of a movement or requested adjustment. The first six characters are enough for a bet, a player or a reference. USER/ID looks among the player's own ids, where ID may be a transferId.",
  }),
})

const LookupSessionSchema = Type.Object({
  sessionId: Type.String(),
  userId: UserIdSchema,
  currency: Type.String(),
  expiresAt: time,
  endedAt: optional(time),
  ip: optional(Type.String()),
  country: optional(Type.String()),
})
const LookupCallSchema = Type.Object({
  at: time,
  operation: Type.String(),
  outcome: Type.String(),
  status: Type.Integer(),
  code: optional(Type.Integer()),
  requestId: optional(Type.String()),
})

const LookupSchema = Type.Union([
  Type.Object({ kind: Type.Literal('bet'), bet: BetHistorySchema, balances, calls: Type.Array(LookupCallSchema) }),
  Type.Object({
    kind: Type.Literal('player'),
    player: PlayerSchema,
    balances,
    bets: Type.Array(BetSchema, { description: 'The newest.' }),
    transfers: Type.Array(TransferSchema, { description: 'The newest.' }),
    archived: StatementSchema.properties.archived,
    pendingAdjustments: optional(
      Type.Array(ProposalSchema, { description: 'Pending approval (W-27). No money has moved.' }),
    ),
  }),
  Type.Object({ kind: Type.Literal('transfer'), userId: UserIdSchema, transfer: TransferSchema, balances }),
  Type.Object(
    { kind: Type.Literal('adjustment'), adjustment: ProposalSchema, balances },
    {
      description:
        'An adjustment that was requested and not posted: it is pending approval, was rejected, or has expired.',
    },
  ),
  Type.Object({ kind: Type.Literal('session'), session: LookupSessionSchema, balances }),
  Type.Object({ kind: Type.Literal('request'), calls: Type.Array(LookupCallSchema), bet: optional(BetHistorySchema) }),
  Type.Object(
    {
      kind: Type.Literal('several'),
      matches: Type.Array(
        Type.Object({ kind: Type.String(), id: Type.String(), userId: UserIdSchema, ...selectionProperties }),
      ),
    },
    { description: 'Several objects match. Ask for `USER/ID`, or with more characters of the id.' },
  ),
])
type LookupResult = Static<typeof LookupSchema>
type BetDetail = Awaited<ReturnType<typeof getBet>>

/** Number of bets and of transfers shown for a player. */
const LATEST = '5'
const CALLS = 20
/** Scanned calls, which may include calls of other platforms. */
const MAX_SCANNED_CALLS = '100'

export function addWalletLookupRoute(api: Routes, deps: OperatorDeps): void {
  api.get(
    '/show/:id',
    describeOperatorRoute('showId', 'Calls', 'Look up any id, and find the objects that belong to it', {
      role: 'read',
      params: LookupPath,
      ok: { 200: LookupSchema },
    }),
    ({ params }) => lookUpWalletId(deps, params.id),
  )
}

export async function lookUpWalletId(deps: OperatorDeps, given: string): Promise<LookupResult> {
  const matches = await findMatches(deps, given)
  const [match] = matches
  if (match === undefined && isTransferNumber(deps, given) && given.length < LIMITS.requestId.minLength)
    throw ambiguousTransfer(given)
  if (match === undefined) return renderRequestMatch(deps, given)
  return matches.length === 1 ? renderMatch(deps, match) : renderMatches(deps, matches)
}

/** Matching bets are shown with their selections to distinguish them. */
async function renderMatches(deps: OperatorDeps, matches: readonly IdMatch[]): Promise<LookupResult> {
  const toBetKey = ({ id, userId }: IdMatch) => ({ player: userId as PlayerId, bet_id: toBetId(id) })
  const findSummary = await readBetSummaries(deps, matches.filter(({ kind }) => kind === 'bet').map(toBetKey))
  const withSelections = (match: IdMatch) => {
    const summary = match.kind === 'bet' ? findSummary(toBetKey(match)) : undefined
    return { ...match, ...(summary && renderBetSelections(summary)) }
  }
  return { kind: 'several', matches: matches.map(withSelections) }
}

/** The whole id has priority over its reading as USER/ID. */
async function findMatches({ db, buckets }: OperatorDeps, given: string): Promise<IdMatch[]> {
  const found = await searchId(db.userQueries, buckets, given)
  const slash = given.lastIndexOf('/')
  if (found.length > 0 || slash < 1) return found
  const [userId, id] = [given.slice(0, slash), given.slice(slash + 1)]
  const exact = await searchIdOfPlayer(db.userQueries, buckets, userId, id)
  if (exact.length > 0) return exact
  if (TRANSFER_ID.test(id)) return [{ kind: 'transfer', id, userId }]
  return (await searchId(db.userQueries, buckets, id)).filter((match) => match.userId === userId)
}

const TRANSFER_ID = /^([A-Z0-9]{3,5})-([1-9]\d{0,17})$/

/** A `transferId` is a number per player, so it needs the player. */
function isTransferNumber({ scales }: OperatorDeps, id: string): boolean {
  const [, currency] = TRANSFER_ID.exec(id) ?? []
  return currency !== undefined && isCurrency(scales, currency)
}

function ambiguousTransfer(id: string): Problem {
  return new Problem(404, 'not_found', `each player may have a transfer ${id}: ask for USER/${id}`)
}

function renderMatch(deps: OperatorDeps, { kind, id, userId }: IdMatch): Promise<LookupResult> {
  switch (kind) {
    case 'bet':
      return renderBetMatch(deps, userId, id)
    case 'player':
      return renderPlayerMatch(deps, userId)
    case 'transfer':
      return renderTransferMatch(deps, userId, id)
    case 'adjustment':
      return renderAdjustmentMatch(deps, userId, id)
    case 'session':
      return renderSessionMatch(deps, userId, id as TokenHash)
    default:
      return kind satisfies never
  }
}

async function renderBetMatch(deps: OperatorDeps, userId: string, transactionId: string): Promise<LookupResult> {
  const bet = await getBet(deps, userId, transactionId)
  return { kind: 'bet', bet, ...(await getBalances(deps, userId)), calls: await readCallsAbout(deps, bet) }
}

async function renderPlayerMatch(deps: OperatorDeps, userId: string): Promise<LookupResult> {
  const player = await getPlayer(deps, userId)
  const { data: bets } = await listBets(deps, { userId, limit: LATEST })
  const { data: transfers, archived } = await getStatement(deps, userId, { limit: LATEST })
  const pending = await listPendingProposals(deps, await findPlayer(deps, userId))
  return {
    kind: 'player',
    player,
    ...(await getBalances(deps, userId)),
    bets,
    transfers,
    ...(archived && { archived }),
    ...(pending.length > 0 && { pendingAdjustments: pending }),
  }
}

const READ_MOVED = statement(
  'read_moved_by_reference',
  'select currency, version from purser.cash_movement where bucket = $1::int and player = $2::text and reference = $3::text',
)

type TransferKey = { readonly currency: Currency; readonly version: bigint }

/** Finds the transfer by its reference or its number. */
async function renderTransferMatch(deps: OperatorDeps, userId: string, id: string): Promise<LookupResult> {
  const { player, bucket } = await findPlayer(deps, userId)
  const [moved] = await deps.db.userQueries.query<TransferKey>(READ_MOVED, [bucket, userId, id])
  const [, currency, number] = TRANSFER_ID.exec(id) ?? []
  const place = moved ?? (currency && number ? { currency: currency as Currency, version: BigInt(number) } : undefined)
  const [transfer] = place
    ? await readTransfers(deps.db.userQueries, bucket, player.id, place.currency, [place.version])
    : []
  if (transfer === undefined) throw await missingTransfer(deps, bucket, player.id, place)
  const shown = (await createLineRenderer(deps, [transfer], false))(transfer)
  return { kind: 'transfer', userId, transfer: shown, ...(await getBalances(deps, userId)) }
}

/** For an archived transfer the problem names the file. */
async function missingTransfer(deps: OperatorDeps, bucket: number, player: PlayerId, place: TransferKey | undefined) {
  if (place === undefined) return notFound('the transfer')
  const found = findArchiveFile(
    await readCarriedBalances(deps.db.userQueries, bucket, player),
    place.currency,
    place.version,
  )
  if (found === undefined) return notFound('the transfer')
  const id = formatTransferId(place.currency, place.version)
  return invalid('/path/id', `${id} lies in ${found.file}, account ${found.place}`)
}

async function renderAdjustmentMatch(deps: OperatorDeps, userId: string, reference: string): Promise<LookupResult> {
  return {
    kind: 'adjustment',
    adjustment: await getProposal(deps, userId, reference),
    ...(await getBalances(deps, userId)),
  }
}

async function renderSessionMatch(deps: OperatorDeps, userId: string, hash: TokenHash): Promise<LookupResult> {
  const { bucket } = await findPlayer(deps, userId)
  const session = await readSession(deps.db.userQueries, bucket, hash)
  if (session === undefined) throw notFound('the session')
  const { currency, expiresAt, endedAt, ip, country } = session
  const shown = {
    ...{ sessionId: hash, userId, currency, expiresAt: expiresAt.toISOString() },
    ...(endedAt !== null && { endedAt: endedAt.toISOString() }),
    ...(ip !== null && { ip }),
    ...(country !== null && { country }),
  }
  return { kind: 'session', session: shown, ...(await getBalances(deps, userId)) }
}

/** Any other id may be a request, which the journal knows while it stores the call. */
async function renderRequestMatch(deps: OperatorDeps, requestId: string): Promise<LookupResult> {
  const found: Awaited<ReturnType<typeof findNewestCalls>> =
    requestId.length > MAX_REQUEST_ID
      ? { data: [] }
      : await findNewestCalls(deps.db.userQueries, 'purser', { requestId, limit: `${CALLS}` })
  const { data, searchedBackTo } = found
  const [call] = data
  if (call === undefined && isTransferNumber(deps, requestId)) throw ambiguousTransfer(requestId)
  if (call === undefined)
    throw notFound(`anything with this id${searchedBackTo ? `, in calls since ${searchedBackTo.toISOString()},` : ''}`)
  const bet = await findBetOfCall(deps, call)
  return { kind: 'request', calls: data.map(renderCall), ...(bet && { bet }) }
}

/** The bet with this id of the call's platform (W-43). */
async function findBetOfCall(deps: OperatorDeps, call: CallListEntry): Promise<BetDetail | undefined> {
  const { player, transactionId, platform = '' } = call
  if (player === undefined || transactionId === undefined) return undefined
  for (const id of [toQualifiedBetId({ betId: toBetId(transactionId), platform }), transactionId]) {
    const bet = await getBet(deps, player, id).catch(() => undefined)
    if (bet !== undefined && isAbout(bet)(call)) return bet
  }
  return undefined
}

const MAX_REQUEST_ID = 64

async function readCallsAbout(deps: OperatorDeps, bet: BetDetail) {
  const callQuery = { transactionId: toSentBetId(bet.transactionId), limit: MAX_SCANNED_CALLS }
  const { data } = await findNewestCalls(deps.db.userQueries, 'purser', callQuery)
  return data.filter(isAbout(bet)).slice(0, CALLS).map(renderCall)
}

/**
 * Selects the calls of the bet's player (I-1) and platform. If bets are shared, calls of other
 * platforms count when the bet's history has their `requestId`.
 */
function isAbout({ userId, platform, history }: BetDetail): (call: CallListEntry) => boolean {
  const summary = new Set<string | undefined>(history.map(({ requestId }) => requestId))
  return ({ player = userId, ...call }) =>
    player === userId && (call.platform === platform || summary.has(call.requestId))
}

/** Bodies and addresses are left out, because they need another role. */
function renderCall({ at, operation, outcome, answer, requestId }: CallListEntry) {
  const { status, code } = answer
  return {
    at,
    operation,
    outcome,
    status,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId }),
  }
}
