/**
 * Bets of one player in a betting frame: placed with the platform, decided by the results of their
 * matches, and shown with the platform's state. The wallet may be any wallet.
 */
import { randomUUID } from 'node:crypto'
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { formatMoney, type Money, parseDecimal } from '@purser/protocol/values/money'
import type { BearerClient } from '../bearer-client.ts'
import type { FrameMatch, FrameMatches } from './frame-matches.ts'

/** Number of shown bets. */
const MAX_BETS = 8
/** Number of bets that can be changed. */
const MAX_KEPT_BETS = 200
/** Id of the freebets on the platform. */
const BONUS = 7
/**
 * Time for which a placement is retried while the circuit breaker is open, and the pause between
 * tries.
 */
const RETRY_FOR_MS = 60_000
const RETRY_GAP_MS = 200

export type FrameOutcome = 'home' | 'draw' | 'away'
export interface FrameBetRequest {
  readonly matchId: string
  readonly outcome: FrameOutcome
  readonly stake: string
  /** Promotions pay the stake, if the wallet allows it. */
  readonly isFree?: boolean | undefined
}
export interface FramePlacement {
  readonly betId: string
  readonly status: 'accepted' | 'declined' | 'cancelled'
  readonly reason?: string
}
export const FRAME_BET_ENDINGS = ['won', 'lost', 'refund', 'cashout', 'correct', 'take back', 'cancel'] as const
export type FrameBetEnding = (typeof FRAME_BET_ENDINGS)[number]

interface FrameBet extends FramePlacement {
  readonly match: FrameMatch
  readonly outcome: FrameOutcome
  readonly odds: string
  readonly stake: string
  readonly currency: string
  readonly isFree: boolean
}

export interface FrameAccount {
  readonly currency: string
  readonly scale: number
}

export interface FrameBetsParts {
  readonly platform: BearerClient
  readonly matches: FrameMatches
  /** Returns the id of the frame session. */
  frame(): Promise<string>
  account(): FrameAccount
  /** True if promotions pay the stakes of bets with a bonus. */
  readonly hasFreebets: boolean
}

/** The members of the platform's `GET /bets/{betId}` that are read here. */
export interface PlatformBetView {
  readonly status: string
  readonly reason?: string
  readonly payout?: string
  readonly resultType?: string
  readonly deliveries: readonly {
    readonly operation: string
    readonly status: string
    readonly attempts: number
    readonly code?: number
  }[]
}

export interface FrameBets {
  place(request: FrameBetRequest): Promise<FramePlacement>
  /** Retries while the circuit breaker is open. */
  placeWithRetry(request: FrameBetRequest): Promise<FramePlacement>
  /**
   * Returns when the bet has no open delivery, or after so many attempts. An unknown id has no
   * effect.
   */
  end(betId: string, what: FrameBetEnding, maxAttempts?: number): Promise<void>
  /** Waits until the bet has no open delivery. */
  settled(betId: string): Promise<void>
  /** The latest bets with their state, newest first. */
  describe(toDetail?: (betId: string, view: PlatformBetView) => Promise<object | undefined>): Promise<object[]>
}

export function createFrameBets(parts: FrameBetsParts): FrameBets {
  const { platform, matches } = parts
  const bets: FrameBet[] = []
  const place = async (request: FrameBetRequest) => {
    const bet = await matches.withFrozenOdds(() => placeFrameBet(parts, request))
    bets.unshift(bet)
    bets.length = Math.min(bets.length, MAX_KEPT_BETS)
    const { betId, status, reason } = bet
    return { betId, status, ...(reason !== undefined && { reason }) }
  }
  const settled = (betId: string) => awaitDeliveries(platform, betId)
  return {
    ...{ place, settled },
    placeWithRetry: (request) =>
      placeUntilCalled(place, request, ({ betId }) => {
        bets.splice(
          bets.findIndex((one) => one.betId === betId),
          1,
        )
      }),
    async end(betId, what, maxAttempts) {
      const known = bets.find((one) => one.betId === betId)
      if (known === undefined) return
      await endFrameBet(parts, known, what)
      await awaitDeliveries(platform, betId, maxAttempts)
    },
    describe: (toDetail) =>
      Promise.all(bets.slice(0, MAX_BETS).map((bet) => describeFrameBet(platform, bet, toDetail))),
  }
}

/**
 * After several calls without an answer, for example on a slow machine, the platform declines bets
 * at once except two probes a second (C-10). A declined bet shows no fault, so the bet is placed
 * again.
 */
