/** The operator and its people: accounts, sessions, money by hand, results locked, players blocked. */
import { setLock } from '../../operator/bets.ts'
import { moveCash } from '../../operator/cash.ts'
import { createPlayer, patchPlayer } from '../../operator/players.ts'
import { createSession, endAllSessions, switchCurrency } from '../../operator/sessions.ts'
import { loadFrame } from '../../platform/bets/frame-session.ts'
import { isRefused } from '../../platform/refusal.ts'
import type { Random } from '../../runtime/random.ts'
import { betCalled, type Cast, PARTNER, type Player, RECENT } from './cast.ts'
import { CURRENCIES, type CurrencyName, emptyPurse, writtenIn } from './cents.ts'
import { atGateway, atPlatform, atWallet, insist } from './insist.ts'
import type { Market } from './market.ts'
import { AUTHORS } from './parties.ts'
import { type Limits, type Scene, spanOf } from './scene.ts'

/** Of two operators the second one's players have the names of the first one's. */
export type Account = Pick<Player, 'wallet' | 'userId'>

export async function openAccount(market: Market, cast: Cast, at: Account, amount: number): Promise<Player> {
  const { wallet, userId } = at
  const currencies = currenciesOf(market.scene)
  const body = { userId, currency: 'EUR', currencies: [...currencies] }
  await insist(
    cast,
    atWallet(market, wallet, ({ operator }) => createPlayer(operator, AUTHORS.wallet(), body)),
  )
  const plain = userId.replace('-', ' ')
  const name = wallet === 'wallet' ? plain : `${plain} of the ${wallet}`
  const player: Player = {
    ...{ name, wallet, userId, knownAs: userId, tokens: [] },
    frameSessionId: undefined,
    token: undefined,
    currency: 'EUR',
    moving: emptyPurse(),
    cash: emptyPurse(),
  }
  for (const currency of currencies) await moveMoney(market, cast, player, { kind: 'deposit', euros: amount, currency })
  await openFrame(market, cast, player)
  return player
}

/** Who has begun to move money wants to know what became of it, also when the market is over. */
const TO_THE_END = { isOver: false }

/** Limits of a day (W-2). */
export async function limit(market: Market, cast: Cast, { wallet, userId }: Player, limits: Limits): Promise<void> {
  const set = atWallet(market, wallet, ({ operator }) => patchPlayer(operator, AUTHORS.wallet(), userId, { limits }))
  market.wire(wallet).standing.limited(userId)
  await insist(cast, set)
}

/** Those that its players may use. */
export function currenciesOf({ hasCurrencies = false }: Scene): readonly CurrencyName[] {
  return hasCurrencies ? CURRENCIES : ['EUR']
}

export interface Movement {
  readonly kind: 'deposit' | 'withdrawal'
  /** Whole ones, or yen. */
  readonly euros: number
  readonly currency: CurrencyName
  /** To who may have none otherwise (O-3). */
  readonly despiteExclusion?: true
}

export async function moveMoney(market: Market, cast: Cast, player: Player, movement: Movement): Promise<void> {
  const { kind, euros, currency, ...rest } = movement
  const amount = writtenIn(currency, `${euros}.00`)
  const body = { currency, amount, reference: `${kind} ${++cast.movements}`, ...rest }
  const move = atWallet(market, player.wallet, ({ operator }) =>
    moveCash(operator, AUTHORS.wallet(), player.userId, kind, body),
  )
  const change = BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
  player.moving[currency] = change
  const had = player.cash[currency]
  const { cash } = market.wire(player.wallet)
  player.cash[currency] += change // taken off again when it was refused
  cash(player.userId, change < 0n ? player.cash[currency] : had, currency)
  const isMoved = await insist(TO_THE_END, move).then(
    () => true,
    () => false,
  )
  if (!isMoved) player.cash[currency] -= change
  player.moving[currency] = 0n
  cash(player.userId, player.cash[currency], currency)
  market.trace.note(`${player.name}: ${kind} of ${euros} ${isMoved ? 'made' : 'refused'}`)
}

export async function openFrame(market: Market, cast: Cast, player: Player): Promise<void> {
  const session = await insist(
    cast,
    atWallet(market, player.wallet, ({ operator }) => createSession(operator, AUTHORS.wallet(), player.userId, {})),
  )
  if (session !== undefined) await showFrame(market, cast, player, session)
}

/** With a token that its operator has just given it. */
async function showFrame(
  market: Market,
  cast: Cast,
  player: Player,
  { token: given, currency }: Pick<Awaited<ReturnType<typeof createSession>>, 'token' | 'currency'>,
): Promise<void> {
  market.wire(player.wallet).standing.tokens.given(given, player.userId, currency)
  player.token = given
  player.tokens.push(given)
  const token = await tokenFor(market, cast, player, given)
  if (token === undefined) return
  const loaded = await insist(
    cast,
    atPlatform(market, ({ deciding }) => loadFrame(deciding, AUTHORS.platform(), PARTNER, token)),
  )
  if (loaded === undefined || isRefused(loaded)) return
  player.frameSessionId = loaded.frameSessionId
  player.currency = loaded.currency as CurrencyName
  player.knownAs = loaded.userId
}

