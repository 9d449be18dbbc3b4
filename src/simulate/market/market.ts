/** The market of one run: wallets, gateway and platform that live, die and begin again over their data, the network between them, and time. */

import { isOutage } from '../../db/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { requireSame } from '../../process/running.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { createRandom, type Random } from '../../runtime/random.ts'
import { WrongUse } from '../../runtime/wrong-use.ts'
import type { Choices } from './choices.ts'
import { type ClockName, resetClocks, setClock } from './clocks.ts'
import { beginLife, type Life } from './fused.ts'
import { type GatewayWatch, watchGateway } from './gateway-watch.ts'
import { markStatements, watchAnswers, watchBreakers } from './marks.ts'
import { createNames, type Names } from './names.ts'
import { type Ear, type Host, type Request, type SimulatedNetwork, simulateNetwork } from './network.ts'
import { type PaceWatch, watchPace } from './pace.ts'
import { beginGateway, beginPlatform, beginWallet, type GatewayParty, logTo, type WalletParty } from './parties.ts'
import type { Scene } from './scene.ts'
import { type Config, configOf, type OtherSettings, type Store } from './store.ts'
import { createTrace, type Trace } from './trace.ts'
import { enterVirtualWorld, type VirtualWorld } from './virtual-world.ts'
import { type WireWatch, watchWire } from './watch.ts'
import { isWallet, type PartyName, partnerOf, serverOf, URLS, type WalletName, walletsOf } from './who.ts'

export interface Stores extends Readonly<Record<PartyName, Store>> {
  /** Faults that are planted between network and a party. */
  readonly fronts?: Partial<Record<PartyName, (host: Host) => Host>>
  /** One in the platform: what it hears is something else. */
  readonly ear?: Ear
  /** One in the platform: what takes time is measured on another clock. */
  readonly elapsed?: (clock: Clock) => number
  /** One in reconcile: such differences it does not name. */
  readonly blindTo?: string
}

/** When one dies, now if nothing is said, and how it begins again. */
interface Death extends Again {
  readonly statements?: number
  readonly commits?: number
}

/** How one that died begins again. */
interface Again {
  readonly downMs: number
  readonly settings?: OtherSettings | undefined
}

export interface Market {
  readonly world: VirtualWorld
  readonly trace: Trace
  readonly network: SimulatedNetwork
  readonly names: Names
  readonly choices: Choices
  readonly scene: Scene
  /** Of what was heard on the wires. */
  complaints(): readonly string[]
  /** What comes to a wallet. */
  wire(wallet: WalletName): WireWatch
  readonly gatewayWatch: GatewayWatch
  /** Undefined while it is down. */
  wallet(name: WalletName): WalletParty | undefined
  gateway(): GatewayParty | undefined
  platform(): Platform | undefined
  /** A stream of choices of its own. */
  random(subject: string): Random
  begin(party: PartyName): Promise<void>
  kill(party: PartyName, death: Death): void
  /** Its database answers with errors, so many times, from the statement so many statements from now. */
  fail(party: PartyName, failure: { readonly statements: number; readonly times: number }): void
  setClock(clock: ClockName, byMs: number): void
  /** From here on nothing goes wrong any more. */
  calm(): void
  /** Lets the time pass until the work is done; throws when it is not after so many milliseconds. */
  until<T>(work: Promise<T>, milliseconds: number): Promise<T>
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): Promise<void>
  end(): void
}

