/**
 * One run with real locks: two wallets on one Postgres, first with faults, then without.
 *
 * Callers and a platform send many calls at once, while SQL statements wait, connections break and
 * processes die. Then the faults end, and the books must be right.
 */

import { errorWithStack } from '@purser/runtime/errors/error-text'
import { retryMatching } from 'purser/platform/delivery/manual-retry'
import { runBettor, runResultSource, runTraders } from '../market/actors/market-actors.ts'
import { AUTHORS } from '../market/actors/market-parties.ts'
import { countNeedingAttention, countUnderWay } from '../market/oracle/market-books.ts'
import { type Choice, type Choices, drawChoices } from '../market/run-choices.ts'
import { type ProcessFault, scheduleProcessFaults } from './faults/crash-faults.ts'
import {
  auditLocks,
  type BooksComparison,
  checkBalances,
  checkNamedBets,
  compareLocksBooks,
  readLocksBalances,
} from './final-checks.ts'
import type { LocksBase } from './locks-base.ts'
import { STANDBY_LOSS_NAMED } from './locks-coverage.ts'
import { type LocksHarness, type NamedLocksFault, openLocksHarness } from './locks-harness.ts'
import { isDatabaseBusy, passTimeUntil } from './locks-time.ts'
import { createWorkload, isAnswered, runCallers, sendCall, type Workload } from './workload.ts'

export interface LocksResult {
  readonly seed: number
  /** Equal for equal seeds. */
  readonly hash: string
  readonly calls: number
  readonly marks: ReadonlyMap<string, number>
  /** Violations of the rules; empty for a good run. */
  readonly complaints: readonly string[]
  readonly story: readonly string[]
  readonly choices: readonly Choice<ProcessFault>[]
}

const FAULTY_MS = 180_000
/** Deliveries may be due after a minute. */
const DELIVERED_MS = 120_000
const CALM_MS = 60_000
const POLL_MS = 2_000
/** The repeats of each call without faults. */
const REPEATS = 3

export async function runLocks(
  seed: number,
  base: LocksBase,
  planted?: NamedLocksFault,
  choices: Choices<ProcessFault> = drawChoices<ProcessFault>(),
): Promise<LocksResult> {
  await base.wallet.empty()
  await base.platform.empty()
  const harness = await openLocksHarness(seed, base, choices, planted)
  const { trace, wire, pace, complaints } = harness
  const workload = createWorkload(harness)
  try {
    await runWithFaults(harness, workload)
    if (!hasComplaints(harness)) await verifyCalm(harness, workload, planted?.blindTo)
  } catch (error) {
    complaints.push(errorWithStack(error))
  }
  const [hash, story] = [trace.hash(), [...trace.story()]]
  complaints.push(...wire.complaints(), ...pace.complaints())
  await harness.end().catch((error) => complaints.push(errorWithStack(error)))
  complaints.push(...(await auditLocks(base, !harness.standby.isInPlace && complaints.length === 0)))
  const calls = workload.bets.reduce((sum, { sent }) => sum + sent.length, 0)
  return { seed, hash, calls, marks: trace.marks, complaints, story, choices: choices.made() }
}

async function runWithFaults(harness: LocksHarness, workload: Workload): Promise<void> {
  const { participants, releases, random, complaints, trace } = harness
  trace.note('from here on anything goes wrong')
  releases.allow(true)
  const isQuiet = () => walletsAreQuiet(harness, workload)
  const over = () => {
    participants.isOver = true
  }
  const actors = [
    runCallers(harness, workload, isQuiet).finally(over),
    ...participants.players.map((player) =>
      runBettor(harness, participants, player, random(player.name), async () => {}),
    ),
    runResultSource(harness, participants, random('results')),
    runTraders(harness, participants, random('traders')),
  ]
  scheduleProcessFaults(harness)
  let left = actors.length
  for (const actor of actors)
    actor.then(
      () => void left--,
      (error) => complaints.push(errorWithStack(error)),
    )
  const isOver = await passTimeUntil(harness, () => left === 0 || hasComplaints(harness), FAULTY_MS)
  if (!isOver) complaints.push('somebody waits for what does not come')
}

