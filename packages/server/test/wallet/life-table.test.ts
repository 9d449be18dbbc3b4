// Rows of the life table outside the grid, with both clawback policies. life-grid.long.test.ts has
// every cell in every variant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dueOf } from '../support/nightly.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Answer, expectAnswer, millionths, timeOf } from './answers.ts'
import type { Row } from './life-row.ts'
import { rows } from './life-rows.ts'
import { anomaliesOf, balanceOf, bring, deliver, newScene, resend, type Scene, sentBefore, stateOf } from './scene.ts'

let wallet: TestWallet

function walletWith(env: Record<string, string>): void {
  beforeAll(async () => {
    wallet = await startWallet({ env })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
}

async function arrive(scene: Scene, row: Row): Promise<Answer> {
  if (row.again) return resend(scene, row.arrives)
  return deliver(scene, row.arrives, typeof row.with === 'function' ? await row.with(scene) : row.with)
}

async function expectRow(row: Row): Promise<void> {
  const scene = await newScene(wallet)
  await (row.by ?? ((inState) => bring(inState, row.given)))(scene)
  expect(await stateOf(scene)).toBe(row.given)
  await row.meanwhile?.(scene)
  const original = row.timeOf && timeOf(sentBefore(scene, row.timeOf).answer)
  const before = await balanceOf(scene)
  wallet.clock.advance(1_000)
  const arrival = wallet.clock.now()

  const answer = await arrive(scene, row)

  expectAnswer(answer, row.answers, scene.betId)
  expect(millionths(await balanceOf(scene)) - millionths(before)).toBe(millionths(row.moves ?? '0'))
  expect(await stateOf(scene)).toBe(row.leaves ?? row.given)
  expectTime(answer, row, original, arrival)
  if (row.answers === 200 || contradictsLife(row)) expect(await anomaliesOf(scene)).toBe(contradictsLife(row))
}

/**
 * True if the call is refused because it contradicts the bet's life. Codes of tokens, locks and
 * clawback are no contradiction.
 */
function contradictsLife({ anomaly, answers, given }: Row): boolean {
  return anomaly === true || answers === 8 || (answers === 20 && given === 'cancelled')
}

/** A repeat has the time of the original, and a new effect a time from now on. */
function expectTime(answer: Answer, row: Row, original: string | undefined, arrival: Date): void {
  if (original !== undefined) expect(timeOf(answer)).toBe(original)
  else if (row.moves || (row.answers === 200 && row.leaves !== undefined))
    expect(Date.parse(timeOf(answer))).toBeGreaterThanOrEqual(arrival.getTime())
}

function title(row: Row): string {
  const outcome = row.answers === 200 ? '200' : `400/${row.answers}`
  return `${row.given} bet, ${row.arrives} arrives ${row.as}: ${outcome} ${row.moves ?? 'no money'}, ${row.leaves ?? row.given}`
}

it('no situation is listed twice in the life table', () => {
  const titles = rows.map(title)
  expect(titles.filter((one, index) => titles.indexOf(one) !== index)).toEqual([])
})

// The second policy has several buckets, because the table must not depend on the bucket of the
// player.
describe.each([
  { clawback: 'refuse', buckets: '1' },
  { clawback: 'allow-negative', buckets: '8' },
])('with PURSER_CLAWBACK=$clawback and PURSER_BUCKETS=$buckets', ({ clawback, buckets }) => {
  walletWith({ PURSER_CLAWBACK: clawback, PURSER_BUCKETS: buckets })

  const due = clawback === 'refuse' ? rows : dueOf(rows, 4)
  it.each(due.map((row) => [title(row), row] as const))('the wallet answers as the life table says: %s', (_, row) =>
    expectRow(row),
  )
})
