/** Simulates matches and bettors in steps, through the HTTP APIs of wallet and platform. */
import { randomUUID } from 'node:crypto'
import { replyCode } from '@purser/protocol/reply-codes'
import { errorText } from '@purser/runtime/errors/error-text'
import { createRandom, type Random } from '@purser/runtime/seeded-random'
import type { ActivityLog } from '../activity-log.ts'
import type { BearerClient } from '../bearer-client.ts'
import type { SandboxOperator, SessionEntry } from '../sandbox-servers.ts'
import { sleepUntil } from './abortable-wait.ts'
import type { BetWatch, WatchedBet } from './bet-watch.ts'
import {
  BETTORS,
  type BetChoice,
  type BettorPlan,
  cashOutAmount,
  chooseBet,
  formatPrice,
  topUpAmount,
} from './bettor-behaviour.ts'
import { createFrameSessionRenewal } from './frame-session-renewal.ts'
import { requestFrameSession } from './frame-session-request.ts'
import {
  createMatchFixtures,
  MATCH_OUTCOMES,
  type MatchEvent,
  type SimulatedMatch,
  STEPS_PER_SECOND,
} from './match-fixtures.ts'

export interface BettorSimulationOptions {
  readonly seed: number
  /** Bets per second. */
  readonly rate: number
  /** Seconds; 0 means until the signal. */
  readonly duration: number
  readonly signal: AbortSignal
}

export interface BettorSimulationDeps {
  /** The bettors are spread over these operators. */
  readonly operators: readonly SandboxOperator[]
  readonly platform: BearerClient
  readonly watch: BetWatch
  readonly activityLog: ActivityLog
}

/** Concurrent placements; further bets are skipped. */
const MAX_PLACING = 64

/** A missed rate is reported after this number of steps. */
const STEPS_PER_PACE = 10 * STEPS_PER_SECOND

interface BettorSimulation extends BettorSimulationDeps {
  /** Skipped bets and steps since the last report. */
  leftOut: number
  steps: number
  readonly frames: Map<string, () => Promise<string>>
  /** Placements in progress, and their consequences. */
  readonly inProgress: Set<Promise<void>>
  /** The calls of a match are sent in order. */
  readonly matchCalls: Map<string, Promise<unknown>>
  /** Timers of future cashouts. */
  readonly cashOuts: Set<NodeJS.Timeout>
}

/** Resolves after the duration or the signal, when every call has an answer. */
export async function simulateBettors(
  deps: BettorSimulationDeps,
  { seed, rate, duration, signal }: BettorSimulationOptions,
): Promise<void> {
  const game: BettorSimulation = {
    ...deps,
    frames: new Map(),
    inProgress: new Set(),
    matchCalls: new Map(),
    leftOut: 0,
    steps: 0,
    cashOuts: new Set(),
  }
  await Promise.all(BETTORS.map((bettor) => createBettor(game, bettor)))
  const fixtures = createMatchFixtures(createRandom(seed, 'fixtures'), `match-${randomUUID().slice(0, 8)}`)
  const random = createRandom(seed, 'bettors')
  const startedAt = Date.now()
  const steps = duration === 0 ? Number.POSITIVE_INFINITY : duration * STEPS_PER_SECOND
  for (let step = 0; step < steps && !signal.aborted; step++) {
    for (const happening of fixtures.advance()) applyMatchEvent(game, happening)
    for (let i = countBetsBefore(step, rate); i < countBetsBefore(step + 1, rate); i++)
      startPlacing(game, random, fixtures.open())
    if (++game.steps === STEPS_PER_PACE) reportMissedRate(game, rate)
    await sleepUntil(startedAt + ((step + 1) * 1000) / STEPS_PER_SECOND, signal)
  }
  reportMissedRate(game, rate)
  while (game.inProgress.size > 0) await Promise.all(game.inProgress)
  for (const timer of game.cashOuts) clearTimeout(timer) // their cashouts would no longer be counted
  await Promise.all(game.matchCalls.values())
}

/** Shows a missed rate; a rate is never lowered silently. */
function reportMissedRate(game: BettorSimulation, rate: number): void {
  const { leftOut, steps, activityLog } = game
  const seconds = steps / STEPS_PER_SECOND
  const reached = Math.floor(((rate * seconds - leftOut) / seconds) * 10) / 10
  if (leftOut > 0)
    activityLog.note(
      `the rate of ${rate} bets a second cannot be reached: ${reached} a second in the last ${seconds} s, because ${MAX_PLACING} bets were still being placed`,
    )
  game.leftOut = 0
  game.steps = 0
}

function countBetsBefore(step: number, rate: number): number {
  return Math.floor((step * rate) / STEPS_PER_SECOND)
}

/** A player of an earlier run is used unchanged. */
async function createBettor(game: BettorSimulation, { userId, currency, unit, scale }: BettorPlan): Promise<void> {
  const customFields = { nickname: userId }
  await findOperator(game, userId).wallet.fetchJson(
    'POST',
    '/operator/players',
    { userId, currency, customFields },
    [409],
  )
  await deposit(game, userId, currency, topUpAmount(unit, scale))
  await openBettorFrame(game, userId)
}

function findOperator({ operators }: BettorSimulation, userId: string): SandboxOperator {
  const number = BETTORS.findIndex((bettor) => bettor.userId === userId)
  return operators[number % operators.length] as SandboxOperator
}

/** A player that was blocked by hand gets no deposit (O-3). */
async function deposit(game: BettorSimulation, userId: string, currency: string, amount: string): Promise<void> {
  const body = { currency, amount, reference: `sandbox-${randomUUID()}` }
  await findOperator(game, userId).wallet.fetchJson('POST', `/operator/players/${userId}/deposits`, body, [409])
}

