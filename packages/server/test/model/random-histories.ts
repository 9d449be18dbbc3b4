/**
 * Plays random histories of calls over real HTTP and Postgres, and compares each step with the
 * model.
 *
 * A failure prints the shortened history and the command that plays it again. PURSER_SEED fixes the
 * seed, and PURSER_HISTORIES the number of histories per configuration. histories.long.test.ts
 * plays a few histories, and histories.nightly.test.ts enough to reach every rule.
 */
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { ANOMALIES, RULES, type Settings } from './call.ts'
import { type Coverage, cells, missing } from './coverage.ts'
import { histories, tables } from './lists.ts'
import { playHistory } from './play.ts'
import { REFUSED_FOR_GOOD, type Step, withoutWaiting } from './steps.ts'

const SEED = Number(process.env.PURSER_SEED ?? randomInt(2 ** 31))
const CALLS = 30
/** Concurrent histories, each with its own players. */
const TABLES = 10
const CALLS_AT_A_TABLE = 20
/** For a short run. */
const FEWER_CALLS = 8
const TIMEOUT_MS = 600_000
/** Shrinking ends after this time, with the shortest history so far. */
const SEARCH_MS = 480_000
const SEEN_AT_LEAST = 5
/** Other tests cover the codes of a failing wallet (100, 10) and of a forged call (1). */
const CODES = [3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 20, 21]

interface Setup extends Settings {
  buckets: string
  fastPath?: 'on' | 'off'
}
const SETUPS: Setup[] = [
  { clawback: 'refuse', freebetStake: 'player', behindAggregator: false, buckets: '1' },
  { clawback: 'refuse', freebetStake: 'promotions', behindAggregator: true, buckets: '4' },
  { clawback: 'allow-negative', freebetStake: 'player', behindAggregator: true, buckets: '4' },
  { clawback: 'allow-negative', freebetStake: 'promotions', behindAggregator: false, buckets: '1' },
]

interface Extent {
  coverage: boolean
  fastPath?: 'on' | 'off'
  /** The seed chooses two of the four setups, which differ in clawback, route and buckets. */
  isShort?: true
}

/** `expected`: histories per configuration, unless PURSER_HISTORIES is set. */
export function testHistories(expected: number, extent: Extent): void {
  const count = Number(process.env.PURSER_HISTORIES ?? expected)
  const coverage: Coverage = new Map()
  const chosen = SETUPS.filter((_, i) => !extent.isShort || i % 2 === SEED % 2)
  const setups = chosen.map((setup) => ({ ...setup, fastPath: extent.fastPath ?? 'on' }))
  const calls = extent.isShort ? FEWER_CALLS : CALLS_AT_A_TABLE
  console.log(
    `the seed of the histories is ${SEED}; again: PURSER_SEED=${SEED} npx vitest run packages/server/test/model`,
  )

  describe.concurrent('calls of a random history', () => {
    test.each(setups.map((setup, index) => [nameOf(setup), setup, SEED + index] as const))(
      'get the replies and leave the balances that the model predicts when sent one after another, %s',
      { timeout: TIMEOUT_MS },
      (_name, setup, seed) => withWallet(setup, (wallet) => playOneByOne(wallet, setup, seed, count, coverage)),
    )
  })
  if (extent.coverage) testCoverage(coverage)
  describe('concurrent calls of many players', () => {
    test.each(setups.map((setup, index) => [nameOf(setup), setup, SEED + index] as const))(
      'get the replies and leave the balances of their own histories, %s',
      { timeout: TIMEOUT_MS },
      (_name, setup, seed) =>
        withWallet(setup, async (wallet) => {
          const property = fc.asyncProperty(tables(TABLES, calls), (all) => playTogether(wallet, setup, all))
          await search(property, seed, Math.ceil(count / TABLES))
        }),
    )
  })
}

async function playOneByOne(wallet: TestWallet, setup: Setup, seed: number, count: number, coverage: Coverage) {
  const property = fc.asyncProperty(fc.boolean(), histories(CALLS), (isOpened, steps) =>
    playHistory(wallet, setup, isOpened ? [...REFUSED_FOR_GOOD, ...steps] : steps, coverage),
  )
  await search(property, seed, count)
}

/** Fails if the generator no longer reaches a cell or a reply, which would then be untested. */
function testCoverage(coverage: Coverage): void {
  test('the random histories reach every cell of the life table, every reply and every special rule', () => {
    const wanted = [...cells(), 'accepted', ...CODES.map((code) => `code ${code}`), ...RULES, ...ANOMALIES]
    expect(missing(coverage, wanted, SEEN_AT_LEAST), `seed ${SEED}`).toEqual([])
  })
}

/**
 * Waits for every table, even after a difference: its calls must not overlap with the next round.
 */
async function playTogether(wallet: TestWallet, setup: Setup, all: Step[][]): Promise<void> {
  const played = all.map((steps) => playHistory(wallet, setup, withoutWaiting(steps), new Map()))
  for (const end of await Promise.allSettled(played)) if (end.status === 'rejected') throw end.reason
}

function nameOf({ clawback, freebetStake, behindAggregator, buckets }: Setup): string {
  const route = behindAggregator ? 'behind an aggregator' : 'called directly'
  return `clawback ${clawback}, freebets paid by ${freebetStake}, ${route}, buckets ${buckets}`
}

async function withWallet(setup: Setup, work: (wallet: TestWallet) => Promise<void>): Promise<void> {
  const env = {
    PURSER_CLAWBACK: setup.clawback,
    PURSER_FREEBET_STAKE: setup.freebetStake,
    PURSER_BEHIND_AGGREGATOR: String(setup.behindAggregator),
    PURSER_BUCKETS: setup.buckets,
    PURSER_FAST_PATH: setup.fastPath ?? 'on',
  }
  const wallet = await startWallet({ env })
  wallet.clock.advance(untilNoon(wallet.clock.now()))
  try {
    await work(wallet)
    await wallet.auditIsClean()
  } finally {
    await wallet.stop()
  }
}

/**
 * A run starts at noon and moves by whole hours. So no call crosses midnight in UTC, at which
 * limits reset.
 */
function untilNoon(now: Date): number {
  return new Date(now).setUTCHours(36, 0, 0, 0) - now.getTime()
}

/** fast-check's own report shows the steps as data, ours the messages and replies. */
async function search<T>(property: fc.IAsyncProperty<T>, seed: number, numRuns: number): Promise<void> {
  const limits = { interruptAfterTimeLimit: SEARCH_MS, markInterruptAsFailure: true }
  const details = await fc.check(property, { seed, numRuns, ...limits })
  if (!details.failed) return
  const found = details.errorInstance instanceof Error ? details.errorInstance.message : 'the time was too short'
  throw new Error(
    [
      `the wallet and the model differ: ${found}`,
      `history ${details.numRuns}, shortened ${details.numShrinks} times; fast-check seed ${seed}, path ${details.counterexamplePath}`,
      `again: PURSER_SEED=${SEED} npx vitest run packages/server/test/model`,
    ].join('\n'),
  )
}
