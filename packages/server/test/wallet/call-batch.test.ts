/**
 * A batch of calls gives the same results as its calls one after another. The test chooses the
 * calls of each batch, which is not possible over HTTP.
 */

import type { RequestId } from '@purser/protocol/wire-ids'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BatchScene,
  findingsOf,
  openScene,
  place,
  rollback,
  STARTED_AT,
  seat,
  settle,
  unsettle,
} from './call-batch-scene.ts'

const BET = 'bet-000001'
const LATER = new Date(STARTED_AT.getTime() + 60_000)
const MUCH_LATER = new Date(STARTED_AT.getTime() + 120_000)

describe('in one batch', () => {
  let scene: BatchScene
  beforeEach(async () => {
    scene = await openScene()
    await seat(scene, 'alice', '100.00')
  })
  afterEach(async () => {
    expect(await findingsOf(scene)).toEqual([])
    await scene.close()
  })

  const accepted = (at: Date) => ({ kind: 'accepted', betId: BET, at })
  const money = async () => (await scene.read('select balance from purser.account'))[0]?.balance
  const calls = () => scene.read('select seq, outcome, effect_at, transfers from purser.bet_call order by bet_id, seq')

  test('a late repeat of a settle is recognised after the resettle, and has no effect (I-2)', async () => {
    await scene.apply(place('alice', BET, 10))
    scene.now = LATER
    const [first, second] = [settle('alice', BET, 'request-01', 30), settle('alice', BET, 'request-02', 5)]
    expect(await scene.apply(first, second, first)).toEqual([accepted(LATER), accepted(LATER), accepted(LATER)])
    expect(await money()).toBe('9500')
    const outcomes = (await calls()).map(({ outcome, transfers }) => [outcome, transfers])
    expect(outcomes).toEqual([
      ['applied', ['3', '4']],
      ['applied', ['5', '6']],
      ['repeated', []],
    ])
  })

  test('a late repeat returns the time of its original from an earlier batch (R-2)', async () => {
    const [first, second] = [settle('alice', BET, 'request-01', 30), settle('alice', BET, 'request-02', 5)]
    await scene.apply(place('alice', BET, 10), first)
    scene.now = LATER
    expect(await scene.apply(second, first)).toEqual([accepted(LATER), accepted(STARTED_AT)])
    scene.now = MUCH_LATER
    const again = await scene.apply(first, second, first, place('alice', BET, 10))
    expect(again).toEqual([accepted(STARTED_AT), accepted(LATER), accepted(STARTED_AT), accepted(STARTED_AT)])
    const times = (await calls()).map(({ outcome, effect_at }) => [outcome, effect_at])
    expect(times.slice(2)).toEqual(
      [STARTED_AT, STARTED_AT, LATER, STARTED_AT, STARTED_AT].map((at) => ['repeated', at]),
    )
    expect(await money()).toBe('9500')
  })

  test('the late copy of a repeat returns the time of the answer to the repeat (R-2)', async () => {
    await scene.apply(place('alice', BET, 10), settle('alice', BET, 'request-01', 30))
    scene.now = LATER
    const repeat = settle('alice', BET, 'request-02', 30)
    expect(await scene.apply(repeat)).toEqual([accepted(STARTED_AT)])
    await scene.apply(settle('alice', BET, 'request-03', 5))
    scene.now = MUCH_LATER
    expect(await scene.apply(repeat)).toEqual([accepted(STARTED_AT)])
  })

  test('the same payout as another type of result moves no money (L-1)', async () => {
    const won = settle('alice', BET, 'request-01', 30)
    await scene.apply(place('alice', BET, 10), won)
    await scene.apply({ ...won, requestId: 'request-02' as RequestId, resultType: 'refund' })
    expect((await calls()).map(({ outcome, transfers }) => [outcome, transfers])).toEqual([
      ['applied', ['3', '4']],
      ['applied', []],
    ])
  })

  test('a Place bet that is rejected permanently is recorded (I-3)', async () => {
    expect(await scene.apply(place('alice', BET, 1000))).toEqual([{ kind: 'refused', code: 'not_enough_money' }])
    expect(await calls()).toMatchObject([{ seq: 1, outcome: 'refused', transfers: [] }])
  })

  test('a late repeat is recognised after any number of results (I-2)', async () => {
    const [first, second] = [settle('alice', BET, 'request-01', 30), settle('alice', BET, 'request-02', 5)]
    await scene.apply(place('alice', BET, 10), first)
    for (let batch = 0; batch < 41; batch++) {
      const repeats = Array.from({ length: 250 }, (_, i) => settle('alice', BET, `repeat-${batch}-${i}`, 30))
      await scene.apply(...repeats)
    }
    scene.now = LATER
    expect(await scene.apply(second, first)).toEqual([accepted(LATER), accepted(STARTED_AT)])
    scene.now = MUCH_LATER
    expect(await scene.apply(second, settle('alice', BET, 'repeat-40-1', 30))).toEqual([
      accepted(LATER),
      accepted(STARTED_AT),
    ])
    expect(await money()).toBe('9500')
  })

  test('the late copy of a rejected result is recognised after a newer result, in the same batch and in later ones (I-2)', async () => {
    const refused = { kind: 'refused', code: 'recalculation_negative' }
    const low = settle('alice', BET, 'request-02', 20)
    await scene.apply(
      place('alice', BET, 10),
      settle('alice', BET, 'request-01', 60),
      place('alice', 'bet-000002', 150),
    )
    const later = settle('alice', BET, 'request-03', 90)
    expect(await scene.apply(low, low, later, low)).toEqual([refused, refused, accepted(STARTED_AT), refused])
    expect(await scene.apply(low)).toEqual([refused])
    await scene.apply(settle('alice', 'bet-000002', 'request-04', 200))
    scene.now = LATER
    expect(await scene.apply(low)).toEqual([refused])
    expect(await scene.apply(settle('alice', BET, 'request-03', 90))).toEqual([accepted(STARTED_AT)])
    expect(await money()).toBe('23000')
  })

  test('a rejected result that is repeated in the same batch is decided again if no newer result was applied (L-2)', async () => {
    const low = settle('alice', BET, 'request-02', 20)
    await scene.apply(
      place('alice', BET, 10),
      settle('alice', BET, 'request-01', 60),
      place('alice', 'bet-000002', 150),
    )
    const paid = settle('alice', 'bet-000002', 'request-03', 100)
    const [refused, , again] = await scene.apply(low, paid, low)
    expect([refused, again]).toEqual([{ kind: 'refused', code: 'recalculation_negative' }, accepted(STARTED_AT)])
    expect(await money()).toBe('6000')
  })

  test('a Place bet is never read as an Unsettle when both are in one batch (S-5)', async () => {
    const copy = { ...unsettle('alice', BET, `place-${BET}`), amount: place('alice', BET, 10).stake }
    const repeat = place('alice', BET, 10, { requestId: 'another-one' as RequestId })
    const copyOfRepeat = { ...copy, requestId: repeat.requestId }
    const won = settle('alice', BET, 'request-01', 30)
    const outcomes = await scene.apply(place('alice', BET, 10), repeat, won, copy, copyOfRepeat)
    expect(outcomes.slice(3)).toMatchObject([{ code: 'invalid_request' }, { code: 'invalid_request' }])
    expect(await money()).toBe('12000')
  })

  test('a repeat under the same requestId with other content is a new result', async () => {
    await scene.apply(place('alice', BET, 10))
    const [one, other] = [settle('alice', BET, 'request-01', 30), settle('alice', BET, 'request-01', 20)]
    await scene.apply(one, other, unsettle('alice', BET, 'request-02'), one)
    expect((await calls()).map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied', 'repeated'])
    expect(await money()).toBe('9000')
  })

  test('repeated Place bets are recognised among new ones, with any number of repeats', async () => {
    const again = place('alice', BET, 10)
    const late = place('alice', 'bet-of-a-tombstone', 10)
    const unknown = place('nobody', 'unknown-bet', 10)
    await scene.apply(again)
    await scene.apply(rollback('alice', 'bet-of-a-tombstone', 'request-01'))
    const [refused] = await scene.apply(unknown)
    scene.now = LATER
    const fresh = place('alice', 'bet-000002', 20)
    const outcomes = await scene.apply(again, again, again, late, late, unknown, fresh, fresh)
    const cancelled = expect.objectContaining({ kind: 'refused', code: 'already_processed' })
    const isNew = { kind: 'accepted', betId: 'bet-000002', at: LATER }
    const repeats = Array.from({ length: 3 }, () => accepted(STARTED_AT))
    expect(outcomes).toEqual([...repeats, cancelled, cancelled, refused, isNew, isNew])
    expect(await money()).toBe('7000')
  })

  test('exactly the first of two bets of 80 on a balance of 100 is accepted', async () => {
    const outcomes = await scene.apply(place('alice', BET, 80), place('alice', 'bet-000002', 80))
    expect(outcomes).toEqual([accepted(STARTED_AT), { kind: 'refused', code: 'not_enough_money' }])
    expect(await money()).toBe('2000')
  })

  test('limits count the bets before them in the batch (11-13)', async () => {
    await seat(scene, 'bob', '100.00', { betCount: 2 })
    const bets = [1, 2, 3].map((number) => place('bob', `bet-00000${number}`, 10))
    const [first, second, third] = await scene.apply(...bets)
    expect([first, second]).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }])
    expect(third).toEqual({ kind: 'refused', code: 'bet_count_limit' })
  })

  test('each call of the life of a bet sees the state that the previous call left', async () => {
    const outcomes = await scene.apply(
      settle('alice', BET, 'request-01', 30),
      place('alice', BET, 100),
      place('alice', 'bet-000002', 1),
      settle('alice', BET, 'request-02', 30),
      place('alice', 'bet-000003', 30),
      rollback('alice', 'bet-000003', 'request-03'),
      place('alice', 'bet-000003', 30),
    )
    const codes = outcomes.map((outcome) => ('code' in outcome ? outcome.code : outcome.kind))
    expect(codes).toEqual([
      'invalid_request',
      'accepted',
      'not_enough_money',
      'accepted',
      'accepted',
      'accepted',
      'already_processed',
    ])
    expect(await money()).toBe('3000')
  })
})
