/** Money that was decided and has not moved (C-9): what players are still to be paid, and what is still to be taken back from them. */
import { sumOf } from '../../src/protocol/decimal.ts'

interface Unmoved {
  readonly currency?: string
  readonly amount?: string
  /** Below zero: to be taken back. Absent where nothing needs a person: what is on its way is what the call says. */
  readonly owedAmount?: string
}

/** As the platform sums it: `amount` in both directions, `takeBack` of it. */
export interface OwedMoney {
  readonly currency: string
  readonly amount: string
  readonly takeBack: string
}

export function owedMoney(of: readonly Unmoved[]): OwedMoney[] {
  const currencies = [...new Set(of.flatMap(({ currency }) => (currency === undefined ? [] : [currency])))].sort()
  return currencies.map((currency) => {
    const amounts = of.filter((one) => one.currency === currency).map((one) => one.owedAmount ?? one.amount ?? '0')
    const takeBack = amounts.filter((one) => one.startsWith('-')).map((one) => one.slice(1))
    const pay = amounts.filter((one) => !one.startsWith('-'))
    return { currency, amount: sumOf([...pay, ...takeBack]), takeBack: sumOf(takeBack) }
  })
}

/** `7.60 EUR to pay`, `241.90 EUR to take back` */
export const owedParts = (money: readonly OwedMoney[]): string[] => money.flatMap(directionsOf)

/** `7.60 EUR to pay, 241.90 EUR to take back` */
export const owedText = (money: readonly OwedMoney[]): string => owedParts(money).join(', ')

function directionsOf({ currency, amount, takeBack }: OwedMoney): string[] {
  const pay = sumOf([amount, `-${takeBack}`])
  const isBack = /[1-9]/.test(takeBack)
  return [
    ...(/[1-9]/.test(pay) || !isBack ? [`${pay} ${currency} to pay`] : []),
    ...(isBack ? [`${takeBack} ${currency} to take back`] : []),
  ]
}
