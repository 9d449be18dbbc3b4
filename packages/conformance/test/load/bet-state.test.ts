/**
 * The load test determines the state of a bet from each reply. Each of its workers computes the
 * balances that its players must have.
 */

import type { CallOutcome } from '@purser/protocol/client/answer-classification'
import { createRandom } from '@purser/runtime/seeded-random'
import { describe, expect, test } from 'vitest'
import { judgeAnswer, judgeCompensation, type LoadBet, type LoadCall } from '../../src/load/bet-state.ts'
import { buildPlaceCallMessage, buildRollbackCallMessage, buildSettleCallMessage } from '../../src/load/call-body.ts'
import { CALL_KINDS, type CallKind, parseCallMix } from '../../src/load/call-mix.ts'
import { retryUnacknowledged } from '../../src/load/worker/unacknowledged-retry.ts'
import { createWorkerBook } from '../../src/load/worker/worker-book.ts'

const player = { userId: 'ann', token: 'the-token-of-ann', currency: 'EUR', scale: 2 }
const open: LoadBet = { betId: 'bet-1234567890', player: 0, stake: 250n, life: 'open', payout: 0n }
const settled: LoadBet = { ...open, life: 'settled', payout: 400n }
const yes: CallOutcome = { kind: 'accepted', reply: {} }
const lost: CallOutcome = { kind: 'unknown', reason: 'network', detail: 'cut' }
const no = (code: number): CallOutcome => ({ kind: 'refused', code, message: 'no' })

function callOf(kind: CallKind, bet: LoadBet, payout = 0n): LoadCall {
  const message = {
    place: buildPlaceCallMessage(player, bet.betId, bet.stake),
    settle: buildSettleCallMessage(player, bet.betId, bet.stake, payout),
    resettle: buildSettleCallMessage(player, bet.betId, bet.stake, payout),
    rollback: buildRollbackCallMessage(player, bet.betId, bet.stake),
    repeat: buildPlaceCallMessage(player, bet.betId, bet.stake),
  }[kind]
  return { kind, bet, message, payout }
}

describe('the load test judges an answer:', () => {
  const table: [string, LoadCall, CallOutcome, bigint | string][] = [
    ['a bet that is taken costs its stake', callOf('place', open), yes, -250n],
    ['a bet that is declined costs nothing', callOf('place', open), no(7), 0n],
    ['code 100 to a bet leaves it open (C-2)', callOf('place', open), no(100), 'refused with code 100'],
    ['no answer to a bet leaves it open (C-2)', callOf('place', open), lost, 'cut'],
    ['a result pays', callOf('settle', open, 400n), yes, 400n],
    ['another result pays the difference', callOf('resettle', settled, 150n), yes, -250n],
    ['a result that the wallet blocks pays nothing (C-5)', callOf('resettle', settled, 150n), no(20), 0n],
    ['a result that would make the balance negative pays nothing', callOf('resettle', settled, 0n), no(21), 0n],
    ['any other no to a result leaves it open (C-5)', callOf('settle', open, 400n), no(8), 'refused with code 8'],
    ['no answer to a result leaves it open', callOf('settle', open, 400n), lost, 'cut'],
    ['a rollback gives the stake back', callOf('rollback', open), yes, 250n],
    ['code 8 to a rollback is a yes (C-4)', callOf('rollback', open), no(8), 250n],
    ['another no to a rollback gives nothing back', callOf('rollback', open), no(5), 0n],
    ['no answer to a rollback leaves it open', callOf('rollback', open), lost, 'cut'],
    ['a repeat moves nothing', callOf('repeat', settled), yes, 0n],
    ['a repeat without an answer moves nothing', callOf('repeat', settled), lost, 0n],
  ]
  test.each(table)('%s', (_name, call, outcome, expected) => {
    const judged = judgeAnswer(call, outcome)
    expect(judged.kind === 'known' ? judged.delta : judged.why).toBe(expected)
  })

  test('no bet is used again after a rejection, or while a repeat may be in flight', () => {
    for (const [call, outcome] of [
      [callOf('resettle', { ...settled, last: callOf('settle', open).message }), no(20)],
      [callOf('repeat', { ...settled, last: callOf('settle', open).message }), lost],
    ] as const) {
      const judged = judgeAnswer(call, outcome)
      expect(judged).toMatchObject({ kind: 'known', bet: { life: 'over' } })
      expect(judged.kind === 'known' && judged.bet.last).toBe(undefined)
    }
  })

  test('a bet in doubt counts as never placed after its rollback, and not before', () => {
    const call = callOf('place', open)
    for (const done of [yes, no(8)]) expect(judgeCompensation(call, done)).toMatchObject({ kind: 'known', delta: 0n })
    for (const still of [lost, no(5)]) expect(judgeCompensation(call, still).kind).toBe('doubt')
  })
})

