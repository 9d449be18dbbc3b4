/** The market of one run: a wallet and a platform that live, die and begin again over their data, the network between them, and time. */

import type { Platform } from '../../platform/platform.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createRandom, type Random } from '../../runtime/random.ts'
import type { Choices } from './choices.ts'
import { type ClockName, resetClocks, setClock } from './clocks.ts'
import { beginLife, type Life } from './fused.ts'
import { markStatements, watchAnswers, watchBreakers } from './marks.ts'
import { createNames, type Names } from './names.ts'
import { type Ear, type Host, type SimulatedNetwork, simulateNetwork } from './network.ts'
import { type PaceWatch, watchPace } from './pace.ts'
import { beginPlatform, beginWallet, logTo, type WalletParty } from './parties.ts'
import type { Scene } from './scene.ts'
import type { Store } from './store.ts'
import { createTrace, type Trace } from './trace.ts'
import { enterVirtualWorld, type VirtualWorld } from './virtual-world.ts'
import { type WireWatch, watchWire } from './watch.ts'

export const WALLET_URL = 'http://wallet.example'
export const PARTIES = ['wallet', 'platform'] as const
export type PartyName = (typeof PARTIES)[number]
export interface Stores extends Readonly<Record<PartyName, Store>> {
  /** A fault that is planted between network and wallet. */
  readonly front?: (host: Host) => Host
  /** One in the platform: what it hears is something else. */
  readonly ear?: Ear
  /** One in the platform: what takes time is measured on another clock. */
  readonly elapsed?: (clock: Clock) => number
}

export interface Market {
  readonly world: VirtualWorld
  readonly trace: Trace
  readonly network: SimulatedNetwork
  readonly names: Names
  readonly choices: Choices
  readonly wire: WireWatch
  readonly pace: PaceWatch
  /** Undefined while it is down. */
  wallet(): WalletParty | undefined
  platform(): Platform | undefined
  /** A stream of choices of its own. */
  random(subject: string): Random
  begin(party: PartyName): Promise<void>
  /** Now, or at the statement so many statements from now. It begins again after so many milliseconds. */
  kill(party: PartyName, statements: number | undefined, downMs: number): void
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
  const wire = watchWire(names, watchAnswers(trace))
  const pace = watchPace(world.elapsed, names.bet)
  const told = { ...names, arrives: wire.arrives, pace, ear: stores.ear }
  const network = simulateNetwork({ ...told, world, trace, choices, random: random('network') })
  const lives: Partial<Record<PartyName, Life>> = {}
  const downMs = { wallet: 0, platform: 0 }
  const failures: unknown[] = []
  let wallet: WalletParty | undefined
  let platform: Platform | undefined

  const die = (party: PartyName, how: string) => {
    noteDeath(trace, party, how)
    lives[party]?.end()
    network.cutOff(party)
    if (party === 'wallet') {
      wire.died()
      network.listen(WALLET_URL, undefined)
      wallet = undefined
    } else platform = undefined
    const again = () => void begin(party).catch((error: unknown) => failures.push(error))
    world.after(downMs[party], again)
  }
  const begin = async (party: PartyName) => {
    const count = (change: 1 | -1) => {
      busy += change
    }
    const died = (where: string) => die(party, where)
    const life = beginLife(markStatements(stores[party].db, trace), { busy: count, died })
    lives[party] = life
    const log = logTo((line) => !life.isOver() && trace.note(line), party)
    network.callsFrom(party)
    if (party === 'platform') platform = await beginPlatform(life.db, log, stores.elapsed)
    else {
      wallet = ofTheLiving(life, beginWallet(life.db, log), stores.front)
      network.listen(WALLET_URL, wallet.host)
    }
    trace.note(`${party} begins`)
  }
  const seeBreakers = watchBreakers(trace)
  const step = async (until: number) => {
    const isOn = await world.step(until)
    seeBreakers(platform?.deciding.breakers)
    if (failures.length > 0) throw failures[0]
    return isOn
  }
  return {
    ...{ world, trace, network, names, choices, wire, pace, random, begin },
    wallet: () => wallet,
    platform: () => platform,
    kill(party, statements, down) {
      const life = lives[party]
      if (life === undefined || life.isOver()) return
      downMs[party] = down
      if (statements === undefined) die(party, 'now')
      else life.endAt(statements)
    },
    setClock: clockSetter(trace, pace),
    calm() {
      network.calm()
      for (const life of Object.values(lives)) life.endAt(Number.POSITIVE_INFINITY)
    },
    ...passing(world, step),
    end: () => endAll(network, world),
  }
}

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

function noteDeath(trace: Trace, party: PartyName, how: string): void {
  trace.note(`${party} dies ${how}`)
  const when = how.startsWith('behind') ? 'behind a COMMIT' : how === 'now' ? 'now' : 'at a statement'
  trace.mark(`${party} dies ${when}`)
}

/** Who has died answers nobody any more. */
function ofTheLiving(life: Life, { host, operator }: WalletParty, front: Stores['front']): WalletParty {
  const shown = front?.(host) ?? host
  return { operator, host: (request, answer) => shown(request, (given) => !life.isOver() && answer(given)) }
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
