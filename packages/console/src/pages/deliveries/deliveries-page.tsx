/**
 * Deliveries (calls to partners) in three lists: needs attention (by cause), retrying, delivered.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { encodeQueryPart } from '../../app/console-api.ts'
import { useSession } from '../../app/console-session.tsx'
import { Due, moneyText, Time } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { DASH, EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'
import { SelectionSummary } from '../../shared/controls/selection-summary.tsx'
import { owedMoney, owedTextOfBet } from '../../shared/data/owed-money.ts'
import { Issues } from './delivery-issues.tsx'
import { DELIVERY_LIVE, type DeliveryRow, DeliveryState, partnerQuery, TotalRow } from './delivery-row.tsx'
import { PartnerChoice, PartnerOwed } from './partner-filter.tsx'
import { RetrySchedules } from './retry-schedule.tsx'
import './deliveries.css'

const NEEDS_PERSON = 'person'
const RETRYING = 'pending,waiting'
const VIEWS = [
  [NEEDS_PERSON, 'Needs attention'],
  [RETRYING, 'Retrying'],
  ['done', 'Delivered'],
] as const

export function DeliveriesPage() {
  const { bases } = useSession()
  const [query, setQuery] = useSearchParams()
  const view = query.get('view') ?? NEEDS_PERSON
  const partner = query.get('partner') ?? ''
  const base = bases.platform ?? ''
  const choose = (chosen: Readonly<Record<string, string>>) =>
    setQuery(
      Object.entries({ view, partner, ...chosen }).filter(([, value]) => value !== ''),
      { replace: true },
    )
  return (
    <div className="page wide">
      <div className="head">
        <h1>Deliveries</h1>
        <span className="spring" />
        <PartnerChoice base={base} partner={partner} choose={(one) => choose({ partner: one })} />
        <fieldset className="switch" aria-label="View">
          {VIEWS.map(([one, name]) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => choose({ view: one })}>
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {partner !== '' && <PartnerOwed base={base} partner={partner} />}
      {view === RETRYING && <RetrySchedules base={base} partner={partner} />}
      {view === NEEDS_PERSON ? (
        <Issues base={base} partner={partner} />
      ) : (
        <section className="card" aria-label="Deliveries">
          <PagedList
            path={`${base}/deliveries?limit=50&selections=true&outstanding=true&status=${encodeQueryPart(view)}${partnerQuery(partner)}`}
            columns={
              view === 'done' ? [...COLUMNS.filter(({ name }) => name !== NEXT_TRY), AMOUNT] : [...COLUMNS, MONEY]
            }
            keyOf={({ deliveryId }: DeliveryRow) => deliveryId}
            linkOf={({ betId }) => `/bets/${encodePathSegment(betId)}`}
            live={DELIVERY_LIVE}
            foot={view === 'done' ? undefined : renderTotals}
            empty={
              <EmptyState title={view === 'done' ? 'No deliveries yet.' : 'No delivery is retrying.'}>
                <p>A delivery sends a decision about a bet to a partner.</p>
              </EmptyState>
            }
          />
        </section>
      )}
      {view === NEEDS_PERSON && <RetrySchedules base={base} partner={partner} />}
    </div>
  )
}

/** The list of delivered calls omits this column. */
const NEXT_TRY = 'Next attempt'
const COLUMNS: readonly ListColumn<DeliveryRow>[] = [
  { name: 'Decided', show: ({ decidedAt }) => <Time at={decidedAt} /> },
  { name: 'Call', show: ({ operation }) => operationTitle(operation) },
  {
    name: 'Bet',
    show: ({ betId }) => <ShortId id={betId} href={`/bets/${encodePathSegment(betId)}`} />,
  },
  { name: 'Match', show: (delivery) => <SelectionSummary of={delivery} /> },
  { name: 'Partner', show: ({ partnerId }) => <span className="cut">{partnerId}</span> },
  { name: 'Status', show: ({ status, code }) => <DeliveryState status={status} code={code} /> },
  { name: NEXT_TRY, show: ({ dueAt }) => (dueAt === undefined ? DASH : <Due at={dueAt} />) },
  { name: 'Attempts', isNumber: true, show: ({ attempts }) => attempts },
]
/** The amount in the call. */
const AMOUNT: ListColumn<DeliveryRow> = {
  name: 'Amount',
  isNumber: true,
  show: ({ amount, currency = '' }) => (amount === undefined ? DASH : moneyText(amount, currency)),
}
const MONEY: ListColumn<DeliveryRow> = {
  name: 'Outstanding amount',
  isNumber: true,
  show: (one) => <UnmovedAmount of={one} />,
}

/** The outstanding part of the amount, or the reason why the sum below excludes it. */
function UnmovedAmount({ of: one }: { of: DeliveryRow }) {
  const { amount, currency = '', isStakeUnknown, outstandingAmount, status } = one
  if (outstandingAmount !== undefined)
    return (
      <span className="why-not">
        {owedTextOfBet(one)}
        {one.needsAttentionSince !== undefined && <small className="muted">needs attention</small>}
      </span>
    )
  const why =
    isStakeUnknown === true
      ? 'not included: the stake was never acknowledged and may have been refunded'
      : status === 'waiting'
        ? 'included in the delivery before it'
        : 'not included'
  return (
    <span className="muted why-not">
      {amount !== undefined && <s>{moneyText(amount, currency)}</s>}
      <small>{why}</small>
    </span>
  )
}

function renderTotals(rows: readonly DeliveryRow[], columns: number, isAll: boolean): ReactNode {
  const moved = rows.filter(({ outstandingAmount }) => outstandingAmount !== undefined)
  const [waits, needs] = [false, true].map((is) =>
    moved.filter((one) => (one.needsAttentionSince !== undefined) === is),
  )
  const of = isAll ? undefined : rows.length
  const sumOf = (name: string, some: readonly DeliveryRow[] = []) =>
    some.length > 0 && <TotalRow {...{ name, columns, of }} money={owedMoney(some)} />
  return (
    <>
      {sumOf('Retrying', waits)}
      {sumOf('Needs attention', needs)}
    </>
  )
}