describe('a load test message', () => {
  test('contains its amount as an exact decimal', () => {
    const amountIn = (stake: bigint, scale = 2) =>
      /"amount":([^,}]+)}$/.exec(buildPlaceCallMessage({ ...player, scale }, 'bet-1234567890', stake).body)?.[1]
    expect([amountIn(250n), amountIn(1n), amountIn(1_000n), amountIn(30n, 0), amountIn(1n, 8)]).toEqual([
      '2.5',
      '0.01',
      '10',
      '30',
      '0.00000001',
    ])
  })

  test('contains the amount in the text of a result', () => {
    const resultOf = (payout: bigint) => JSON.parse(buildSettleCallMessage(player, 'bet-1234567890', 250n, payout).body)
    expect([0n, 250n, 462n].map((payout) => resultOf(payout).resultType)).toEqual(['lost', 'refund', 'won'])
    expect(resultOf(462n)).not.toHaveProperty('token')
  })
})

describe('the book of a worker', () => {
  const bookOf = (mix: string) =>
    createWorkerBook({
      players: [player, { ...player, userId: 'bob' }],
      drawPlayer: (random) => random.below(2),
      mix: parseCallMix(mix),
      stakes: new Map([['EUR', { least: 100n, most: 500n }]]),
      random: createRandom(3, 'book'),
    })

  test('adds up to the balance of a wallet that accepts every call, computed independently', () => {
    const book = bookOf('place=30,settle=30,resettle=20,rollback=10,repeat=10')
    const bets = new Map<string, { player: number; stake: bigint; balance: bigint }>()
    const kinds = new Set<CallKind>()
    for (let i = 0; i < 3_000; i++) {
      const call = book.next()
      kinds.add(call.kind)
      const { betId, player, stake } = call.bet
      const bet = bets.get(betId) ?? { player, stake, balance: 0n }
      const after = {
        place: -stake,
        settle: call.payout - stake,
        resettle: call.payout - stake,
        rollback: 0n,
        repeat: bet.balance,
      }
      bets.set(betId, { ...bet, balance: after[call.kind] })
      book.recordAnswer(call, yes)
    }
    expect([...kinds].sort()).toEqual([...CALL_KINDS].sort())
    const sumOf = (player: number) =>
      [...bets.values()].reduce((sum, bet) => (bet.player === player ? sum + bet.balance : sum), 0n)
    expect([book.moved.get(0), book.moved.get(1)]).toEqual([sumOf(0), sumOf(1)])
  })

  test('contains at most one call in flight for each bet', () => {
    const book = bookOf('place=1,settle=1,resettle=1,rollback=1,repeat=1')
    const underWay: LoadCall[] = []
    for (let i = 0; i < 500; i++) {
      const call = book.next()
      expect(underWay.map(({ bet }) => bet.betId)).not.toContain(call.bet.betId)
      underWay.push(call)
      if (underWay.length > 20) book.recordAnswer(underWay.shift() as LoadCall, yes)
    }
  })

  test('excludes doubtful calls from the sum, and resolves a result by a repeat and a bet by a rollback', async () => {
    const book = bookOf('place=1,settle=1')
    const place = book.next()
    book.recordAnswer(place, yes)
    let settle = book.next()
    for (; settle.kind !== 'settle' || settle.payout === 0n; settle = book.next()) book.recordAnswer(settle, yes)
    const before = new Map(book.moved)
    const bet = { ...callOf('place', open), bet: { ...open, life: 'new' as const } }
    for (const call of [settle, bet]) book.recordAnswer(call, lost)
    expect(book.moved).toEqual(before)
    const [result, cancelled] = book.doubts.map(({ again }) => again)
    expect(result).toBe(settle.message)
    expect(cancelled).toMatchObject({ operation: 'rollback', body: expect.stringContaining(open.betId) })
    const answers = [lost, yes, yes]
    const how = {
      retry: async (doubt: (typeof book.doubts)[number]) => book.recordRetryAnswer(doubt, answers.shift() ?? yes),
      atOnce: 1,
      stallTimeoutMs: 60_000,
    }
    expect(await retryUnacknowledged(book.doubts, how)).toEqual([])
    expect(book.moved.get(settle.bet.player)).toBe((before.get(settle.bet.player) ?? 0n) + settle.payout)
  })
})
