/**
 * What is asked of the two wallets in a run, besides what the platform asks of them: calls about few bets of few players, the same ones at both,
 * money moved by hand, and a person at the database. Each deed is a choice, with all that is drawn for it.
 */
import { ROLLBACK_REASON } from '../../protocol/codes.ts'
import { sign } from '../../protocol/signature.ts'
import { inTime } from '../../runtime/in-time.ts'
import { pause } from '../../runtime/pause.ts'
import type { Random } from '../../runtime/random.ts'
import { world } from '../../runtime/world.ts'
import type { Player } from '../market/cast.ts'
import type { Answer, Request } from '../market/network.ts'
import { codeIn, isSystemError } from '../market/said.ts'
import { SECRET } from '../market/store.ts'
import { atDatabase, type Looking } from './person.ts'
import type { Scene } from './scene.ts'
import type { Moved } from './words.ts'

interface Bet {
  readonly betId: string
  readonly player: Player
  readonly stake: number
  /** Calls about it that were sent. */
  readonly sent: Sent[]
}

export interface Sent {
  readonly request: Request
  /** The last answer that it got; undefined while there is none. */
  answer?: Answer | undefined
}

export interface Table {
  readonly bets: readonly Bet[]
  /** Calls and movements that are not over. */
  underWay: number
  /** Movements of money, to be repeated until they are answered. */
  readonly owed: (() => Promise<void>)[]
  movements: number
}

const BETS_EACH = 2

export function newTable({ cast, random }: Scene): Table {
  const draws = random('the bets')
  const bets = cast.players.flatMap((player) =>
    Array.from({ length: BETS_EACH }, () => ({
      ...{ betId: world.uuid(), player, stake: draws.between(5, 35) },
      sent: [],
    })),
  )
  return { bets, underWay: 0, owed: [], movements: 0 }
}

type What = 'place' | 'settle' | 'unsettle' | 'rollback' | 'again'

/** At a wallet, 0 or 1, about a bet. `more`: of a stake; `payout`: of a settle; `sent`: which call comes again. */
interface Call {
  readonly at: number
  readonly bet: number
  readonly what: What
  readonly more?: number
  readonly payout?: number
  readonly sent?: number
}

type Doing =
  | { readonly does: 'call'; readonly calls: readonly Call[] }
  | {
      readonly does: 'move'
      readonly kind: 'deposit' | 'withdrawal'
      readonly player: number
      readonly euros: number
      readonly at: readonly number[]
    }
  | ({ readonly does: 'lock'; readonly calls: readonly Call[] } & Looking)
  /** Nobody asks for more until all is over: what was not answered till then has taken effect, or never will. */
  | { readonly does: 'rest' }

/** As choices are kept. */
type Deed = Doing & Readonly<Record<string, unknown>>

/** Things that are asked for in a run. */
const DEEDS = 35
const REST_EVERY = 7
/** Calls under way at most. */
const ABREAST = 7
/** Milliseconds that somebody waits until all is over. */
const REST_MS = 4_000
/** Milliseconds between two looks whether it is. */
const LOOK_MS = 20

/** `isQuiet`: nothing is under way at the wallets. */
export async function callers(scene: Scene, table: Table, isQuiet: () => boolean): Promise<void> {
  const random = scene.random('callers')
  const gap = () => (random.chance(0.4) ? 0 : random.between(1, 60))
  let drawn = 0
  const draw = (): Deed => {
    drawn += 1
    return drawn % REST_EVERY === 0 ? { does: 'rest' } : drawDeed(random, table)
  }
  for (let deeds = 0; deeds < DEEDS && !scene.cast.isOver; deeds++) {
    while (table.underWay >= ABREAST) await pause(LOOK_MS)
    const deed = await scene.choices.deed<Deed>('callers', gap, draw)
    if (deed === undefined) return
    if (deed.does === 'rest') await rest(scene, isQuiet)
    else if (!scene.cast.isOver) doIt(scene, table, deed)
  }
}

async function rest({ wire }: Scene, isQuiet: () => boolean): Promise<void> {
  const until = world.elapsed() + REST_MS
  while (!isQuiet() && world.elapsed() < until) await pause(LOOK_MS)
  if (isQuiet()) wire.died()
}

function drawDeed(random: Random, table: Table): Deed {
  const drawn = random.below(100)
  const players = table.bets.length / BETS_EACH
  const at = random.below(2)
  if (drawn < 10) {
    const [kind, player, euros] = [
      random.pick(['deposit', 'withdrawal'] as const),
      random.below(players),
      random.between(1, 20),
    ]
    return { does: 'move', kind, player, euros, at: random.chance(0.4) ? [0, 1] : [at] }
  }
  if (drawn < 20) {
    const first = random.below(players)
    const second = (first + random.between(1, players - 1)) % players
    const looks = [random.below(400), random.below(400)]
    return {
      does: 'lock',
      players: [first, second],
      looks,
      calls: random.chance(0.5) ? ofEverybody(random, table) : [],
    }
  }
  if (drawn < 32) return { does: 'call', calls: ofEverybody(random, table) }
  return { does: 'call', calls: drawCalls(random, table, at, random.below(table.bets.length)) }
}

/** A call of each player at both wallets, so that batches of several players meet. */
function ofEverybody(random: Random, table: Table): Call[] {
  const players = table.bets.length / BETS_EACH
  return [0, 1].flatMap((at) =>
    Array.from({ length: players }, (_, player) =>
      drawCalls(random, table, at, player * BETS_EACH + random.below(BETS_EACH)),
    ).flat(),
  )
}