async function openBettorFrame(game: BettorSimulation, userId: string): Promise<void> {
  const frame = createFrameSessionRenewal(() => loadBettorFrame(game, userId))
  await frame()
  game.frames.set(userId, frame)
}

/**
 * The operator's site passes a token to the frame. The platform requests the token's player from
 * the partner.
 */
async function loadBettorFrame(game: BettorSimulation, userId: string): Promise<string> {
  const { wallet, partnerId, enter } = findOperator(game, userId)
  const session = await wallet.fetchJson<SessionEntry>('POST', `/operator/players/${userId}/sessions`, {})
  const { token } = await enter(session)
  return requestFrameSession(game.platform, partnerId, token)
}

function applyMatchEvent(game: BettorSimulation, happening: MatchEvent): void {
  const { match } = happening
  const before = game.matchCalls.get(match.id) ?? Promise.resolve()
  const isLast = 'isLast' in happening && happening.isLast
  const call = before
    .then(() => sendMatchEvent(game.platform, happening))
    .then(() => {
      game.activityLog.match(happening)
      if (!isLast) return
      game.watch.matchIsOver(match.id)
      game.matchCalls.delete(match.id)
    })
    .catch((error: unknown) => game.activityLog.note(`a match could not be announced: ${errorText(error)}`))
  game.matchCalls.set(match.id, call)
}

async function sendMatchEvent(platform: BearerClient, happening: MatchEvent): Promise<void> {
  const { kind, match } = happening
  const event = `/events/${match.id}`
  if (kind === 'opens' || kind === 'odds') {
    const outcomes = MATCH_OUTCOMES.map((outcomeId) => ({
      outcomeId,
      coefficient: formatPrice(match.prices[outcomeId]),
    }))
    await platform.fetchJson('PUT', event, { status: 'open', outcomes })
  } else if (kind === 'withdrawn') await platform.fetchJson('PUT', event, { status: 'withdrawn' })
  else await platform.fetchJson('POST', `${event}/result`, { outcomes: toOutcomeResults(happening) })
}

function toOutcomeResults(happening: MatchEvent): { outcomeId: string; result: 'won' | 'lost' | 'refund' }[] {
  if (happening.kind === 'refunded') return MATCH_OUTCOMES.map((outcomeId) => ({ outcomeId, result: 'refund' }))
  if (happening.kind !== 'result') return []
  return MATCH_OUTCOMES.map((outcomeId) => ({ outcomeId, result: outcomeId === happening.winner ? 'won' : 'lost' }))
}

function startPlacing(game: BettorSimulation, random: Random, open: readonly SimulatedMatch[]): void {
  const choice = chooseBet(random, open)
  if (game.inProgress.size >= MAX_PLACING) {
    game.leftOut += 1
    return
  }
  const work: Promise<void> = placeSimulatedBet(game, choice)
    .catch((error: unknown) => game.activityLog.note(`a bet could not be placed: ${errorText(error)}`))
    .finally(() => game.inProgress.delete(work))
  game.inProgress.add(work)
}

interface PlacementAnswer {
  readonly betId: string
  readonly status: WatchedBet['status']
  readonly reason?: string
}

async function placeSimulatedBet(game: BettorSimulation, choice: BetChoice): Promise<void> {
  const { bettor, stake, picks } = choice
  await Promise.all(picks.map(({ match }) => game.matchCalls.get(match.id)))
  const selections = picks.map(({ match, outcome, odds }) => ({
    ...{ eventId: match.id, outcomeId: outcome, coefficient: odds, outcome },
    ...{ discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' },
  }))
  const { betId, status, reason } = await game.platform.fetchJson<PlacementAnswer>('POST', '/bets', {
    frameSessionId: await game.frames.get(bettor.userId)?.(),
    amount: stake,
    selections,
    idempotencyKey: randomUUID(),
  })
  const watched = game.watch.add(betId, choice, status)
  if (status === 'accepted') scheduleCashout(game, watched)
  if (status === 'declined' && reason === NO_MONEY_REASON) await refill(game, bettor)
}

/** Reason of a bet that the wallet declined. */
const NO_MONEY_REASON = `partner code ${replyCode('not_enough_money')}`

/** Deposits money for a bettor without money, and loads the frame again. */
async function refill(game: BettorSimulation, { userId, currency, unit, scale }: BettorPlan): Promise<void> {
  await deposit(game, userId, currency, topUpAmount(unit, scale))
  await openBettorFrame(game, userId)
}

/**
 * A cashout is requested only while no match of the bet has ended. The steps of the bet show the
 * result.
 */
function scheduleCashout(game: BettorSimulation, watched: WatchedBet): void {
  const { cashOutAfter } = watched.choice
  if (cashOutAfter === null) return
  const timer = setTimeout(
    () => {
      game.cashOuts.delete(timer)
      const work: Promise<void> = requestCashout(game, watched)
        .catch(() => {})
        .finally(() => game.inProgress.delete(work))
      game.inProgress.add(work)
    },
    (cashOutAfter * 1000) / STEPS_PER_SECOND,
  )
  game.cashOuts.add(timer.unref())
}

async function requestCashout(game: BettorSimulation, watched: WatchedBet): Promise<void> {
  const { choice, betId, status } = watched
  const isOpen = status === 'accepted' && watched.undecided.size === choice.picks.length
  if (!isOpen || watched.isDue) return
  const amount = cashOutAmount(choice)
  await game.platform.fetchJson('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount })
}
