/**
 * The wallet gives the same answers and writes the same rows for calls one by one, in batches, and
 * on the fast path.
 */

import { money } from '@purser/protocol/values/money'
import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '../../src/core/change-feed/change-store.ts'
import { isFastPathEligible } from '../../src/wallet/queue/fast-path.ts'
import type { BetCallOutcome } from '../../src/wallet/queue/rules-path.ts'
import type { BetCall } from '../../src/wallet/store/bet.ts'
import { hashToken } from '../../src/wallet/store/session.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { type BatchScene, findingsOf, openScene, place, rollback, seat, settle, unsettle } from './call-batch-scene.ts'

const PLAYERS = ['alice', 'bob', 'carol']
/** Few bets of each player, so that most calls depend on earlier ones. */
const BETS = 10
const CALLS = 150
const MIXES = IS_NIGHTLY ? [1, 2, 3] : [1]

function mixOf(random: Random): BetCall[] {
  const calls: BetCall[] = []
  while (calls.length < CALLS) {
    const earlier = calls[random.below(calls.length + 1)]
    calls.push(earlier !== undefined && random.chance(0.25) ? earlier : newCall(random, calls.length))
  }
  return calls
}

function newCall(random: Random, index: number): BetCall {
  const player = PLAYERS[random.below(PLAYERS.length)] as string
  const bet = `bet-of-${player}-${random.below(BETS)}`
  const request = `request-${index}`
  const euros = 10 * random.below(7)
  const kind = random.below(8)
  if (kind === 0) return settle(player, bet, request, euros)
  if (kind === 1) return unsettle(player, bet, request)
  if (kind === 2) return rollback(player, bet, request)
  const token = random.chance(0.1) ? { token: hashToken(`old-token-of-${player}`) } : {}
  if (kind === 3) return settle(player, bet, request, euros + 5)
  const site = random.chance(0.5) ? 'north' : ''
  const said = { site, oddsPayout: euroCents(random.below(7) * 10), bonusAmount: euroCents(random.below(3) * 20) }
  return place(player, bet, euros + 10, {
    requestId: request as never,
    hasBonus: random.chance(0.2),
    ...said,
    ...token,
  })
}

/** Null for 0. */
const euroCents = (euros: number) => (euros === 0 ? null : money(BigInt(euros) * 100n))

function batchesOf(calls: readonly BetCall[], size: number): BetCall[][] {
  return Array.from({ length: Math.ceil(calls.length / size) }, (_, i) => calls.slice(i * size, (i + 1) * size))
}

const TABLES = { account: 3, transfer: 4, bet: 3, bet_details: 4, bet_call: 4 }

/** The answers and every row after all calls. */
async function play(apply: (scene: BatchScene) => Promise<BetCallOutcome[]>) {
  const scene = await openScene()
  try {
    await seat(scene, 'alice', '100.00')
    await seat(scene, 'bob', '500.00', { stake: '150.00', betCount: 3 })
    await seat(scene, 'carol', '300.00', { loss: '40.00' })
    const outcomes = await apply(scene)
    const rows: Record<string, unknown> = {}
    for (const [table, keys] of Object.entries(TABLES)) {
      const order = Array.from({ length: keys }, (_, i) => i + 1).join(', ')
      rows[table] = await scene.read(`select * from purser.${table} order by ${order}`)
    }
    rows.feed = await feedOf(scene)
    return { outcomes, rows, findings: await findingsOf(scene) }
  } finally {
    await scene.close()
  }
}

/** The feed's events by player, because batches and the order of two players differ. */
async function feedOf(scene: BatchScene) {
  const rows = await scene.read('select size, at, events from purser.change order by change_id')
  const events = rows.flatMap(({ at, events }) =>
    (events as StoredEvent[]).flatMap(WALLET_CHANGES.eventsOf).map((event) => ({ at, event })),
  )
  expect(rows.reduce((sum, { size }) => sum + (size as number), 0)).toBe(events.length)
  return PLAYERS.map((player) => events.filter(({ event }) => event[1] === player))
}

async function inBatchesOf(size: number, calls: readonly BetCall[], scene: BatchScene): Promise<BetCallOutcome[]> {
  const outcomes: BetCallOutcome[] = []
  for (const batch of batchesOf(calls, size)) outcomes.push(...(await scene.apply(...batch)))
  return outcomes
}

