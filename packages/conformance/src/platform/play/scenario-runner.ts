/** Runner of one scene: registers the partners, performs the acts, and returns the record. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallRateLimiter } from '../../rate-limiter.ts'
import type { ScenarioAct, ScenarioCase } from '../platform-case.ts'
import type { KitTiming } from './kit-timing.ts'
import type { MockPartner, MockWallet } from './mock-wallet.ts'
import {
  type DriverFailure,
  type DriverRequest,
  type DriverResult,
  driverUnable,
  type PlatformDriver,
  type ReportedBetState,
  SCENARIO_STAKE,
} from './platform-driver.ts'
import { createRequestLog, type KitPlayer, type RequestLog } from './request-log.ts'
import type { RequestedCall, ScenarioRecord } from './scenario-judge.ts'

export interface ScenarioEnvironment {
  readonly wallet: MockWallet
  readonly drive: PlatformDriver
  readonly pace: CallRateLimiter
  readonly timing: KitTiming
  /** Restarts the platform once for all scenes that need it. */
  restart(): Promise<DriverResult>
  /** Resolves when the kill begins. */
  readonly restarting: Promise<void>
  readonly signal: AbortSignal
}

export type ScenarioOutcome =
  | { readonly kind: 'played'; readonly played: ScenarioRecord }
  | (DriverFailure & { readonly played: ScenarioRecord })

/** Milliseconds between queries of a bet. */
const POLL_INTERVAL_MS = 200

interface ScenarioRun {
  readonly stage: ScenarioEnvironment
  readonly case: ScenarioCase
  readonly journal: RequestLog
  readonly partners: readonly MockPartner[]
  readonly players: KitPlayer[]
  readonly requestedCalls: RequestedCall[]
  readonly shownStates: Map<string, ReportedBetState>
}

const DONE: DriverResult = { kind: 'done' }

export async function runScenario(stage: ScenarioEnvironment, scene: ScenarioCase): Promise<ScenarioOutcome> {
  const set = prepareScenario(stage, scene)
  const ended = await performActs(set)
  for (const partner of set.partners) partner.recover()
  const { journal, requestedCalls, shownStates } = set
  const played = { calls: journal.calls, bets: journal.bets(), requestedCalls, shownStates }
  return ended.kind === 'done' ? { kind: 'played', played } : { ...ended, played }
}

function prepareScenario(stage: ScenarioEnvironment, scene: ScenarioCase): ScenarioRun {
  const journal = createRequestLog(stage.signal)
  const { restarting } = stage
  const partners = Array.from({ length: scene.partners ?? 1 }, (_, i) =>
    stage.wallet.open(scene.id, { scripts: i === 0 ? (scene.answers ?? {}) : {}, journal, restarting }),
  )
  const players = partners.map((partner) => partner.player('EUR'))
  return { stage, case: scene, journal, partners, players, requestedCalls: [], shownStates: new Map() }
}

async function performActs(scene: ScenarioRun): Promise<DriverResult> {
  for (const [i, partner] of scene.partners.entries()) {
    if (scene.stage.signal.aborted) return driverUnable('the run was interrupted')
    const opened = await openFrame(scene, partner, scene.players[i])
    if (opened.kind === 'unable') return opened
  }
  for (const act of scene.case.acts) {
    if (scene.stage.signal.aborted) return driverUnable('the run was interrupted')
    const done = await performAct(scene, act)
    if (done.kind === 'unable') return done
  }
  return scene.stage.signal.aborted ? driverUnable('the run was interrupted') : readFinalStates(scene)
}

async function openFrame(
  { stage }: ScenarioRun,
  partner: MockPartner,
  player: KitPlayer | undefined,
): Promise<DriverResult> {
  const { partnerId, baseUrl, secret } = partner
  const registered = await requestOfPlatform(stage, { do: 'partner', partnerId, baseUrl, secret })
  if (registered.kind === 'unable') return registered
  return requestOfPlatform(stage, { do: 'frame', partnerId, token: player?.token ?? '' })
}

async function requestOfPlatform(
  { drive, pace }: ScenarioEnvironment,
  driverRequest: DriverRequest,
): Promise<DriverResult> {
  await pace.acquire(1)
  return drive(driverRequest)
}

async function performAct(scene: ScenarioRun, act: ScenarioAct): Promise<DriverResult> {
  const { stage, journal, partners, players } = scene
  const { timing, signal } = stage
  switch (act.kind) {
    case 'place':
      return placeBet(scene, act)
    case 'settle':
      return actOnBet(scene, act, (bet) => ({ do: 'settle', bet, resultType: act.resultType, amount: act.amount }))
    case 'unsettle':
      return actOnBet(scene, act, (bet) => ({ do: 'unsettle', bet }))
    case 'cancel':
      return actOnBet(scene, act, (bet) => ({ do: 'cancel', bet, errorCode: act.errorCode }))
    case 'await': {
      const within = act.within && { withinMs: timing[act.within] + timing.noiseMs }
      const idleTimeoutMs = within === undefined ? timing[act.idleTimeout ?? 'callWaitMs'] : within.withinMs
      await journal.waitFor(act.call, act.count, { idleTimeoutMs, ...within })
      return DONE
    }
    case 'watch':
      await sleep(timing[act.during ?? 'quietMs'], undefined, { signal }).catch(() => {})
      return DONE
    case 'move': {
      const [{ partnerId, secret, addressOf }] = partners as [MockPartner]
      return requestOfPlatform(stage, { do: 'partner', partnerId, baseUrl: addressOf(act.to), secret })
    }
    case 'switch_currency': {
      const [partner] = partners as [MockPartner]
      players[0] = partner.player('USD', players[0])
      return requestOfPlatform(stage, { do: 'frame', partnerId: partner.partnerId, token: players[0].token })
    }
    case 'another_player': {
      const [partner] = partners as [MockPartner]
      const [before] = players as [KitPlayer]
      players[0] = partner.otherPlayer(act.who, before)
      return requestOfPlatform(stage, { do: 'frame', partnerId: partner.partnerId, token: players[0].token })
    }
    case 'restart':
      return stage.restart()
    case 'await_outcomes':
      return awaitBetOutcomes(scene)
    default:
      return act satisfies never
  }
}

