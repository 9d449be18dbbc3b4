/**
 * Words for outstanding money (C-9), which are the same on every page. The money is to be paid to
 * players or taken back from them. Its deliveries are retried automatically or need attention.
 */
import { sumDecimals } from '@purser/protocol/values/decimal'
import { moneyText } from '@purser/timeline/amount-text'

interface UnmovedMoney {
  readonly currency?: string
  readonly amount?: string
  /** Negative if it is to be taken back. Absent if the delivery needs no attention. */
  readonly owedAmount?: string
  /** The same sum, including retried deliveries. */
  readonly outstandingAmount?: string
}

/**
 * The platform's sums: `amount` in both directions, with `takeBack` as the part to be taken back.
 */
export interface OwedMoney {
  readonly currency: string
  readonly amount: string
  readonly takeBack: string
}

export function owedMoney(of: readonly UnmovedMoney[]): OwedMoney[] {
  const currencies = [...new Set(of.flatMap(({ currency }) => (currency === undefined ? [] : [currency])))].sort()
  return currencies.map((currency) => {
    const amounts = of
      .filter((one) => one.currency === currency)
      .map((one) => one.owedAmount ?? one.outstandingAmount ?? one.amount ?? '0')
    const takeBack = amounts.filter((one) => one.startsWith('-')).map((one) => one.slice(1))
    const pay = amounts.filter((one) => !one.startsWith('-'))
    return { currency, amount: sumDecimals([...pay, ...takeBack]), takeBack: sumDecimals(takeBack) }
  })
}

/** `7.60 EUR to be paid to players`, `241.90 EUR to be taken back from players` */
export const owedParts = (money: readonly OwedMoney[]): string[] =>
  splitDirections(money).map(({ amount, currency, isBack }) =>
    [moneyText(amount, currency), isBack ? 'to be taken back from players' : 'to be paid to players'].join(' '),
  )

export const owedText = (money: readonly OwedMoney[]): string => owedParts(money).join(', ')

/** For one bet, whose player is known: `7.60 EUR to be paid` */
export const owedTextOfBet = (one: UnmovedMoney): string =>
  splitDirections(owedMoney([one]))
    .map(
      ({ amount, currency, isBack }) => `${moneyText(amount, currency)} ${isBack ? 'to be taken back' : 'to be paid'}`,
    )
    .join(', ')

interface Direction {
  readonly amount: string
  readonly currency: string
  readonly isBack: boolean
}

/**
 * The two directions are never added to each other. Zero currencies are omitted, unless all are
 * zero.
 */
export function splitDirections(money: readonly OwedMoney[]): Direction[] {
  const all = money.flatMap(toDirections)
  const some = all.filter(({ amount }) => /[1-9]/.test(amount))
  return some.length > 0 ? some : all
}

function toDirections({ currency, amount, takeBack }: OwedMoney): Direction[] {
  const pay = sumDecimals([amount, `-${takeBack}`])
  const hasBack = /[1-9]/.test(takeBack)
  return [
    ...(/[1-9]/.test(pay) || !hasBack ? [{ amount: pay, currency, isBack: false }] : []),
    ...(hasBack ? [{ amount: takeBack, currency, isBack: true }] : []),
  ]
}
