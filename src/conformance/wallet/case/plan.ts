/** From a call of a case to what is sent, within a case that is being played. */
import { randomUUID } from 'node:crypto'
import type { Exchange } from '../../exchange.ts'
import type { Ask, BalanceReader, Holder } from '../play/balance.ts'
import type { Body } from '../play/body-rules.ts'
import type { Books } from '../play/books.ts'
import type { PlannedRequest, Sender } from '../play/sender.ts'
import type { Lease, Player } from '../players/players.ts'
import { type Accepted, acceptedOf } from './accepted.ts'
import { twinOf } from './alike.ts'
import { type Balances, type Resolved, resolveAmount, resolveUnits } from './amounts.ts'
import { nameOf } from './call-name.ts'
import type { Call, Who } from './case.ts'
import { accountOf, planRequest, unknownToken } from './request.ts'

/** Where calls go. */
export interface Target {
  readonly sender: Sender
  readonly secret: string
  readonly reader: BalanceReader
  /** Which of the calls that a partner may leave out there are. */
  readonly has: readonly string[]
  /** Shown every exchange of the run; `isShown`: the interface shows what is answered to such a call. */
  look(exchange: Exchange, isShown: boolean): void
  /** Given every case that is over, for the repeats at the end. */
  keep(play: Play): void
}

/** A case in the middle of its steps. */
export interface Play {
  readonly caseId: string
  readonly target: Target
  readonly act: Lease['act']
  readonly players: Map<Who, Player>
  /** By name: ids of bets and requests, bytes of calls. */
  readonly betIds: Map<string, string>
  readonly requestIds: Map<string, string>
  readonly sent: Map<string, PlannedRequest>
  /** By name of the bet, as written. */
  readonly stakes: Map<string, string>
  /** The body of the first success, by operation and bet. */
  readonly firstBodies: Map<string, Body>
  /** Everything sent so far, for the report. */
  readonly journal: Exchange[]
  /** The calls about bets that were answered with yes. */
  readonly accepted: Accepted[]
  books: Books
  /** Ends the case at the next step. */
  readonly signal: AbortSignal | undefined
}

export interface Planned {
  readonly request: PlannedRequest
  readonly name: string
  readonly amount: bigint | undefined
}

export function plan(play: Play, call: Call): Planned {
  const player = playerOf(play, call.who)
  const account = accountOf(player, call)
  const amount = amountOf(play, call, balancesOf(play), account.scale)
  const ingredients = {
    requestId: call.requestId === undefined ? randomUUID() : idOf(play.requestIds, call.requestId),
    betId: idOf(play.betIds, call.bet),
    userId: player.userId,
    operatorUser: player.operatorUser,
    token: tokenOf(play, call),
    account,
    amount: amount?.text,
  }
  const fresh = planRequest(call, ingredients, play.target.secret)
  const { headers, body } = play.sent.get(call.bytesOf ?? '') ?? fresh
  const request = { ...fresh, headers, body }
  if (call.named !== undefined) play.sent.set(call.named, request)
  return { request, name: nameOf(call, amount?.text), amount: amount?.units }
}

function balancesOf({ books, players }: Play): Balances {
  const now = books.balances.get('A/first') ?? 0n
  return { now, stated: now - (players.get('A')?.misstated ?? 0n) }
}

/** A Rollback repeats the stake as it was sent, unless the case says another amount. */
function amountOf(
  { stakes }: Play,
  { operation, bet, amount }: Call,
  balances: Balances,
  scale: number,
): Resolved | undefined {
  const wanted = operation === 'rollback' ? (amount ?? stakes.get(bet) ?? '100') : amount
  if (wanted === undefined) return undefined
  const resolved = resolveAmount(wanted, balances, scale)
  if (operation === 'place') stakes.set(bet, resolved.text)
  return resolved
}

function tokenOf({ players }: Play, { token, who }: Call): string | undefined {
  const of = (name: Who) => players.get(name)?.token
  const { deadToken, oldToken } = players.get('A') ?? {}
  switch (token) {
    case 'live':
      return of(who) ?? unknownToken()
    case 'of A':
      return of('A')
    case 'of B':
      return of('B')
    case 'dead':
      return deadToken
    case 'old':
      return oldToken
    case 'unknown':
      return unknownToken()
    case 'none':
      return undefined
    default:
      return token satisfies never
  }
}

export function playerOf({ players }: Play, who: Who): Player {
  const player = players.get(who)
  if (player !== undefined) return player
  if (who === 'nobody') return { ...playerOf({ players } as Play, 'A'), userId: 'nobody-of-the-conformance-kit' }
  throw new Error(`a case uses player ${who} without saying that it needs one`)
}

/** The same within a case for the same name; for `X'` nearly that of X (alike.ts). */
export function idOf(names: Map<string, string>, name: string): string {
  const twin = twinOf(name)
  const id = names.get(name) ?? (twin === undefined ? randomUUID() : twin.make(idOf(names, twin.of)))
  names.set(name, id)
  return id
}

/** Every purse that the case looks at. */
export function holdersOf({ players, books }: Play): [string, Holder][] {
  return [...books.balances.keys()].flatMap((key): [string, Holder][] => {
    const [who, purse] = key.split('/')
    const player = players.get(who as Who)
    const account = purse === 'second' ? player?.second : player?.first
    if (player === undefined || account === undefined) return []
    return [[key, { player, account, purse: purse as Holder['purse'], isCurrent: purse === 'first' }]]
  })
}

/** Calls of the kit itself: balances, probes and closing bets. They are in the journal like all others. */
export function asker(play: Play): Ask {
  return async (call, { player, account }, amount, betId = randomUUID()) => {
    const text = amount === undefined ? undefined : resolveUnits(amount, account.scale).text
    const { userId, operatorUser, token } = player
    const ingredients = { requestId: randomUUID(), betId, userId, operatorUser, token, account, amount: text }
    await play.target.sender.turn(1)
    const request = planRequest(call, ingredients, play.target.secret)
    const exchange = await play.target.sender.send(nameOf({ ...call, bet: 'of the kit' }, text), request)
    play.journal.push({ ...exchange, isLook: true })
    play.target.look(exchange, true)
    // Of the kit's own bets none is repeated; of those of the case the last result is.
    const accepted = acceptedOf(request, exchange)
    if (accepted && play.accepted.some(({ bet }) => bet === accepted.bet)) play.accepted.push(accepted)
    return exchange
  }
}