/** What the platform is given: behind a gateway another one. */
async function tokenFor(market: Market, cast: Cast, player: Player, token: string): Promise<string | undefined> {
  if (market.scene.operators === 1) return token
  const { wallet, userId: operatorUser } = player
  const session = await insist(
    cast,
    atGateway(market, ({ exchange }) => exchange(wallet, token)),
  )
  if (session === undefined) return undefined
  const { userId } = session.player
  market.gatewayWatch.exchanged({ wallet, operatorUser, userId, token: session.token, operatorToken: token })
  return session.token
}

/** The operator's people: money in and out, sessions ended, results locked and set free. */
export async function operators(market: Market, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(4_000, 25_000) * spanOf(market.scene)
  const draw = () => ({
    does: random.pick(['deposit', 'withdrawal', 'end sessions', 'lock', 'lock', 'unlock', 'block', 'free'] as const),
    player: random.pick(cast.players).name,
    euros: random.between(1, 60),
    bet: cast.bets.length === 0 ? '' : market.names.bet(random.pick(cast.bets.slice(-RECENT)).betId),
  })
  while (!cast.isOver) {
    const deed = await market.choices.deed('operators', gap, draw)
    const player = cast.players.find(({ name }) => name === deed?.player)
    if (deed === undefined || player === undefined) continue
    const { does, euros } = deed
    if (does === 'deposit' || does === 'withdrawal')
      await moveMoney(market, cast, player, { kind: does, euros, currency: player.currency })
    else if (does === 'end sessions') await endSessions(market, cast, player)
    else if (does === 'block' || does === 'free') await block(market, cast, player, does === 'block')
    else {
      const bet = betCalled(market, cast, deed.bet)
      if (bet !== undefined && cast.shared?.has(bet.betId) !== true) await lock(market, cast, bet, does === 'lock')
    }
  }
}

/** Players switch to their other currency (P-1): all their tokens end, and they have a new one. */
export async function switchers(market: Market, cast: Cast, random: Random): Promise<void> {
  if (market.scene.hasCurrencies !== true) return
  const gap = () => random.between(5_000, 40_000) * spanOf(market.scene)
  const draw = () => ({ player: random.pick(cast.players).name })
  while (!cast.isOver) {
    const deed = await market.choices.deed('switchers', gap, draw)
    const player = cast.players.find(({ name }) => name === deed?.player)
    if (player === undefined || cast.isOver) continue
    market.trace.mark('a player switches currency')
    await switchTo(market, cast, player, player.currency === 'EUR' ? 'JPY' : 'EUR')
  }
}

async function switchTo(market: Market, cast: Cast, player: Player, currency: CurrencyName): Promise<void> {
  const { wallet, userId, name } = player
  const set = atWallet(market, wallet, ({ operator }) =>
    switchCurrency(operator, AUTHORS.wallet(), userId, { currency }),
  )
  const told = market.wire(wallet).standing.tokens
  const tokens = [...player.tokens]
  told.ending(userId, false)
  const session = await insist(cast, set)
  if (session === undefined) return
  told.ending(userId, true)
  for (const token of tokens) told.ended(token)
  market.trace.note(`${name} has switched to ${currency}`)
  market.trace.mark('a currency is switched')
  await showFrame(market, cast, player, session)
}

const done = () => true

async function endSessions(market: Market, cast: Cast, player: Player): Promise<void> {
  const end = atWallet(market, player.wallet, ({ operator }) =>
    endAllSessions(operator, AUTHORS.wallet(), player.userId).then(done),
  )
  const told = market.wire(player.wallet).standing.tokens
  const tokens = [...player.tokens]
  told.ending(player.userId, false)
  const answer = await insist(cast, end)
  if (answer === undefined) return
  told.ending(player.userId, true)
  for (const token of tokens) told.ended(token)
  market.trace.note(`${player.name}: sessions ended`)
}

async function lock(market: Market, cast: Cast, bet: Cast['bets'][number], isLocked: boolean): Promise<void> {
  const { wallet, userId } = bet.player
  const at = { userId, transactionId: bet.betId }
  const { standing } = market.wire(wallet)
  const set = atWallet(market, wallet, ({ operator }) => setLock(operator, AUTHORS.wallet(), at, isLocked).then(done))
  if (!isLocked) standing.locked(bet.betId, false)
  const what = await insist(cast, set).then(
    (answer) => (answer === undefined ? 'nobody knows' : 'done'),
    (error: Error) => error.message,
  )
  if (isLocked && what === 'done') standing.locked(bet.betId, true)
  market.trace.note(`${isLocked ? 'lock' : 'unlock'} ${market.names.bet(bet.betId)}: ${what}`)
}

async function block(market: Market, cast: Cast, player: Player, isBlocked: boolean): Promise<void> {
  const { wallet, userId, name } = player
  const { standing } = market.wire(wallet)
  const status = isBlocked ? 'blocked' : 'active'
  const set = atWallet(market, wallet, ({ operator }) => patchPlayer(operator, AUTHORS.wallet(), userId, { status }))
  standing.blocked(userId, 'maybe')
  const answer = await insist(cast, set)
  if (answer !== undefined) standing.blocked(userId, isBlocked ? 'surely' : 'no')
  market.trace.note(`${name}: ${answer === undefined ? 'nobody knows whether' : 'is'} ${status}`)
}