async function placeUntilCalled(
  place: FrameBets['place'],
  request: FrameBetRequest,
  drop: (placed: FramePlacement) => void,
): Promise<FramePlacement> {
  const until = performance.now() + RETRY_FOR_MS
  for (;;) {
    const placed = await place(request)
    if (placed.reason !== 'partner unavailable' || performance.now() > until) return placed
    drop(placed)
    await new Promise((resolve) => setTimeout(resolve, RETRY_GAP_MS))
  }
}

async function placeFrameBet(
  { platform, matches, frame, account, hasFreebets }: FrameBetsParts,
  { matchId, outcome, stake, isFree: wantsFree = false }: FrameBetRequest,
): Promise<FrameBet> {
  const match = matches.find(matchId)
  const odds = match.odds[outcome]
  const selection = {
    eventId: match.id,
    outcomeId: outcome,
    coefficient: odds,
    outcome: formatFrameOutcome(match, outcome),
  }
  const described = { discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' }
  const { currency, scale } = account()
  const isFree = wantsFree && hasFreebets
  const body = {
    ...(isFree && { bonusId: BONUS, bonusAmount: stake }),
    frameSessionId: await frame(),
    amount: stake,
    selections: [{ ...selection, ...described }],
    idempotencyKey: randomUUID(),
  }
  const placed = await platform.fetchJson<FramePlacement>('POST', '/bets', body)
  return { ...placed, match, outcome, odds, stake: formatMoney(parseUnits(stake, scale), scale), currency, isFree }
}

export function formatFrameOutcome({ home, away }: FrameMatch, outcome: FrameOutcome): string {
  return outcome === 'draw' ? 'Draw' : outcome === 'home' ? home : away
}

const POLL_MS = 60
/** Longer than any fault scenario lasts. */
const QUIET_MS = 20_000

async function awaitDeliveries(
  platform: BearerClient,
  betId: string,
  maxAttempts = Number.POSITIVE_INFINITY,
): Promise<void> {
  const until = performance.now() + QUIET_MS
  while (performance.now() < until) {
    const { deliveries } = await platform.fetchJson<PlatformBetView>('GET', `/bets/${betId}`)
    const open = deliveries.filter(({ status }) => status === 'pending' || status === 'waiting')
    if (open.length === 0 || open.some(({ attempts }) => attempts >= maxAttempts)) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function parseUnits(amount: string, scale: number): Money {
  return parseDecimal(amount, scale) ?? (0n as Money)
}

/** A result belongs to the match and decides every bet on it; a cashout belongs to the bet. */
async function endFrameBet(
  { platform, matches, account }: FrameBetsParts,
  { betId, match, outcome, stake }: FrameBet,
  what: FrameBetEnding,
): Promise<void> {
  const other = outcome === 'home' ? 'away' : 'home'
  const { scale } = account()
  switch (what) {
    case 'cashout': {
      const amount = formatMoney(((parseUnits(stake, scale) * 9n) / 10n) as Money, scale)
      await platform.fetchJson('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount }, [409])
      break
    }
    case 'cancel':
      await platform.fetchJson('POST', `/bets/${betId}/cancel`, { errorCode: ROLLBACK_REASON.closingFailed }, [409])
      break
    case 'refund':
      await matches.refund(match.id)
      break
    case 'take back':
      await matches.result(match.id, undefined)
      break
    case 'correct': {
      const { resultType } = await platform.fetchJson<PlatformBetView>('GET', `/bets/${betId}`)
      await matches.result(match.id, resultType === 'won' ? other : outcome)
      break
    }
    case 'won':
    case 'lost':
      await matches.result(match.id, what === 'won' ? outcome : other)
      break
    default:
      what satisfies never
  }
}

async function describeFrameBet(
  platform: BearerClient,
  { betId, match, outcome, ...bet }: FrameBet,
  toDetail?: (betId: string, view: PlatformBetView) => Promise<object | undefined>,
): Promise<object> {
  const { odds, stake, currency, isFree } = bet
  const now = await platform.fetchJson<PlatformBetView>('GET', `/bets/${betId}`)
  const { status, reason, payout, resultType } = now
  return {
    ...{ betId, event: `${match.home} – ${match.away}`, outcome: formatFrameOutcome(match, outcome) },
    ...{ odds, stake, currency, isFree, status, reason, payout, resultType },
    notBooked: await toDetail?.(betId, now),
  }
}
