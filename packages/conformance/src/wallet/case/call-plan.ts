/** State of a running case, which turns the calls of the case into requests. */
import { randomUUID } from 'node:crypto'
import type { Exchange } from '../../http-exchange.ts'
import type { BalanceHolder, BalanceReader, SendKitCall } from '../play/balance-reader.ts'
import type { AnswerBody } from '../play/body-rules.ts'
import type { ExpectedBooks } from '../play/expected-books.ts'
import type { PlannedRequest, RequestSender } from '../play/request-sender.ts'
import type { FixturePlayer, PlayerLease } from '../players/player-fixtures.ts'
import { type AcceptedCall, toAcceptedCall } from './accepted-call.ts'
import { type CaseBalances, type ResolvedAmount, resolveAmount, resolveUnits } from './amount-resolution.ts'
import { formatCallName } from './call-name.ts'
import { parseNearMissName } from './near-miss.ts'
import { buildSignedRequest, createUnknownToken, selectAccount } from './signed-request.ts'
import type { CallStep, PlayerAlias } from './wallet-case.ts'

export interface WalletUnderTest {
  readonly sender: RequestSender
  readonly secret: string
  readonly reader: BalanceReader
  /** The optional calls that the wallet has. */
  readonly has: readonly string[]
  inspect(exchange: Exchange, hasDefinedAnswer: boolean): void
  /** Receives each finished case, for the late repeats. */
  addFinished(play: CasePlay): void
}

export interface CasePlay {
  readonly caseId: string
  readonly target: WalletUnderTest
  readonly act: PlayerLease['act']
  readonly players: Map<PlayerAlias, FixturePlayer>
  /** Ids of bets, ids of requests, and sent bytes, each by its name in the case. */
  readonly betIds: Map<string, string>
  readonly requestIds: Map<string, string>
  readonly sent: Map<string, PlannedRequest>
  /** Written amounts, by the name of the bet. */
  readonly stakes: Map<string, string>
  /** The body of the first success, by operation and bet. */
  readonly firstBodies: Map<string, AnswerBody>
  /** Everything sent so far, for the report. */
  readonly journal: Exchange[]
  readonly accepted: AcceptedCall[]
  books: ExpectedBooks
  /** Ends the case at the next step. */
  readonly signal: AbortSignal | undefined
}

export interface CallPlan {
  readonly request: PlannedRequest
  readonly name: string
  readonly amount: bigint | undefined
}

export function planCall(play: CasePlay, call: CallStep): CallPlan {
  const player = getCasePlayer(play, call.who)
  const account = selectAccount(player, call)
  const amount = resolveCallAmount(play, call, toCaseBalances(play), account.scale)
  const parts = {
    requestId: call.requestId === undefined ? randomUUID() : getOrCreateId(play.requestIds, call.requestId),
    betId: getOrCreateId(play.betIds, call.bet),
    userId: player.userId,
    operatorUser: player.operatorUser,
    token: resolveToken(play, call),
    account,
    amount: amount?.text,
  }
  const fresh = buildSignedRequest(call, parts, play.target.secret)
  const { headers, body } = play.sent.get(call.bytesOf ?? '') ?? fresh
  const request = { ...fresh, headers, body }
  if (call.named !== undefined) play.sent.set(call.named, request)
  return { request, name: formatCallName(call, amount?.text), amount: amount?.units }
}

function toCaseBalances({ books, players }: CasePlay): CaseBalances {
  const now = books.balances.get('A/first') ?? 0n
  return { now, stated: now - (players.get('A')?.misstated ?? 0n) }
}

/** Default of a Rollback: the stake as it was sent. */
function resolveCallAmount(
  { stakes }: CasePlay,
  { operation, bet, amount }: CallStep,
  balances: CaseBalances,
  scale: number,
): ResolvedAmount | undefined {
  const chosen = operation === 'rollback' ? (amount ?? stakes.get(bet) ?? '100') : amount
  if (chosen === undefined) return undefined
  const resolved = resolveAmount(chosen, balances, scale)
  if (operation === 'place') stakes.set(bet, resolved.text)
  return resolved
}

function resolveToken({ players }: CasePlay, { token, who }: CallStep): string | undefined {
  const of = (name: PlayerAlias) => players.get(name)?.token
  const { deadToken, oldToken } = players.get('A') ?? {}
  switch (token) {
    case 'live':
      return of(who) ?? createUnknownToken()
    case 'of A':
      return of('A')
    case 'of B':
      return of('B')
    case 'dead':
      return deadToken
    case 'old':
      return oldToken
    case 'unknown':
      return createUnknownToken()
    case 'none':
      return undefined
    default:
      return token satisfies never
  }
}

export function getCasePlayer({ players }: CasePlay, who: PlayerAlias): FixturePlayer {
  const player = players.get(who)
  if (player !== undefined) return player
  if (who === 'nobody')
    return { ...getCasePlayer({ players } as CasePlay, 'A'), userId: 'nobody-of-the-conformance-kit' }
  throw new Error(`a case uses player ${who} without saying that it needs one`)
}

/** A case uses one id for each name. The id of `X'` is a near miss (near-miss.ts). */
export function getOrCreateId(names: Map<string, string>, name: string): string {
  const twin = parseNearMissName(name)
  const id = names.get(name) ?? (twin === undefined ? randomUUID() : twin.make(getOrCreateId(names, twin.of)))
  names.set(name, id)
  return id
}

/** Every balance that the case compares. */
export function listHolders({ players, books }: CasePlay): [string, BalanceHolder][] {
  return [...books.balances.keys()].flatMap((key): [string, BalanceHolder][] => {
    const [who, currency] = key.split('/')
    const player = players.get(who as PlayerAlias)
    const account = currency === 'second' ? player?.second : player?.first
    if (player === undefined || account === undefined) return []
    return [
      [key, { player, account, currency: currency as BalanceHolder['currency'], isCurrent: currency === 'first' }],
    ]
  })
}

/** Sends the kit's own calls: balances, probes and closing bets. */
export function createKitCaller(play: CasePlay): SendKitCall {
  return async (call, { player, account }, amount, betId = randomUUID()) => {
    const text = amount === undefined ? undefined : resolveUnits(amount, account.scale).text
    const { userId, operatorUser, token } = player
    const parts = { requestId: randomUUID(), betId, userId, operatorUser, token, account, amount: text }
    await play.target.sender.acquire(1)
    const request = buildSignedRequest(call, parts, play.target.secret)
    const exchange = await play.target.sender.send(formatCallName({ ...call, bet: 'of the kit' }, text), request)
    play.journal.push({ ...exchange, isLook: true })
    play.target.inspect(exchange, true)
    // The late repeats include a kit call only if it concerns a bet of the case.
    const accepted = toAcceptedCall(request, exchange)
    if (accepted && play.accepted.some(({ bet }) => bet === accepted.bet)) play.accepted.push(accepted)
    return exchange
  }
}
