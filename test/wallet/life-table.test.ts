// Every cell of decisions.md's life table, in every variant it names, under both clawback policies (L-2) and, for the
// calls that no player status may stop, by players who could not place a bet (L-5).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Answer, expectAnswer, millionths, timeOf } from './answers.ts'
import type { Clawback, Row } from './life-row.ts'
import { rowsOnEnded } from './life-rows-ended.ts'
import { rowsOnNothing } from './life-rows-nothing.ts'
import { rowsOnOpen } from './life-rows-open.ts'
import { rowsOnSettled } from './life-rows-settled.ts'
import { blocked, type Moment, selfExcluded, testPlayer, underAge, unverified } from './moments.ts'
import {
  anomaliesOf,
  balanceOf,
  bring,
  columns,
  deliver,
  newScene,
  resend,
  type Scene,
  sentBefore,
  stateOf,
  states,
} from './scene.ts'

const rows: Row[] = [...rowsOnNothing, ...rowsOnOpen, ...rowsOnSettled, ...rowsOnEnded]

let wallet: TestWallet

function walletWith(env: Record<string, string>): void {
  beforeAll(async () => {
    wallet = await startWallet({ env })
  })
  afterEach(() => wallet.auditIsClean())
  afterAll(() => wallet.stop())
}

async function arrive(scene: Scene, row: Row): Promise<Answer> {
  if (row.again) return resend(scene, row.arrives)
  return deliver(scene, row.arrives, typeof row.with === 'function' ? await row.with(scene) : row.with)
}

async function expectRow(row: Row, player?: Moment): Promise<void> {
  const scene = await newScene(wallet)
  await (row.by ?? ((inState) => bring(inState, row.given)))(scene)
  expect(await stateOf(scene)).toBe(row.given)
  await row.meanwhile?.(scene)
  await player?.(scene)
  const original = row.timeOf && timeOf(sentBefore(scene, row.timeOf).answer)
  const before = await balanceOf(scene)
  wallet.clock.advance(1_000)
  const arrival = wallet.clock.now()

  const answer = await arrive(scene, row)

  expectAnswer(answer, row.answers, scene.betId)
  expect(millionths(await balanceOf(scene)) - millionths(before)).toBe(millionths(row.moves ?? '0'))
  expect(await stateOf(scene)).toBe(row.leaves)
  expectTime(answer, row, original, arrival)
  if (row.answers === 200 || contradictsLife(row)) expect(await anomaliesOf(scene)).toBe(contradictsLife(row))
}

/** surface.md: refused because it contradicts the bet's life. Codes of tokens, locks and clawback are no contradiction. */
function contradictsLife({ anomaly, answers, given }: Row): boolean {
  return anomaly === true || answers === 8 || (answers === 20 && given === 'cancelled')
}

/** a repeat has the time of the original, whatever takes effect now has a time from now on. */
function expectTime(answer: Answer, row: Row, original: string | undefined, arrival: Date): void {
  if (original !== undefined) expect(timeOf(answer)).toBe(original)
  else if (row.moves || (row.answers === 200 && row.leaves !== row.given))
    expect(Date.parse(timeOf(answer))).toBeGreaterThanOrEqual(arrival.getTime())
}

function title(row: Row): string {
  const outcome = row.answers === 200 ? '200' : `400/${row.answers}`
  return `${row.given} bet, ${row.arrives} arrives ${row.as}: ${outcome} ${row.moves ?? 'no money'}, ${row.leaves}`
}

describe('the life table', () => {
  const cells = states.flatMap((given) => columns.map((arrives) => ({ given, arrives })))

  it.each(cells)('has a row for a bet that is $given when $arrives arrives', ({ given, arrives }) => {
    expect(rows.some((row) => row.given === given && row.arrives === arrives)).toBe(true)
  })

  it('describes no situation twice', () => {
    const titles = rows.map((row) => `${row.clawback} ${title(row)}`)
    expect(titles.filter((one, index) => titles.indexOf(one) !== index)).toEqual([])
  })
})

// The second policy comes with several buckets: nothing of the life table may depend on where a player's rows are.
describe.each<{ clawback: Clawback; buckets: string }>([
  { clawback: 'refuse', buckets: '1' },
  { clawback: 'allow-negative', buckets: '8' },
])('with PURSER_CLAWBACK=$clawback and PURSER_BUCKETS=$buckets', ({ clawback, buckets }) => {
  walletWith({ PURSER_CLAWBACK: clawback, PURSER_BUCKETS: buckets })
  const held = rows.filter((row) => row.clawback === undefined || row.clawback === clawback)

  it.each(held.map((row) => [title(row), row] as const))('%s', (_, row) => expectRow(row))
})

describe('for players who may not bet', () => {
  walletWith({})
  const players: Record<string, Moment> = { blocked, selfExcluded, unverified, underAge, testPlayer }
  const known = rows.filter((row) => row.given !== 'nothing' || row.arrives !== 'place')
  const plain = known.filter((row) => !row.meanwhile && !row.by && !row.clawback && typeof row.with !== 'function')
  const once = columns.flatMap((arrives) => states.map((given) => firstOf(plain, given, arrives)))
  const cases = Object.keys(players).flatMap((player) => once.flatMap((row) => (row ? [{ player, row }] : [])))

  // L-5 for settle, unsettle and rollback; for repeats of Place bet the order of R-6: the bet before the player.
  it.each(cases.map(({ player, row }) => [player, title(row), row] as const))('%s: %s', (player, _, row) =>
    expectRow(row, players[player]),
  )
})

function firstOf(from: Row[], given: string, arrives: string): Row | undefined {
  return from.find((row) => row.given === given && row.arrives === arrives)
}
