/** The operator and its people: accounts, sessions, money by hand, results locked, players blocked. */
import { setLock } from '../../operator/bets.ts'
import { moveCash } from '../../operator/cash.ts'
import { createPlayer, patchPlayer } from '../../operator/players.ts'
import { createSession, endAllSessions } from '../../operator/sessions.ts'
import { loadFrame } from '../../platform/bets/frame-session.ts'
import type { Random } from '../../runtime/random.ts'
import { betCalled, type Cast, PARTNER, type Player, RECENT } from './cast.ts'
import { atPlatform, atWallet, insist } from './insist.ts'
import type { Market } from './market.ts'
import { AUTHORS } from './parties.ts'
import type { Limits } from './scene.ts'

export async function openAccount(market: Market, cast: Cast, userId: string, amount: number): Promise<Player> {
  const body = { userId, currency: 'EUR', currencies: ['EUR'] }
  await insist(
    cast,
    atWallet(market, ({ operator }) => createPlayer(operator, AUTHORS.wallet(), body)),
  )
  const player: Player = { userId, tokens: [], frameSessionId: undefined, token: undefined, isMoving: false, cash: 0n }
  await moveMoney(market, cast, player, 'deposit', amount)
  await openFrame(market, cast, player)
  return player
}

/** Who has begun to move money wants to know what became of it, also when the market is over. */
const TO_THE_END = { isOver: false }

/** Limits of a day (W-2). */
export async function limit(market: Market, cast: Cast, userId: string, limits: Limits): Promise<void> {
  const set = atWallet(market, ({ operator }) => patchPlayer(operator, AUTHORS.wallet(), userId, { limits }))
  market.wire.standing.limited(userId)
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
  const move = atWallet(market, ({ operator }) => moveCash(operator, AUTHORS.wallet(), player.userId, kind, body))
  const change = BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
  player.isMoving = true
  player.cash += change // taken off again when it was refused
  const isMoved = await insist(TO_THE_END, move).then(
    () => true,
    () => false,
  )
  if (!isMoved) player.cash -= change
  player.isMoving = false
  market.trace.note(`${player.userId}: ${kind} of ${euros} ${isMoved ? 'made' : 'refused'}`)
}

export async function openFrame(market: Market, cast: Cast, player: Player): Promise<void> {
  const session = await insist(
    cast,
    atWallet(market, ({ operator }) => createSession(operator, AUTHORS.wallet(), player.userId, {})),
  )
  if (session === undefined) return
  player.token = session.token
  player.tokens.push(session.token)
  const loaded = await insist(
    cast,
    atPlatform(market, ({ deciding }) => loadFrame(deciding, AUTHORS.platform(), PARTNER, session.token)),
  )
  if (loaded?.kind === 'loaded') player.frameSessionId = loaded.session.frameSessionId
}

/** The operator's people: money in and out, sessions ended, results locked and set free. */
export async function operators(market: Market, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(4_000, 25_000)
  const draw = () => ({
    does: random.pick(['deposit', 'withdrawal', 'end sessions', 'lock', 'lock', 'unlock', 'block', 'free'] as const),
    player: random.pick(cast.players).userId,
    euros: random.between(1, 60),
    bet: cast.bets.length === 0 ? '' : market.names.bet(random.pick(cast.bets.slice(-RECENT)).betId),
  })
  while (!cast.isOver) {
    const deed = await market.choices.deed('operators', gap, draw)
    const player = cast.players.find(({ userId }) => userId === deed?.player)
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
  const end = atWallet(market, ({ operator }) => endAllSessions(operator, AUTHORS.wallet(), player.userId).then(done))
  const [tokens, answer] = [[...player.tokens], await insist(cast, end)]
  if (answer === undefined) return
  for (const token of tokens) market.wire.standing.tokenEnded(token)
  market.trace.note(`${player.userId}: sessions ended`)
}

async function lock(market: Market, cast: Cast, bet: Cast['bets'][number], isLocked: boolean): Promise<void> {
  const at = { userId: bet.player.userId, transactionId: bet.betId }
  const set = atWallet(market, ({ operator }) => setLock(operator, AUTHORS.wallet(), at, isLocked).then(done))
  if (!isLocked) market.wire.standing.locked(bet.betId, false)
  const what = await insist(cast, set).then(
    (answer) => (answer === undefined ? 'nobody knows' : 'done'),
    (error: Error) => error.message,
  )
  if (isLocked && what === 'done') market.wire.standing.locked(bet.betId, true)
  market.trace.note(`${isLocked ? 'lock' : 'unlock'} ${market.names.bet(bet.betId)}: ${what}`)
}

async function block(market: Market, cast: Cast, { userId }: Player, isBlocked: boolean): Promise<void> {
  const status = isBlocked ? 'blocked' : 'active'
  const set = atWallet(market, ({ operator }) => patchPlayer(operator, AUTHORS.wallet(), userId, { status }))
  market.wire.standing.blocked(userId, 'maybe')
  const answer = await insist(cast, set)
  if (answer !== undefined) market.wire.standing.blocked(userId, isBlocked ? 'surely' : 'no')
  market.trace.note(`${userId}: ${answer === undefined ? 'nobody knows whether' : 'is'} ${status}`)
}
