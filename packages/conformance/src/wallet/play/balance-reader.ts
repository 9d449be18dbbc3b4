/**
 * Finds the balance of a player with a call to /user/balance, or with two bets.
 *
 * A bet of the expected balance must be accepted, and is rolled back. A bet of one more minor unit
 * must be rejected with code 7.
 */

import { replyCode } from '@purser/protocol/reply-codes'
import { getWrittenNumber } from '@purser/protocol/values/exact-json'
import { parseWireBalance } from '@purser/protocol/values/money'
import type { Exchange } from '../../http-exchange.ts'
import { formatUnits } from '../case/amount-resolution.ts'
import { balanceStep, placeStep, rollbackStep } from '../case/step-builders.ts'
import type { CallStep, CurrencyChoice } from '../case/wallet-case.ts'
import type { FixturePlayer, PlayerAccount } from '../players/player-fixtures.ts'
import { interpretAnswer, isAlreadyDone, parseObject } from './answer-meaning.ts'

export interface BalanceHolder {
  readonly player: FixturePlayer
  readonly account: PlayerAccount
  readonly currency: CurrencyChoice
  /** True if the player's token belongs to this account. */
  readonly isCurrent: boolean
}

/** Each call is about a new bet, unless `betId` is given. */
export type SendKitCall = (
  call: CallStep,
  holder: BalanceHolder,
  amount: bigint | undefined,
  betId?: string,
) => Promise<Exchange>

/** The balance equals none of the allowed amounts. */
export interface BalanceMismatch {
  readonly problem: string
  /** True if the balance is above every amount, false if below. Undefined if unknown. */
  readonly isTooHigh?: boolean
}

export interface BalanceReader {
  readonly kind: 'call' | 'probe'
  /** Returns the amount that is the balance. */
  match(holder: BalanceHolder, amounts: readonly bigint[], sendCall: SendKitCall): Promise<bigint | BalanceMismatch>
  /** Finds the balance, which is probably `near`. A text is the reason why it is unknown. */
  find(holder: BalanceHolder, near: bigint, sendCall: SendKitCall): Promise<bigint | string>
}

export const callBalanceReader: BalanceReader = {
  kind: 'call',
  async match(holder, amounts, sendCall) {
    const found = await readBalance(holder, sendCall)
    if (typeof found === 'string') return holder.isCurrent ? { problem: found } : (amounts[0] ?? { problem: found })
    if (amounts.includes(found)) return found
    const expected = amounts.map((one) => formatHeldAmount(one, holder)).join(' or ')
    const problem = `the balance is ${formatHeldAmount(found, holder)}; it had to be ${expected}`
    const isAbove = amounts.map((amount) => found > amount)
    return new Set(isAbove).size === 1 ? { problem, isTooHigh: isAbove.includes(true) } : { problem }
  },
  /**
   * A wallet may reject a query of the second account until it has money. Another case judges this
   * (P-3).
   */
  async find(holder, near, sendCall) {
    const found = await readBalance(holder, sendCall)
    return typeof found === 'string' && !holder.isCurrent ? near : found
  },
}

async function readBalance(holder: BalanceHolder, sendCall: SendKitCall): Promise<bigint | string> {
  const exchange = await sendCall(balanceStep(), holder, undefined)
  const { answer } = exchange
  if (answer.kind === 'none' || answer.status !== 200) return 'the balance could not be read'
  const { amount } = parseObject(answer.body) ?? {}
  const units = parseWireBalance(amount, holder.account.scale)
  const written = getWrittenNumber(amount) // its double would be another number
  return (
    units ?? `the balance is ${written ?? JSON.stringify(amount)}, which is no amount of ${holder.account.currency}`
  )
}

export const probeBalanceReader: BalanceReader = {
  kind: 'probe',
  async match(holder, amounts, sendCall) {
    if (!holder.isCurrent) return amounts[0] ?? 0n
    let last: BalanceMismatch = { problem: '' }
    for (const amount of amounts) {
      const wrong = await probeBalance(holder, amount, sendCall)
      if (wrong === undefined) return amount
      last = wrong
    }
    return amounts.length === 1 ? last : { problem: last.problem }
  },
  async find(holder, near, sendCall) {
    if (!holder.isCurrent) return near
    for (const amount of [near, near + 1n, near - 1n])
      if ((await probeBalance(holder, amount, sendCall)) === undefined) return amount
    const found = await searchBalance(holder, near, sendCall)
    const isFound = found !== undefined && (await probeBalance(holder, found, sendCall)) === undefined
    return isFound ? found : 'the balance could not be found with bets'
  },
}

/** For a balance of 15 digits about 50 bets double the amount, and 50 more close in. */
const MAX_SEARCH_BETS = 110

/**
 * Returns the largest accepted bet. Undefined if bets are not returned, or are rejected for another
 * reason than money.
 */
async function searchBalance(holder: BalanceHolder, near: bigint, sendCall: SendKitCall): Promise<bigint | undefined> {
  let [taken, refused]: [bigint, bigint | undefined] = [0n, undefined]
  for (let bets = 0; bets < MAX_SEARCH_BETS && taken + 1n !== refused; bets++) {
    const larger = 2n * taken + 1n
    const amount: bigint = refused !== undefined ? (taken + refused) / 2n : near > larger ? near : larger
    const answer = await tryProbeBet(holder, amount, sendCall)
    if (answer === 'accepted') taken = amount
    else if (answer === 'too much') refused = amount
    else return undefined
  }
  return taken + 1n === refused ? taken : undefined
}

/** Undefined if the balance is exactly this amount, as far as bets can show it. */
async function probeBalance(
  holder: BalanceHolder,
  amount: bigint,
  sendCall: SendKitCall,
): Promise<BalanceMismatch | undefined> {
  const mismatch = (observation: string, isTooHigh: boolean): BalanceMismatch => ({
    problem: `${observation}; the balance had to be ${formatHeldAmount(amount, holder)}`,
    isTooHigh,
  })
  const tooMuch = amount < 0n ? 1n : amount + 1n
  const above = await tryProbeBet(holder, tooMuch, sendCall)
  if (above === 'accepted' || above === 'kept')
    return mismatch(`a bet of ${formatHeldAmount(tooMuch, holder)} is accepted`, true)
  if (above === 'unknown' || amount <= 0n) return undefined
  const exact = await tryProbeBet(holder, amount, sendCall)
  if (exact === 'too much') return mismatch(`a bet of ${formatHeldAmount(amount, holder)} is refused`, false)
  return undefined
}

type ProbeResult = 'accepted' | 'too much' | 'kept' | 'unknown'

/**
 * kept: the Rollback of the accepted bet failed. unknown: rejected for another reason than money.
 */
async function tryProbeBet(holder: BalanceHolder, amount: bigint, sendCall: SendKitCall): Promise<ProbeResult> {
  const betId = crypto.randomUUID()
  const answer = interpretAnswer(await sendCall(placeStep(), holder, amount, betId))
  if (answer.kind === 'accepted') {
    const back = interpretAnswer(await sendCall(rollbackStep(), holder, amount, betId))
    return back.kind === 'accepted' || isAlreadyDone(back) ? 'accepted' : 'kept'
  }
  return answer.kind === 'refused' && answer.code === replyCode('not_enough_money') ? 'too much' : 'unknown'
}

function formatHeldAmount(units: bigint, { account }: BalanceHolder): string {
  return `${formatUnits(units, account.scale)} ${account.currency}`
}
