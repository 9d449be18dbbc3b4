/**
 * Trial balance by currency: all ledger accounts at the start and end of the selected days. A
 * column that does not sum to zero means a broken ledger.
 */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { groupBy } from '@purser/runtime/group'
import { isZero } from '@purser/timeline/amount-text'
import { ACCOUNTS, type AccountName } from 'purser/wallet/ledger/posting'
import { amountText } from '../../shared/charts/format.tsx'
import { negateAmount, type ReportRow } from './day-sums.ts'
import './reports.css'

const NAMES: Readonly<Record<AccountName, string>> = {
  player: 'Players',
  open_stakes: 'Open stakes',
  house: 'House',
  promotions: 'Promotions',
  cash_in: 'Deposits',
  cash_out: 'Withdrawals',
  adjustments: 'Adjustments',
  openings: 'Openings',
}

export function TrialBalances({ rows }: { rows: readonly ReportRow[] }) {
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  return (
    <div className="days trial">
      {currencies.map((one) => (
        <TrialBalance key={one} currency={one} rows={rows.filter(({ currency }) => currency === one)} />
      ))}
    </div>
  )
}

function TrialBalance({ currency, rows }: { currency: string; rows: readonly ReportRow[] }) {
  const { first, last } = firstAndLastRows(rows)
  const lines = ACCOUNTS.map((name) => {
    const opening = sumDecimals(first.map(({ accounts }) => accounts[name].opening))
    const closing = sumDecimals(last.map(({ accounts }) => accounts[name].closing))
    return { name, opening, closing, moved: sumDecimals([closing, negateAmount(opening)]) }
  }).filter(({ opening, closing }) => !isZero(opening) || !isZero(closing))
  const [openings, closings] = [lines.map(({ opening }) => opening), lines.map(({ closing }) => closing)]
  const sums = [openings, lines.map(({ moved }) => moved), closings].map((column) => sumDecimals(column))
  const isRight = sums.every(isZero)
  return (
    <section className="card" aria-label={`Trial balance ${currency}`}>
      <header>
        <h2>Trial balance, {currency}</h2>
      </header>
      <div className="scroll">
        <table className="list report trial">
          <thead>
            <tr>
              <th>Account</th>
              <th className="num">Opening</th>
              <th className="num">Change</th>
              <th className="num">Closing</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, opening, moved, closing }) => (
              <tr key={name}>
                <th scope="row">{NAMES[name]}</th>
                {[opening, moved, closing].map((amount, i) => (
                  <td key={['opening', 'moved', 'closing'][i]} className={isZero(amount) ? 'num muted' : 'num'}>
                    {amountText(amount)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className={isRight ? 'right' : 'wrong'}>
              <th scope="row">{isRight ? 'Balanced' : 'Out of balance'}</th>
              {sums.map((amount, i) => (
                <td key={['opening', 'moved', 'closing'][i]} className="num">
                  {amountText(amount)}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  )
}

/**
 * The first and last row of each brand, platform and site. A row that starts later was zero before.
 */
function firstAndLastRows(rows: readonly ReportRow[]): { first: ReportRow[]; last: ReportRow[] } {
  const keyOf = ({ brand, platform, site }: ReportRow) => JSON.stringify([brand, platform, site])
  const groups = [...groupBy(rows, keyOf).values()]
  const at = (i: number) => groups.flatMap((group) => group.at(i) ?? [])
  return { first: at(0), last: at(-1) }
}