export function openMarket(seed: number, stores: Stores, choices: Choices, scene: Scene): Market {
  let busy = 0
  const world = enterVirtualWorld(seed, () => busy > 0, 'none', scene.startsAt)
  const [trace, names] = [createTrace(world.elapsed), createNames()]
  const random = (subject: string) => createRandom(seed, subject)
  const wires = new Map(walletsOf(scene).map((name) => [name, watchWire(names, watchAnswers(trace))]))
  const wire = (name: WalletName) => wires.get(name) as WireWatch
  const pace = watchPace(world.elapsed, names.bet)
  const gatewayWatch = watchGateway(names)
  const told = { ...names, ...addressesOf(scene, wires, gatewayWatch), pace, ear: stores.ear }
  const network = simulateNetwork({ ...told, world, trace, choices, random: random('network') })
  const lives: Partial<Record<PartyName, Life>> = {}
  const agains = new Map<PartyName, Again>()
  const failures: unknown[] = []
  const there: Processes = { wallets: new Map(), gateway: undefined, platform: undefined }

  const die = (party: PartyName, how: string) => {
    noteDeath(trace, party, how)
    lives[party]?.end()
    network.cutOff(party)
    if (party !== 'platform') network.listen(URLS[party], undefined)
    if (isWallet(party)) wire(party).died()
    forget(there, party)
    beginAgain(party, agains.get(party))
  }
  const beginAgain = (party: PartyName, { downMs, settings }: Again = { downMs: 0 }): void => {
    const failed = (error: unknown) => {
      lives[party]?.end()
      if (isOutage(error)) beginAgain(party, { downMs: CORRECTED_MS, settings })
      else if (!mustNotBegin(settings, error, trace)) failures.push(error)
      else beginAgain(party, { downMs: CORRECTED_MS })
    }
    world.after(downMs, () => void begin(party, settings).catch(failed))
  }
  const begin = async (party: PartyName, settings?: OtherSettings) => {
    const count = (change: 1 | -1) => {
      busy += change
    }
    const failed = (where: string) => noteFailure(trace, party, where)
    const deps = { busy: count, died: (where: string) => die(party, where), failed }
    const life = beginLife(markStatements(stores[party].db, trace), deps)
    lives[party] = life
    const log = logTo((line) => !life.isOver() && trace.note(line), party)
    network.callsFrom(party)
    const config = configOf(party, scene, settings)
    await beginOver(there, life, { party, config, log, stores, listen: network.listen })
    noteBeginning(trace, party, settings)
  }
  const step = stepping(world, there, failures, watchBreakers(trace))
  return {
    ...{ world, trace, network, names, choices, scene, wire, gatewayWatch, random, begin },
    complaints: () => [...wires.values(), gatewayWatch, pace].flatMap((one) => one.complaints()),
    wallet: (name) => there.wallets.get(name),
    gateway: () => there.gateway,
    platform: () => there.platform,
    kill(party, death) {
      const life = lives[party]
      if (life === undefined || life.isOver()) return
      agains.set(party, death)
      if (death.commits !== undefined) life.endBehind(death.commits)
      else if (death.statements === undefined) die(party, 'now')
      else life.endAt(death.statements)
    },
    fail: (party, { statements, times }) => lives[party]?.failAt(statements, times),
    setClock: clockSetter(trace, pace),
    calm: () => calmAll(network, Object.values(lives)),
    ...passing(world, step),
    end: () => endAll(network, world),
  }
}

function stepping(
  world: VirtualWorld,
  there: Processes,
  failures: readonly unknown[],
  seeBreakers: ReturnType<typeof watchBreakers>,
): VirtualWorld['step'] {
  return async (until) => {
    const isOn = await world.step(until)
    seeBreakers(there.platform?.deciding.breakers)
    if (failures.length > 0) throw failures[0]
    return isOn
  }
}

/** Milliseconds until people have seen that it has not begun, and why. */
const CORRECTED_MS = 1_000

function clockSetter(trace: Trace, pace: PaceWatch): Market['setClock'] {
  return (clock, byMs) => {
    trace.note(`the clock of the ${clock} is set by ${byMs} ms`)
    trace.mark(`a clock is set ${byMs < 0 ? 'back' : 'forward'}`)
    setClock(clock, byMs)
    if (clock === 'database of the platform') pace.clockSet()
  }
}

function endAll(network: SimulatedNetwork, world: VirtualWorld): void {
  network.end()
  world.end()
  resetClocks()
}

