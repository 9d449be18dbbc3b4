/**
 * Faults of whole processes: a wallet is killed, or a lagging standby replaces the dead Postgres.
 *
 * The simulated standby is a snapshot of the moment at which it fell behind. After all connections
 * have closed, the snapshot is restored. Wallets see no difference to real replication, which `npm
 * run faults` uses (failover-lagging).
 */

import { environment } from '@purser/runtime/environment'
import type { Random } from '@purser/runtime/seeded-random'
import type { LocksHarness } from '../locks-harness.ts'

export type ProcessFault =
  /** The standby receives no later commit. */
  | { readonly kind: 'fall behind' }
  | { readonly kind: 'fail over' }
  | { readonly kind: 'kill'; readonly wallet: number; readonly downMs: number }

export interface LaggingStandby {
  /** Replaces the content; absent if the standby has everything. */
  takeOver?: () => Promise<void>
  isInPlace: boolean
}

/** The delay before the next start of a process that could not start. */
const AGAIN_MS = 1_000
/** A backend that waits for a lock notices a closed connection only with the lock. */
const MAX_ROUNDS = 100

interface TimedFault {
  readonly at: number
  readonly crash: ProcessFault
}

export function drawProcessFaults(random: Random): TimedFault[] {
  const from = environment.monotonicNow()
  const found: TimedFault[] = []
  const lagAfter = random.between(200, 1_500)
  if (random.chance(0.35))
    found.push(
      { at: from + lagAfter, crash: { kind: 'fall behind' } },
      { at: from + lagAfter + random.between(300, 2_000), crash: { kind: 'fail over' } },
    )
  if (random.chance(0.35)) {
    const fault = { kind: 'kill', wallet: random.below(2), downMs: random.between(1, 2_000) } as const
    found.push({ at: from + random.between(100, 2_500), crash: fault })
  }
  return found
}

/** Faults after the end of the run do not happen. */
export function scheduleProcessFaults(harness: LocksHarness): void {
  for (const { at, crash: fault } of harness.choices.crashFaults(() =>
    drawProcessFaults(harness.random('misfortunes')),
  ))
    environment.setTimer(at - environment.monotonicNow(), () => {
      if (!harness.participants.isOver) harness.works.push(() => injectFault(harness, fault))
    })
}

async function injectFault(harness: LocksHarness, fault: ProcessFault): Promise<void> {
  const { trace, base, standby } = harness
  if (fault.kind === 'kill') return killWallet(harness, fault)
  if (fault.kind === 'fail over') return failOver(harness)
  trace.note('the standby falls behind')
  standby.takeOver = await base.wallet.backup()
}

async function killWallet(harness: LocksHarness, { wallet, downMs }: ProcessFault & { kind: 'kill' }): Promise<void> {
  const { trace } = harness
  trace.note(`wallet ${wallet + 1} is killed`)
  trace.mark('a wallet is killed')
  harness.wallet(wallet)?.kill()
  harness.forgetWallet(wallet)
  const begin = () => {
    if (harness.wallet(wallet) !== undefined) return
    trace.note(`wallet ${wallet + 1} begins`)
    harness.beginWallet(wallet).catch(failed)
  }
  /**
   * The first connections may break too. Then the process ends, and its supervisor starts another
   * one.
   */
  const failed = () => {
    trace.note(`wallet ${wallet + 1} cannot begin`)
    harness.wallet(wallet)?.kill()
    harness.forgetWallet(wallet)
    environment.setTimer(AGAIN_MS, begin)
  }
  environment.setTimer(downMs, begin)
}

/** All work in progress at the server is lost. */
async function failOver(harness: LocksHarness): Promise<void> {
  const { trace, proxy, standby, participants } = harness
  if (standby.takeOver === undefined) return
  trace.note('the server of the wallets dies, and the standby takes its place')
  trace.mark('a standby that lags takes over')
  harness.stopListening()
  participants.isOver = true
  const connected = () => proxy.sessions().filter(({ party, phase }) => party !== 'platform' && phase !== 'connecting')
  for (let round = 0; connected().length > 0; round++) {
    if (round > MAX_ROUNDS) throw new Error('the server of the wallets does not let go of them')
    for (const session of connected()) await proxy.cut(session)
  }
  await standby.takeOver()
  standby.isInPlace = true
}
