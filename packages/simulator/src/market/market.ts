/**
 * The simulated market of one run: wallets, gateway and platform, their network, and the virtual
 * time.
 *
 * A process can die and restart; its database stays.
 */

import type { Clock } from '@purser/runtime/clock'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { createRandom, type Random } from '@purser/runtime/seeded-random'
import { isOutage } from 'purser/core/database/database-errors'
import type { Platform } from 'purser/platform/platform'
import { createTraceLogger, type GatewayParty, type WalletParty } from './actors/market-parties.ts'
import { isWallet, PARTY_URLS, type PartyName, partnerOf, type WalletName, walletsOf } from './actors/party-names.ts'
import { createCrashableDb, type ProcessLife } from './databases/crashable-db.ts'
import { createPartyLookup, forgetParty, type LiveProcesses, startParty } from './databases/live-processes.ts'
import { createPartyConfig, type OtherSettings, type Store } from './databases/market-store.ts'
import {
  type CallerFault,
  type Host,
  type NetworkRequest,
  type SimulatedNetwork,
  simulateNetwork,
} from './network/simulated-network.ts'
import { enterVirtualEnvironment, type VirtualEnvironment } from './network/virtual-environment.ts'
import { type ClockName, resetClocks, setClock } from './network/wall-clocks.ts'
import { type WireWatch, watchWire } from './network/wire-watch.ts'
import { type GatewayWatch, watchGateway } from './oracle/gateway-watch.ts'
import { markStatements, noteDeath, noteFailure, watchAnswers, watchBreakers } from './oracle/market-coverage.ts'
import { type PaceWatch, watchPace } from './oracle/pace-watch.ts'
import { watchRollbackReasons } from './oracle/rollback-reason-watch.ts'
import type { Choices } from './run-choices.ts'
import type { Scenario } from './scenario.ts'
import { createStoryNames, type StoryNames } from './story-names.ts'
import { createTrace, type Trace } from './trace.ts'

export interface Stores extends Readonly<Record<PartyName, Store>> {
  /** Planted faults between the network and a party. */
  readonly fronts?: Partial<Record<PartyName, (host: Host) => Host>>
  /** A planted fault in the platform's reading of answers. */
  readonly ear?: CallerFault
  /** A planted fault in the platform: durations use another clock. */
  readonly elapsed?: (clock: Clock) => number
  /** Reconcile does not report this kind of difference. */
  readonly blindTo?: string
}

/** The time in which the operator corrects the settings of a process that refused to start. */
const CORRECTED_MS = 1_000

/** A death without further members happens now. */
interface DeathPlan extends RestartPlan {
  readonly statements?: number
  readonly commits?: number
  readonly steps?: number
}

interface RestartPlan {
  readonly downMs: number
  readonly settings?: OtherSettings | undefined
}

export interface Market {
  readonly world: VirtualEnvironment
  readonly trace: Trace
  readonly network: SimulatedNetwork
  readonly names: StoryNames
  readonly choices: Choices
  readonly scenario: Scenario
  complaints(): readonly string[]
  wire(wallet: WalletName): WireWatch
  readonly gatewayWatch: GatewayWatch
  readonly pace: Pick<PaceWatch, 'sentAgain'>
  /** Undefined while the process is down. */
  wallet(name: WalletName): WalletParty | undefined
  gateway(): GatewayParty | undefined
  platform(): Platform | undefined
  /** A separate stream of random numbers. */
  random(subject: string): Random
  begin(party: PartyName): Promise<void>
  kill(party: PartyName, death: DeathPlan): void
  /** `times` statements fail, from this one on, counted from now. */
  fail(party: PartyName, failure: { readonly statements: number; readonly times: number }): void
  setClock(clock: ClockName, byMs: number): void
  /** The virtual time stands still until the work is done. An error ends the run. */
  meanwhile(work: Promise<void>): void
  /** From this call on no fault happens. */
  calm(): void
  /** Throws if the work is not done after these milliseconds. */
  until<T>(work: Promise<T>, milliseconds: number): Promise<T>
  /** `afterEach` is called after each step; false ends the wait. */
  pass(milliseconds: number, afterEach?: () => Promise<boolean>): Promise<void>
  end(): void
}

