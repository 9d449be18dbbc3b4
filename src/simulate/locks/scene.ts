/**
 * Who and what there is in one run: two wallets, each in a process of its own, and the platform in this one; the proxy between them and
 * Postgres; the network by which the platform calls the wallets; players with money.
 *
 * The network is that of the markets: the bytes that the platform's client would write to a socket, at the wallet where its server
 * hands over what it has read. No socket is between them, because nobody could say when it has delivered: so each message goes on when
 * its choice says, as each statement does.
 */

import type { Db } from '../../db/db.ts'
import { loadFrame } from '../../platform/bets/frame-session.ts'
import type { Platform } from '../../platform/platform.ts'
import { isRefused } from '../../platform/refusal.ts'
import { createRandom, type Random } from '../../runtime/random.ts'
import { resolvable } from '../../runtime/resolvable.ts'
import { world as real } from '../../runtime/world.ts'
import type { Meeting } from '../market/actors.ts'
import { type Cast, PARTNER, type Player } from '../market/cast.ts'
import { emptyPurse } from '../market/cents.ts'
import type { Choices } from '../market/choices.ts'
import { drawShortFate, PLAIN } from '../market/fates.ts'
import { watchAnswers } from '../market/marks.ts'
import { createNames } from '../market/names.ts'
import { counter, type Host, type SimulatedNetwork, simulateNetwork } from '../market/network.ts'
import { type PaceWatch, watchPace } from '../market/pace.ts'
import { AUTHORS } from '../market/parties.ts'
import { createTrace } from '../market/trace.ts'
import { enterVirtualWorld, type VirtualWorld } from '../market/virtual-world.ts'
import { type WireWatch, watchWire } from '../market/watch.ts'
import { URLS } from '../market/who.ts'
import type { Base } from './base.ts'
import { watchStatements } from './marks.ts'
import type { Misfortune, Standby } from './misfortunes.ts'
import { type Begun, openPlatform } from './platform.ts'
import { settle, until } from './play.ts'
import { createProxy, type PostgresProxy } from './proxy.ts'
import { createReleases, type Releases } from './releases.ts'
import type { Session } from './session.ts'
import { beginWallet, type Wallet } from './wallet.ts'
import { EUROS } from './words.ts'

export interface Scene extends Meeting {
  readonly base: Base
  readonly choices: Choices<Misfortune>
  readonly wire: WireWatch
  readonly pace: PaceWatch
  readonly network: SimulatedNetwork
  readonly proxy: PostgresProxy
  readonly releases: Releases
  readonly cast: Cast
  /** A stream of choices of its own. */
  random(subject: string): Random
  /** Undefined while it is down. */
  wallet(number: number): Wallet | undefined
  wallets(): readonly Wallet[]
  readonly callWallet: (number: number, ...call: Parameters<Host>) => boolean
  beginWallet(number: number): Promise<void>
  forgetWallet(number: number): void
  /** What is not as it must be; none is good. */
  readonly complaints: string[]
  /** Of the simulation's own, one after another, while nothing else goes on. */
  readonly works: (() => Promise<void>)[]
  readonly standby: Standby
  /** From here on the wallets have lost what they had acknowledged: what they answer is not judged any more. */
  stopListening(): void
  /** Lets everything that runs come to rest. */
  rest(): Promise<void>
  /** Ends connections and gives the real time back. */
  end(): Promise<void>
}

/** A fault that is planted, in one of these places. */
export interface Plant {
  /** Between a wallet, 1 or 2, and its database: in its process, which knows it by this name. */
  readonly wallet?: (db: Db, number: number) => Db
  readonly platform?: (db: Db) => Db
  /** In reconcile: such differences it does not name. */
  readonly blindTo?: string
}

export type Planted = Plant & { readonly fault: string }