/**
 * Neighbours of different players share a batch on the fast path, and the calls that it leaves
 * share one on the rules path.
 */
async function asLanesDo(
  calls: readonly BetCall[],
  scene: BatchScene,
  taken: BetCall[] = [],
): Promise<BetCallOutcome[]> {
  const outcomes: BetCallOutcome[] = []
  for (const batch of runsOf(calls)) outcomes.push(...(await takeOrJudge(batch, scene, taken)))
  return outcomes
}

function runsOf(calls: readonly BetCall[]): BetCall[][] {
  const runs: BetCall[][] = []
  for (const call of calls) {
    const run = runs.at(-1)
    if (run === undefined || run.some(({ player }) => player === call.player)) runs.push([call])
    else run.push(call)
  }
  return runs
}

async function takeOrJudge(calls: readonly BetCall[], scene: BatchScene, taken: BetCall[]): Promise<BetCallOutcome[]> {
  const passing = calls.filter((call) => isFastPathEligible(call, scene.rules))
  const verdicts = await scene.take(...passing)
  const outcomes = new Map<BetCall, BetCallOutcome>()
  for (const [i, call] of passing.entries()) {
    const verdict = verdicts[i]
    if (verdict?.kind === 'taken') outcomes.set(call, { kind: 'accepted', betId: call.betId, at: verdict.at })
  }
  taken.push(...outcomes.keys())
  const left = calls.filter((call) => !outcomes.has(call))
  for (const [i, outcome] of (await scene.apply(...left)).entries()) outcomes.set(left[i] as BetCall, outcome)
  return calls.map((call) => outcomes.get(call) as BetCallOutcome)
}

/** Typical bets, one step of each player at a time: placed, settled, and sometimes corrected. */
function livesOf(random: Random): BetCall[] {
  const bets = Array.from({ length: BETS }, (_, n) =>
    PLAYERS.map((player) => lifeOf(random, player, `bet-${n}-of-${player}`)),
  )
  return bets.flatMap((lives) => [0, 1, 2].flatMap((step) => lives.flatMap((life) => life[step] ?? [])))
}

function lifeOf(random: Random, player: string, bet: string): BetCall[] {
  const placed = place(player, bet, 1 + random.below(9), { site: `site-${random.below(3)}` })
  const result = settle(player, bet, `result-of-${bet}`, 5 * random.below(4))
  const settled = random.chance(0.2) ? { ...result, resultType: 'refund' as const } : result
  const later = [settle(player, bet, `later-of-${bet}`, 3), unsettle(player, bet, `undone-${bet}`), settled, placed]
  const last = later[random.below(2 * later.length)]
  return [placed, settled, ...(last === undefined ? [] : [last])]
}

describe('the wallet returns the same answers and writes the same rows', () => {
  const random = seededRandom('batches')

  test.each(MIXES)('one by one, in batches and on the fast path, for mix %i of calls', async () => {
    const calls = mixOf(random)
    const single = await play((scene) => inBatchesOf(1, calls, scene))
    expect(single.findings).toEqual([])
    const kinds = new Set(single.outcomes.map((outcome) => ('code' in outcome ? outcome.code : outcome.kind)))
    expect([...kinds]).toEqual(expect.arrayContaining(['accepted', 'invalid_request', 'already_processed']))
    expect(
      [...kinds].some((kind) => kind.endsWith('_limit')),
      'a limit was reached',
    ).toBe(true)
    for (const size of [CALLS, 7]) expect(await play((scene) => inBatchesOf(size, calls, scene))).toEqual(single)
    expect(await play((scene) => scene.applyEach(...calls))).toEqual(single)
    expect(await play((scene) => asLanesDo(calls, scene))).toEqual(single)
  })
  test('for typical bets, nearly all of which the fast path takes', async () => {
    const calls = livesOf(random)
    const single = await play((scene) => inBatchesOf(1, calls, scene))
    const taken: BetCall[] = []
    expect(await play((scene) => asLanesDo(calls, scene, taken))).toEqual(single)
    const countOf = (kind: BetCall['kind']) => taken.filter((call) => call.kind === kind).length
    expect(countOf('place'), 'places of the player without limits').toBeGreaterThanOrEqual(BETS - 2)
    expect(countOf('settle')).toBeGreaterThan(BETS)
  })
})
