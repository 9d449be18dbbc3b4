/** What a number of a day is made of: the transfers of all players, of one kind, some days, a currency or brand as far as the address says so. */

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { sayKind } from '../../../../src/timeline/say.ts'
import { part } from '../../api.ts'
import { dayOf, endOf, startOf } from '../../days.ts'
import { DayField, type SetFilter, useFilters, WordField } from '../../filters.tsx'
import { capital, Time } from '../../format.tsx'
import { type Column, List } from '../../list.tsx'
import { MONEY_LIVE } from '../../live.tsx'
import { Empty } from '../../parts.tsx'
import type { StatementRow } from '../../statement.ts'
import { NONE_OF } from '../money-days.ts'
import { transferColumns } from '../transfer-columns.tsx'
import { KINDS } from './kinds.ts'

interface Listed extends StatementRow {
  readonly userId: string
}

interface TransferPage {
  readonly data: readonly Listed[]
  readonly next: string | null
  readonly archivedBefore?: string
}

export function TransfersPage() {
  const [query, set] = useFilters()
  const [kind, from, to] = ['kind', 'from', 'to'].map((name) => query.get(name) ?? '') as [string, string, string]
  const asked = { kind, from: from && startOf(from), to: to && endOf(to), currency: query.get('currency') ?? '' }
  const words = Object.entries(asked).filter(([, value]) => value !== '')
  const brand = query.get('brand') // empty: of players without one
  const wanted = [...words, ...(brand === null ? [] : [['brand', brand] as const])]
  const path = ['/operator/transfers?limit=50&bets=true', ...wanted.map(([name, value]) => `${name}=${part(value)}`)]
  return (
    <div className="page">
      <div className="head">
        <h1>Transfers</h1>
        <span className="spring" />
        <Link className="small" href={from === '' ? '/money' : `/money?day=${from}`}>
          {from === '' || from !== to ? 'Money' : `Money of ${from}`}
        </Link>
      </div>
      <Filters query={query} set={set} />
      <section className="card" aria-label="Transfers">
        <List<Listed, TransferPage>
          path={path.join('&')}
          columns={COLUMNS}
          keyOf={({ userId, transferId }) => `${userId} ${transferId}`}
          linkOf={linkOf}
          empty={wanted.length === 0 ? NONE : NONE_SUCH}
          end={inFiles}
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
    <form className="filter-fields" onSubmit={(event) => event.preventDefault()} aria-label="Which transfers">
      <label className="field">
        <span>What</span>
        <select value={kind} onChange={({ target }) => set('kind', target.value)}>
          <option value="">all</option>
          {KINDS.map(({ kind: one }) => (
            <option key={one} value={one}>
              {capital(sayKind(one))}
            </option>
          ))}
        </select>
      </label>
      <DayField name="From" value={from} max={to || today} set={(value) => set('from', value)} />
      <DayField name="To" value={to} max={today} set={(value) => set('to', value)} />
      <WordField name="Currency" value={query.get('currency') ?? ''} set={(value) => set('currency', upper(value))} />
      <WordField
        name="Brand"
        value={query.get('brand') ?? ''}
        hint={query.get('brand') === '' ? NONE_OF.brand : undefined}
        set={(value) => value.trim() !== query.get('brand') && set('brand', value.trim())}
      />
    </form>
  )
}

const betOf = ({ userId, transactionId }: Listed) =>
  transactionId === undefined ? undefined : `/bets/${pathPart(userId)}/${pathPart(transactionId)}`
const playerOf = ({ userId }: Listed) => `/players/${pathPart(userId)}`
const linkOf = (row: Listed) => betOf(row) ?? playerOf(row)

const [TIME, ...OTHERS] = transferColumns<Listed>(({ userId }) => userId) as [Column<Listed>, ...Column<Listed>[]]
const COLUMNS: readonly Column<Listed>[] = [
  TIME,
  {
    name: 'Player',
    show: (row) => (
      <Link className="cut" href={playerOf(row)}>
        {row.userId}
      </Link>
    ),
  },
  ...OTHERS,
]

function inFiles({ data, archivedBefore }: TransferPage): ReactNode | undefined {
  if (archivedBefore === undefined) return undefined
  return (
    <>
      {data.length === 0 && NONE_SUCH}
      <p className="body in-files muted small" role="note">
        Archived: transfers from before <Time at={archivedBefore} withDay /> can lie in files, and are not in this list.
      </p>
    </>
  )
}

const NONE_SUCH = (
  <Empty title="No such transfers.">
    <p>Nothing of this kind moved in these days, this currency and this brand. Days are in UTC.</p>
  </Empty>
)

const NONE = (
  <Empty title="No money has moved yet.">
    <p>A deposit, an adjustment or a bet makes a line here.</p>
  </Empty>
)