const WALLETS = 2
const PLAYERS = 3
/** Postgres has its own time, which is long before: nothing of a run is late by it. */
const STARTS_AT = Date.UTC(2096, 2, 1, 12)
/** Bettors, results and people come in a tenth of the time that they take in a market. */
const MARKET = { startsAt: STARTS_AT, operators: 1, hasLimits: false, span: 0.1 } as const
/** Milliseconds of what nothing disturbs. */
const CALM_MS = 60_000

/** Nothing goes wrong yet when it resolves. */
export async function openScene(
  seed: number,
  base: Base,
  choices: Choices<Misfortune>,
  planted?: Planted,
): Promise<Scene> {
  const scene = setUp(seed, base, choices, planted)
  try {
    for (let number = 0; number < WALLETS; number++) await through(scene, scene.beginWallet(number))
    await through(scene, scene.beginPlatform())
    await through(scene, openAccounts(scene))
    return scene
  } catch (error) {
    scene.leave()
    throw error
  }
}

interface Stage extends Scene {
  beginPlatform(): Promise<void>
  /** Gives the real time back, whatever is still open. */
  leave(): void
  readonly cast: Cast & { readonly players: Player[] }
}

function setUp(seed: number, base: Base, choices: Choices<Misfortune>, planted: Planted | undefined): Stage {
  const { nextTurn } = real
  const world = enterVirtualWorld(seed, () => false, 'timers', STARTS_AT)
  const [trace, names, complaints] = [createTrace(world.elapsed), createNames(), [] as string[]]
  const random = (subject: string) => createRandom(seed, `${subject} of the locks`)
  const heard = listening(names, trace)
  const pace = watchPace(world.elapsed, names.bet)
  const { answered, blocked } = watchStatements(trace, complaints)
  const proxy = createProxy({
    ...{ url: base.wallet.url, observer: base.observer, trace, nextTurn, answered },
    arrives: (session, sent) => releases.arrives(session, sent),
  })
  const { turn, said, ...wallets } = pairOf({ seed, base, world, proxy, note: trace.note, planted })
  const open = (session: Session) => whileTurning(proxy.open(session), { turn, said })
  const releases = createReleases({
    ...{ world, choices, random: random('statements'), trace, blocked },
    proxy: { ...proxy, open },
  })
  const network = simulateNetwork({
    ...{ ...names, world, trace, choices, random: random('network'), pace, ear: undefined },
    draw: (from) => (releases.areAllowed() ? drawShortFate(from) : PLAIN),
    arrives: (_origin, request) => heard.wire.arrives(request),
    hears: () => {},
    callerOf: () => 'platform',
  })
  const rest = async () => {
    do {
      do await world.rest()
      while (await world.step(world.elapsed()))
      await world.rest()
    } while (await turn())
  }
  let begun: Begun | undefined
  const leave = () => {
    network.end()
    world.end()
  }
  const scene: Stage = {
    ...{ base, choices, trace, names, world, pace, network, proxy, releases, random, complaints, rest, leave },
    ...{ scene: MARKET, works: [], standby: { isInPlace: false } },
    ...{
      cast: { players: [], bets: [], movements: 0, isOver: false, restored: new Set(), misnamed: [] },
      ...heard,
      ...wallets,
    },
    platform: () => begun?.platform,
    async beginPlatform() {
      begun = await openPlatform(scene, planted?.platform)
    },
    async end() {
      releases.allow(false)
      for (const session of [...proxy.sessions()]) await proxy.cut(session)
      const all = [...scene.wallets().map((one) => one.end()), begun?.db.close()]
      await through(scene, Promise.all(all)).finally(leave)
    },
  }
  network.listen(URLS.wallet, byEither(scene))
  network.callsFrom('platform')
  return scene
}

/** A client and its server say several things to each other before a connection is open: a wallet has its turns meanwhile. */
async function whileTurning(opening: Promise<void>, { turn, said }: Pick<Pair, 'turn' | 'said'>): Promise<void> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  const opened = opening.then(over, over)
  while (!isOver) {
    const more = said()
    if (!(await turn())) await Promise.race([opened, more])
  }
  return opening
}

