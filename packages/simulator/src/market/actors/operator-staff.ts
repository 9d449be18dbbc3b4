/**
 * The actions of the operator's staff in a simulated market. The staff open player accounts, start
 * and end sessions, move cash, lock results and block players.
 */

import type { Random } from '@purser/runtime/seeded-random'
import { openFrameSession } from 'purser/platform/bets/frame-session'
import { isRefusal } from 'purser/platform/platform-refusal'
import { setResultLock } from 'purser/wallet/operator-api/bets/bet-detail'
import { moveCash } from 'purser/wallet/operator-api/money/deposits-and-withdrawals'
import { createPlayer, patchPlayer } from 'purser/wallet/operator-api/players/player-profile'
import { createSession, endAllSessions, switchCurrency } from 'purser/wallet/operator-api/players/player-sessions'
import type { Market } from '../market.ts'
import { type CurrencyName, formatMarketAmount, MARKET_CURRENCIES, zeroAmounts } from '../oracle/market-money.ts'
import { type PlayerDayLimits, readScenarioSpan, type Scenario } from '../scenario.ts'
import {
  findBetByName,
  MARKET_PARTNER,
  type MarketPlayer,
  type Participants,
  RECENT_BETS,
} from './market-participants.ts'
import { AUTHORS } from './market-parties.ts'
import { callOnGateway, callOnPlatform, callOnWallet, retryUntilAnswered } from './retry-until-answered.ts'

/** Players of both operators have the same user ids. */
export type MarketAccount = Pick<MarketPlayer, 'wallet' | 'userId'>

export async function openAccount(
  market: Market,
  participants: Participants,
  at: MarketAccount,
  amount: number,
): Promise<MarketPlayer> {
  const { wallet, userId } = at
  const currencies = listCurrencies(market.scenario)
  const body = { userId, currency: 'EUR', currencies: [...currencies] }
  await retryUntilAnswered(
    participants,
    callOnWallet(market, wallet, ({ operator }) => createPlayer(operator, AUTHORS.wallet(), body)),
  )
  const plain = userId.replace('-', ' ')
  const name = wallet === 'wallet' ? plain : `${plain} of the ${wallet}`
  const player: MarketPlayer = {
    ...{ name, wallet, userId, knownAs: userId, tokens: [] },
    frameSessionId: undefined,
    token: undefined,
    currency: 'EUR',
    moving: zeroAmounts(),
    cash: zeroAmounts(),
  }
  for (const currency of currencies)
    await moveMoney(market, participants, player, { kind: 'deposit', euros: amount, currency })
  await openFrame(market, participants, player)
  return player
}

/** A movement waits for its outcome even after the market is over, so that `cash` is exact. */
const NEVER_OVER = { isOver: false }

/** The limits apply per day (W-2). */
export async function setDayLimits(
  market: Market,
  participants: Participants,
  { wallet, userId }: MarketPlayer,
  limits: PlayerDayLimits,
): Promise<void> {
  const set = callOnWallet(market, wallet, ({ operator }) =>
    patchPlayer(operator, AUTHORS.wallet(), userId, { limits }),
  )
  market.wire(wallet).standing.limited(userId)
  await retryUntilAnswered(participants, set)
}

export function listCurrencies({ hasCurrencies = false }: Scenario): readonly CurrencyName[] {
  return hasCurrencies ? MARKET_CURRENCIES : ['EUR']
}

export interface MarketMovement {
  readonly kind: 'deposit' | 'withdrawal'
  /** Whole euros or yen. */
  readonly euros: number
  readonly currency: CurrencyName
  /** Permits a deposit to a blocked or self-excluded player (O-3). */
  readonly despiteExclusion?: true
}