/** One, and now and then the same bytes again at either wallet. */
function drawCalls(random: Random, table: Table, at: number, bet: number): Call[] {
  const sent = table.bets[bet]?.sent.length ?? 0
  const isAgain = sent > 0 && random.chance(0.3)
  const first: Call = isAgain
    ? { at, bet, what: 'again', sent: random.below(sent) }
    : { at, bet, ...drawWhat(random, sent === 0) }
  const again: Call = { at: random.below(2), bet, what: 'again', sent: first.sent ?? sent }
  return random.chance(0.25) ? [first, again] : [first]
}

/** The first call about a bet is a Place bet most often. */
function drawWhat(random: Random, isFirst: boolean): Pick<Call, 'what' | 'more' | 'payout'> {
  const drawn = random.below(100)
  if (isFirst && drawn < 85) return { what: 'place', more: 0 }
  if (drawn < 15) return { what: 'place', more: random.below(2) }
  if (drawn < 65) return { what: 'settle', payout: random.pick([0, 0, 12, 40]) }
  return { what: drawn < 78 ? 'unsettle' : 'rollback' }
}

function doIt(scene: Scene, table: Table, deed: Exclude<Doing, { does: 'rest' }>): void {
  if (deed.does === 'call') callAll(scene, table, deed.calls)
  else if (deed.does === 'move') moveMoney(scene, table, deed)
  else void atDatabase(scene, deed, () => callAll(scene, table, deed.calls))
}

function callAll(scene: Scene, table: Table, calls: readonly Call[]): void {
  for (const one of calls) {
    const bet = table.bets[one.bet]
    const sent = bet && sentBy(bet, one)
    if (sent !== undefined) call(scene, table, one.at, sent)
  }
}

/** Undefined: it was not sent, in a run from which choices were taken out. */
function sentBy(bet: Bet, { what, more = 0, payout = 0, sent }: Call): Sent | undefined {
  if (what === 'again') return bet.sent[sent ?? 0]
  const made = { request: requestFor(bet, what, more, payout) }
  bet.sent.push(made)
  return made
}

function requestFor(
  { betId, player, stake }: Bet,
  what: Exclude<What, 'again'>,
  more: number,
  payout: number,
): Request {
  const { userId, token } = player
  const common = { requestId: world.uuid(), transactionId: betId, userId, currency: 'EUR', coefficient: 2 }
  switch (what) {
    case 'place':
      return requestOf('POST', { ...common, type: 1, token, amount: stake + more })
    case 'settle':
      return requestOf('PUT', { ...common, type: 2, amount: payout, resultType: payout === 0 ? 'lost' : 'won' })
    case 'unsettle':
      return requestOf('PUT', { ...common, type: 1, amount: stake })
    default:
      return requestOf('PUT', { ...common, type: 3, token, amount: stake, errorCode: ROLLBACK_REASON.closingFailed })
  }
}

function requestOf(method: string, members: object): Request {
  const body = Buffer.from(JSON.stringify(members))
  const headers = { host: 'wallet.example', 'x-sign-jws': sign(body, SECRET), 'content-length': `${body.length}` }
  return { method, path: '/payment/bet', headers, body }
}

/** Milliseconds after which nobody waits for an answer any more: a process may have died. */
const PATIENCE_MS = 8_000

export function call(scene: Scene, table: Table, at: number, sent: Sent): void {
  const { wire, names, trace } = scene
  const name = `${names.describe(sent.request)} at wallet ${at + 1}`
  let isOver = false
  const over = () => {
    if (!isOver) table.underWay -= 1
    isOver = true
  }
  trace.note(name)
  const told = wire.arrives(sent.request)
  const isThere = scene.callWallet(at, sent.request, (answer) => {
    cancel()
    over()
    sent.answer = answer
    trace.note(`${name} is answered ${[answer.status, codeIn(answer)].filter(Boolean).join('/')}`)
    told(answer)
  })
  if (!isThere) return
  table.underWay += 1
  const cancel = world.after(PATIENCE_MS, over)
}

/** Yes or no. */
export function isClear({ answer }: Sent): boolean {
  return answer !== undefined && (answer.status === 200 || (answer.status === 400 && !isSystemError(answer)))
}

/** Both wallets are asked for the same movement, which is made once (O-2). */
function moveMoney(scene: Scene, table: Table, { kind, player: number, euros, at }: Doing & { does: 'move' }): void {
  const player = scene.cast.players[number]
  if (player === undefined) return
  const reference = `movement ${++table.movements}`
  const movement = { userId: player.userId, kind, euros, reference }
  let isOver = false
  const ask = async (wallet: number) => {
    if (isOver) return
    const moved = scene.wallet(wallet)?.move(movement) ?? Promise.resolve<Moved>('unclear')
    const outcome = await inTime<Moved>(moved, PATIENCE_MS, () => 'unclear').catch((): Moved => 'unclear')
    scene.trace.note(`${reference}, a ${kind} of ${euros} of ${player.userId}, is ${outcome}`)
    if (outcome === 'made' && !isOver) {
      player.cash.EUR += BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
      isOver = true
    }
    if (outcome === 'unclear') table.owed.push(() => ask(0))
  }
  for (const wallet of at) {
    table.underWay += 1
    void ask(wallet).finally(() => {
      table.underWay -= 1
    })
  }
}
