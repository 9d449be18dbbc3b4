/**
 * Anomalies of a bet, for review by staff, such as a call that contradicts the bet's history or
 * odds, or that takes back money which the player no longer has.
 */

import { capital, moneyText, Time } from '../../shared/charts/format.tsx'
import type { BetSources } from '../../shared/data/bet-data.ts'

export function BetAnomalies({
  of: { history, currency = '', oddsPayout },
}: {
  of: NonNullable<BetSources['wallet']>
}) {
  const found = history.filter(({ anomaly }) => anomaly !== undefined)
  if (found.length === 0) return null
  return (
    <section className="notice" aria-label="Anomalies">
      {found.map(({ requestId, anomaly = '', amount, at, currency: ofCall = currency }) => (
        <p key={`${requestId} ${at}`}>
          Needs review: {capital(anomaly.replaceAll('_', ' '))}
          {amount !== undefined && `, ${moneyText(amount, ofCall)}`}
          {anomaly === 'payout_above_odds' &&
            oddsPayout !== undefined &&
            `, where the odds pay at most ${moneyText(oddsPayout, currency)}`}
          , <Time at={at} />.
        </p>
      ))}
    </section>
  )
}