export async function moveMoney(
  market: Market,
  participants: Participants,
  player: MarketPlayer,
  movement: MarketMovement,
): Promise<void> {
  const { kind, euros, currency, ...rest } = movement
  const amount = formatMarketAmount(currency, `${euros}.00`)
  const body = { currency, amount, reference: `${kind} ${++participants.movements}`, ...rest }
  const move = callOnWallet(market, player.wallet, ({ operator }) =>
    moveCash(operator, AUTHORS.wallet(), player.userId, kind, body),
  )
  const change = BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
  player.moving[currency] = change
  const had = player.cash[currency]
  const { cash } = market.wire(player.wallet)
  player.cash[currency] += change // a refusal subtracts it again
  cash(player.userId, change < 0n ? player.cash[currency] : had, currency)
  const isMoved = await retryUntilAnswered(NEVER_OVER, move).then(
    () => true,
    () => false,
  )
  if (!isMoved) player.cash[currency] -= change
  player.moving[currency] = 0n
  cash(player.userId, player.cash[currency], currency)
  market.trace.note(`${player.name}: ${kind} of ${euros} ${isMoved ? 'made' : 'refused'}`)
}

export async function openFrame(market: Market, participants: Participants, player: MarketPlayer): Promise<void> {
  const session = await retryUntilAnswered(
    participants,
    callOnWallet(market, player.wallet, ({ operator }) => createSession(operator, AUTHORS.wallet(), player.userId, {})),
  )
  if (session !== undefined) await loadFrameWithToken(market, participants, player, session)
}

async function loadFrameWithToken(
  market: Market,
  participants: Participants,
  player: MarketPlayer,
  { token: given, currency }: Pick<Awaited<ReturnType<typeof createSession>>, 'token' | 'currency'>,
): Promise<void> {
  market.wire(player.wallet).standing.tokens.given(given, player.userId, currency)
  player.token = given
  player.tokens.push(given)
  const token = await toPlatformToken(market, participants, player, given)
  if (token === undefined) return
  const loaded = await retryUntilAnswered(
    participants,
    callOnPlatform(market, ({ deciding }) => openFrameSession(deciding, AUTHORS.platform(), MARKET_PARTNER, token)),
  )
  if (loaded === undefined || isRefusal(loaded)) return
  player.frameSessionId = loaded.frameSessionId
  player.currency = loaded.currency as CurrencyName
  player.knownAs = loaded.userId
}

/** With a gateway the platform gets the gateway's token, not the operator's. */
async function toPlatformToken(
  market: Market,
  participants: Participants,
  player: MarketPlayer,
  token: string,
): Promise<string | undefined> {
  if (market.scenario.operators === 1) return token
  const { wallet, userId: operatorUser } = player
  const session = await retryUntilAnswered(
    participants,
    callOnGateway(market, ({ exchange }) => exchange(wallet, token)),
  )
  if (session === undefined) return undefined
  const { userId } = session.player
  market.gatewayWatch.exchanged({ wallet, operatorUser, userId, token: session.token, operatorToken: token })
  return session.token
}

export async function runOperators(market: Market, participants: Participants, random: Random): Promise<void> {
  const gap = () => random.between(4_000, 25_000) * readScenarioSpan(market.scenario)
  const draw = () => ({
    kind: random.pick(['deposit', 'withdrawal', 'end sessions', 'lock', 'lock', 'unlock', 'block', 'free'] as const),
    player: random.pick(participants.players).name,
    euros: random.between(1, 60),
    bet:
      participants.bets.length === 0 ? '' : market.names.bet(random.pick(participants.bets.slice(-RECENT_BETS)).betId),
  })
  while (!participants.isOver) {
    const action = await market.choices.nextAction('operators', gap, draw)
    const player = participants.players.find(({ name }) => name === action?.player)
    if (action === undefined || player === undefined) continue
    const { kind, euros } = action
    if (kind === 'deposit' || kind === 'withdrawal')
      await moveMoney(market, participants, player, { kind, euros, currency: player.currency })
    else if (kind === 'end sessions') await endSessions(market, participants, player)
    else if (kind === 'block' || kind === 'free') await blockPlayer(market, participants, player, kind === 'block')
    else {
      const bet = findBetByName(market, participants, action.bet)
      if (bet !== undefined && participants.shared?.has(bet.betId) !== true)
        await lockBet(market, participants, bet, kind === 'lock')
    }
  }
}