/** Further complaints prove nothing. */
function hasComplaints({ complaints, wire, pace }: LocksHarness): boolean {
  return [complaints, wire.complaints(), pace.complaints()].some((some) => some.length > 0)
}

function walletsAreQuiet(harness: LocksHarness, { underWay }: Workload): boolean {
  return underWay === 0 && harness.wallets().every((one) => one.underWay() === 0) && !isDatabaseBusy(harness)
}

async function verifyCalm(harness: LocksHarness, workload: Workload, blindTo: string | undefined): Promise<void> {
  const { trace, releases, network, complaints, standby, participants, base, wire } = harness
  trace.note('from here on nothing goes wrong')
  participants.isOver = true
  releases.allow(false)
  network.calm()
  const others = new Set(workload.bets.map(({ betId }) => betId))
  const compared = await waitForDeliveries(harness, () => compareLocksBooks(base, others, blindTo))
  if (!(await passTimeUntil(harness, () => walletsAreQuiet(harness, workload), CALM_MS)))
    complaints.push('something is not over though nothing goes wrong')
  complaints.push(...checkNamedBets(compared, harness.names.bet))
  if (standby.isInPlace) {
    trace.note(`${compared.lost.size} bets are not as the platform was told`)
    if (compared.lost.size > 0) trace.mark(STANDBY_LOSS_NAMED)
    return
  }
  for (const bet of compared.lost)
    complaints.push(`${harness.names.bet(bet)} is not at the wallets what the platform was told`)
  wire.died() // no call is in progress: a call without an effect will never have one
  await repeatCalls(harness, workload)
  const owners = participants.players.map(({ userId, cash }) => ({ userId, cash: cash.EUR }))
  complaints.push(...checkBalances(owners, await readLocksBalances(base), wire, (name) => trace.mark(name)))
  trace.note('all is over')
}

/** After a failover, lost results stay owed. */
async function waitForDeliveries(
  harness: LocksHarness,
  compareBooks: () => Promise<BooksComparison>,
): Promise<BooksComparison> {
  const { base, network, world, standby, complaints } = harness
  const { deciding, deliverer } = harness.platform() ?? {}
  const end = world.elapsed() + DELIVERED_MS
  const isOver = async ({ inFlight }: BooksComparison) =>
    inFlight + network.onTheirWay() === 0 &&
    (standby.isInPlace || (await countUnderWay(base)) + (await countNeedingAttention(base)) === 0)
  let compared = await compareBooks()
  while (!(await isOver(compared)) && world.elapsed() < end) {
    if (deciding !== undefined && !standby.isInPlace && (await countNeedingAttention(base)) > 0) {
      retryMatching(deciding, AUTHORS.platform(), {}).then(deliverer?.wake, () => {})
    }
    await passTimeUntil(harness, () => false, POLL_MS)
    compared = await compareBooks()
  }
  if (!(await isOver(compared)))
    complaints.push(`${await countUnderWay(base)} deliveries are not over though nothing goes wrong`)
  return compared
}

/** Repeats calls without a clear answer, then every call, also at the other wallet. */
async function repeatCalls(harness: LocksHarness, workload: Workload): Promise<void> {
  const { complaints } = harness
  const draws = harness.random('what is asked again')
  const all = workload.bets.flatMap(({ sent }) => sent)
  const over = async () => {
    if (!(await passTimeUntil(harness, () => walletsAreQuiet(harness, workload), CALM_MS)))
      complaints.push('something is not over though nothing goes wrong')
  }
  const askAgain = async (calls: typeof all) => {
    for (const sent of calls) {
      sendCall(harness, workload, draws.below(2), sent)
      await over()
    }
  }
  for (let times = 0; times < REPEATS; times++) await askAgain(all.filter((sent) => !isAnswered(sent)))
  const owed = all.filter((sent) => !isAnswered(sent)).length
  if (owed > 0) complaints.push(`${owed} calls get no clear answer though nothing goes wrong`)
  await askAgain(all)
  for (let times = 0; times < REPEATS && workload.owed.length > 0; times++)
    for (const again of workload.owed.splice(0)) {
      workload.underWay += 1
      void again().finally(() => {
        workload.underWay -= 1
      })
      await over()
    }
  if (workload.owed.length > 0) complaints.push('a movement of money gets no answer though nothing goes wrong')
}
