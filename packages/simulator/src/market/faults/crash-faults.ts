/**
 * Schedules the faults of whole processes, databases and connections.
 *
 * A process dies, a database fails, a partition separates parties, a clock is set, or a server is
 * lost.
 */
import type { Random } from '@purser/runtime/seeded-random'
import { partiesOf, serverOf } from '../actors/party-names.ts'
import type { BackupControl } from '../databases/backup-restore.ts'
import type { OtherSettings } from '../databases/market-store.ts'
import type { Market } from '../market.ts'
import { listClocks } from '../network/wall-clocks.ts'
import type { CrashFault } from '../run-choices.ts'
import { countScenarioAudits, readScenarioSpan, type Scenario } from '../scenario.ts'

/** The interval of audits, for a span of 1 (scenario.ts). */
export const AUDIT_EVERY_MS = 40_000
const DAY_MS = 24 * 3_600_000

export async function scheduleCrashFaults(market: Market, { backUp, restore }: BackupControl): Promise<void> {
  const { world, network, trace, choices } = market
  const elapsed = world.elapsed()
  for (const { at, crash } of choices.crashFaults(() => drawCrashFaults(market.random, elapsed, market.scenario)))
    world.after(at - elapsed, () => {
      if (crash.kind === 'set clock') return market.setClock(crash.clock, crash.byMs)
      if (crash.kind === 'kill') return market.kill(crash.party, crash)
      if (crash.kind === 'fail') return market.fail(crash.party, crash)
      if (crash.kind === 'back up') return backUp()
      if (crash.kind === 'restore') return restore(crash.downMs)
      trace.note(`a partition of ${crash.ms} ms`)
      network.partition(crash.ms)
    })
}

const SETTINGS_OF: Readonly<Record<ReturnType<typeof serverOf>, readonly OtherSettings[]>> = {
  wallet: ['the fast path is off', 'another scale'],
  gateway: [],
  platform: ['few calls at once', 'another scale'],
}

/** Three of five deaths happen at a statement. */
const MOMENTS = ['now', 'statements', 'statements', 'statements', 'steps'] as const

function drawCrashFaults(
  stream: Market['random'],
  from: number,
  scenario: Scenario,
): { at: number; crash: CrashFault }[] {
  const [random, ofSettings, ofFailures] = [stream('disasters'), stream('settings'), stream('failures')]
  const [faultsMs, hasFailures] = [
    AUDIT_EVERY_MS * countScenarioAudits(scenario) * readScenarioSpan(scenario),
    scenario.hasFailures === true,
  ]
  const kills = Array.from({ length: random.below(2 + countScenarioAudits(scenario)) }, () => {
    const [at, party] = [from + random.below(faultsMs), random.pick(partiesOf(scenario))]
    const moment = random.pick(MOMENTS)
    const statements = moment === 'now' ? {} : { [moment]: random.below(40) }
    const others = scenario.hasOtherSettings === true ? SETTINGS_OF[serverOf(party)] : []
    const settings = others.length > 0 ? { settings: ofSettings.pick(others) } : {}
    const again = { downMs: random.between(200, 12_000), ...settings }
    const how = hasFailures && ofFailures.chance(0.3) ? { commits: ofFailures.between(1, 2) } : statements
    return { at, crash: { kind: 'kill', party, ...how, ...again } as const }
  })
  const failures = Array.from({ length: hasFailures ? ofFailures.between(1, 4) : 0 }, () => {
    const [at, party] = [from + ofFailures.below(faultsMs), ofFailures.pick(partiesOf(scenario))]
    return {
      at,
      crash: { kind: 'fail', party, statements: ofFailures.below(40), times: ofFailures.between(1, 3) } as const,
    }
  })
  const partitions = Array.from({ length: random.below(3) }, () => {
    const at = from + random.below(faultsMs)
    return { at, crash: { kind: 'partition', ms: random.between(2_000, 40_000) } as const }
  })
  const clocks = Array.from({ length: random.below(4) }, () => {
    const [at, clock] = [from + random.below(faultsMs), random.pick(listClocks(scenario))]
    const far = !clock.startsWith('database') && random.chance(0.4) ? DAY_MS : random.between(200, 100_000)
    return { at, crash: { kind: 'set clock', clock, byMs: random.chance(0.5) ? far : -far } as const }
  })
  return [...kills, ...partitions, ...clocks, ...failures, ...drawRestore(stream('restore'), from, faultsMs, scenario)]
}

function drawRestore(
  random: Random,
  from: number,
  faultsMs: number,
  { isRestored }: Scenario,
): { at: number; crash: CrashFault }[] {
  if (isRestored !== true) return []
  const backedUp = random.below(Math.trunc(faultsMs * 0.7))
  const lost = random.between(backedUp + 1, faultsMs)
  const how = random.chance(0.5) ? { downMs: random.between(200, 12_000) } : {}
  return [
    { at: from + backedUp, crash: { kind: 'back up' } },
    { at: from + lost, crash: { kind: 'restore', ...how } },
  ]
}
