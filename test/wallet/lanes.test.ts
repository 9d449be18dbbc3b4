/** Which calls travel together: batches behind each other never share a player. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/protocol/limits.ts'
import type { Outcome, WaitingCall } from '../../src/wallet/apply/apply.ts'
import { type ApplyInLane, createLanes } from '../../src/wallet/apply/lanes.ts'
import { place } from './batch-scene.ts'

/** One lane whose batches are written down and end when they are told to. */
function openLane() {
  const batches: { bets: string[]; end(): void; fail(error: Error): void }[] = []
  const apply: ApplyInLane = (calls, onSent) =>
    new Promise((resolve, reject) => {
      const end = () => resolve(calls.map(accepted))
      batches.push({ bets: calls.map(({ call }) => call.betId), end, fail: reject })
      onSent()
    })
  const lanes = createLanes({ buckets: 1, lanesPerBucket: 1, openLane: () => apply, onFailure() {}, onWaited() {} })
  const bet = (player: string, id: string, agoMs = 0) => lanes.submit(place(player, id, 1), performance.now() - agoMs)
  return { batches, bet, bets: () => batches.map(({ bets }) => bets) }
}

function accepted({ call }: WaitingCall): Outcome {
  return { kind: 'accepted', betId: call.betId, at: new Date(0) }
}

/** Turns of the event loop after which a lane that nobody answers has nothing more to do. */
const QUIET_TURNS = 25

async function settled(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) await turnOfTheLoop()
}

test('who plays in the batch in front waits for it, in order, and holds up nobody else', async () => {
  const { batches, bet, bets } = openLane()
  const answers = [bet('ann', 'a1'), bet('bob', 'b1')]
  await settled()
  answers.push(bet('ann', 'a2'), bet('cleo', 'c1'), bet('ann', 'a3'), bet('dan', 'd1'))
  await settled()
  expect(bets()).toEqual([
    ['a1', 'b1'],
    ['c1', 'd1'],
  ])
  answers.push(bet('cleo', 'c2'))
  batches[0]?.end()
  await settled()
  expect(bets()[2]).toEqual(['a2', 'a3'])
  batches[1]?.end()
  batches[2]?.end()
  await settled()
  expect(bets()[3]).toEqual(['c2'])
  batches[3]?.end()
  expect(await Promise.all(answers)).toHaveLength(7)
})

test('where nobody else waits, nothing is sent until the batch in front has ended', async () => {
  const { batches, bet, bets } = openLane()
  const answers = [bet('ann', 'a1')]
  await settled()
  answers.push(bet('ann', 'a2'), bet('ann', 'a3'))
  await settled()
  expect(bets()).toEqual([['a1']])
  batches[0]?.end()
  await settled()
  expect(bets()).toEqual([['a1'], ['a2', 'a3']])
  batches[1]?.end()
  expect(await Promise.all(answers)).toHaveLength(3)
})

test('who waits for a batch that fails has not failed with it', async () => {
  const { batches, bet, bets } = openLane()
  const answers = [bet('ann', 'a1')]
  await settled()
  answers.push(bet('ann', 'a2'))
  await settled()
  batches[0]?.fail(new Error('for a reason'))
  await settled()
  expect(bets()).toEqual([['a1'], ['a2']])
  batches[1]?.end()
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['failed', 'accepted'])
})

test('two batches that fail one after the other leave nobody behind twice', async () => {
  const { batches, bet, bets } = openLane()
  const answers = [bet('ann', 'a1')]
  await settled()
  answers.push(bet('bob', 'b1'))
  await settled()
  answers.push(bet('bob', 'b2'), bet('cleo', 'c1'))
  await settled()
  expect(bets()).toEqual([['a1'], ['b1']])
  const outage = new Error('Query read timeout')
  batches[0]?.fail(outage)
  await settled()
  batches[1]?.fail(outage)
  await settled()
  expect(bets()).toEqual([['a1'], ['b1'], ['b2', 'c1']])
  batches[2]?.end()
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['failed', 'failed', 'accepted', 'accepted'])
})

test('one by one, a database that is down is asked once', async () => {
  const { batches, bet, bets } = openLane()
  const answers = [bet('ann', 'a1'), bet('bob', 'b1'), bet('cleo', 'c1')]
  await settled()
  batches[0]?.fail(new Error('one of them is poisoned'))
  await settled()
  batches[1]?.end()
  await settled()
  batches[2]?.fail(new Error('Query read timeout'))
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['accepted', 'failed', 'failed'])
  expect(bets()).toEqual([['a1', 'b1', 'c1'], ['a1'], ['b1']])
})

test('a lane in which the others have come too late still waits for its batch', async () => {
  const { batches, bet, bets } = openLane()
  const answers = [bet('ann', 'a1')]
  await settled()
  answers.push(bet('bob', 'b1', LIMITS.startMs + 1))
  await settled()
  answers.push(bet('ann', 'a2'))
  await settled()
  expect(bets()).toEqual([['a1']])
  batches[0]?.end()
  await settled()
  batches[1]?.end()
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['accepted', 'failed', 'accepted'])
})
