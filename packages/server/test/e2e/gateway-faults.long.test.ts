/**
 * A platform, a gateway and two operators meet every fault on every connection, for every operation
 * of a bet.
 *
 * Invariant: at the end the platform and each operator agree about every bet and all money.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  arriveLate,
  type Behaviour,
  type BetOperation,
  dropAfter,
  dropBefore,
  type FaultyWallet,
  honest,
  neverAnswer,
  startFaultyWallet,
} from '../support/faulty-wallet.ts'
import { type GatewaySession, startGateway, type TestGateway } from '../support/gateway.ts'
import { differences, newGatewayPlayer, startOperator, type TestOperator } from '../support/gateway-operators.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'

let gateway: TestGateway
let platform: TestPlatform
let operators: TestOperator[]
/** The network between platform and gateway. */
let outer: FaultyWallet
let players: { session: GatewaySession; frame: string }[]
const PARTNER = 'the-gateway'
/** Milliseconds until the last delivery is over, with rollbacks that time out several times. */
const QUIET_WITHIN_MS = 60_000
const TIMEOUT = { timeout: 300_000 }

beforeAll(async () => {
  gateway = await startGateway()
  operators = [await startOperator('one', gateway.api), await startOperator('two', gateway.api)]
  outer = await startFaultyWallet(gateway.url)
  platform = await startPlatform()
  await platform.api.savePartner({ url: outer.url, secret: gateway.secret }, PARTNER)
  players = await Promise.all(
    operators.map(async (operator) => {
      const session = await newGatewayPlayer(operator, gateway.api)
      return { session, frame: await platform.api.loadFrame(PARTNER, session.token) }
    }),
  )
})

afterAll(async () => {
  await platform?.stop()
  await outer?.close()
  await gateway?.stop()
  for (const operator of operators ?? []) await operator.stop()
})

/** The operator applies the call, and its answer breaks in the middle. */
const cutBody: Behaviour = async ({ forward, answerHalf, drop }) => {
  answerHalf(await forward())
  await sleep(20) // so that the first half arrives before
  drop()
}
const FAULTS: Record<string, Behaviour> = { dropBefore, dropAfter, arriveLate, neverAnswer, cutBody }
const OPERATIONS: BetOperation[] = ['place', 'settle', 'unsettle', 'rollback']

/** A fault for the first call of the next bet; repeated calls get no fault. */
interface Plan {
  readonly network: FaultyWallet
  readonly fault: string
  readonly operation: BetOperation
  readonly player: number
}

function plans(): Plan[] {
  const between: [FaultyWallet, number[]][] = [
    [outer, [0, 1]],
    [operators[0]!.network, [0]],
    [operators[1]!.network, [1]],
  ]
  return between.flatMap(([network, of]) =>
    of.flatMap((player) =>
      Object.keys(FAULTS).flatMap((fault) => OPERATIONS.map((operation) => ({ network, fault, operation, player }))),
    ),
  )
}

/** Applies each armed fault once, by bet id and operation. */
function arm(network: FaultyWallet): void {
  network.behave = ({ betId, operation }) => {
    const key = `${betId} ${operation}`
    const fault = armed.get(network)?.get(key)
    armed.get(network)?.delete(key)
    return fault === undefined ? honest : (FAULTS[fault] as Behaviour)
  }
}
const armed = new Map<FaultyWallet, Map<string, string>>()

async function live({ network, fault, operation, player }: Plan): Promise<void> {
  const { frame } = players[player]!
  if (operation === 'place') return void (await placeInto(network, fault, frame))
  const { betId, status } = await platform.api.place(frame)
  expect(status).toBe('accepted')
  armed.get(network)?.set(`${betId} ${operation}`, fault)
  if (operation === 'rollback') return platform.api.cancel(betId, 8)
  await platform.api.settle(betId, 'won', '25.00')
  if (operation === 'unsettle') await platform.api.unsettle(betId)
}

/**
 * Gives the fault to the next bet's Place bet when it arrives through this network. Bets are placed
 * one after another until then. Meanwhile a delayed Place bet may arrive through another network.
 */
async function placeInto(network: FaultyWallet, fault: string, frame: string): Promise<void> {
  const earlier = new Set(outer.calls.map(({ betId }) => betId))
  const isNext = ({ operation, betId }: { operation: string; betId: string }) =>
    operation === 'place' && !earlier.has(betId)
  const usual = network.behave
  network.behave = (call) => (isNext(call) ? (FAULTS[fault] as Behaviour) : usual(call))
  const placed = platform.api.place(frame)
  while (!network.calls.some(isNext)) await sleep(2)
  network.behave = usual
  placing.push(placed.then(({ status }) => expect(status).toBe('cancelled')))
}
const placing: Promise<void>[] = []

async function untilQuiet(): Promise<void> {
  const deadline = performance.now() + QUIET_WITHIN_MS
  while ((await platform.api.deliveries('?status=pending,waiting')).length > 0) {
    if (performance.now() > deadline) throw new Error('deliveries are still on their way')
    await sleep(100)
  }
}

test('the platform and every operator agree after each fault on each connection', TIMEOUT, async () => {
  for (const network of [outer, ...operators.map((operator) => operator.network)]) {
    armed.set(network, new Map())
    arm(network)
  }
  const all = plans()
  for (const plan of all.filter(({ operation }) => operation === 'place')) await live(plan)
  await Promise.all(all.filter(({ operation }) => operation !== 'place').map(live))
  await Promise.all(placing)
  await untilQuiet()

  expect([...armed.values()].flatMap((left) => [...left])).toEqual([])
  expect(await platform.api.deliveries('?status=stuck,refused')).toEqual([])
  let compared = 0
  for (const operator of operators) {
    const { found, bets, inFlight } = await differences(platform.databaseUrl, PARTNER, operator)
    expect({ found, inFlight }).toEqual({ found: [], inFlight: 0 })
    compared += bets
    await operator.wallet.auditIsClean()
  }
  expect(compared).toBe(all.length)
  await expectMoney(all)
})

/**
 * By the platform's books, with which the wallets agree: each bet has returned its stake, paid
 * 25.00, or is open.
 */
async function expectMoney(all: readonly Plan[]): Promise<void> {
  for (const [number, { wallet }] of operators.entries()) {
    const mine = all.filter(({ player }) => player === number)
    const worth = { place: 0, rollback: 0, settle: 15, unsettle: -10 }
    const expected = mine.reduce((sum, { operation }) => sum + worth[operation], 1_000_000)
    const { operatorUser } = players[number]!.session
    expect(await wallet.operator.balance(operatorUser)).toBe(`${expected}.00`)
  }
}
