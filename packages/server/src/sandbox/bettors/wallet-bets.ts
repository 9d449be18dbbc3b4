/** Reads the newest bets of the sandbox wallets through their operator APIs. */

import type { SandboxOperator } from '../sandbox-servers.ts'
import { BETTORS } from './bettor-behaviour.ts'

/** The members of `GET /operator/bets` that are read here. */
export interface OperatorBet {
  readonly userId: string
  readonly transactionId: string
  readonly status: 'unknown' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly currency?: string
  readonly stake?: string
  readonly payout?: string
  readonly resultType?: string
  readonly refusalCode?: number
  readonly firstSeenAt: string
}

export interface SandboxBet extends OperatorBet {
  readonly operator: SandboxOperator
  readonly isByHand: boolean
}

const SIMULATED = new Set(BETTORS.map(({ userId }) => userId))

/** Newest first. */
export async function listNewestBets(operators: readonly SandboxOperator[], limit: number): Promise<SandboxBet[]> {
  const lists = await Promise.all(operators.map((operator) => listNewestOfOperator(operator, limit)))
  return lists
    .flat()
    .sort((a, b) => (a.firstSeenAt < b.firstSeenAt ? 1 : -1))
    .slice(0, limit)
}

async function listNewestOfOperator(operator: SandboxOperator, limit: number): Promise<SandboxBet[]> {
  const { data } = await operator.wallet.fetchJson<{ data: OperatorBet[] }>('GET', `/operator/bets?limit=${limit}`)
  return data.map((bet) => ({ ...bet, operator, isByHand: !SIMULATED.has(bet.userId) }))
}

/** "10.00 EUR"; empty if no stake was taken. */
export function formatStake({ stake, currency }: OperatorBet): string {
  return stake === undefined ? '' : `${stake} ${currency}`
}

export function describeBetStatus({ status, resultType, payout, refusalCode }: OperatorBet): string {
  switch (status) {
    case 'open':
      return 'open'
    case 'settled':
      return resultType === 'lost' ? 'lost' : `${resultType} ${payout}`
    case 'cancelled':
      return 'rolled back'
    case 'refused':
      return `refused, code ${refusalCode}`
    case 'unknown':
      return 'never placed'
    default:
      return status satisfies never
  }
}
