/** Any id that somebody pastes: what it is, and all that hangs on it (W-41). */
import { type Static, Type } from 'typebox'
import { statement } from '../db/db.ts'
import { type CallView, newestCalls } from '../feed/call-list.ts'
import { invalid, notFound, Problem } from '../http/problem.ts'
import type { Routes } from '../http/route.ts'
import { fileOf, readCarried } from '../ledger/carried.ts'
import { readTransfers } from '../ledger/transfer.ts'
import { UserIdSchema } from '../protocol/bet-request.ts'
import type { Currency, PlayerId } from '../protocol/ids.ts'
import { LIMITS } from '../protocol/limits.ts'
import { isCurrency } from '../protocol/money.ts'
import { secondIdOf, sentIdOf } from '../protocol/second-id.ts'
import { readSession, type TokenHash } from '../wallet/store/session.ts'
import { listBets } from './bet-list.ts'
import { BetHistorySchema, BetSchema, getBet, toBetId } from './bets.ts'
import { BalancesSchema, getBalances } from './cash.ts'
import { onProperties, readDescribed, showOn } from './described.ts'
import { findId, findOfPlayer, type Match } from './find-id.ts'
import { transferId } from './movement.ts'
import { findPlayer, type OperatorDeps } from './operator.ts'
import { getPlayer, PlayerSchema } from './players.ts'
import { getProposal, ProposalSchema, pendingOf } from './proposals.ts'
import { describe } from './shapes.ts'
import { getStatement, lineShower, StatementSchema, TransferSchema } from './statement.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })
const { balances } = BalancesSchema.properties

const ShownPath = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'A bet, player, reference of a movement or of an adjustment asked for, session or its token, request; six characters and more of the beginning of the first three. USER/ID: of this player, where ID may be a transferId.',
  }),
})

const SessionSchema = Type.Object({
  sessionId: Type.String(),
  userId: UserIdSchema,
  currency: Type.String(),
  expiresAt: time,
  endedAt: optional(time),
  ip: optional(Type.String()),
  country: optional(Type.String()),
})
const CallSchema = Type.Object({
  at: time,
  operation: Type.String(),
  outcome: Type.String(),
  status: Type.Integer(),
  code: optional(Type.Integer()),
  requestId: optional(Type.String()),
})

const ShownSchema = Type.Union([
  Type.Object({ kind: Type.Literal('bet'), bet: BetHistorySchema, balances, calls: Type.Array(CallSchema) }),
  Type.Object({
    kind: Type.Literal('player'),
    player: PlayerSchema,
    balances,
    bets: Type.Array(BetSchema, { description: 'The latest.' }),
    transfers: Type.Array(TransferSchema, { description: 'The latest.' }),
    archived: StatementSchema.properties.archived,
    pendingAdjustments: optional(
      Type.Array(ProposalSchema, { description: 'Waiting for a second person (W-27); nothing has moved.' }),
    ),
  }),
  Type.Object({ kind: Type.Literal('transfer'), userId: UserIdSchema, transfer: TransferSchema, balances }),
  Type.Object(
    { kind: Type.Literal('adjustment'), adjustment: ProposalSchema, balances },
    { description: 'Asked for and not made: it waits for a second person, was refused, or has expired.' },
  ),
  Type.Object({ kind: Type.Literal('session'), session: SessionSchema, balances }),
  Type.Object({ kind: Type.Literal('request'), calls: Type.Array(CallSchema), bet: optional(BetHistorySchema) }),
  Type.Object(
    {
      kind: Type.Literal('several'),
      matches: Type.Array(
        Type.Object({ kind: Type.String(), id: Type.String(), userId: UserIdSchema, ...onProperties }),
      ),
    },
    { description: 'It may be any of these: ask for `USER/ID` of one, or with more of the id.' },
  ),
])
type Shown = Static<typeof ShownSchema>
type ShownBet = Awaited<ReturnType<typeof getBet>>

/** Bets and transfers of a player. */
const LATEST = '5'
const CALLS = 20
/** Calls, among which another platform's may be. */
const LOOKED_AT = '100'