export function openMarket(seed: number, stores: Stores, choices: Choices, scenario: Scenario): Market {
  let busy = 0
  const count = (change: 1 | -1) => {
    busy += change
  }
  const world = enterVirtualEnvironment(seed, () => busy > 0, 'none', scenario.startsAt)
  const [trace, names] = [createTrace(world.elapsed), createStoryNames()]
  const random = (subject: string) => createRandom(seed, subject)
  const wires = new Map(walletsOf(scenario).map((name) => [name, watchWire(names, watchAnswers(trace), scenario)]))
  const wire = (name: WalletName) => wires.get(name) as WireWatch
  const [watches, gatewayWatch] = [createWatches(world, names, stores), watchGateway(names)]
  const networkDeps = { ...names, ...createRoutes(scenario, wires, gatewayWatch), ...watches, world, trace, choices }
  const network = simulateNetwork({ ...networkDeps, random: random('network') })
  const [lives, agains] = [{} as Partial<Record<PartyName, ProcessLife>>, new Map<PartyName, RestartPlan>()]
  const failures: unknown[] = []
  const there: LiveProcesses = { wallets: new Map(), gateway: undefined, platform: undefined }

  const die = (party: PartyName, how: string) => {
    noteDeath(trace, party, how)
    steps.forget(party)
    lives[party]?.end()
    network.cutOff(party)
    if (party !== 'platform') network.listen(PARTY_URLS[party], undefined)
    if (isWallet(party)) wire(party).died()
    forgetParty(there, party)
    beginAgain(party, agains.get(party))
  }
  const beginAgain = (party: PartyName, { downMs, settings }: RestartPlan = { downMs: 0 }): void => {
    const failed = (error: unknown) => {
      lives[party]?.end()
      if (isOutage(error)) beginAgain(party, { downMs: CORRECTED_MS, settings })
      else if (!isExpectedRefusal(settings, error, trace)) failures.push(error)
      else beginAgain(party, { downMs: CORRECTED_MS })
    }
    world.after(downMs, () => void begin(party, settings).catch(failed))
  }
  const begin = async (party: PartyName, settings?: OtherSettings) => {
    const failed = (where: string) => noteFailure(trace, party, where)
    const died = (where: string) => die(party, where)
    const life = createCrashableDb(markStatements(stores[party].db, trace), { busy: count, died, failed })
    lives[party] = life
    const log = createTraceLogger((line) => !life.isOver() && trace.note(line), party)
    network.callsFrom(party)
    const config = createPartyConfig(party, scenario, settings)
    await startParty(there, life, { party, config, log, stores, listen: network.listen })
    noteBeginning(trace, party, settings)
  }
  const steps = createStepTriggers((party) => die(party, 'behind a step'))
  const step = createStepper(world, steps.passed, there, failures, watchBreakers(trace))
  return {
    ...{ world, trace, network, names, choices, scenario, wire, gatewayWatch, pace: watches.pace, random, begin },
    complaints: () =>
      [...wires.values(), gatewayWatch, watches.pace, watches.reasons].flatMap((one) => one.complaints()),
    ...createPartyLookup(there),
    kill(party, death) {
      const life = lives[party]
      if (life === undefined || life.isOver()) return
      agains.set(party, death)
      if (death.steps !== undefined) steps.dies(party, death.steps)
      else if (!planEnd(life, death)) die(party, 'now')
    },
    fail: (party, { statements, times }) => lives[party]?.failAt(statements, times),
    setClock: createClockSetter(trace, watches.pace, wires),
    meanwhile: (work) => trackWork(work, count, failures),
    calm: () => calmAll(network, steps, Object.values(lives)),
    ...createTimePassing(world, step),
    end: () => endAll(network, world, Object.values(lives)),
  }
}

/** False if the process is to die now. */
function planEnd(life: ProcessLife, { commits, statements }: DeathPlan): boolean {
  if (commits !== undefined) life.endAfterCommits(commits)
  else if (statements !== undefined) life.endAt(statements)
  return commits !== undefined || statements !== undefined
}

function createWatches({ elapsed }: VirtualEnvironment, { bet }: StoryNames, { ear }: Pick<Stores, 'ear'>) {
  return { pace: watchPace(elapsed, bet), reasons: watchRollbackReasons(bet), ear }
}

