/** A bet's record, as the wallet's API shows it, in the words of the wallet's rules; and their money as text again. Pure. */
import { REMEMBERED_REFUSALS, REPLY_CODES, type RememberedRefusal } from '../../../src/protocol/codes.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../../../src/protocol/ids.ts'
import { formatMoney, type Money, parseDecimal, ZERO } from '../../../src/protocol/money.ts'
import type { WalletBet, WalletCall } from '../../../src/timeline/sources.ts'
import type { BetCall, Placement, SettleCall, Settlement } from '../../../src/wallet/store/bet.ts'
import type { TokenHash } from '../../../src/wallet/store/session.ts'

/** Decimal places: amounts of the record are written with all that the currency has. */
function scaleOf({ stake, history }: WalletBet): number {
  const texts = [stake, ...history.map(({ amount }) => amount)]
  return Math.max(0, ...texts.map((text) => text?.split('.')[1]?.length ?? 0))
}

const unitsOf = (bet: WalletBet, text: string | undefined): Money => parseDecimal(text ?? '0', scaleOf(bet)) ?? ZERO

export const textOf = (bet: WalletBet, amount: Money): string => formatMoney(amount, scaleOf(bet))

/** The record keeps no token; whether it was good is said by the answer. */
const TOKEN = 'a token' as TokenHash

export function callOf(bet: WalletBet, told: WalletCall): BetCall {
  const { operation, requestId, amount, errorCode = 0 } = told
  const currency = (told.currency ?? bet.currency ?? '') as Currency
  const units = unitsOf(bet, amount)
  const base = {
    ...{ requestId: requestId as RequestId, betId: bet.transactionId as BetId },
    ...{ player: bet.userId as PlayerId, platform: bet.platform ?? '' },
  }
  const said = { ...(told.currency !== undefined && { currency }), ...(amount !== undefined && { amount: units }) }
  switch (operation) {
    case 'place': {
      const free = { hasBonus: bet.stakePaidBy === 'promotions', bonusAmount: null, site: '', details: '', events: [] }
      return { ...base, ...free, kind: 'place', token: TOKEN, currency, stake: units, oddsPayout: oddsPayoutOf(bet) }
    }
    case 'settle': {
      const resultType = typeOf(told)
      const token = resultType === 'cashout' ? { token: TOKEN } : {}
      return { ...base, ...token, kind: 'settle', currency, payout: units, resultType }
    }
    case 'unsettle':
      return { ...base, ...said, kind: 'unsettle' }
    case 'rollback':
      return { ...base, ...said, kind: 'rollback', reason: errorCode }
    default:
      return operation satisfies never
  }
}

const typeOf = ({ resultType }: WalletCall) => (resultType ?? 'won') as SettleCall['resultType']

function oddsPayoutOf(bet: WalletBet): Money | null {
  return bet.oddsPayout === undefined ? null : unitsOf(bet, bet.oddsPayout)
}

/** Of the bet, or of what this call asks for where none was ever placed. */
export function placementOf(bet: WalletBet, told: WalletCall): Placement {
  const asked = bet.history.find(({ operation }) => operation === 'place') ?? told
  return {
    ...{ stake: unitsOf(bet, bet.stake ?? asked.amount), currency: (bet.currency ?? asked.currency ?? '') as Currency },
    ...{
      funder: bet.stakePaidBy ?? 'player',
      site: '',
      oddsPayout: oddsPayoutOf(bet),
      placedAt: new Date(bet.firstSeenAt),
    },
  }
}

/** Every result that the record names: before this call the latest first, then those behind it. */
export function resultsAround(bet: WalletBet, at: number): Settlement[] {
  const { history } = bet
  const calls = [...history.slice(0, at).reverse(), ...history.slice(at + 1)]
  return calls
    .filter(({ operation, outcome }) => operation === 'settle' && outcome !== 'refused')
    .map((told) => ({ payout: unitsOf(bet, told.amount), resultType: typeOf(told), payee: payeeOf(bet, told) }))
}

function payeeOf({ stakePaidBy = 'player' }: WalletBet, { resultType }: WalletCall) {
  return resultType === 'refund' ? stakePaidBy : 'player'
}

/** Why the bet is refused for good; for want of money where it is not. */
export function refusalOf({ refusalCode }: WalletBet): RememberedRefusal {
  return REMEMBERED_REFUSALS.find((name) => REPLY_CODES[name].code === refusalCode) ?? 'not_enough_money'
}
