/**
 * Bettors whose platform follows interface.md while the wallet fails.
 *
 * The platform rolls a Place bet back after 400/100, after a status other than 200 or 400, and
 * without an answer in 5 s. It repeats rollbacks and settles until the wallet accepts them, so in
 * the end it knows the state of each bet.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BetRecord, type Call, newBet, type Player, rollbackOf, send, settleOf } from './journal.ts'
import type { Random } from './random.ts'
import { type PartnerWire, replyCode, type WireReply } from './wire.ts'

export interface Answer {
  operation: Call['operation'] | 'balance'
  userId: string
  betId?: string
  /** Milliseconds since the start of the process. */
  sentAt: number
  ms: number
  /** 'none' means a broken connection, or no answer within the platform's time-out. */
  status: number | 'none'
  code: number | undefined
}

export interface Betting {
  bets: BetRecord[]
  answers: Answer[]
  /**
   * Resolves when `inARow` calls in a row were accepted, all sent from now on; throws after a time
   * limit.
   */
  recovered(inARow: number): Promise<void>
  /**
   * Starts more bets at this rate, without waiting for earlier ones. `end` returns the number of
   * started bets.
   */
  flood(perSecond: number): { end(): number }
  /** Starts no new bets; resolves when the end of each bet is known. */
  stop(): Promise<void>
}

export interface BettingOptions {
  /** A call that was not accepted is sent to the next wire. */
  wires: PartnerWire[]
  players: Player[]
  bettors: number
  random: Random
  /** Milliseconds to wait for an answer: the platform's 5 s. */
  patienceMs?: number
}

const ANSWER_TIMEOUT_MS = 5_000
const BETWEEN_BETS_MS = 25
const BETWEEN_READS_MS = 100
const BEFORE_RETRY_MS = 150
/** Far more than the longest fault of a test needs. */
const MAX_ATTEMPTS = 150
const RECOVERY_MS = 30_000
const BETWEEN_LOOKS_MS = 20
const BETWEEN_WAVES_MS = 10
/** The limit of bets in progress during a flood, because each has a connection. */
const MOST_IN_FLOOD = 4_000

interface Platform extends Required<BettingOptions> {
  bets: BetRecord[]
  answers: Answer[]
  isStopped(): boolean
}

export function startBetting(options: BettingOptions): Betting {
  let stopped = false
  const platform = { patienceMs: ANSWER_TIMEOUT_MS, ...options, bets: [], answers: [], isStopped: () => stopped }
  const bettors = Array.from({ length: options.bettors }, (_, number) => bet(platform, number))
  const playing = Promise.allSettled([...bettors, ...options.players.map((player) => readBalances(platform, player))])
  const floods: Promise<void>[] = []
  return {
    bets: platform.bets,
    answers: platform.answers,
    recovered: (inARow) => recovered(platform.answers, inARow),
    flood(perSecond) {
      const flood = { begun: 0, isOver: false }
      floods.push(pour(platform, perSecond, flood))
      return {
        end() {
          flood.isOver = true
          return flood.begun
        },
      }
    },
    async stop() {
      stopped = true
      const ended = [...(await playing), ...(await Promise.allSettled(floods))]
      for (const one of ended) if (one.status === 'rejected') throw one.reason
    },
  }
}

async function bet(platform: Platform, number: number): Promise<void> {
  const { players, random, bets } = platform
  const player = players[number % players.length] as Player
  while (!platform.isStopped()) {
    const { bet, place } = newBet(player, random)
    bets.push(bet)
    await liveABet(platform, bet, place, number)
    await sleep(BETWEEN_BETS_MS)
  }
}

async function pour(platform: Platform, perSecond: number, flood: { begun: number; isOver: boolean }): Promise<void> {
  const { players, random, bets } = platform
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const beganAt = performance.now()
  for (let due = 0; !flood.isOver; await sleep(BETWEEN_WAVES_MS)) {
    due = ((performance.now() - beganAt) / 1_000) * perSecond
    while (flood.begun < due && underWay.size < MOST_IN_FLOOD) {
      const { bet, place } = newBet(players[flood.begun % players.length] as Player, random)
      bets.push(bet)
      const life: Promise<void> = liveABet(platform, bet, place, flood.begun++)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(life))
      underWay.add(life)
    }
  }
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
}

/** Plays a bet to an end that the platform knows: open, settled, cancelled, or declined. */
async function liveABet(platform: Platform, bet: BetRecord, place: Call, number: number): Promise<void> {
  const answer = await attempt(platform, bet, place, number)
  if (answer.status === 200) {
    bet.status = 'open'
    if (!platform.random.chance(0.5)) return
    await untilYes(platform, bet, settleOf(bet), number)
    bet.status = 'settled'
  } else if (answer.status !== 400 || answer.code === 100) {
    await untilYes(platform, bet, rollbackOf(bet), number)
    bet.status = 'cancelled'
  }
}

async function untilYes(platform: Platform, bet: BetRecord, call: Call, number: number): Promise<void> {
  bet.owed = call.operation
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    const { status } = await attempt(platform, bet, call, number + attempts)
    if (status === 200) return void delete bet.owed
    await sleep(BEFORE_RETRY_MS)
  }
  throw new Error(`${call.operation} of ${bet.betId} was never answered with yes`)
}

async function attempt(platform: Platform, bet: BetRecord, call: Call, number: number): Promise<Answer> {
  const { operation } = call
  const wire = platform.wires[number % platform.wires.length] as PartnerWire
  const about = { operation, userId: bet.userId, betId: bet.betId }
  return timed(platform, about, async () => {
    const reply = await send(wire, call)
    if (operation === 'place' && reply.status === 200) bet.answered = { call, text: reply.text }
    return reply
  })
}

async function readBalances(platform: Platform, { userId, token }: Player): Promise<void> {
  while (!platform.isStopped()) {
    await Promise.all(
      platform.wires.map((wire) =>
        timed(platform, { operation: 'balance', userId }, () => wire.balance({ userId, token })),
      ),
    )
    await sleep(BETWEEN_READS_MS)
  }
}

async function timed(
  { answers, patienceMs }: Platform,
  about: Pick<Answer, 'operation' | 'userId' | 'betId'>,
  ask: () => Promise<WireReply>,
): Promise<Answer> {
  const sentAt = performance.now()
  const reply = await Promise.race([ask().catch(() => undefined), sleep(patienceMs, undefined, { ref: false })])
  const code = reply && replyCode(reply)
  const answer: Answer = { ...about, sentAt, ms: performance.now() - sentAt, status: reply?.status ?? 'none', code }
  answers.push(answer)
  return answer
}

async function recovered(answers: Answer[], inARow: number): Promise<void> {
  const start = performance.now()
  let last: Answer[] = []
  while (performance.now() - start < RECOVERY_MS) {
    last = answers.filter(({ sentAt }) => sentAt > start).slice(-inARow)
    if (last.length === inARow && last.every(({ status }) => status === 200)) return
    await sleep(BETWEEN_LOOKS_MS)
  }
  throw new Error(`not recovered after ${RECOVERY_MS} ms; the last answers: ${JSON.stringify(last.slice(-10))}`)
}

/** The answers that are permitted while the wallet's database fails. */
export function isAllowedInAFault({ operation, status, code }: Answer): boolean {
  if (status === 200) return true
  return operation === 'place' ? status === 400 && code === 100 : status === 500
}