type Pair = ReturnType<typeof pairOf>

interface OfWallets extends Pick<Stage, 'base'> {
  readonly seed: number
  readonly world: VirtualWorld
  readonly proxy: PostgresProxy
  note(event: string): void
  readonly planted: Planted | undefined
}

/** The two wallets, of which one may be down. */
function pairOf({ seed, base, planted, ...deps }: OfWallets) {
  const all: (Wallet | undefined)[] = []
  let heard = resolvable()
  const there = () => all.filter((one) => one !== undefined)
  const fault = planted?.wallet && { fault: planted.fault }
  return {
    wallet: (number: number) => all[number],
    wallets: there,
    callWallet: (number: number, ...call: Parameters<Host>) => all[number]?.host(...call) ?? false,
    forgetWallet: (number: number) => void all.splice(number, 1, undefined),
    async beginWallet(number: number) {
      const beginning = { seed, number: number + 1, url: base.wallet.url, startsAt: STARTS_AT, ...fault }
      const { wallet, begun } = beginWallet({ ...deps, crew: base.crew, said: () => heard.resolve() }, beginning)
      all[number] = wallet
      await begun
    },
    /** Resolves when there is more for one of them to hear. */
    said(): Promise<void> {
      heard = resolvable()
      return heard.promise
    },
    /** Each hears what there is to hear. False: there was nothing. */
    async turn(): Promise<boolean> {
      const taken = await Promise.all(there().map((one) => one.turn()))
      for (const take of taken) take?.() // in their order, whoever was first
      return taken.some((take) => take !== undefined)
    },
  }
}

/** Told of the wire until nobody listens any more. */
function listening(
  names: Parameters<typeof watchWire>[0],
  trace: Scene['trace'],
): Pick<Scene, 'wire' | 'stopListening'> {
  const wire = watchWire(names, watchAnswers(trace))
  let isOn = true
  return {
    wire: { ...wire, arrives: (request) => (isOn ? ifOn(wire.arrives(request)) : () => {}) },
    stopListening() {
      isOn = false
    },
  }

  function ifOn(tell: ReturnType<WireWatch['arrives']>): ReturnType<WireWatch['arrives']> {
    return (answer) => isOn && tell(answer)
  }
}

/** The platform has one address, behind which both wallets are: whose turn it is follows from the message. */
function byEither({ callWallet, names, random }: Scene): Host {
  const counted = counter()
  return (request, answer) => {
    const first = random(counted(names.subject(request))).below(WALLETS)
    return callWallet(first, request, answer) || callWallet(1 - first, request, answer)
  }
}

/** Each has money and a session at the wallet, and a frame of the platform. */
async function openAccounts(scene: Stage): Promise<void> {
  const { deciding } = scene.platform() as Platform
  for (let number = 1; number <= PLAYERS; number++) {
    const userId = `player-${number}`
    const token = (await scene.wallet(0)?.openAccount(userId)) ?? ''
    scene.wire.standing.tokens.given(token, userId)
    const frame = await loadFrame(deciding, AUTHORS.platform(), PARTNER, token)
    if (isRefused(frame)) throw new Error(`${userId} has no frame: ${frame.code}`)
    const { frameSessionId } = frame
    const names = { name: `player ${number}`, wallet: 'wallet', userId, knownAs: userId } as const
    scene.cast.players.push({
      ...names,
      tokens: [token],
      frameSessionId,
      token,
      moving: emptyPurse(),
      cash: { ...emptyPurse(), EUR: BigInt(EUROS) * 100n },
      currency: 'EUR',
    })
  }
}

/** Nothing goes wrong, and everything goes on in order, until the work is done. */
async function through<T>(scene: Scene, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  await settle(scene)
  if (!(await until(scene, () => isOver, CALM_MS))) throw new Error('a party waits for something that does not come')
  return work
}
