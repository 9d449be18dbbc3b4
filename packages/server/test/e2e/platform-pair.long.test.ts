/**
 * Two platform processes share one database, their partner has every fault, and one process is
 * killed (C-6).
 *
 * Invariant: no delivery is lost or sent by both processes at once, and each bet keeps its order.
 * The other process takes over the work of the killed process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BothSides, bothSides } from '../support/both-sides.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  answerWith,
  type Behaviour,
  dropAfter,
  dropBefore,
  type FaultyWallet,
  falsify,
  honest,
  neverAnswer,
  overlaps,
  startFaultyWallet,
  type WireCall,
} from '../support/faulty-wallet.ts'
import { playerWithMoney } from '../support/operator.ts'
import { type PlatformProcess, spawnPlatform } from '../support/platform-process.ts'
import { seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'

const BETTORS = 12
const BETS_PER_BETTOR = 15
/** Bets that the victim places and settles directly before its death. */
const LAST_BETS = 12
/**
 * A lease of observation, with up to a second before the first scan and after the last one (C-12),
 * on a busy machine.
 */
const TAKEN_OVER_WITHIN_MS = 30_000
const QUIET_WITHIN_MS = 60_000
/** A caller that leaves a call earlier is dead, because a living one waits for 5 s (C-2). */
const GIVEN_UP_MS = 4_500
/** The limit of unanswered calls, because each costs 5 s. */
const MOST_UNANSWERED = 5
const QUICK_FAULTS: readonly Behaviour[] = [
  dropBefore,
  dropAfter,
  answerWith(500),
  answerWith(429),
  falsify(() => ({ status: 503, body: '' })),
  falsify(({ body }) => ({ status: 200, body: body.slice(1) })),
]

const random = seededRandom('platform pair')
let database: TestDatabase
let wallet: WalletProcess
let network: FaultyWallet
let platforms: [PlatformProcess, PlatformProcess]
let both: BothSides
let frame: string

beforeAll(async () => {
  database = await createDatabase()
  wallet = await spawnWallet({ databaseUrl: database.url })
  network = await startFaultyWallet(wallet.url)
  both = await bothSides(database.url)
  platforms = [await spawnPlatform(database.url), await spawnPlatform(database.url)]
  await platforms[0].api.savePartner({ url: network.url, secret: wallet.secret }, 'ours')
  const { token } = await playerWithMoney(wallet.operator, '1000000.00')
  frame = await platforms[0].api.loadFrame('ours', token)
})

afterAll(async () => {
  await Promise.all((platforms ?? []).map((platform) => platform.kill('SIGKILL')))
  await network?.close()
  await wallet?.kill('SIGKILL')
  await both?.close()
  await database?.drop()
})

const slow: Behaviour = async (exchange) => {
  const reply = await exchange.forward()
  await sleep(random.below(300))
  exchange.answer(reply)
}

let unanswered = 0
function anyFault(): Behaviour {
  if (unanswered >= MOST_UNANSWERED || random.chance(0.8))
    return QUICK_FAULTS[random.below(QUICK_FAULTS.length)] as Behaviour
  unanswered++
  return neverAnswer
}

const faulty = () => (random.chance(0.15) ? anyFault() : random.chance(0.2) ? slow : honest)

/**
 * Any living process gets each decision. A decision that a dead process did not complete is not
 * repeated.
 */
async function bettor(living: () => PlatformProcess): Promise<void> {
  for (let bet = 0; bet < BETS_PER_BETTOR; bet++) {
    try {
      const { betId, status } = await living().api.place(frame)
      if (status !== 'accepted') continue
      if (random.chance(0.2)) {
        await living().api.cancel(betId, 9)
        continue
      }
      await living().api.settle(betId, 'won', '25.00')
      if (random.chance(0.7)) await living().api.unsettle(betId)
      if (random.chance(0.7)) await living().api.settle(betId, 'lost', '0')
      if (random.chance(0.3)) await living().api.settle(betId, 'refund', '10.00')
    } catch {} // the process has died
  }
}

