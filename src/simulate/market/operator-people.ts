/** The operator and its people: accounts, sessions, money by hand, results locked, players blocked. */
import { setLock } from '../../operator/bets.ts'
import { moveCash } from '../../operator/cash.ts'
import { createPlayer, patchPlayer } from '../../operator/players.ts'
import { createSession, endAllSessions } from '../../operator/sessions.ts'
import { loadFrame } from '../../platform/bets/frame-session.ts'
import { isRefused } from '../../platform/refusal.ts'
import type { Random } from '../../runtime/random.ts'
import { betCalled, type Cast, PARTNER, type Player, RECENT } from './cast.ts'
import { atGateway, atPlatform, atWallet, insist } from './insist.ts'
import type { Market } from './market.ts'
import { AUTHORS } from './parties.ts'
import { type Limits, spanOf } from './scene.ts'

/** Of two operators the second one's players have the names of the first one's. */
export type Account = Pick<Player, 'wallet' | 'userId'>

export async function openAccount(market: Market, cast: Cast, at: Account, amount: number): Promise<Player> {
  const { wallet, userId } = at
  const body = { userId, currency: 'EUR', currencies: ['EUR'] }
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
    moving: 0n,
    cash: 0n,
  }
  await moveMoney(market, cast, player, 'deposit', amount)
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

/** Whole euros. */
async function moveMoney(
  market: Market,
  cast: Cast,
  player: Player,
  kind: 'deposit' | 'withdrawal',
  euros: number,
): Promise<void> {
  const body = { currency: 'EUR', amount: `${euros}.00`, reference: `${kind} ${++cast.movements}` }
  const move = atWallet(market, player.wallet, ({ operator }) =>
    moveCash(operator, AUTHORS.wallet(), player.userId, kind, body),
  )
  const change = BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
  player.moving = change
  const had = player.cash
  const { cash } = market.wire(player.wallet)
  player.cash += change // taken off again when it was refused
  cash(player.userId, change < 0n ? player.cash : had)
  const isMoved = await insist(TO_THE_END, move).then(
    () => true,
    () => false,
  )
  if (!isMoved) player.cash -= change
  player.moving = 0n
  cash(player.userId, player.cash)
  market.trace.note(`${player.name}: ${kind} of ${euros} ${isMoved ? 'made' : 'refused'}`)
}

export async function openFrame(market: Market, cast: Cast, player: Player): Promise<void> {
  const session = await insist(
    cast,
    atWallet(market, player.wallet, ({ operator }) => createSession(operator, AUTHORS.wallet(), player.userId, {})),
  )
  if (session === undefined) return
  market.wire(player.wallet).standing.tokens.given(session.token, player.userId)
  player.token = session.token
  player.tokens.push(session.token)
  const token = await tokenFor(market, cast, player, session.token)
  if (token === undefined) return
  const loaded = await insist(
    cast,
    atPlatform(market, ({ deciding }) => loadFrame(deciding, AUTHORS.platform(), PARTNER, token)),
  )
  if (loaded === undefined || isRefused(loaded)) return
  player.frameSessionId = loaded.frameSessionId
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
    if (does === 'deposit' || does === 'withdrawal') await moveMoney(market, cast, player, does, euros)
    else if (does === 'end sessions') await endSessions(market, cast, player)
    else if (does === 'block' || does === 'free') await block(market, cast, player, does === 'block')
    else {
      const bet = betCalled(market, cast, deed.bet)
      if (bet !== undefined) await lock(market, cast, bet, does === 'lock')
    }
  }
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