export function addShowRoute(api: Routes, deps: OperatorDeps): void {
  api.get(
    '/show/:id',
    describe('showId', 'Calls', 'Any id that somebody pastes: what it is, and all that hangs on it', {
      role: 'read',
      params: ShownPath,
      ok: { 200: ShownSchema },
    }),
    ({ params }) => showId(deps, params.id),
  )
}

export async function showId(deps: OperatorDeps, given: string): Promise<Shown> {
  const matches = await matchesOf(deps, given)
  const [match] = matches
  if (match === undefined && isNumber(deps, given) && given.length < LIMITS.requestId.minLength)
    throw ofSomePlayer(given)
  if (match === undefined) return showRequest(deps, given)
  return matches.length === 1 ? showMatch(deps, match) : showSeveral(deps, matches)
}

/** Bets with what they are on, which tells them apart. */
async function showSeveral(deps: OperatorDeps, matches: readonly Match[]): Promise<Shown> {
  const keyOf = ({ id, userId }: Match) => ({ player: userId as PlayerId, bet_id: toBetId(id) })
  const described = await readDescribed(deps, matches.filter(({ kind }) => kind === 'bet').map(keyOf))
  const withOn = (match: Match) => {
    const known = match.kind === 'bet' ? described(keyOf(match)) : undefined
    return { ...match, ...(known && showOn(known)) }
  }
  return { kind: 'several', matches: matches.map(withOn) }
}

/** An id is taken as it stands before a part of it is taken for a player. */
async function matchesOf({ db, buckets }: OperatorDeps, given: string): Promise<Match[]> {
  const found = await findId(db.people, buckets, given)
  const slash = given.lastIndexOf('/')
  if (found.length > 0 || slash < 1) return found
  const [userId, id] = [given.slice(0, slash), given.slice(slash + 1)]
  const exact = await findOfPlayer(db.people, buckets, userId, id)
  if (exact.length > 0) return exact
  if (TRANSFER_ID.test(id)) return [{ kind: 'transfer', id, userId }]
  return (await findId(db.people, buckets, id)).filter((match) => match.userId === userId)
}

const TRANSFER_ID = /^([A-Z0-9]{3,5})-([1-9]\d{0,17})$/

/** A transferId, as our own answers have it, counts the transfers of one player. */
function isNumber({ scales }: OperatorDeps, id: string): boolean {
  const [, currency] = TRANSFER_ID.exec(id) ?? []
  return currency !== undefined && isCurrency(scales, currency)
}

function ofSomePlayer(id: string): Problem {
  return new Problem(404, 'not_found', `each player may have a transfer ${id}: ask for USER/${id}`)
}

function showMatch(deps: OperatorDeps, { kind, id, userId }: Match): Promise<Shown> {
  switch (kind) {
    case 'bet':
      return showBet(deps, userId, id)
    case 'player':
      return showPlayer(deps, userId)
    case 'transfer':
      return showTransferOf(deps, userId, id)
    case 'adjustment':
      return showAdjustment(deps, userId, id)
    case 'session':
      return showSession(deps, userId, id as TokenHash)
    default:
      return kind satisfies never
  }
}

async function showBet(deps: OperatorDeps, userId: string, transactionId: string): Promise<Shown> {
  const bet = await getBet(deps, userId, transactionId)
  return { kind: 'bet', bet, ...(await getBalances(deps, userId)), calls: await callsAbout(deps, bet) }
}

