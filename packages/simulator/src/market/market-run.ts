/**
 * One run of a simulated market, which has wallets, a platform and their users.
 *
 * The market is played with faults, then without faults, and then its books are audited.
 */

import { environment } from '@purser/runtime/environment'
import { errorWithStack } from '@purser/runtime/errors/error-text'
import { createRandom } from '@purser/runtime/seeded-random'
import type { Platform } from 'purser/platform/platform'
import { drawBonus, resolveOpenIssues, runBettor, runResultSource, runTraders } from './actors/market-actors.ts'
import { MARKET_PARTNER, type Participants } from './actors/market-participants.ts'
import { AUTHORS } from './actors/market-parties.ts'
import { openAccount, openFrame, runOperators, runSwitchers, setDayLimits } from './actors/operator-staff.ts'
import { openOtherPlatform } from './actors/other-platform.ts'
import { PARTY_NAMES, PARTY_URLS, partiesOf, partnerOf, WALLET_NAMES, walletsOf } from './actors/party-names.ts'
import { checkBackupLoss } from './databases/backup-loss-check.ts'
import { createBackups } from './databases/backup-restore.ts'
import { createStores, type Images, MARKET_SECRET } from './databases/market-store.ts'
import { AUDIT_EVERY_MS, scheduleCrashFaults } from './faults/crash-faults.ts'
import { type Market, openMarket, type Stores } from './market.ts'
import { findMissingMarks } from './minimum-coverage.ts'
import { readClockOffset } from './network/wall-clocks.ts'
import { auditDayLimits } from './oracle/day-limit-audit.ts'
import {
  type AuditedPositions,
  auditMarketBooks,
  compareMarketBooks,
  countNeedingAttention,
  countUnderWay,
} from './oracle/market-books.ts'
import { checkReconcileFindings } from './oracle/reconcile-check.ts'
import { auditAnswers } from './oracle/wallet-answer-audit.ts'
import { type Choice, type Choices, drawChoices } from './run-choices.ts'
import { countScenarioAudits, drawScenario, LIMITS_BY_PLAYER, readScenarioSpan, type Scenario } from './scenario.ts'

export interface RunResult {
  readonly seed: number
  /** Equal for equal seeds. */
  readonly hash: string
  readonly bets: number
  readonly simulatedMs: number
  readonly marks: ReadonlyMap<string, number>
  /** Violations of the rules; empty for a good run. */
  readonly complaints: readonly string[]
  readonly story: readonly string[]
  readonly choices: readonly Choice[]
}

const PLAYERS = { wallet: 3, 'other wallet': 2 } as const
/**
 * Without faults every call must be over after this time.
 *
 * An earlier message can be 90 s late; the claim of a dead process is watched for 8 s. The gaps
 * between attempts of a result are at most 60 s (C-5); a Rollback has 6 minutes in all (C-4).
 */
const CALM_MS = 480_000
/** Every actor gets its last answer in this time, for a span of 1 (scenario.ts). */
const ACTORS_MS = 60_000
const POLL_MS = 10_000

/** `choices` replaces the seed's choices. The random numbers of the processes stay the seed's. */
export async function runMarket(seed: number, stores: Stores, choices: Choices = drawChoices()): Promise<RunResult> {
  const scenario = choices.scenario(() => drawScenario(seed, createRandom(seed, 'scene')))
  for (const party of partiesOf(scenario)) await stores[party].empty()
  const market = openMarket(seed, stores, choices, scenario)
  const empty: Participants = {
    players: [],
    bets: [],
    movements: 0,
    isOver: false,
    restored: new Set(),
    misnamed: [],
    shared: new Set(),
  }
  const complaints: string[] = []
  try {
    const participants = await setUpMarket(market, empty, scenario)
    complaints.push(...(await runWithFaults(market, participants, stores, scenario)))
    if (complaints.length === 0) complaints.push(...(await settleMarket(market, participants, stores, scenario)))
  } catch (error) {
    complaints.push(errorWithStack(error))
  } finally {
    market.end()
  }
  const { trace, world } = market
  const recorded = { story: trace.story(), marks: trace.marks, hash: trace.hash(), choices: choices.made() }
  return { seed, simulatedMs: world.elapsed(), bets: empty.bets.length, complaints, ...recorded }
}

async function setUpMarket(market: Market, participants: Participants, scenario: Scenario): Promise<Participants> {
  for (const party of partiesOf(scenario)) await market.until(market.begin(party), 10_000)
  const partner = {
    partnerId: MARKET_PARTNER,
    baseUrl: PARTY_URLS[partnerOf(scenario)],
    secrets: [MARKET_SECRET],
    connection: {},
  }
  const { deciding } = market.platform() as Platform
  await market.until(deciding.partners.save(AUTHORS.platform(), partner, new Date(environment.now())), 10_000)
  const gateway = market.gateway()
  if (gateway !== undefined) for (const wallet of WALLET_NAMES) await market.until(gateway.save(wallet), 10_000)
  const players = []
  for (const wallet of walletsOf(scenario))
    for (let i = 1; i <= PLAYERS[wallet]; i++) {
      const account = { wallet, userId: `player-${i}` }
      players.push(await market.until(openAccount(market, participants, account, 60 * i), 600_000))
    }
  for (const player of players) {
    const limits = scenario.hasLimits && player.wallet === 'wallet' ? LIMITS_BY_PLAYER[player.userId] : undefined
    if (limits !== undefined) await market.until(setDayLimits(market, participants, player, limits), 60_000)
  }
  const whole: Participants = { ...participants, players }
  if (scenario.hasOtherPlatform === true) whole.other = openOtherPlatform(market, whole)
  return whole
}

