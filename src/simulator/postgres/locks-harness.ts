/**
 * Who and what there is in one run: two wallets, each in a process of its own, and the platform in this one; the proxy between them and
 * Postgres; the network by which the platform calls the wallets; players with money.
 *
 * The network is that of the markets: the bytes that the platform's client would write to a socket, at the wallet where its server
 * hands over what it has read. No socket is between them, because nobody could say when it has delivered: so each message goes on when
 * its choice says, as each statement does.
 */

import { createDeferred } from '../../runtime/async/deferred.ts'
import { environment as real } from '../../runtime/environment.ts'
import { createRandom, type Random } from '../../runtime/seeded-random.ts'
import type { Db } from '../../server/core/database/db.ts'
import { openFrameSession } from '../../server/platform/bets/frame-session.ts'
import type { Platform } from '../../server/platform/platform.ts'
import { isRefusal } from '../../server/platform/platform-refusal.ts'
import type { ActorContext } from '../market/actors/market-actors.ts'
import { MARKET_PARTNER, type MarketPlayer, type Participants } from '../market/actors/market-participants.ts'
import { AUTHORS } from '../market/actors/market-parties.ts'
import { PARTY_URLS } from '../market/actors/party-names.ts'
import { drawShortMessageFault, NO_FAULT } from '../market/network/network-faults.ts'
import {
  createCounter,
  type Host,
  type SimulatedNetwork,
  simulateNetwork,
} from '../market/network/simulated-network.ts'
import { enterVirtualEnvironment, type VirtualEnvironment } from '../market/network/virtual-environment.ts'
import { type WireWatch, watchWire } from '../market/network/wire-watch.ts'
import { watchAnswers } from '../market/oracle/market-coverage.ts'
import { zeroAmounts } from '../market/oracle/market-money.ts'
import { type PaceWatch, watchPace } from '../market/oracle/pace-watch.ts'
import type { Choices } from '../market/run-choices.ts'
import { createStoryNames } from '../market/story-names.ts'
import { createTrace } from '../market/trace.ts'
import type { LaggingStandby, ProcessFault } from './faults/crash-faults.ts'
import { OPENING_EUROS } from './ipc-messages.ts'
import type { LocksBase } from './locks-base.ts'
import { watchLockStatements } from './locks-coverage.ts'
import { type LocksPlatform, startLocksPlatform } from './locks-platform.ts'
import { passTimeUntil, runUntilSettled } from './locks-time.ts'
import { type RemoteWallet, startRemoteWallet } from './remote-wallet.ts'
import { createProxy, type PostgresProxy } from './wire/postgres-proxy.ts'
import type { PostgresSession } from './wire/postgres-session.ts'
import { createStatementScheduler, type StatementScheduler } from './wire/statement-scheduler.ts'

export interface LocksHarness extends ActorContext {
  readonly base: LocksBase
  readonly choices: Choices<ProcessFault>
  readonly wire: WireWatch
  readonly pace: PaceWatch
  readonly network: SimulatedNetwork
  readonly proxy: PostgresProxy
  readonly releases: StatementScheduler
  readonly participants: Participants
  /** A stream of choices of its own. */
  random(subject: string): Random
  /** Undefined while it is down. */
  wallet(number: number): RemoteWallet | undefined
  wallets(): readonly RemoteWallet[]
  readonly callWallet: (number: number, ...call: Parameters<Host>) => boolean
  beginWallet(number: number): Promise<void>
  forgetWallet(number: number): void
  /** What is not as it must be; none is good. */
  readonly complaints: string[]
  /** Of the simulation's own, one after another, while nothing else goes on. */
  readonly works: (() => Promise<void>)[]
  readonly standby: LaggingStandby
  /** From here on the wallets have lost what they had acknowledged: what they answer is not judged any more. */
  stopListening(): void
  /** Lets everything that runs come to rest. */
  rest(): Promise<void>
  /** Ends connections and gives the real time back. */
  end(): Promise<void>
}

