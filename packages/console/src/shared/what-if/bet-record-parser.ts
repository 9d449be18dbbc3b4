/**
 * Converts a bet from the wallet's API into the types of the wallet's rules, and amounts back into
 * text. The functions are pure.
 */

import { REMEMBERED_REFUSALS, REPLY_CODES, type RememberedRefusal } from '@purser/protocol/reply-codes'
import { formatMoney, type Money, parseDecimal, ZERO } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import type { WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import type { BetCall, Placement, SettleCall, Settlement } from 'purser/wallet/store/bet'
import type { TokenHash } from 'purser/wallet/store/session'

/** The currency's decimals, because recorded amounts have every decimal. */
function scaleOf({ stake, history }: WalletBetDetail): number {
  const texts = [stake, ...history.map(({ amount }) => amount)]
  return Math.max(0, ...texts.map((text) => text?.split('.')[1]?.length ?? 0))
}

const toUnits = (bet: WalletBetDetail, text: string | undefined): Money =>
  parseDecimal(text ?? '0', scaleOf(bet)) ?? ZERO

export const formatBetAmount = (bet: WalletBetDetail, amount: Money): string => formatMoney(amount, scaleOf(bet))

/** The record has no token. The answer shows whether it was valid. */
const TOKEN = 'a token' as TokenHash

export function parseBetCall(bet: WalletBetDetail, recorded: WalletCallView): BetCall {
  const { operation, requestId, amount, errorCode = 0 } = recorded
  const currency = (recorded.currency ?? bet.currency ?? '') as Currency
  const units = toUnits(bet, amount)
  const base = {
    ...{ requestId: requestId as RequestId, betId: bet.transactionId as BetId },
    ...{ player: bet.userId as PlayerId, platform: bet.platform ?? '' },
  }
  const correction = {
    ...(recorded.currency !== undefined && { currency }),
    ...(amount !== undefined && { amount: units }),
  }
  switch (operation) {
    case 'place': {
      const free = { hasBonus: bet.stakePaidBy === 'promotions', bonusAmount: null, site: '', details: '', events: [] }
      return { ...base, ...free, kind: 'place', token: TOKEN, currency, stake: units, oddsPayout: parseOddsPayout(bet) }
    }
    case 'settle': {
      const resultType = resultTypeOf(recorded)
      const token = resultType === 'cashout' ? { token: TOKEN } : {}
      return { ...base, ...token, kind: 'settle', currency, payout: units, resultType }
    }
    case 'unsettle':
      return { ...base, ...correction, kind: 'unsettle' }
    case 'rollback':
      return { ...base, ...correction, kind: 'rollback', reason: errorCode }
    default:
      return operation satisfies never
  }
}

const resultTypeOf = ({ resultType }: WalletCallView) => (resultType ?? 'won') as SettleCall['resultType']

function parseOddsPayout(bet: WalletBetDetail): Money | null {
  return bet.oddsPayout === undefined ? null : toUnits(bet, bet.oddsPayout)
}

/** The placement of the bet, or of this call if the bet was never placed. */
export function parsePlacement(bet: WalletBetDetail, recorded: WalletCallView): Placement {
  const placeCall = bet.history.find(({ operation }) => operation === 'place') ?? recorded
  return {
    ...{
      stake: toUnits(bet, bet.stake ?? placeCall.amount),
      currency: (bet.currency ?? placeCall.currency ?? '') as Currency,
    },
    ...{
      funder: bet.stakePaidBy ?? 'player',
      site: '',
      oddsPayout: parseOddsPayout(bet),
      placedAt: new Date(bet.firstSeenAt),
    },
  }
}

/** The recorded results: those before this call, latest first, then those after it. */
export function resultsAround(bet: WalletBetDetail, at: number): Settlement[] {
  const { history } = bet
  const calls = [...history.slice(0, at).reverse(), ...history.slice(at + 1)]
  return calls
    .filter(({ operation, outcome }) => operation === 'settle' && outcome !== 'refused')
    .map((recorded) => ({
      payout: toUnits(bet, recorded.amount),
      resultType: resultTypeOf(recorded),
      payee: choosePayee(bet, recorded),
    }))
}

function choosePayee({ stakePaidBy = 'player' }: WalletBetDetail, { resultType }: WalletCallView) {
  return resultType === 'refund' ? stakePaidBy : 'player'
}

/** The bet's remembered rejection, else lack of money. */
export function findRememberedRefusal({ refusalCode }: WalletBetDetail): RememberedRefusal {
  return REMEMBERED_REFUSALS.find((name) => REPLY_CODES[name].code === refusalCode) ?? 'not_enough_money'
}
