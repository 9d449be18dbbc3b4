/**
 * T-accounts of the demo player's ledger. Each gain of an account is the loss of another, so the
 * sum stays 0.00.
 */
import { sumDecimals } from '@purser/protocol/values/decimal'
import { amountText } from '../../shared/charts/format.tsx'

const SHOWN = [
  ['player', 'Player', 'player’s money'],
  ['open_stakes', 'Open stakes', 'held for open bets'],
  ['house', 'House', 'won from players'],
  ['promotions', 'Promotions', 'freebets: won, less paid'],
] as const

export function TAccounts({
  accounts,
  sum,
  currency,
}: {
  accounts: Readonly<Record<string, string>>
  sum: string
  currency: string
}) {
  const cash = sumDecimals([accounts.cash_in ?? '0.00', accounts.cash_out ?? '0.00'])
  const all = [
    ...SHOWN.map(([name, title, caption]) => [title, caption, accounts[name] ?? '0.00'] as const),
    ['Cash', 'deposits less withdrawals', cash] as const,
  ]
  const isZero = /^-?[0.]+$/.test(sum)
  return (
    <section className="card" aria-label="Accounts">
      <header>
        <h2>Accounts</h2>
        <span className="spring" />
        <span className="muted small">{currency}, from the wallet's ledger</span>
      </header>
      <div className="ts">
        {all.map(([title, caption, balance]) => (
          <div className="t" key={title}>
            <h3>{title}</h3>
            <div className="t-sides">
              <span className="num">{balance.startsWith('-') ? amountText(balance.slice(1)) : ''}</span>
              <span className="num">{balance.startsWith('-') ? '' : amountText(balance)}</span>
            </div>
            <p className="small muted">{title === 'House' && balance.startsWith('-') ? 'lost to players' : caption}</p>
          </div>
        ))}
      </div>
      <p className={isZero ? 'sum' : 'sum broken'}>
        <span>
          Sum of all accounts{' '}
          <span className="small muted sum-how">
            {all
              .map(([, , balance]) => amountText(balance))
              .join(' + ')
              .replaceAll('+ −', '− ')}
          </span>
        </span>
        <strong className="num">{amountText(sum)}</strong>
      </p>
    </section>
  )
}