/** A fault that is planted, in one of these places. */
export interface LocksFault {
  /** Between a wallet, 1 or 2, and its database: in its process, which knows it by this name. */
  readonly wallet?: (db: Db, number: number) => Db
  readonly platform?: (db: Db) => Db
  /** In reconcile: such differences it does not name. */
  readonly blindTo?: string
}

export type NamedLocksFault = LocksFault & { readonly fault: string }

const WALLETS = 2
const PLAYERS = 3
/** Postgres has its own time, which is long before: nothing of a run is late by it. */
const STARTS_AT = Date.UTC(2096, 2, 1, 12)
/** Bettors, results and people come in a tenth of the time that they take in a market. */
const MARKET = { startsAt: STARTS_AT, operators: 1, hasLimits: false, span: 0.1 } as const
/** Milliseconds of what nothing disturbs. */
const CALM_MS = 60_000

/** Nothing goes wrong yet when it resolves. */
export async function openLocksHarness(
  seed: number,
  base: LocksBase,
  choices: Choices<ProcessFault>,
  planted?: NamedLocksFault,
): Promise<LocksHarness> {
  const harness = buildHarness(seed, base, choices, planted)
  try {
    for (let number = 0; number < WALLETS; number++) await finishWork(harness, harness.beginWallet(number))
    await finishWork(harness, harness.beginPlatform())
    await finishWork(harness, openAccounts(harness))
    return harness
  } catch (error) {
    harness.leave()
    throw error
  }
}

interface HarnessStage extends LocksHarness {
  beginPlatform(): Promise<void>
  /** Gives the real time back, whatever is still open. */
  leave(): void
  readonly participants: Participants & { readonly players: MarketPlayer[] }
}

