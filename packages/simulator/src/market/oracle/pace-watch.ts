/**
 * Checks the times at which the platform sends calls, written only from decisions.md.
 *
 * A bet has one call in progress at a time (C-6), and attempts are no closer together than
 * permitted (C-4, C-5).
 */
import { OPERATIONS } from '@purser/protocol/operation'
import { type MessageMembers, parseMessage } from '../actors/reply-parsing.ts'
import type { NetworkRequest } from '../network/simulated-network.ts'

export interface LeavingCall {
  readonly request: NetworkRequest
  /** The caller has received the outcome, has given up, or is dead. */
  isOver(): boolean
}

export interface PaceWatch {
  leaves(call: LeavingCall): void
  received(request: NetworkRequest, status: number): void
  /** A user retries deliveries by hand: their schedules begin anew. */
  sentAgain(): void
  /** The schedule's clock was set, so earlier attempts do not limit later attempts. */
  clockSet(): void
  complaints(): readonly string[]
}

/** The attempts of one delivery in one schedule. */
interface DeliveryRound {
  readonly firstAt: number
  readonly lastAt: number
  readonly attempts: number
}

/** The platform certainly uses its database's new time after this. */
const READ_AGAIN_MS = 20_000

const ROLLBACK = OPERATIONS.rollback.type
const FIRST_GAP_MS = 700
const LONGEST_GAP_MS = 60_000
/** By chance, or after a pause, a gap may be this many times shorter. */
const HALF = 2
/** A Rollback has at most ten attempts in six minutes (C-4). Then only a user can retry it. */
const MAX_ATTEMPTS = 10
/**
 * The six minutes cannot be over earlier after the first seen attempt. Earlier ones may be unseen,
 * because their process died.
 */
const EARLIEST_END_MS = 120_000
const BAD_REQUEST = 400

/** `name`: the bet's name in the story. */
export function watchPace(elapsed: () => number, name: (betId: string) => string): PaceWatch {
  const underWay = new Map<string, LeavingCall>()
  const rounds = new Map<string, DeliveryRound>()
  const complaints: string[] = []
  const lasts = createLastResults()
  let unsureUntil = 0
  let sentAgainAt = Number.NEGATIVE_INFINITY
  const isAnew = ({ firstAt, lastAt }: DeliveryRound, now: number) =>
    sentAgainAt >= lastAt && now - firstAt > EARLIEST_END_MS
  return {
    leaves(call) {
      const message = parseBetMessage(call.request)
      if (message === undefined) return
      const bet = `${message.transactionId}`
      if (lasts.isTwice(message)) complaints.push(`${name(bet)}: the result in force is decided again (C-5)`)
      const before = underWay.get(bet)
      underWay.set(bet, call)
      if (before !== undefined && !before.isOver())
        complaints.push(`${name(bet)}: two of its calls are under way (C-6)`)
      const [delivery, now] = [`${message.requestId}`, elapsed()]
      const round = rounds.get(delivery)
      const isNew = round === undefined || round.lastAt < unsureUntil
      if (isNew || (message.type === ROLLBACK && isAnew(round, now))) {
        rounds.set(delivery, { firstAt: now, lastAt: now, attempts: 1 })
        return
      }
      rounds.set(delivery, { ...round, lastAt: now, attempts: round.attempts + 1 })
      const [gap, least] = [now - round.lastAt, leastGap(round.attempts)]
      if (gap < least)
        complaints.push(
          `${name(bet)}: attempt ${round.attempts + 1} comes ${gap} ms after the last, not ${least} (C-4)`,
        )
      if (message.type === ROLLBACK && round.attempts >= MAX_ATTEMPTS)
        complaints.push(`${name(bet)}: ${round.attempts + 1} attempts of a rollback (C-4)`)
    },
    received(request, status) {
      const message = status === BAD_REQUEST ? parseBetMessage(request) : undefined
      if (message !== undefined) rounds.delete(`${message.requestId}`)
    },
    sentAgain() {
      sentAgainAt = elapsed()
    },
    clockSet() {
      unsureUntil = elapsed() + READ_AGAIN_MS
    },
    complaints: () => complaints,
  }
}

/**
 * Finds results that are sent again as a new decision, with a new `requestId` (C-5).
 *
 * A refused cashout may be requested again.
 */
function createLastResults() {
  const known = new Set<unknown>()
  const lasts = new Map<unknown, string>()
  return {
    isTwice({ requestId, transactionId, type, amount, resultType }: MessageMembers): boolean {
      if (known.has(requestId)) return false
      known.add(requestId)
      const isCompared = type === OPERATIONS.settle.type && amount !== undefined && resultType !== 'cashout'
      const result = isCompared ? `${amount} ${resultType}` : ''
      const isTwice = result !== '' && lasts.get(transactionId) === result
      lasts.set(transactionId, result)
      return isTwice
    },
  }
}

/**
 * Half of the planned gap. The true gap may be longer: an attempt may be counted and never sent.
 */
function leastGap(attempts: number): number {
  return Math.min(FIRST_GAP_MS * HALF ** (attempts - 1), LONGEST_GAP_MS) / HALF
}

function parseBetMessage(request: NetworkRequest): MessageMembers | undefined {
  return request.path === '/payment/bet' ? parseMessage(request) : undefined
}
