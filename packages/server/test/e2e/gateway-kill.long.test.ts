/**
 * Two gateway processes on one database are killed in turn under load. In a second test, the
 * address of one operator stops responding.
 *
 * Invariant: no operator loses anything, and the other operators are not affected.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { differences, newGatewayPlayer, startOperator, type TestOperator } from '../support/gateway-operators.ts'
import { type GatewayFleet, startGatewayFleet } from '../support/gateway-process.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { seededRandom } from '../support/random.ts'

const PARTNER = 'the-gateway'
const BETTORS = 8
/** The minimum. */
const KILLS = 4
/** Milliseconds between kills, and of load without a kill. */
const BETWEEN_KILLS_MS = 500
const QUIET_WITHIN_MS = 60_000
const TIMEOUT = { timeout: 300_000 }

const random = seededRandom('gateway kill')
let database: TestDatabase
let fleet: GatewayFleet
let platform: TestPlatform
let operators: TestOperator[]

beforeAll(async () => {
  database = await createDatabase()
  fleet = await startGatewayFleet(database.url, 2)
  const [one, two] = fleet.gateways
  operators = [
    await startOperator('one', one!.api),
    await startOperator('two', two!.api),
    await startOperator('dying', one!.api),
  ]
  platform = await startPlatform()
  await platform.api.savePartner(fleet, PARTNER)
})

afterAll(async () => {
  await platform?.stop()
  await fleet?.stop()
  for (const operator of operators ?? []) await operator.stop()
  await database?.drop()
})

/** One process made the player's session; calls go through both. */
async function newFrame(operator: TestOperator, number = 0): Promise<string> {
  const api = fleet.gateways[number % 2]!.api
  return platform.api.loadFrame(PARTNER, (await newGatewayPlayer(operator, api)).token)
}

/** Places bets and decides them until `isOver`, with any outcome. */
async function bettor(frame: string, statuses: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { betId, status } = await platform.api.place(frame)
    statuses.push(status)
    if (status !== 'accepted') continue
    if (random.chance(0.2)) await platform.api.cancel(betId, 9)
    else await platform.api.settle(betId, 'won', '25.00')
    // fails for a cancelled bet
    if (random.chance(0.2)) await platform.api.unsettle(betId).catch(() => {})
  }
}

async function expectAgreement(): Promise<number> {
  const deadline = performance.now() + QUIET_WITHIN_MS
  while ((await platform.api.deliveries('?status=pending,waiting')).length > 0) {
    if (performance.now() > deadline) throw new Error('deliveries are still on their way')
    await sleep(100)
  }
  expect(await platform.api.deliveries('?status=stuck,refused')).toEqual([])
  let compared = 0
  for (const operator of operators) {
    const { found, bets, inFlight } = await differences(platform.databaseUrl, PARTNER, operator)
    expect({ found, inFlight }).toEqual({ found: [], inFlight: 0 })
    await operator.wallet.auditIsClean()
    compared += bets
  }
  return compared
}

test('two gateway processes that are killed in turn under load lose nothing', TIMEOUT, async () => {
  const frames = await Promise.all(Array.from({ length: BETTORS }, (_, i) => newFrame(operators[i % 2]!, i)))
  let over = false
  const statuses: string[] = []
  const countOf = (wanted: string) => statuses.filter((status) => status === wanted).length
  const load = Promise.all(frames.map((frame) => bettor(frame, statuses, () => over)))
  // At least until a kill has interrupted a Place bet.
  for (let kill = 0; kill < KILLS || countOf('cancelled') === 0 || countOf('accepted') < BETTORS * KILLS; kill++) {
    await sleep(BETWEEN_KILLS_MS + random.below(BETWEEN_KILLS_MS))
    await fleet.killAndRestart(kill % 2)
  }
  await sleep(BETWEEN_KILLS_MS)
  over = true
  await load
  expect(await expectAgreement()).toBe(statuses.length)
  for (const { output } of fleet.gateways) expect(output()).not.toMatch(/"level":50/)
})

test('an operator that stops responding loses nothing, and the other operators are not affected', TIMEOUT, async () => {
  const [alive, , dying] = operators as [TestOperator, TestOperator, TestOperator]
  const frames = { dying: await newFrame(dying), alive: await newFrame(alive) }
  const bets = await Promise.all(Array.from({ length: 4 }, () => platform.api.place(frames.dying)))
  const addresses = { url: dying.network.url, secret: dying.wallet.secret }
  for (const { api } of fleet.gateways) await api.saveOperator('dying', { ...addresses, url: 'http://127.0.0.1:9' })
  for (const { betId } of bets.slice(0, 2)) await platform.api.settle(betId, 'won', '25.00')
  for (const { betId } of bets.slice(2)) await platform.api.cancel(betId, 8)
  const lost = await Promise.all(Array.from({ length: 2 }, () => platform.api.place(frames.dying)))
  expect(lost.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])

  const until = performance.now() + 1_500
  while (performance.now() < until) {
    // in less than 5 s (C-2)
    expect((await platform.api.place(frames.alive)).status).toBe('accepted')
  }
  for (const { api } of fleet.gateways) await api.saveOperator('dying', addresses)
  await expectAgreement()
  const states = await Promise.all(bets.map(async ({ betId }) => (await platform.api.bet(betId)).status))
  expect(states).toEqual(['settled', 'settled', 'cancelled', 'cancelled'])
})
