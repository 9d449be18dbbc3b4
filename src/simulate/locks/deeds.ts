/** What is asked of the two wallets in a run: calls about few bets of few players, the same ones at both, money moved by hand, and a person at the database. */
import pg from 'pg'
import { Problem } from '../../http/problem.ts'
import { moveCash } from '../../operator/cash.ts'
import { ROLLBACK_REASON } from '../../protocol/codes.ts'
import { sign } from '../../protocol/signature.ts'
import { pause } from '../../runtime/pause.ts'
import { world } from '../../runtime/world.ts'
import type { Answer, Request } from '../market/network.ts'
import { AUTHORS } from '../market/parties.ts'
import { codeIn, isSystemError } from '../market/said.ts'
import { SECRET } from '../market/store.ts'
import type { Player, Scene } from './scene.ts'

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

export function newTable({ players, random }: Scene): Table {
  const bets = players.flatMap((player) =>
    Array.from({ length: BETS_EACH }, () => ({
      ...{ betId: world.uuid(), player, stake: random.between(5, 35) },
      sent: [],
    })),
  )
  return { bets, underWay: 0, owed: [], movements: 0 }
}

/** Another thing that somebody asks for. */
export function doSomething(scene: Scene, table: Table): void {
  const { random } = scene
  const wallet = random.below(scene.wallets.length)
  const drawn = random.below(100)
  if (drawn < 10) moveMoney(scene, table, wallet)
  else if (drawn < 20) void atDatabase(scene, table)
  else if (drawn < 32) askForEverybody(scene, table)
  else callAbout(scene, table, wallet, random.pick(table.bets))
}

/** A call of each player at both wallets, so that batches of several players meet. */
function askForEverybody(scene: Scene, table: Table): void {
  const { random, wallets, players } = scene
  for (const wallet of wallets.keys())
    for (const player of players)
      callAbout(scene, table, wallet, random.pick(table.bets.filter((bet) => bet.player === player)))
}

function callAbout(scene: Scene, table: Table, wallet: number, bet: Bet): void {
  const { random } = scene
  const before = bet.sent.length > 0 && random.chance(0.3) ? random.pick(bet.sent) : undefined
  const sent = before ?? newCall(scene, bet)
  call(scene, table, wallet, sent)
  if (random.chance(0.25)) call(scene, table, random.below(scene.wallets.length), sent)
}

/** The first call about a bet is a Place bet most often. */
function newCall({ random }: Scene, bet: Bet): Sent {
  const drawn = random.below(100)
  const isFirst = bet.sent.length === 0
  const sent = { request: isFirst && drawn < 85 ? place(bet, 0) : drawCall() }
  bet.sent.push(sent)
  return sent

  function drawCall(): Request {
    if (drawn < 15) return place(bet, random.below(2))
    if (drawn < 65) return settle(bet, random.pick([0, 0, 12, 40]))
    if (drawn < 78) return requestOf('PUT', { ...commonOf(bet), type: 1, amount: bet.stake })
    return requestOf('PUT', {
      ...commonOf(bet),
      type: 3,
      token: bet.player.token,
      amount: bet.stake,
      errorCode: ROLLBACK_REASON.closingFailed,
    })
  }
}

function place(bet: Bet, more: number): Request {
  const { player, stake } = bet
  return requestOf('POST', { ...commonOf(bet), type: 1, token: player.token, amount: stake + more })
}

function settle(bet: Bet, amount: number): Request {
  return requestOf('PUT', { ...commonOf(bet), type: 2, amount, resultType: amount === 0 ? 'lost' : 'won' })
}

function commonOf({ betId, player: { userId } }: Bet) {
  return { requestId: world.uuid(), transactionId: betId, userId, currency: 'EUR', coefficient: 2 }
}

function requestOf(method: string, members: object): Request {
  const body = Buffer.from(JSON.stringify(members))
  const headers = { host: 'wallet.example', 'x-sign-jws': sign(body, SECRET), 'content-length': `${body.length}` }
  return { method, path: '/payment/bet', headers, body }
}

export function call(scene: Scene, table: Table, wallet: number, sent: Sent): void {
  const { wire, names, trace } = scene
  const told = wire.arrives(sent.request)
  const name = `${names.describe(sent.request)} at wallet ${wallet + 1}`
  trace.note(name)
  table.underWay += 1
  scene.wallets[wallet]?.host(sent.request, (answer) => {
    table.underWay -= 1
    sent.answer = answer
    trace.note(`${name} is answered ${[answer.status, codeIn(answer)].filter(Boolean).join('/')}`)
    told(answer)
  })
}

/** Yes or no. */
export function isClear({ answer }: Sent): boolean {
  return answer !== undefined && (answer.status === 200 || (answer.status === 400 && !isSystemError(answer)))
}

/** Both wallets are asked for the same movement, which is made once (O-2). */
function moveMoney(scene: Scene, table: Table, wallet: number): void {
  const { random, trace } = scene
  const player = random.pick(scene.players)
  const kind = random.pick(['deposit', 'withdrawal'] as const)
  const euros = random.between(1, 20)
  const reference = `movement ${++table.movements}`
  const body = { currency: 'EUR', amount: `${euros}.00`, reference }
  let isOver = false
  const ask = async (at: number) => {
    const operator = scene.wallets[at]?.operator
    if (operator === undefined || isOver) return
    const outcome = await moveCash(operator, AUTHORS.wallet(), player.userId, kind, body).then(
      () => 'made' as const,
      (error: unknown) => (error instanceof Problem ? ('refused' as const) : ('unclear' as const)),
    )
    trace.note(`${reference}, a ${kind} of ${euros} of ${player.userId}, is ${outcome}`)
    if (outcome === 'made' && !isOver) {
      player.cash += BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
      isOver = true
    }
    if (outcome === 'unclear') table.owed.push(() => ask(0))
  }
  const both = random.chance(0.4) ? [0, 1] : [wallet]
  for (const at of both) {
    table.underWay += 1
    void ask(at).finally(() => {
      table.underWay -= 1
    })
  }
}

/** Milliseconds that a person looks at what is there. */
const LOOKS_MS = 400
/** Milliseconds that a person waits for an answer. */
const PATIENCE_MS = 8_000

/** Somebody locks two players, in any order, and looks for a time at what is there; just then everybody wants something of the wallets. */
async function atDatabase(scene: Scene, table: Table): Promise<void> {
  const { random, players, proxy, url, trace } = scene
  const stream = () => proxy.newLine('a person')
  const client = new pg.Client({ connectionString: url, query_timeout: PATIENCE_MS, stream } as pg.ClientConfig)
  client.on('error', () => {})
  const first = random.pick(players)
  const second = random.pick(players.filter((one) => one !== first))
  trace.note(`a person locks ${first.userId} and ${second.userId}`)
  try {
    await client.connect()
    await client.query('begin')
    for (const { userId } of [first, second]) {
      await client.query(`select 1 from purser.player where player = '${userId}' for update`)
      if (userId === first.userId && random.chance(0.5)) askForEverybody(scene, table)
      await pause(random.below(LOOKS_MS))
    }
    await client.query('commit')
  } catch {
    // Whatever it was: the person goes.
  }
  await client.end().catch(() => {})
}
