/** Bets that somebody sends to the wallet by hand: each call of theirs is told, so that a newcomer sees what a paste did. */
import { pathPart } from '../protocol/path-part.ts'
import type { House } from './stage.ts'
import { type HouseBet, newestBets, stakeOf } from './wallet-bets.ts'

interface CallDetail {
  readonly operation: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly outcome: 'applied' | 'repeated' | 'refused'
  readonly code?: number
  readonly amount?: string
  readonly resultType?: string
}

interface BetByHand {
  readonly bet: HouseBet
  /** Calls that have been told. */
  told: number
}

export interface ByHand {
  /** Looks at the newest bets, and at the calls of those that were sent by hand. */
  look(): Promise<void>
}

/** What is told of such a bet: its calls so far, of which the last `fresh` are new. */
export type TellByHand = (bet: { betId: string; player: string; stake: string; calls: string[]; fresh: number }) => void

/** Bets looked at in one look: more than the bettors place between two looks at the highest rate. */
const NEWEST = 100
/** Bets by hand that are followed; the oldest go first. */
const MAX_FOLLOWED = 50

/** Those of earlier runs are known already and are told when something new happens to them. */
export async function followByHand(houses: readonly House[], tell: TellByHand): Promise<ByHand> {
  const followed = new Map<string, BetByHand>()
  const find = async () => {
    for (const bet of (await newestBets(houses, NEWEST)).reverse()) {
      const key = JSON.stringify([bet.house.partnerId, bet.userId, bet.transactionId])
      if (bet.isByHand && !followed.has(key)) followed.set(key, { bet, told: 0 })
    }
    for (const key of [...followed.keys()].slice(0, -MAX_FOLLOWED)) followed.delete(key)
  }
  await find()
  for (const one of followed.values()) one.told = (await callsOf(one.bet)).length
  return {
    async look() {
      await find()
      for (const one of followed.values()) tellNew(one, await callsOf(one.bet), tell)
    },
  }
}

async function callsOf({ house, userId, transactionId }: HouseBet): Promise<CallDetail[]> {
  const path = `/operator/players/${pathPart(userId)}/bets/${pathPart(transactionId)}`
  const { history } = await house.wallet.get<{ history: CallDetail[] }>('GET', path)
  return history
}

function tellNew(one: BetByHand, history: readonly CallDetail[], tell: TellByHand): void {
  const fresh = history.length - one.told
  if (fresh <= 0) return
  one.told = history.length
  const { userId: player, transactionId: betId } = one.bet
  tell({ betId, player, stake: stakeOf(one.bet), calls: history.map(wordsOf), fresh })
}

const AGAIN = {
  place: 'again: no 2nd debit',
  settle: 'again: not paid twice',
  unsettle: 'again: nothing to take back',
  rollback: 'again: not refunded twice',
} as const

function wordsOf({ operation, outcome, code, amount, resultType }: CallDetail): string {
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
