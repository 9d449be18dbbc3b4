/** What the platform owes a partner: what needs a person, by its cause; what is under way; what is done. */
import { useSearchParams } from 'wouter'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { part } from '../../api.ts'
import { BetOn, type On } from '../../bet-on.tsx'
import { Time } from '../../format.tsx'
import { ShortId } from '../../ids.tsx'
import { type Column, List } from '../../list.tsx'
import type { LiveMeta } from '../../live.tsx'
import { Badge, Empty } from '../../parts.tsx'
import { useSession } from '../../session.tsx'
import { Issues } from './issues.tsx'
import { Ladders } from './ladder.tsx'
import { OwedThrough, PartnerChoice } from './partner.tsx'
import './deliveries.css'

export interface Delivery extends On {
  readonly deliveryId: string
  readonly betId: string
  readonly partnerId: string
  readonly operation: string
  readonly status: string
  readonly amount?: string
  readonly currency?: string
  readonly attempts: number
  readonly code?: number
  readonly error?: string
  readonly decidedAt: string
  readonly dueAt?: string
  readonly needsPersonSince?: string
  readonly owedAmount?: string
}

const NEEDS_PERSON = 'person'
const UNDER_WAY = 'pending,waiting'
const VIEWS = [
  [NEEDS_PERSON, 'Needs a person'],
  [UNDER_WAY, 'Under way'],
  ['done', 'Done'],
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
        <fieldset className="switch" aria-label="Which">
          {VIEWS.map(([one, name]) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => choose({ view: one })}>
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {partner !== '' && <OwedThrough base={base} partner={partner} />}
      {view === UNDER_WAY && <Ladders base={base} partner={partner} />}
      {view === NEEDS_PERSON ? (
        <Issues base={base} partner={partner} />
      ) : (
        <section className="card" aria-label="Deliveries">
          <List
            path={`${base}/deliveries?limit=50&selections=true&status=${part(view)}${ofPartner(partner)}`}
            columns={view === 'done' ? COLUMNS.filter(({ name }) => name !== NEXT_TRY) : COLUMNS}
            keyOf={({ deliveryId }: Delivery) => deliveryId}
            linkOf={({ betId }) => `/bets/${part(betId)}`}
            live={LIVE}
            empty={
              <Empty title={view === 'done' ? 'Nothing has been delivered yet.' : 'Nothing is under way.'}>
                <p>A delivery is a call that tells a partner what the platform has decided about a bet.</p>
              </Empty>
            }
          />
        </section>
      )}
      {view === NEEDS_PERSON && <Ladders base={base} partner={partner} />}
    </div>
  )
}

/** At the end of a list's address. */
export const ofPartner = (partner: string) => (partner === '' ? '' : `&partnerId=${part(partner)}`)

/** A try that fails is no change of the feed; it is a call. */
export const LIVE: LiveMeta = { live: ['delivery', 'bet', 'call'], everyMs: 1_000 }

const TONES: Readonly<Record<string, string>> = {
  stuck: 'bad',
  refused: 'bad',
  unknown: 'bad',
  pending: 'wait',
  waiting: 'wait',
  done: 'good',
}

export function DeliveryState({ status, code }: { status: string; code?: number | undefined }) {
  const word = status.charAt(0).toUpperCase() + status.slice(1)
  return <Badge tone={TONES[status] ?? 'plain'}>{code === undefined ? word : `${word} · code ${code}`}</Badge>
}

/** What is done has none. */
const NEXT_TRY = 'Next try'
const COLUMNS: readonly Column<Delivery>[] = [
  { name: 'Decided', show: ({ decidedAt }) => <Time at={decidedAt} /> },
  { name: 'Call', show: ({ operation }) => titleOf(operation) },
  {
    name: 'Bet',
    show: ({ betId }) => <ShortId id={betId} href={`/bets/${part(betId)}`} />,
  },
  { name: 'Match', show: (delivery) => <BetOn of={delivery} /> },
  { name: 'Partner', show: ({ partnerId }) => <span className="cut">{partnerId}</span> },
  { name: 'State', show: ({ status, code }) => <DeliveryState status={status} code={code} /> },
  { name: NEXT_TRY, show: ({ dueAt }) => (dueAt === undefined ? '–' : <Time at={dueAt} />) },
  { name: 'Tries', isNumber: true, show: ({ attempts }) => attempts },
  {
    name: 'Amount',
    isNumber: true,
    show: ({ amount, currency }) => (amount === undefined ? '–' : `${amount} ${currency ?? ''}`),
  },
]