async function showPlayer(deps: OperatorDeps, userId: string): Promise<Shown> {
  const player = await getPlayer(deps, userId)
  const { data: bets } = await listBets(deps, { userId, limit: LATEST })
  const { data: transfers, archived } = await getStatement(deps, userId, { limit: LATEST })
  const pending = await pendingOf(deps, await findPlayer(deps, userId))
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

type Place = { readonly currency: Currency; readonly version: bigint }

/** By its reference, or its number in the player's account. */
async function showTransferOf(deps: OperatorDeps, userId: string, id: string): Promise<Shown> {
  const { player, bucket } = await findPlayer(deps, userId)
  const [moved] = await deps.db.people.query<Place>(READ_MOVED, [bucket, userId, id])
  const [, currency, number] = TRANSFER_ID.exec(id) ?? []
  const place = moved ?? (currency && number ? { currency: currency as Currency, version: BigInt(number) } : undefined)
  const [transfer] = place
    ? await readTransfers(deps.db.people, bucket, player.id, place.currency, [place.version])
    : []
  if (transfer === undefined) throw await noTransfer(deps, bucket, player.id, place)
  const shown = (await lineShower(deps, [transfer], false))(transfer)
  return { kind: 'transfer', userId, transfer: shown, ...(await getBalances(deps, userId)) }
}

/** One that lies in a file says in which. */
async function noTransfer(deps: OperatorDeps, bucket: number, player: PlayerId, place: Place | undefined) {
  if (place === undefined) return notFound('the transfer')
  const found = fileOf(await readCarried(deps.db.people, bucket, player), place.currency, place.version)
  if (found === undefined) return notFound('the transfer')
  const id = transferId(place.currency, place.version)
  return invalid('/path/id', `${id} lies in ${found.file}, account ${found.place}`)
}

async function showAdjustment(deps: OperatorDeps, userId: string, reference: string): Promise<Shown> {
  return {
    kind: 'adjustment',
    adjustment: await getProposal(deps, userId, reference),
    ...(await getBalances(deps, userId)),
  }
}

async function showSession(deps: OperatorDeps, userId: string, hash: TokenHash): Promise<Shown> {
  const { bucket } = await findPlayer(deps, userId)
  const session = await readSession(deps.db.people, bucket, hash)
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

/** What is nothing else may be a call's: the journal knows, as long as it keeps the call. */
async function showRequest(deps: OperatorDeps, requestId: string): Promise<Shown> {
  const found: Awaited<ReturnType<typeof newestCalls>> =
    requestId.length > MAX_REQUEST_ID
      ? { data: [] }
      : await newestCalls(deps.db.people, 'purser', { requestId, limit: `${CALLS}` })
  const { data, lookedBackTo } = found
  const [call] = data
  if (call === undefined && isNumber(deps, requestId)) throw ofSomePlayer(requestId)
  if (call === undefined)
    throw notFound(`anything with this id${lookedBackTo ? `, in calls since ${lookedBackTo.toISOString()},` : ''}`)
  const bet = await betOf(deps, call)
  return { kind: 'request', calls: data.map(showCall), ...(bet && { bet }) }
}

/** The bet that the platform of the call has under this id (W-43). */
async function betOf(deps: OperatorDeps, call: CallView): Promise<ShownBet | undefined> {
  const { player, transactionId, platform = '' } = call
  if (player === undefined || transactionId === undefined) return undefined
  for (const id of [secondIdOf({ betId: toBetId(transactionId), platform }), transactionId]) {
    const bet = await getBet(deps, player, id).catch(() => undefined)
    if (bet !== undefined && isAbout(bet)(call)) return bet
  }
  return undefined
}

const MAX_REQUEST_ID = 64

async function callsAbout(deps: OperatorDeps, bet: ShownBet) {
  const asked = { transactionId: sentIdOf(bet.transactionId), limit: LOOKED_AT }
  const { data } = await newestCalls(deps.db.people, 'purser', asked)
  return data.filter(isAbout(bet)).slice(0, CALLS).map(showCall)
}

/** Of the calls with the id that a bet came with: those of its player (I-1) and platform, and of another one those that it knows, where bets are shared. */
function isAbout({ userId, platform, history }: ShownBet): (call: CallView) => boolean {
  const known = new Set<string | undefined>(history.map(({ requestId }) => requestId))
  return ({ player = userId, ...call }) =>
    player === userId && (call.platform === platform || known.has(call.requestId))
}

/** Without bodies and addresses, which need another role. */
function showCall({ at, operation, outcome, answer, requestId }: CallView) {
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