/** Kills a process after a number of timers or messages. */
function createStepTriggers(die: (party: PartyName) => void) {
  const left = new Map<PartyName, number>()
  return {
    dies: (party: PartyName, steps: number) => void left.set(party, steps),
    forget: (party: PartyName) => void left.delete(party),
    spare: () => left.clear(),
    passed() {
      for (const [party, steps] of left)
        if (steps > 0) left.set(party, steps - 1)
        else die(party)
    },
  }
}

function createStepper(
  world: VirtualEnvironment,
  afterStep: () => void,
  there: LiveProcesses,
  failures: readonly unknown[],
  checkBreakers: ReturnType<typeof watchBreakers>,
): VirtualEnvironment['step'] {
  return async (until) => {
    const isOn = await world.step(until)
    if (isOn) afterStep()
    checkBreakers(there.platform?.deciding.breakers)
    if (failures.length > 0) throw failures[0]
    return isOn
  }
}

function trackWork(work: Promise<void>, count: (change: 1 | -1) => void, failures: unknown[]): void {
  count(1)
  void work.catch((error: unknown) => failures.push(error)).finally(() => count(-1))
}

/** A clock that is set by this much may make tokens expire, or valid again. */
const FAR_MS = 3_600_000

function createClockSetter(
  trace: Trace,
  pace: PaceWatch,
  wires: ReadonlyMap<ClockName, Pick<WireWatch, 'standing'>>,
): Market['setClock'] {
  return (clock, byMs) => {
    trace.note(`the clock of the ${clock} is set by ${byMs} ms`)
    trace.mark(`a clock is set ${byMs < 0 ? 'back' : 'forward'}`)
    setClock(clock, byMs)
    if (clock === 'database of the platform') pace.clockSet()
    if (Math.abs(byMs) >= FAR_MS) wires.get(clock)?.standing.tokens.clockJumped()
  }
}

/** A process that does not end would continue on the real clock, with wrong times. */
function endAll(network: SimulatedNetwork, world: VirtualEnvironment, lives: readonly ProcessLife[]): void {
  for (const life of lives) life.end()
  network.end()
  world.end()
  resetClocks()
}

function calmAll(
  network: SimulatedNetwork,
  steps: ReturnType<typeof createStepTriggers>,
  lives: readonly ProcessLife[],
): void {
  network.calm()
  steps.spare()
  for (const life of lives) life.spare()
}

/** Throws if the process should have refused to start. */
function noteBeginning(trace: Trace, party: PartyName, settings: OtherSettings | undefined): void {
  if (settings === 'another scale') throw new Error(`the ${party} has begun in another scale (M-5)`)
  trace.note(`${party} begins${settings === undefined ? '' : `, ${settings}`}`)
  if (settings !== undefined) trace.mark(`${party} begins: ${settings}`)
}

/** A start with another scale must be refused (M-5). */
function isExpectedRefusal(settings: OtherSettings | undefined, error: unknown, trace: Trace): boolean {
  const isRight = settings === 'another scale' && error instanceof UsageError
  if (isRight) trace.mark('a process does not begin with another scale')
  return isRight
}

function createRoutes(scenario: Scenario, wires: ReadonlyMap<WalletName, WireWatch>, gateway: GatewayWatch) {
  const arrives = (origin: string, request: NetworkRequest) => {
    if (origin === PARTY_URLS.gateway) return gateway.arrives(request)
    const [name, wire] = [...wires].find(([one]) => PARTY_URLS[one] === origin) as [WalletName, WireWatch]
    gateway.reaches(name, request)
    return wire.arrives(request)
  }
  const callerOf = (origin: string): PartyName => (origin === PARTY_URLS[partnerOf(scenario)] ? 'platform' : 'gateway')
  return { arrives, callerOf, hears: gateway.hears }
}

/** `step` replaces the environment's own step. */
function createTimePassing(
  world: VirtualEnvironment,
  step: VirtualEnvironment['step'],
): Pick<Market, 'until' | 'pass'> {
  return {
    async until(work, milliseconds) {
      let isOver = false
      const over = () => {
        isOver = true
      }
      work.then(over, over)
      const until = world.elapsed() + milliseconds
      await world.rest()
      while (!isOver && (await step(until)));
      if (!isOver) throw new Error(`something is not over after ${milliseconds} ms`)
      return work
    },
    async pass(milliseconds, afterEach = async () => true) {
      const until = world.elapsed() + milliseconds
      await world.rest()
      while ((await step(until)) && (await afterEach()));
    },
  }
}