function calmAll(network: SimulatedNetwork, lives: readonly Life[]): void {
  network.calm()
  for (const life of lives) life.spare()
}

/** Throws when it should not have begun. */
function noteBeginning(trace: Trace, party: PartyName, settings: OtherSettings | undefined): void {
  if (settings === 'another scale') throw new Error(`the ${party} has begun in another scale (M-5)`)
  trace.note(`${party} begins${settings === undefined ? '' : `, ${settings}`}`)
  if (settings !== undefined) trace.mark(`${party} begins: ${settings}`)
}

/** True when it is right that it has not begun (M-5). */
function mustNotBegin(settings: OtherSettings | undefined, error: unknown, trace: Trace): boolean {
  const isRight = settings === 'another scale' && error instanceof WrongUse
  if (isRight) trace.mark('a process does not begin with another scale')
  return isRight
}

function noteDeath(trace: Trace, party: PartyName, how: string): void {
  trace.note(`${party} dies ${how}`)
  const when = how.startsWith('behind') ? 'behind a COMMIT' : how === 'now' ? 'now' : 'at a statement'
  trace.mark(`${party} dies ${when}`)
}

function noteFailure(trace: Trace, party: PartyName, where: string): void {
  trace.note(`the database of the ${party} fails ${where}`)
  trace.mark(`a database fails ${where.startsWith('behind') ? 'behind a COMMIT' : 'at a statement'}`)
}

/** Which wallet's wire a call comes by, and who calls an address. */
function addressesOf(scene: Scene, wires: ReadonlyMap<WalletName, WireWatch>, gateway: GatewayWatch) {
  const arrives = (origin: string, request: Request) => {
    if (origin === URLS.gateway) return gateway.arrives(request)
    const [name, wire] = [...wires].find(([one]) => URLS[one] === origin) as [WalletName, WireWatch]
    gateway.reaches(name, request)
    return wire.arrives(request)
  }
  const callerOf = (origin: string): PartyName => (origin === URLS[partnerOf(scene)] ? 'platform' : 'gateway')
  return { arrives, callerOf, hears: gateway.hears }
}

/** Those that live now. */
interface Processes {
  readonly wallets: Map<WalletName, WalletParty>
  gateway: GatewayParty | undefined
  platform: Platform | undefined
}

function forget(there: Processes, party: PartyName): void {
  if (isWallet(party)) there.wallets.delete(party)
  else there[party] = undefined
}

interface Beginning {
  readonly party: PartyName
  readonly config: Config
  readonly log: Logger
  readonly stores: Stores
  readonly listen: SimulatedNetwork['listen']
}

/** Over the data that is there; rejects when it must not begin with these settings. */
async function beginOver(there: Processes, life: Life, { party, config, log, stores, listen }: Beginning) {
  const { db } = life
  await requireSame(serverOf(party), config, db)
  if (party === 'platform') {
    there.platform = await beginPlatform(db, log, config, stores.elapsed)
    return
  }
  const begun = isWallet(party) ? beginWallet(party, db, log, config) : beginGateway(db, log)
  const host = ofTheLiving(life, begun.host, stores.fronts?.[party])
  if (isWallet(party)) there.wallets.set(party, { ...(begun as WalletParty), host })
  else there.gateway = { ...(begun as GatewayParty), host }
  listen(URLS[party], host)
}

/** Who has died answers nobody any more. */
function ofTheLiving(life: Life, host: Host, front?: (host: Host) => Host): Host {
  const shown = front?.(host) ?? host
  return (request, answer) => shown(request, (given) => !life.isOver() && answer(given))
}

/** `step`: as the world's. */
function passing(world: VirtualWorld, step: VirtualWorld['step']): Pick<Market, 'until' | 'pass'> {
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
    async pass(milliseconds) {
      const until = world.elapsed() + milliseconds
      await world.rest()
      while (await step(until));
    },
  }
}
