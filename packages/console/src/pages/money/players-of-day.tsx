/**
 * The players whose balance changed on a day, with their opening balance, movements and closing
 * balance.
 */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatCsvLine, formatTextCell } from '@purser/runtime/text/csv-writer'
import { formatSigned, isZero } from '@purser/timeline/amount-text'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import { amountText } from '../../shared/charts/format.tsx'
import { ActionError, EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'
import { downloadText } from '../../shared/data/file-download.ts'

const MEMBERS = [
  ...(['opening', 'deposits', 'withdrawals', 'stakes', 'refunds', 'payouts'] as const),
  ...(['resettlements', 'adjustments', 'openings', 'net', 'closing'] as const),
]
type PlayerOfDay = Readonly<Record<(typeof MEMBERS)[number], string>> & {
  readonly userId: string
  readonly currency: string
}

/** The most rows in a CSV file; a page has 500. */
const MOST_SAVED = 20_000

export function PlayersOfTheDay({ day }: { day: string }) {
  const path = `/operator/reports/players?day=${encodeQueryPart(day)}`
  const saved = useMutation({ mutationFn: () => save(path, day) })
  return (
    <section className="card" aria-label="Players of the day">
      <header>
        <h2>Players of the day</h2>
        <span className="muted small">players whose balance changed, by ID; net includes open stakes</span>
        <span className="spring" />
        <button type="button" className="button quiet" disabled={saved.isPending} onClick={() => saved.mutate()}>
          {saved.isPending ? 'Saving…' : 'CSV'}
        </button>
      </header>
      {saved.error !== null && <ActionError>Couldn’t save the file: {saved.error.message}.</ActionError>}
      <PagedList<PlayerOfDay>
        path={`${path}&limit=20`}
        columns={COLUMNS}
        keyOf={({ userId, currency }) => `${userId} ${currency}`}
        empty={
          <EmptyState title="No balance changed on this day.">
            <p>Each player with a deposit, bet, payout or adjustment appears here.</p>
          </EmptyState>
        }
      />
    </section>
  )
}

async function save(path: string, day: string): Promise<void> {
  const rows: PlayerOfDay[] = []
  for (let after = ''; ; ) {
    const { data, next } = await getJson<{ data: PlayerOfDay[]; next: string | null }>(`${path}&limit=500${after}`)
    rows.push(...data)
    if (next === null) break
    if (rows.length >= MOST_SAVED)
      throw new Error(`there are more than ${MOST_SAVED} players; use the API to read all pages`)
    after = `&after=${encodeQueryPart(next)}`
  }
  const lines = rows.map((row) =>
    formatCsvLine([formatTextCell(row.userId), row.currency, ...MEMBERS.map((name) => row[name])]),
  )
  downloadText(`players-${day}.csv`, [formatCsvLine(['userId', 'currency', ...MEMBERS]), ...lines].join(''))
}

const amount = (name: string, of: (row: PlayerOfDay) => string): ListColumn<PlayerOfDay> => ({
  ...{ name, isNumber: true },
  show: (row) => (isZero(of(row)) ? <span className="muted">{amountText(of(row))}</span> : amountText(of(row))),
})

type Kind = (typeof MEMBERS)[number]

/** A column with the sum of these kinds. It is omitted if all its values are zero. */
const moved = (name: string, ...kinds: readonly Kind[]): ListColumn<PlayerOfDay> => ({
  ...amount(name, (row) => sumDecimals(kinds.map((kind) => row[kind]))),
  isBlank: (row) => kinds.every((kind) => isZero(row[kind])),
})

const COLUMNS: readonly ListColumn<PlayerOfDay>[] = [
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="cut" href={`/players/${encodePathSegment(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'Currency', show: ({ currency }) => currency },
  amount('Opening', ({ opening }) => opening),
  moved('Deposits', 'deposits'),
  moved('Withdrawals', 'withdrawals'),
  moved('Stakes', 'stakes'),
  moved('Refunds', 'refunds'),
  moved('Payouts', 'payouts', 'resettlements'),
  moved('Adjustments', 'adjustments', 'openings'),
  { name: 'Net', isNumber: true, show: ({ net }) => formatSigned(net) },
  amount('Closing', ({ closing }) => closing),
]
