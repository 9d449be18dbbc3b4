/**
 * Watches bets that a user of the sandbox sends to the wallet by hand. Each call is reported with
 * its effect.
 */
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import type { SandboxOperator } from '../sandbox-servers.ts'
import { formatStake, listNewestBets, type SandboxBet } from './wallet-bets.ts'

interface CallDetail {
  readonly operation: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly outcome: 'applied' | 'repeated' | 'refused'
  readonly code?: number
  readonly amount?: string
  readonly resultType?: string
}

interface ManualBet {
  readonly bet: SandboxBet
  reportedCalls: number
}

export interface ManualBetWatch {
  /** Reads the newest bets, and the calls of the bets by hand. */
  poll(): Promise<void>
}

/** `calls` are the calls so far; the last `fresh` are new. */
export type ManualBetListener = (bet: {
  betId: string
  player: string
  stake: string
  calls: string[]
  fresh: number
}) => void

/** Bets per poll, more than the bettors place between two polls at the highest rate. */
const NEWEST = 100
/** Followed bets by hand; the oldest are dropped first. */
const MAX_FOLLOWED = 50

/** Bets of earlier runs are reported only after a new call. */
export async function watchManualBets(
  operators: readonly SandboxOperator[],
  notify: ManualBetListener,
): Promise<ManualBetWatch> {
  const followed = new Map<string, ManualBet>()
  const find = async () => {
    for (const bet of (await listNewestBets(operators, NEWEST)).reverse()) {
      const key = JSON.stringify([bet.operator.partnerId, bet.userId, bet.transactionId])
      if (bet.isByHand && !followed.has(key)) followed.set(key, { bet, reportedCalls: 0 })
    }
    for (const key of [...followed.keys()].slice(0, -MAX_FOLLOWED)) followed.delete(key)
  }
  await find()
  for (const manualBet of followed.values()) manualBet.reportedCalls = (await readCalls(manualBet.bet)).length
  return {
    async poll() {
      await find()
      for (const manualBet of followed.values()) notifyNewCalls(manualBet, await readCalls(manualBet.bet), notify)
    },
  }
}

async function readCalls({ operator, userId, transactionId }: SandboxBet): Promise<CallDetail[]> {
  const path = `/operator/players/${encodePathSegment(userId)}/bets/${encodePathSegment(transactionId)}`
  const { history } = await operator.wallet.fetchJson<{ history: CallDetail[] }>('GET', path)
  return history
}

function notifyNewCalls(manualBet: ManualBet, history: readonly CallDetail[], notify: ManualBetListener): void {
  const fresh = history.length - manualBet.reportedCalls
  if (fresh <= 0) return
  manualBet.reportedCalls = history.length
  const { userId: player, transactionId: betId } = manualBet.bet
  notify({ betId, player, stake: formatStake(manualBet.bet), calls: history.map(describeManualCall), fresh })
}

const AGAIN = {
  place: 'again: no 2nd debit',
  settle: 'again: not paid twice',
  unsettle: 'again: nothing to take back',
  rollback: 'again: not refunded twice',
} as const

function describeManualCall({ operation, outcome, code, amount, resultType }: CallDetail): string {
  if (outcome === 'refused') return `${operation} refused (code ${code})`
  if (outcome === 'repeated') return AGAIN[operation]
  switch (operation) {
    case 'place':
      return 'debited'
    case 'settle':
      return resultType === 'lost' ? 'lost' : `${resultType} ${amount}`
    case 'unsettle':
      return 'result withdrawn'
    case 'rollback':
      return 'rolled back'
    default:
      return operation satisfies never
  }
}