/**
 * Kills the process while its calls are in flight. The other process is frozen meanwhile, because
 * it would send some or all of these deliveries.
 */
async function killInTheMiddle(other: PlatformProcess, victim: PlatformProcess, before: () => void): Promise<number> {
  network.behave = () => honest
  const bets = await Promise.all(Array.from({ length: LAST_BETS }, () => victim.api.place(frame)))
  const accepted = bets.filter(({ status }) => status === 'accepted')
  network.behave = () => async (exchange) => {
    await exchange.forward()
    await exchange.untilLeft()
  }
  process.kill(other.pid, 'SIGSTOP')
  try {
    await Promise.all(accepted.map(({ betId }) => victim.api.settle(betId, 'won', '25.00')))
    const isOnItsWay = (betId: string) =>
      network.calls.some((call) => call.betId === betId && call.operation === 'settle' && call.end === undefined)
    await expect.poll(() => accepted.some(({ betId }) => isOnItsWay(betId)), { interval: 5 }).toBe(true)
    before()
    const killedAt = performance.now()
    await victim.kill('SIGKILL')
    return killedAt
  } finally {
    process.kill(other.pid, 'SIGCONT')
  }
}

/** Deliveries whose sender died, with the calls that followed for them. */
function takenOver(killedAt: number): { call: WireCall; next: WireCall | undefined }[] {
  const orphans = network.calls.filter(
    ({ operation, startedAt, endedAt = 0, end }) =>
      operation !== 'place' &&
      startedAt < killedAt &&
      end === 'left' &&
      endedAt > killedAt &&
      endedAt - startedAt < GIVEN_UP_MS,
  )
  return orphans.map((call) => ({
    call,
    next: network.calls.find(({ requestId, startedAt }) => requestId === call.requestId && startedAt > call.startedAt),
  }))
}

/** Calls of a bet that were sent after a call of a later delivery. */
async function sentOutOfOrder(): Promise<string[]> {
  const rows = await both.query<{ request_id: string; number: number }>(
    'select request_id, number from platform.delivery',
  )
  const numbers = new Map(rows.map(({ request_id, number }) => [request_id, number]))
  const latest = new Map<string, number>()
  return network.calls.flatMap(({ betId, requestId, operation }) => {
    const number = numbers.get(requestId) ?? 0
    const before = latest.get(betId) ?? 0
    latest.set(betId, Math.max(number, before))
    return number < before ? [`${operation} ${number} of ${betId} after ${before}`] : []
  })
}

test('two platform processes under faults, one of them killed, send nothing twice at once, lose nothing and keep the order', {
  timeout: 300_000,
}, async () => {
  network.behave = faulty
  let alive: number = platforms.length
  const living = () => platforms[random.below(alive)] as PlatformProcess
  const bettors = Array.from({ length: BETTORS }, () => bettor(living))
  await sleep(1_500)
  const killedAt = await killInTheMiddle(platforms[0], platforms[1], () => {
    alive = 1
  })
  network.behave = faulty
  await Promise.all(bettors)
  await both.quiet(QUIET_WITHIN_MS)

  const orphans = takenOver(killedAt)
  const waits = orphans.map(({ next }) => Math.round((next?.startedAt ?? Number.POSITIVE_INFINITY) - killedAt))
  console.log(`calls ${network.calls.length}, taken over after ${waits.toSorted((a, b) => a - b).join(', ')} ms`)
  expect(orphans.length).toBeGreaterThan(0)
  expect(Math.max(...waits)).toBeLessThan(TAKEN_OVER_WITHIN_MS)
  expect(overlaps(network.calls)).toEqual([])
  expect(await sentOutOfOrder()).toEqual([])
  expect(await both.outOfOrder()).toEqual([])
  expect(await both.disagreements()).toEqual([])
  expect(await both.query("select * from platform.delivery where status in ('stuck', 'refused')")).toEqual([])
  await wallet.auditIsClean()
  const attempts = await both.query('select delivery_id from platform.attempt where outcome = $1', ['unknown'])
  expect(attempts.length).toBeGreaterThan(10)
})