/** The platform's answer does not matter if it calls the partner. */
async function placeBet(
  scene: ScenarioRun,
  { partner: number = 0, fireAndForget, amount = SCENARIO_STAKE }: ScenarioAct & { kind: 'place' },
): Promise<DriverResult> {
  const { stage, journal, partners, players, requestedCalls } = scene
  const { partnerId = '' } = partners[number] ?? {}
  await stage.pace.acquire(1) // before the time of the request is taken
  const before = journal.of('place').length
  const player = players[number]
  requestedCalls.push({ call: 'place', partner: number, partnerId, at: performance.now(), ...(player && { player }) })
  const answer = stage.drive({ do: 'place', partnerId, token: player?.token ?? '', amount })
  if (fireAndForget) return DONE
  const isMoved = scene.case.acts.some(({ kind }) => kind === 'move')
  const result = await answer
  return isMoved || journal.of('place').length > before ? DONE : result
}

interface BetAct {
  readonly bet?: number
  readonly twice?: true
}

async function actOnBet(
  scene: ScenarioRun,
  { bet: number = 0, twice }: BetAct,
  toDriverRequest: (bet: string) => DriverRequest,
): Promise<DriverResult> {
  const { stage, journal, partners, requestedCalls } = scene
  const bet = journal.bets()[number]
  if (bet === undefined) return driverUnable('the platform did not place the bet')
  const placed = journal.of('place').find(({ body }) => body.transactionId === bet)
  const driverRequest = toDriverRequest(bet)
  await stage.pace.acquire(twice ? 2 : 1)
  const partnerId = placed?.partner.partnerId ?? ''
  const partner = partners.findIndex((one) => one.partnerId === partnerId)
  if (driverRequest.do === 'settle') requestedCalls.push({ call: 'settle', partner, partnerId, at: performance.now() })
  if (!twice) return stage.drive(driverRequest)
  // The platform may reject the second request.
  const [first, second] = await Promise.all([stage.drive(driverRequest), stage.drive(driverRequest)])
  return first.kind === 'done' ? first : second
}

async function awaitBetOutcomes(scene: ScenarioRun): Promise<DriverResult> {
  const { stage, journal, shownStates } = scene
  const giveUpAt = performance.now() + stage.timing.recoveryMs
  const isDecided = (bet: string) =>
    shownStates.get(bet)?.status === 'accepted' || journal.of('rollback').some(({ body }) => body.transactionId === bet)
  for (;;) {
    const open = journal.bets().filter((bet) => !isDecided(bet))
    if (open.length === 0 || performance.now() > giveUpAt || stage.signal.aborted) return DONE
    for (const bet of open) {
      const result = await readBetState(scene, bet)
      if (result.kind === 'unable') return result
    }
    await sleep(POLL_INTERVAL_MS)
  }
}

async function readBetState({ stage, shownStates }: ScenarioRun, bet: string): Promise<DriverResult> {
  const result = await requestOfPlatform(stage, { do: 'look', bet })
  if (result.kind === 'done' && result.shownState === undefined)
    return driverUnable('the platform does not show its bets')
  if (result.kind === 'done' && result.shownState !== undefined) shownStates.set(bet, result.shownState)
  return result
}

/** Some expectations need the final states that the platform shows. */
async function readFinalStates(scene: ScenarioRun): Promise<DriverResult> {
  const shown = scene.case.expect.find((one) => one.kind === 'shown')
  if (shown !== undefined) return pollDeliveryStatus(scene, shown.as)
  if (!scene.case.expect.some(({ kind }) => kind === 'one_outcome')) return DONE
  for (const bet of scene.journal.bets()) {
    const result = await readBetState(scene, bet)
    if (result.kind === 'unable') return result
  }
  return DONE
}

async function pollDeliveryStatus(scene: ScenarioRun, wanted: string): Promise<DriverResult> {
  const [bet] = scene.journal.bets()
  if (bet === undefined) return driverUnable('the platform did not place the bet')
  const giveUpAt = performance.now() + scene.stage.timing.callWaitMs
  for (;;) {
    const result = await readBetState(scene, bet)
    if (result.kind === 'unable' || scene.shownStates.get(bet)?.delivery === wanted) return result
    if (performance.now() > giveUpAt || scene.stage.signal.aborted) return DONE
    await sleep(POLL_INTERVAL_MS)
  }
}
