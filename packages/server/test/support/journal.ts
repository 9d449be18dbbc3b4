/**
 * Records a platform's knowledge of a wallet that can die at any moment: each bet, its answered
 * calls, and the call in progress.
 *
 * A test compares these records with the restarted wallet. This proves that no answered call was
 * lost and no call was applied twice.
 */
import { randomUUID } from 'node:crypto'
import type { OperatorClient } from './operator.ts'
import type { Random } from './random.ts'
import {
  type Members,
  type PartnerWire,
  placeMessage,
  replyCode,
  rollbackMessage,
  settleMessage,
  unsettleMessage,
  type WireReply,
} from './wire.ts'

export type BetStatus = 'unknown to the wallet' | 'open' | 'settled' | 'cancelled'

export interface Call {
  operation: 'place' | 'settle' | 'unsettle' | 'rollback'
  message: Members
}

export interface BetRecord {
  userId: string
  betId: string
  /** Whole units of the currency, so that the sums of the test need no money code. */
  stake: number
  payout: number
  /** The state that results from the answered calls. */
  status: BetStatus
  answered: { call: Call; text: string } | undefined
  /** A call that was sent and has no answer. */
  unanswered: Call | undefined
  /** This operation is repeated until the wallet accepts it. */
  owed?: Call['operation']
}

export interface Player {
  userId: string
  token: string
  currency: string
}

const STATUS_AFTER: Record<Call['operation'], BetStatus> = {
  place: 'open',
  settle: 'settled',
  unsettle: 'open',
  rollback: 'cancelled',
}

export function newBet(player: Player, random: Random): { bet: BetRecord; place: Call } {
  const betId = randomUUID()
  const stake = 1 + random.below(9)
  const message = placeMessage({ ...player, transactionId: betId, amount: stake })
  const payout = random.chance(0.3) ? 0 : 1 + random.below(50)
  const bet = { userId: player.userId, betId, stake, payout, status: 'unknown to the wallet' as const }
  return {
    bet: { ...bet, answered: undefined, unanswered: undefined },
    place: { operation: 'place', message },
  }
}

export function settleOf(bet: BetRecord): Call {
  const resultType = bet.payout > 0 ? 'won' : 'lost'
  return { operation: 'settle', message: settleMessage({ ...namesOf(bet), amount: bet.payout, resultType }) }
}

export function unsettleOf(bet: BetRecord): Call {
  return { operation: 'unsettle', message: unsettleMessage({ ...namesOf(bet), amount: bet.payout }) }
}

export function rollbackOf(bet: BetRecord): Call {
  return { operation: 'rollback', message: rollbackMessage({ ...namesOf(bet), amount: bet.stake }) }
}

function namesOf(bet: BetRecord): Members {
  return { userId: bet.userId, transactionId: bet.betId }
}

export function send(wire: PartnerWire, call: Call): Promise<WireReply> {
  return wire.call(call.operation === 'place' ? 'POST' : 'PUT', '/payment/bet', call.message)
}

/**
 * Sends a call and records its result; false without an answer. A stopping wallet may reject the
 * call as failed, and then nothing was applied. Any other answer than 200 throws.
 */
export async function carryOut(wire: PartnerWire, bet: BetRecord, call: Call): Promise<boolean> {
  bet.unanswered = call
  const reply = await send(wire, call).catch(() => undefined)
  if (reply === undefined) return false
  bet.unanswered = undefined
  if (reply.status === 200) {
    bet.status = STATUS_AFTER[call.operation]
    bet.answered = { call, text: reply.text }
  } else if (!saysItCannot(call, reply)) {
    throw new Error(`${call.operation} of ${bet.betId} was answered ${reply.status} ${reply.text}`)
  }
  return reply.status === 200
}

function saysItCannot(call: Call, reply: WireReply): boolean {
  return reply.status === (call.operation === 'place' ? 400 : 500) && replyCode(reply) === 100
}

/** The states that the wallet may report: the call without an answer was applied, or it was not. */
export function possibleStatuses(bet: BetRecord): BetStatus[] {
  return bet.unanswered ? [bet.status, STATUS_AFTER[bet.unanswered.operation]] : [bet.status]
}

export async function readBetStatus(operator: OperatorClient, bet: BetRecord): Promise<string> {
  const path = `/operator/players/${encodeURIComponent(bet.userId)}/bets/${bet.betId}`
  const { status, body } = await operator.request('GET', path)
  if (status === 404) return 'unknown to the wallet'
  const found = typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined
  return typeof found === 'string' ? found : `not told: ${status} ${JSON.stringify(body)}`
}

/** The change of the player's balance by this bet. */
export function worthOf(bet: BetRecord, status: string): number {
  if (status === 'open') return -bet.stake
  return status === 'settled' ? bet.payout - bet.stake : 0
}