/** A switch of the currency ends all tokens and issues a new one (P-1). */
export async function runSwitchers(market: Market, participants: Participants, random: Random): Promise<void> {
  if (market.scenario.hasCurrencies !== true) return
  const gap = () => random.between(5_000, 40_000) * readScenarioSpan(market.scenario)
  const draw = () => ({ player: random.pick(participants.players).name })
  while (!participants.isOver) {
    const action = await market.choices.nextAction('switchers', gap, draw)
    const player = participants.players.find(({ name }) => name === action?.player)
    if (player === undefined || participants.isOver) continue
    market.trace.mark('a player switches currency')
    await switchPlayer(market, participants, player, player.currency === 'EUR' ? 'JPY' : 'EUR')
  }
}

async function switchPlayer(
  market: Market,
  participants: Participants,
  player: MarketPlayer,
  currency: CurrencyName,
): Promise<void> {
  const { wallet, userId, name } = player
  const set = callOnWallet(market, wallet, ({ operator }) =>
    switchCurrency(operator, AUTHORS.wallet(), userId, { currency }),
  )
  const tokenOracle = market.wire(wallet).standing.tokens
  const tokens = [...player.tokens]
  tokenOracle.ending(userId, false)
  const session = await retryUntilAnswered(participants, set)
  if (session === undefined) return
  tokenOracle.ending(userId, true)
  for (const token of tokens) tokenOracle.ended(token)
  market.trace.note(`${name} has switched to ${currency}`)
  market.trace.mark('a currency is switched')
  await loadFrameWithToken(market, participants, player, session)
}

const toTrue = () => true

async function endSessions(market: Market, participants: Participants, player: MarketPlayer): Promise<void> {
  const end = callOnWallet(market, player.wallet, ({ operator }) =>
    endAllSessions(operator, AUTHORS.wallet(), player.userId).then(toTrue),
  )
  const tokenOracle = market.wire(player.wallet).standing.tokens
  const tokens = [...player.tokens]
  tokenOracle.ending(player.userId, false)
  const answer = await retryUntilAnswered(participants, end)
  if (answer === undefined) return
  tokenOracle.ending(player.userId, true)
  for (const token of tokens) tokenOracle.ended(token)
  market.trace.note(`${player.name}: sessions ended`)
}

async function lockBet(
  market: Market,
  participants: Participants,
  bet: Participants['bets'][number],
  isLocked: boolean,
): Promise<void> {
  const { wallet, userId } = bet.player
  const at = { userId, transactionId: bet.betId }
  const { standing } = market.wire(wallet)
  const set = callOnWallet(market, wallet, ({ operator }) =>
    setResultLock(operator, AUTHORS.wallet(), at, isLocked).then(toTrue),
  )
  if (!isLocked) standing.locked(bet.betId, false)
  const outcome = await retryUntilAnswered(participants, set).then(
    (answer) => (answer === undefined ? 'nobody knows' : 'done'),
    (error: Error) => error.message,
  )
  if (isLocked && outcome === 'done') standing.locked(bet.betId, true)
  market.trace.note(`${isLocked ? 'lock' : 'unlock'} ${market.names.bet(bet.betId)}: ${outcome}`)
}

async function blockPlayer(
  market: Market,
  participants: Participants,
  player: MarketPlayer,
  isBlocked: boolean,
): Promise<void> {
  const { wallet, userId, name } = player
  const { standing } = market.wire(wallet)
  const status = isBlocked ? 'blocked' : 'active'
  const set = callOnWallet(market, wallet, ({ operator }) =>
    patchPlayer(operator, AUTHORS.wallet(), userId, { status }),
  )
  standing.blocked(userId, 'maybe')
  const answer = await retryUntilAnswered(participants, set)
  if (answer !== undefined) standing.blocked(userId, isBlocked ? 'surely' : 'no')
  market.trace.note(`${name}: ${answer === undefined ? 'nobody knows whether' : 'is'} ${status}`)
}
