/**
 * The parts of one run with real locks: two wallets in their own processes, and the platform in
 * this one.
 *
 * A proxy controls the parties' SQL statements to Postgres. The simulated network hands the
 * platform's bytes directly to a wallet, because a socket would deliver at an unknown time. So each
 * message and each statement moves at its chosen time.
 */

import { createDeferred } from '@purser/runtime/async/deferred'
import { environment as real } from '@purser/runtime/environment'
import { createRandom, type Random } from '@purser/runtime/seeded-random'
import type { Db } from 'purser/core/database/db'
import { openFrameSession } from 'purser/platform/bets/frame-session'
import type { Platform } from 'purser/platform/platform'
import { isRefusal } from 'purser/platform/platform-refusal'
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
  /** A separate stream of random numbers. */
  random(subject: string): Random
  /** Undefined while the wallet is down. */
  wallet(number: number): RemoteWallet | undefined
  wallets(): readonly RemoteWallet[]
  readonly callWallet: (number: number, ...call: Parameters<Host>) => boolean
  beginWallet(number: number): Promise<void>
  forgetWallet(number: number): void
  readonly complaints: string[]
  /** Work of the simulation itself, one task at a time, while nothing else happens. */
  readonly works: (() => Promise<void>)[]
  readonly standby: LaggingStandby
  /** The wallets have lost acknowledged data, so their answers are not checked any more. */
  stopListening(): void
  /** Resolves when all work waits. */
  rest(): Promise<void>
  /** Closes the connections and restores the real time. */
  end(): Promise<void>
}

export interface LocksFault {
  /** Between a wallet, 1 or 2, and its database, in the wallet's process. */
  readonly wallet?: (db: Db, number: number) => Db
  readonly platform?: (db: Db) => Db
  /** Reconcile does not report this kind of difference. */
  readonly blindTo?: string
}

export type NamedLocksFault = LocksFault & { readonly fault: string }

const WALLETS = 2
const PLAYERS = 3
/** Postgres keeps its real time, which is long before, so nothing is late by it. */
const STARTS_AT = Date.UTC(2096, 2, 1, 12)
/** Actors are ten times as fast as in a market. */
const MARKET = { startsAt: STARTS_AT, operators: 1, hasLimits: false, span: 0.1 } as const
const CALM_MS = 60_000

/** Resolves before the first fault. */
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
  /** Restores the real time, even with open connections. */
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

/**
 * Opening a connection takes several messages in both directions, so the wallets need turns
 * meanwhile.
 */
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

/** One of the wallets may be down. */
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
    /** Resolves when a wallet has new input. */
    said(): Promise<void> {
      received = createDeferred()
      return received.promise
    },
    /** False without new input. */
    async turn(): Promise<boolean> {
      const taken = await Promise.all(there().map((one) => one.turn()))
      for (const take of taken) take?.() // in a fixed order, whichever replied first
      return taken.some((take) => take !== undefined)
    },
  }
}

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

/** The wallets share the platform's one address. The message decides which wallet receives it. */
function routeToEither({ callWallet, names, random }: LocksHarness): Host {
  const counted = createCounter()
  return (request, answer) => {
    const first = random(counted(names.subject(request))).below(WALLETS)
    return callWallet(first, request, answer) || callWallet(1 - first, request, answer)
  }
}

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

/** Runs the work to its end, without faults and in order. */
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
