/**
 * Laws of the calling side, from what leaves it: of one bet one call is under way at a time (C-6), and the attempts of a delivery do not
 * bunch (C-4, C-5). Written from decisions.md alone.
 */
import { OPERATIONS } from '../../../protocol/operation.ts'
import { type MessageMembers, parseMessage } from '../actors/reply-parsing.ts'
import type { NetworkRequest } from '../network/simulated-network.ts'

/** A call that has left. */
export interface LeavingCall {
  readonly request: NetworkRequest
  /** Its caller has heard how it ended, has given it up, or has died. */
  isOver(): boolean
}

export interface PaceWatch {
  leaves(call: LeavingCall): void
  /** The caller has heard this status. */
  received(request: NetworkRequest, status: number): void
  /** A person sends again what has come to its end: its attempts begin anew. */
  sentAgain(): void
  /** The clock by which attempts are planned was set: what was planned before says nothing about what comes. */
  clockSet(): void
  complaints(): readonly string[]
}

/** Attempts of one delivery. */
interface DeliveryRound {
  readonly firstAt: number
  readonly lastAt: number
  readonly attempts: number
}

/** Milliseconds after which the platform surely tells the time by its database's clock as it is now. */
const READ_AGAIN_MS = 20_000

const ROLLBACK = OPERATIONS.rollback.type
const FIRST_GAP_MS = 700
const LONGEST_GAP_MS = 60_000
/** A planned gap may be this much shorter by chance, or after a pause. */
const HALF = 2
/** Attempts of a rollback (C-4); once they are over, or its six minutes, or a 400 has ended it, only a person sends it again. */
const MAX_ATTEMPTS = 10
/** Milliseconds behind the first attempt that was seen, before which its time is not over: those before it may have died unseen. */
const EARLIEST_END_MS = 120_000
const BAD_REQUEST = 400

/** `name` of a bet in the story. */
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
 * Told of each attempt; whether it is the first one of a result that is the last one's again. The same data have the same `requestId` (C-5). A
 * cashout may have been refused, and be asked for anew.
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

/** Half of what is planned behind so many attempts; some may have been counted and never sent, and then it is more. */
function leastGap(attempts: number): number {
  return Math.min(FIRST_GAP_MS * HALF ** (attempts - 1), LONGEST_GAP_MS) / HALF
}

/** Undefined: it is not about a bet. */
function parseBetMessage(request: NetworkRequest): MessageMembers | undefined {
  return request.path === '/payment/bet' ? parseMessage(request) : undefined
}
