/**
 * Bodies of the calls of a load, with all members of interface.md (Resources). Amounts are written
 * as text, so they are never floats.
 */
import { randomUUID } from 'node:crypto'
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { formatShortest, money } from '@purser/protocol/values/money'
import type { LoadPlayer } from './player.ts'

export interface CallMessage {
  readonly operation: 'place' | 'settle' | 'rollback'
  /** The same text again is a repeat. */
  readonly body: string
}

const COMMON = {
  ...{ coefficient: 1.85, gameType: 'sportsbook', bonusId: null, bonusTemplateId: null },
  ...{ ticketType: 'single', boosterCoefficient: 1 },
}
const SELECTION = {
  ...{ disciplineId: '1', discipline: 'Football', tournamentId: '88637', tournament: 'Premier League' },
  ...{ tournamentRegionCode: 'GB', eventId: '471100', event: 'Northern Rovers - Southern United' },
  ...{ eventDate: '2030-05-04 18:45:00', marketId: '1', market: 'Winner', outcomeId: '2', outcome: 'Draw' },
  ...{ coefficient: 1.85, stage: 1 },
}
const PLACE = { ip: '203.0.113.7', subPartnerId: null, bonusAmount: null, metadata: [SELECTION] }

export function buildPlaceCallMessage(player: LoadPlayer, betId: string, stake: bigint): CallMessage {
  const members = { ...betMembers(player, betId, 1), token: player.token, ...PLACE }
  return { operation: 'place', body: appendAmount(members, stake, player) }
}

export function buildSettleCallMessage(player: LoadPlayer, betId: string, stake: bigint, payout: bigint): CallMessage {
  const resultType = payout === 0n ? 'lost' : payout === stake ? 'refund' : 'won'
  return { operation: 'settle', body: appendAmount({ ...betMembers(player, betId, 2), resultType }, payout, player) }
}

export function buildRollbackCallMessage(player: LoadPlayer, betId: string, stake: bigint): CallMessage {
  const errorCode = ROLLBACK_REASON.partnerFailed
  const members = { ...betMembers(player, betId, 3), token: player.token, bonusAmount: null, errorCode }
  return { operation: 'rollback', body: appendAmount(members, stake, player) }
}

export function buildBalanceBody({ userId, token, currency, operatorUser }: LoadPlayer): string {
  return JSON.stringify({ token, userId, operatorUser, currency, requestId: randomUUID() })
}

function betMembers({ userId, currency, operatorUser }: LoadPlayer, transactionId: string, type: 1 | 2 | 3) {
  return { requestId: randomUUID(), type, transactionId, userId, operatorUser, currency, ...COMMON }
}

function appendAmount(members: object, amount: bigint, { scale }: LoadPlayer): string {
  return `${JSON.stringify(members).slice(0, -1)},"amount":${formatShortest(money(amount), scale)}}`
}