/** Returns complaints. */
async function runWithFaults(
  market: Market,
  participants: Participants,
  stores: Stores,
  scenario: Scenario,
): Promise<string[]> {
  const actors = [
    ...participants.players.map((player) => {
      const [random, ofBonus] = [market.random(player.name), market.random(`bonus of ${player.name}`)]
      const frame = () => openFrame(market, participants, player)
      return runBettor(market, participants, player, random, frame, (amount) => drawBonus(scenario, ofBonus, amount))
    }),
    runResultSource(market, participants, market.random('results')),
    runTraders(market, participants, market.random('traders')),
    runOperators(market, participants, market.random('operators')),
    runSwitchers(market, participants, market.random('switchers')),
    ...(participants.other === undefined ? [] : [participants.other.play()]),
    scheduleCrashFaults(market, createBackups(market, stores, scenario, participants)),
  ]
  const failed: unknown[] = []
  const backupAt = scenario.backup && Math.min(scenario.backup, countScenarioAudits(scenario))
  for (const actor of actors) actor.catch((error: unknown) => failed.push(error))
  const audited: AuditedPositions = new Map()
  const audit = async () => [
    ...participants.misnamed,
    ...market.complaints(),
    ...(await auditMarketBooks(stores, scenario, false, audited)),
    ...(await auditDayLimits(stores.wallet.db, scenario)),
  ]
  for (let check = 1; check <= countScenarioAudits(scenario); check++) {
    const watchedFindings = await passWatched(
      market,
      AUDIT_EVERY_MS * readScenarioSpan(scenario),
      scenario.isWatched === true ? audit : undefined,
    )
    if (failed.length > 0) throw failed[0]
    const found = [...watchedFindings, ...(await auditAnswers(market, participants)), ...(await audit())]
    if (found.length > 0) return found
    if (check === backupAt && scenario.isRestored !== true) participants.putBack = await stores.wallet.backup()
  }
  participants.isOver = true
  markDays(market, scenario)
  await market.until(Promise.all(actors), ACTORS_MS * readScenarioSpan(scenario))
  return []
}

/** Returns the first complaints. The audit follows each step with an event. */
async function passWatched(market: Market, milliseconds: number, audit?: () => Promise<string[]>): Promise<string[]> {
  const found: string[] = []
  let events = market.trace.story().length
  const check = async () => {
    if (audit === undefined || market.trace.story().length === events) return true
    events = market.trace.story().length
    market.trace.mark('the books are audited behind a step')
    found.push(...(await audit()))
    return found.length === 0
  }
  await market.pass(milliseconds, check)
  return found
}

function markDays({ trace, world }: Market, { startsAt }: Scenario): void {
  const [from, to] = [startsAt, startsAt + world.elapsed()].map((at) => new Date(at).toISOString())
  if (from?.slice(0, 10) !== to?.slice(0, 10)) trace.mark('a day ends')
  if (from?.slice(0, 7) !== to?.slice(0, 7)) trace.mark('a month ends')
}

/** False while a process has not restarted yet. */
function isWhole(market: Market, scenario: Scenario): boolean {
  return market.platform() !== undefined && walletsOf(scenario).every((name) => market.wallet(name) !== undefined)
}

/** Returns complaints. */
async function settleMarket(
  market: Market,
  participants: Participants,
  stores: Stores,
  scenario: Scenario,
): Promise<string[]> {
  const { world, trace, network } = market
  trace.note('all is calm')
  market.calm()
  participants.other?.calm()
  // Timers by a clock that was set back fire later.
  const until = world.elapsed() + CALM_MS + Math.max(0, -readClockOffset('database of the platform'))
  for (let isOver = false; !isOver; ) {
    if (world.elapsed() > until)
      return [
        `${await countUnderWay(stores)} deliveries are not over, ${await countNeedingAttention(stores)} need a person`,
      ]
    if (isWhole(market, scenario) && (await countNeedingAttention(stores)) > 0)
      await market.until(resolveOpenIssues(market, participants, stores), 60_000)
    await market.pass(POLL_MS)
    isOver =
      network.onTheirWay() +
        (participants.other?.underWay() ?? 0) +
        (await countUnderWay(stores)) +
        (await countNeedingAttention(stores)) ===
      0
  }
  const watched = [
    ...participants.misnamed,
    ...market.complaints(),
    ...(participants.other?.complaints() ?? []),
    ...(await auditAnswers(market, participants)),
  ]
  watched.push(...(await auditDayLimits(stores.wallet.db, scenario)))
  watched.push(...(await auditMarketBooks(stores, scenario, true)))
  for (const name of walletsOf(scenario))
    watched.push(...(await market.wire(name).odds.audit(stores[name].db, market.names)))
  watched.push(...(await compareMarketBooks(stores, scenario, participants, market.names)))
  if (participants.restored.size > 0)
    watched.push(
      ...(await checkReconcileFindings(stores, scenario, participants, market.names, 'all is over')).complaints,
    )
  watched.push(...findMissingMarks(scenario, trace.marks))
  if (watched.length > 0 || participants.putBack === undefined) return watched
  await participants.putBack()
  return checkBackupLoss(stores, scenario, participants, market)
}

/** Even seeds have a gateway, which adds the most statements. */
const WARMING_SEEDS = [2, 4] as const

/**
 * Creates each party's database and plays a few markets in them, so that later runs find all SQL
 * statements planned.
 */
export async function openWarmStores(images?: Images): Promise<Awaited<ReturnType<typeof createStores>>> {
  const stores = await createStores(images)
  for (const seed of WARMING_SEEDS) await runMarket(seed, stores)
  for (const party of PARTY_NAMES) await stores[party].keep()
  return stores
}
