/** What the platform owes a partner: what needs a person, by its cause; what is under way; what is done. */
import { Link, useSearchParams } from 'wouter'
import { titleOf } from '../../../src/timeline/moments.ts'
import { part } from '../api.ts'
import { ShortId, Time } from '../format.tsx'
import { type Column, List } from '../list.tsx'
import type { LiveMeta } from '../live.tsx'
import { Badge, Empty } from '../parts.tsx'
import { useSession } from '../session.tsx'
import { Issues } from './deliveries-issues.tsx'
import { Ladders } from './deliveries-ladder.tsx'
import './deliveries.css'

export interface Delivery {
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
  const base = bases.platform ?? ''
  return (
    <div className="page wide">
      <div className="head">
        <h1>Deliveries</h1>
        <span className="spring" />
        <fieldset className="switch" aria-label="Which">
          {VIEWS.map(([one, name]) => (
            <button
              key={one}
              type="button"
              aria-pressed={view === one}
              onClick={() => setQuery({ view: one }, { replace: true })}
            >
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {view === UNDER_WAY && <Ladders base={base} />}
      {view === NEEDS_PERSON ? (
        <Issues base={base} />
      ) : (
        <section className="card" aria-label="Deliveries">
          <List
            path={`${base}/deliveries?limit=50&status=${part(view)}`}
            columns={COLUMNS}
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
      {view === NEEDS_PERSON && <Ladders base={base} />}
    </div>
  )
}

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

const COLUMNS: readonly Column<Delivery>[] = [
  { name: 'Decided', show: ({ decidedAt }) => <Time at={decidedAt} /> },
  { name: 'Call', show: ({ operation }) => titleOf(operation) },
  {
    name: 'Bet',
    show: ({ betId }) => (
      <Link href={`/bets/${part(betId)}`}>
        <ShortId id={betId} />
      </Link>
    ),
  },
  { name: 'Partner', show: ({ partnerId }) => <span className="cut">{partnerId}</span> },
  { name: 'State', show: ({ status, code }) => <DeliveryState status={status} code={code} /> },
  { name: 'Next try', show: ({ dueAt }) => (dueAt === undefined ? '–' : <Time at={dueAt} />) },
  { name: 'Tries', isNumber: true, show: ({ attempts }) => attempts },
  {
    name: 'Amount',
    isNumber: true,
    show: ({ amount, currency }) => (amount === undefined ? '–' : `${amount} ${currency ?? ''}`),
  },
]