function buildHarness(
  seed: number,
  base: LocksBase,
  choices: Choices<ProcessFault>,
  planted: NamedLocksFault | undefined,
): HarnessStage {
  const { nextTurn } = real
  const world = enterVirtualEnvironment(seed, () => false, 'timers', STARTS_AT)
  const [trace, names, complaints] = [createTrace(world.elapsed), createStoryNames(), [] as string[]]
  const random = (subject: string) => createRandom(seed, `${subject} of the locks`)
  const received = watchUntilStopped(names, trace)
  const pace = watchPace(world.elapsed, names.bet)
  const { answered, blocked } = watchLockStatements(trace, complaints)
  const proxy = createProxy({
    ...{ url: base.wallet.url, observer: base.observer, trace, nextTurn, answered },
    arrives: (session, sent) => releases.arrives(session, sent),
  })
  const { turn, said, ...wallets } = createWalletPair({ seed, base, world, proxy, note: trace.note, planted })
  const open = (session: PostgresSession) => turnWallets(proxy.open(session), { turn, said })
  const releases = createStatementScheduler({
    ...{ world, choices, random: random('statements'), trace, blocked },
    proxy: { ...proxy, open },
  })
  const network = simulateNetwork({
    ...{ ...names, world, trace, choices, random: random('network'), pace, ear: undefined },
    draw: (from) => (releases.areAllowed() ? drawShortMessageFault(from) : NO_FAULT),
    arrives: (_origin, request) => received.wire.arrives(request),
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
  let begun: LocksPlatform | undefined
  const leave = () => {
    network.end()
    world.end()
  }
  const harness: HarnessStage = {
    ...{ base, choices, trace, names, world, pace, network, proxy, releases, random, complaints, rest, leave },
    ...{ scenario: MARKET, works: [], standby: { isInPlace: false } },
    ...{
      participants: { players: [], bets: [], movements: 0, isOver: false, restored: new Set(), misnamed: [] },
      ...received,
      ...wallets,
    },
    platform: () => begun?.platform,
    async beginPlatform() {
      begun = await startLocksPlatform(harness, planted?.platform)
    },
    async end() {
      releases.allow(false)
      for (const session of [...proxy.sessions()]) await proxy.cut(session)
      const all = [...harness.wallets().map((one) => one.end()), begun?.db.close()]
      await finishWork(harness, Promise.all(all)).finally(leave)
    },
  }
  network.listen(PARTY_URLS.wallet, routeToEither(harness))
  network.callsFrom('platform')
  return harness
}

/** A client and its server say several things to each other before a connection is open: a wallet has its turns meanwhile. */
async function turnWallets(opening: Promise<void>, { turn, said }: Pick<WalletPair, 'turn' | 'said'>): Promise<void> {
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

type WalletPair = ReturnType<typeof createWalletPair>

interface WalletPairOptions extends Pick<HarnessStage, 'base'> {
  readonly seed: number
  readonly world: VirtualEnvironment
  readonly proxy: PostgresProxy
  note(event: string): void
  readonly planted: NamedLocksFault | undefined
}

/** The two wallets, of which one may be down. */
function createWalletPair({ seed, base, planted, ...deps }: WalletPairOptions) {
  const all: (RemoteWallet | undefined)[] = []
  let received = createDeferred()
  const there = () => all.filter((one) => one !== undefined)
  const fault = planted?.wallet && { fault: planted.fault }
  return {
    wallet: (number: number) => all[number],
    wallets: there,
    callWallet: (number: number, ...call: Parameters<Host>) => all[number]?.host(...call) ?? false,
    forgetWallet: (number: number) => void all.splice(number, 1, undefined),
    async beginWallet(number: number) {
      const beginning = { seed, number: number + 1, url: base.wallet.url, startsAt: STARTS_AT, ...fault }
      const { wallet, begun } = startRemoteWallet(
        { ...deps, workerPool: base.workerPool, onEnqueue: () => received.resolve() },
        beginning,
      )
      all[number] = wallet
      await begun
    },
    /** Resolves when there is more for one of them to hear. */
    said(): Promise<void> {
      received = createDeferred()
      return received.promise
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
function watchUntilStopped(
  names: Parameters<typeof watchWire>[0],
  trace: LocksHarness['trace'],
): Pick<LocksHarness, 'wire' | 'stopListening'> {
  const wire = watchWire(names, watchAnswers(trace))
  let isOn = true
  return {
    wire: { ...wire, arrives: (request) => (isOn ? ifOn(wire.arrives(request)) : () => {}) },
    stopListening() {
      isOn = false
    },
  }

  function ifOn(onAnswer: ReturnType<WireWatch['arrives']>): ReturnType<WireWatch['arrives']> {
    return (answer) => isOn && onAnswer(answer)
  }
}

/** The platform has one address, behind which both wallets are: whose turn it is follows from the message. */
function routeToEither({ callWallet, names, random }: LocksHarness): Host {
  const counted = createCounter()
  return (request, answer) => {
    const first = random(counted(names.subject(request))).below(WALLETS)
    return callWallet(first, request, answer) || callWallet(1 - first, request, answer)
  }
}

/** Each has money and a session at the wallet, and a frame of the platform. */
async function openAccounts(harness: HarnessStage): Promise<void> {
  const { deciding } = harness.platform() as Platform
  for (let number = 1; number <= PLAYERS; number++) {
    const userId = `player-${number}`
    const token = (await harness.wallet(0)?.openAccount(userId)) ?? ''
    harness.wire.standing.tokens.given(token, userId)
    const frame = await openFrameSession(deciding, AUTHORS.platform(), MARKET_PARTNER, token)
    if (isRefusal(frame)) throw new Error(`${userId} has no frame: ${frame.code}`)
    const { frameSessionId } = frame
    const names = { name: `player ${number}`, wallet: 'wallet', userId, knownAs: userId } as const
    harness.participants.players.push({
      ...names,
      tokens: [token],
      frameSessionId,
      token,
      moving: zeroAmounts(),
      cash: { ...zeroAmounts(), EUR: BigInt(OPENING_EUROS) * 100n },
      currency: 'EUR',
    })
  }
}

/** Nothing goes wrong, and everything goes on in order, until the work is done. */
async function finishWork<T>(harness: LocksHarness, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  await runUntilSettled(harness)
  if (!(await passTimeUntil(harness, () => isOver, CALM_MS)))
    throw new Error('a party waits for something that does not come')
  return work
}
