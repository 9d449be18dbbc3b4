/**
 * What befalls whole processes and servers: a wallet is killed, or its Postgres dies and a standby that lags takes its place. What the standby
 * has is what was committed when it fell behind, read in one snapshot, and put there when nobody is connected any more: for a wallet it is
 * the same, and it takes no seconds. With servers that replicate, `npm run faults` does it (failover-lagging).
 */

import { environment } from '../../../runtime/environment.ts'
import type { Random } from '../../../runtime/seeded-random.ts'
import type { LocksHarness } from '../locks-harness.ts'

export type ProcessFault =
  /** The standby gets nothing any more of what is committed from then. */
  | { readonly does: 'fall behind' }
  | { readonly does: 'fail over' }
  | { readonly does: 'kill'; readonly wallet: number; readonly downMs: number }

export interface LaggingStandby {
  /** Puts what it has in the place of what there is; absent: it has everything. */
  takeOver?: () => Promise<void>
  isInPlace: boolean
}

/** Milliseconds until a process that could not begin is begun again. */
const AGAIN_MS = 1_000
/** One that waits for a lock sees that nobody listens any more when it gets it. */
const MAX_ROUNDS = 100

interface TimedFault {
  readonly at: number
  readonly disaster: ProcessFault
}

export function drawProcessFaults(random: Random): TimedFault[] {
  const from = environment.monotonicNow()
  const found: TimedFault[] = []
  const lagAfter = random.between(200, 1_500)
  if (random.chance(0.35))
    found.push(
      { at: from + lagAfter, disaster: { does: 'fall behind' } },
      { at: from + lagAfter + random.between(300, 2_000), disaster: { does: 'fail over' } },
    )
  if (random.chance(0.35)) {
    const fault = { does: 'kill', wallet: random.below(2), downMs: random.between(1, 2_000) } as const
    found.push({ at: from + random.between(100, 2_500), disaster: fault })
  }
  return found
}

/** Those that come when all is over do not. */
export function scheduleProcessFaults(harness: LocksHarness): void {
  for (const { at, disaster: fault } of harness.choices.crashFaults(() =>
    drawProcessFaults(harness.random('misfortunes')),
  ))
    environment.setTimer(at - environment.monotonicNow(), () => {
      if (!harness.participants.isOver) harness.works.push(() => injectFault(harness, fault))
    })
}

async function injectFault(harness: LocksHarness, fault: ProcessFault): Promise<void> {
  const { trace, base, standby } = harness
  if (fault.does === 'kill') return killWallet(harness, fault)
  if (fault.does === 'fail over') return failOver(harness)
  trace.note('the standby falls behind')
  standby.takeOver = await base.wallet.backup()
}

async function killWallet(harness: LocksHarness, { wallet, downMs }: ProcessFault & { does: 'kill' }): Promise<void> {
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
  /** Its first connections may break too: a process that cannot begin ends, and whoever watches over it begins another one. */
  const failed = () => {
    trace.note(`wallet ${wallet + 1} cannot begin`)
    harness.wallet(wallet)?.kill()
    harness.forgetWallet(wallet)
    environment.setTimer(AGAIN_MS, begin)
  }
  environment.setTimer(downMs, begin)
}

/** Whatever is under way at the server dies with it. */
async function failOver(harness: LocksHarness): Promise<void> {
  const { trace, proxy, standby, participants } = harness
  if (standby.takeOver === undefined) return
  trace.note('the server of the wallets dies, and the standby takes its place')
  trace.mark('a standby that lags takes over')
  harness.stopListening()
  participants.isOver = true
  const connected = () => proxy.sessions().filter(({ party, phase }) => party !== 'platform' && phase !== 'asking')
  for (let round = 0; connected().length > 0; round++) {
    if (round > MAX_ROUNDS) throw new Error('the server of the wallets does not let go of them')
    for (const session of connected()) await proxy.cut(session)
  }
  await standby.takeOver()
  standby.isInPlace = true
}
