/**
 * Makes a new player with money for each test of the fast path, the player's calls, and their
 * outcome (fast-path.test.ts, fast-path-results.test.ts).
 */
import { afterAll, beforeAll, beforeEach, expect, inject } from 'vitest'
import { moveCash } from '../../src/wallet/operator-api/money/deposits-and-withdrawals.ts'
import { patchPlayer } from '../../src/wallet/operator-api/players/player-profile.ts'
import type { BetCall, PlaceCall, SettleCall } from '../../src/wallet/store/bet.ts'
import {
  ANY_ACTOR,
  type BatchScene,
  elsewhere,
  findingsOf,
  openScene,
  place,
  STARTED_AT,
  seat,
  settle,
} from './call-batch-scene.ts'

/** On Citus a function contains the statements and hides their names. */
export const IS_ON_CITUS = inject('citusWorkers') !== undefined
export const NEXT_DAY = new Date('2031-05-17T00:00:00.000Z')

export let scene: BatchScene
export let number = 0

/** Called at the top of a test file. */
export function seatEachTime(): void {
  beforeAll(async () => {
    scene = await openScene()
  })
  beforeEach(async () => {
    number += 1
    scene.now = STARTED_AT
    await seat(scene, player(), '100.00')
  })
  afterAll(async () => {
    expect(await findingsOf(scene)).toEqual([])
    await scene.close()
  })
}

export const player = () => `player-${number}`
export const bet = (n: number) => `bet-${number}-${n}`
export const betOf = (n: number, euros: number, over = {}): PlaceCall => place(player(), bet(n), euros, over)
export const resultOf = (n: number, euros: number, over = {}): SettleCall => ({
  ...settle(player(), bet(n), `result-${number}-${n}`, euros),
  ...over,
})
export const patch = (body: Parameters<typeof patchPlayer>[3]) =>
  patchPlayer(elsewhere(scene), ANY_ACTOR, player(), body)
export const cash = (kind: 'deposit' | 'withdrawal', amount: string, currency = 'EUR') =>
  moveCash(elsewhere(scene), ANY_ACTOR, player(), kind, { currency, amount, reference: `${kind} ${amount}` })
export const byHand = (change: string) => scene.read(`${change} where player = '${player()}'`)

export const taken = () => ({ kind: 'taken', at: scene.now })
export const verdictOn = async (call: BetCall) => (await scene.take(call))[0]?.kind

/** A call that the fast path leaves must have this outcome on the rules path. */
export async function leaves(call: BetCall, outcome: object): Promise<void> {
  const transfers = 'select count(*) from purser.transfer'
  const before = await scene.read(transfers)
  expect(await verdictOn(call)).toBe('left')
  expect(await scene.read(transfers)).toEqual(before)
  expect(await scene.apply(call)).toMatchObject([outcome])
}
export const refused = (code: string) => ({ kind: 'refused', code })
export const accepted = { kind: 'accepted' }
