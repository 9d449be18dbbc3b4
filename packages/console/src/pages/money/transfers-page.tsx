/**
 * List of the transfers that make up a figure of a day. Filters in the page address select kind,
 * days, currency and brand.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatTransferKind } from '@purser/timeline/moment-text'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { encodeQueryPart } from '../../app/console-api.ts'
import { MONEY_LIVE } from '../../app/live-updates.tsx'
import { dayOf, endOfDay, startOfDay } from '../../shared/charts/days.ts'
import { capital, Time } from '../../shared/charts/format.tsx'
import { DayField, type SetFilter, TextField, useFilters } from '../../shared/controls/filter-fields.tsx'
import { EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'
import type { StatementRow } from '../../shared/data/statement.ts'
import { NONE_OF } from '../reports/day-sums.ts'
import { MONEY_KINDS } from './money-kinds.ts'
import { transferColumns } from './transfer-columns.tsx'

interface TransferRow extends StatementRow {
  readonly userId: string
}

interface TransferPage {
  readonly data: readonly TransferRow[]
  readonly next: string | null
  readonly archivedBefore?: string
}

export function TransfersPage() {
  const [query, set] = useFilters()
  const [kind, from, to] = ['kind', 'from', 'to'].map((name) => query.get(name) ?? '') as [string, string, string]
  const filters = {
    kind,
    from: from && startOfDay(from),
    to: to && endOfDay(to),
    currency: query.get('currency') ?? '',
  }
  const words = Object.entries(filters).filter(([, value]) => value !== '')
  const brand = query.get('brand') // empty for players without a brand
  const queryParts = [...words, ...(brand === null ? [] : [['brand', brand] as const])]
  const path = [
    '/operator/transfers?limit=50&bets=true',
    ...queryParts.map(([name, value]) => `${name}=${encodeQueryPart(value)}`),
  ]
  return (
    <div className="page">
      <div className="head">
        <h1>Transfers</h1>
        <span className="spring" />
        <Link className="small" href={from === '' ? '/money' : `/money?day=${from}`}>
          {from === '' || from !== to ? 'Finance' : `Finance of ${from}`}
        </Link>
      </div>
      <Filters query={query} set={set} />
      <section className="card" aria-label="Transfers">
        <PagedList<TransferRow, TransferPage>
          path={path.join('&')}
          columns={COLUMNS}
          keyOf={({ userId, transferId }) => `${userId} ${transferId}`}
          linkOf={transferLink}
          empty={queryParts.length === 0 ? NONE : NONE_SUCH}
          end={renderArchivedNote}
          live={MONEY_LIVE}
        />
      </section>
    </div>
  )
}

function Filters({ query, set }: { query: URLSearchParams; set: SetFilter }) {
  const [kind, from, to] = ['kind', 'from', 'to'].map((name) => query.get(name) ?? '') as [string, string, string]
  const today = dayOf(Date.now())
  const upper = (text: string) => text.trim().toUpperCase()
  return (
    <form className="filter-fields" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      <label className="field">
        <span>Type</span>
        <select value={kind} onChange={({ target }) => set('kind', target.value)}>
          <option value="">All</option>
          {MONEY_KINDS.map(({ kind: one }) => (
            <option key={one} value={one}>
              {capital(formatTransferKind(one))}
            </option>
          ))}
        </select>
      </label>
      <DayField name="From" value={from} max={to || today} set={(value) => set('from', value)} />
      <DayField name="To" value={to} max={today} set={(value) => set('to', value)} />
      <TextField name="Currency" value={query.get('currency') ?? ''} set={(value) => set('currency', upper(value))} />
      <TextField
        name="Brand"
        value={query.get('brand') ?? ''}
        hint={query.get('brand') === '' ? NONE_OF.brand : undefined}
        set={(value) => value.trim() !== query.get('brand') && set('brand', value.trim())}
      />
    </form>
  )
}

const transferBetLink = ({ userId, transactionId }: TransferRow) =>
  transactionId === undefined ? undefined : `/bets/${encodePathSegment(userId)}/${encodePathSegment(transactionId)}`
const transferPlayerLink = ({ userId }: TransferRow) => `/players/${encodePathSegment(userId)}`
const transferLink = (row: TransferRow) => transferBetLink(row) ?? transferPlayerLink(row)

const [TIME, ...OTHERS] = transferColumns<TransferRow>(({ userId }) => userId) as [
  ListColumn<TransferRow>,
  ...ListColumn<TransferRow>[],
]
const COLUMNS: readonly ListColumn<TransferRow>[] = [
  TIME,
  {
    name: 'Player',
    show: (row) => (
      <Link className="cut" href={transferPlayerLink(row)}>
        {row.userId}
      </Link>
    ),
  },
  ...OTHERS,
]

function renderArchivedNote({ data, archivedBefore }: TransferPage): ReactNode | undefined {
  if (archivedBefore === undefined) return undefined
  return (
    <>
      {data.length === 0 && NONE_SUCH}
      <p className="body in-files muted small" role="note">
        Transfers before <Time at={archivedBefore} withDay /> may be archived in files. This list does not contain them.
      </p>
    </>
  )
}

const NONE_SUCH = (
  <EmptyState title="No matching transfers.">
    <p>No transfer matches these filters. Days are in UTC.</p>
  </EmptyState>
)

const NONE = (
  <EmptyState title="No transfers yet.">
    <p>Deposits, adjustments and bets appear here.</p>
  </EmptyState>
)
