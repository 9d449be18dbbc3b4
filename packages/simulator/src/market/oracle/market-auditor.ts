/**
 * The auditor: it computes the answers that a wallet may give to each call, and the possible
 * balances.
 *
 * The auditor is written only from decisions.md; bet-life.ts has the effects of one call. It sees
 * only the calls and answers on the wire, and the deaths of the wallet. It cannot see the order of
 * effects, nor the effect of a call without an answer. So it keeps every possible state that no
 * answer has ruled out, and complains if none remains.
 *
 * The operator's changes of sessions, locks and blocks are inputs, once they are certain. A refusal
 * because of a lock is always possible.
 */
import { replyCode } from '@purser/protocol/reply-codes'
import { createOperatorState, type OperatorState, type OperatorStateSnapshot } from '../actors/operator-state.ts'
import {
  type CallVerdict,
  computeMoved,
  formatObservedCallName,
  type ObservedCall,
  toCheckAnswer,
} from '../bet-life.ts'
import { type MoneyRules, toMoneyRules } from '../scenario.ts'
import { createMinimumBalances, type MinimumBalances } from './minimum-balances.ts'
import {
  createWatchedBets,
  filterByAnswer,
  MAX_POSSIBLE,
  type ObservedBet,
  UNTOUCHED_BET,
  type WatchedBets,
} from './possible-orders.ts'

export type { ObservedCall } from '../bet-life.ts'

export interface Auditor extends OperatorState, Pick<MinimumBalances, 'cash'> {
  arrived(id: number, at: CallSubject, call: ObservedCall): void
  /**
   * Returns a complaint or undefined. `verdict` is undefined if the wallet itself failed; then the
   * call may have taken effect (R-4, W-20). `time`: the time in a 200.
   */
  answered(id: number, betId: string, verdict: CallVerdict | undefined, time?: string): string | undefined
  /** A call without an effect so far will never have one. */
  died(): void
  /** The possible totals of the player's bets; undefined if too many. */
  movedOf(player: string, currency?: string): ReadonlySet<bigint> | undefined
  /** The possible answers of Check (P-4), as `formatCheck` writes them; undefined if too many. */
  checksOf(betId: string): ReadonlySet<string> | undefined
  /** The auditor's state, for a backup that is made now. */
  keep(): AuditorSnapshot
  /** The backup with this state has been restored. */
  restored(kept: AuditorSnapshot): void
}

export interface CallSubject {
  readonly player: string
  readonly betId: string
  readonly currency?: string
}

export interface AuditorSnapshot {
  readonly bets: ReadonlyMap<string, ObservedBet['possible']>
  readonly times: ReadonlyMap<string, string>
  readonly standing: OperatorStateSnapshot
}

/** The refusals for lack of money, with the decision that permits each. */
const WANTS_MONEY = new Map([
  [replyCode('not_enough_money'), 'R-6'],
  [replyCode('recalculation_negative'), 'L-2'],
])
const EXPIRED = replyCode('expired_token')

export const NOT_KNOWN = 'not known'

/** `time` is empty if no answer has contained it yet. */
export function formatCheck(
  { type, cents }: { readonly type: unknown; readonly cents: bigint },
  time: unknown = '',
): string {
  return `type ${type}, ${cents} ${time}`.trim()
}

function formatPossibleAnswers(found: ReturnType<WatchedBets['orders']>, id: number): string {
  const may = [...new Set(found.flatMap(({ done }) => done[id] ?? []))].join(', ')
  const were = [...new Set(found.map(({ life }) => life.status))].join(', ')
  return `may be ${may}; the bet was ${were}`
}

export function createAuditor(rules: MoneyRules = toMoneyRules({})): Auditor {
  const bets = createWatchedBets()
  const { all, unclear, orders } = bets
  const [standing, minimumBalances] = [createOperatorState(bets, rules), createMinimumBalances(bets)]
  /** Times from answers. */
  const times = new Map<string, string>()
  const timeOf = (betId: string, name: string) => times.get(`${betId} ${name}`)
  return {
    ...standing,
    cash: minimumBalances.cash,
    arrived(id, { player, betId, currency = 'EUR' }, call) {
      bets.of(betId, player, currency).underWay.set(id, standing.stateAtArrival(betId, player, call))
      minimumBalances.update(player, currency)
    },
    answered(id, betId, verdict, time) {
      const bet = all.get(betId)
      if (bet === undefined || verdict === undefined || unclear.has(betId)) return undefined
      const found = orders(betId, bet)
      if (unclear.has(betId)) return undefined
      const call = bet.underWay.get(id)
      const isOld = call?.isOld === true
      const least = call && WANTS_MONEY.has(verdict) && !isOld ? minimumBalances.enoughFor(bet, betId, call) : undefined
      bet.underWay.delete(id)
      bets.keep(
        betId,
        bet,
        filterByAnswer(found, id, (given) => given === verdict || (isOld && given === undefined)),
      )
      if (verdict === EXPIRED && call?.token !== undefined && !isOld) standing.tokens.ended(call.token)
      if (time !== undefined && call !== undefined && !isOld)
        times.set(`${betId} ${formatObservedCallName(call)}`, time)
      if (least !== undefined)
        return `the auditor: ${call?.kind} of ${call?.amount} was refused for want of money, and there were ${least} at least (${WANTS_MONEY.get(verdict)})`
      if (bet.possible.length > 0 || unclear.has(betId)) return undefined
      unclear.add(betId)
      return `the auditor: ${call?.kind} was answered ${verdict}, ${formatPossibleAnswers(found, id)}`
    },
    died() {
      for (const [betId, bet] of all) {
        if (bet.underWay.size === 0) continue
        bets.keep(betId, bet, bets.lives(betId, bet))
        bet.underWay.clear()
      }
    },
    movedOf: (player, currency = 'EUR') => possibleMoves(bets, player, currency),
    checksOf(betId) {
      const bet = all.get(betId)
      const found = bet === undefined ? UNTOUCHED_BET : orders(betId, bet)
      const words = found.map(({ life }) => {
        const known = toCheckAnswer(life)
        return known === undefined ? NOT_KNOWN : formatCheck(known, timeOf(betId, known.by))
      })
      return unclear.has(betId) ? undefined : new Set(words)
    },
    keep() {
      const kept = new Map([...all].map(([betId, bet]) => [betId, bets.lives(betId, bet)]))
      return { bets: kept, times: new Map(times), standing: standing.keep() }
    },
    restored(kept) {
      minimumBalances.forget()
      for (const [betId, bet] of all) {
        for (const call of bet.underWay.values()) call.isOld = true
        bet.possible = kept.bets.get(betId) ?? UNTOUCHED_BET
      }
      for (const name of times.keys()) if (!kept.times.has(name)) times.delete(name)
      standing.restored(kept.standing)
    },
  }
}

function possibleMoves(
  { all, unclear, orders }: WatchedBets,
  player: string,
  currency: string,
): ReadonlySet<bigint> | undefined {
  let sums: ReadonlySet<bigint> = new Set([0n])
  for (const [betId, bet] of all) {
    if (bet.player !== player || bet.currency !== currency) continue
    const moves = new Set(orders(betId, bet).map(({ life }) => computeMoved(life)))
    sums = new Set([...sums].flatMap((sum) => [...moves].map((move) => sum + move)))
    if (unclear.has(betId) || sums.size > MAX_POSSIBLE) return undefined
  }
  return sums
}
