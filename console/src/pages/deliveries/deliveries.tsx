/** What the platform has decided and tells its partners: what needs a person, by its cause; what waits and is tried again by itself; what is done. */

import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { sayCode } from '../../../../src/timeline/refusal.ts'
import { part } from '../../api.ts'
import { BetOn, type On } from '../../bet-on.tsx'
import { Due, moneyText, Time } from '../../format.tsx'
import { ShortId } from '../../ids.tsx'
import { type Column, List } from '../../list.tsx'
import type { LiveMeta } from '../../live.tsx'
import { type OwedMoney, owedMoney, owedOfBet } from '../../owed.ts'
import { Sums } from '../../partners.tsx'
import { Badge, Empty, NONE } from '../../parts.tsx'
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
  /** Of what is not over: what it adds to the sums of its partner. */
  readonly unmovedAmount?: string
  /** The partner never acknowledged the bet. */
  readonly isStakeUnknown?: boolean
}

const NEEDS_PERSON = 'person'
const WAITS = 'pending,waiting'
const VIEWS = [
  [NEEDS_PERSON, 'Needs a person'],
  [WAITS, 'Waits'],
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
      {view === WAITS && <Ladders base={base} partner={partner} />}
      {view === NEEDS_PERSON ? (
        <Issues base={base} partner={partner} />
      ) : (
        <section className="card" aria-label="Deliveries">
          <List
            path={`${base}/deliveries?limit=50&selections=true&unmoved=true&status=${part(view)}${ofPartner(partner)}`}
            columns={
              view === 'done' ? [...COLUMNS.filter(({ name }) => name !== NEXT_TRY), AMOUNT] : [...COLUMNS, MONEY]
            }
            keyOf={({ deliveryId }: Delivery) => deliveryId}
            linkOf={({ betId }) => `/bets/${pathPart(betId)}`}
            live={LIVE}
            foot={view === 'done' ? undefined : together}
            empty={
              <Empty title={view === 'done' ? 'Nothing has been delivered yet.' : 'Nothing waits.'}>
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
  return <Badge tone={TONES[status] ?? 'plain'}>{code === undefined ? word : `${word} · ${sayCode(code)}`}</Badge>
}

/** What is done has none. */
const NEXT_TRY = 'Next try'
const COLUMNS: readonly Column<Delivery>[] = [
  { name: 'Decided', show: ({ decidedAt }) => <Time at={decidedAt} /> },
  { name: 'Call', show: ({ operation }) => titleOf(operation) },
  {
    name: 'Bet',
    show: ({ betId }) => <ShortId id={betId} href={`/bets/${pathPart(betId)}`} />,
  },
  { name: 'Match', show: (delivery) => <BetOn of={delivery} /> },
  { name: 'Partner', show: ({ partnerId }) => <span className="cut">{partnerId}</span> },
  { name: 'State', show: ({ status, code }) => <DeliveryState status={status} code={code} /> },
  { name: NEXT_TRY, show: ({ dueAt }) => (dueAt === undefined ? NONE : <Due at={dueAt} />) },
  { name: 'Tries', isNumber: true, show: ({ attempts }) => attempts },
]
/** What the call carried. */
const AMOUNT: Column<Delivery> = {
  name: 'Amount',
  isNumber: true,
  show: ({ amount, currency = '' }) => (amount === undefined ? NONE : moneyText(amount, currency)),
}
const MONEY: Column<Delivery> = { name: 'Money of the player', isNumber: true, show: (one) => <Unmoved of={one} /> }

/** What of its money has not moved, or why it is none of the sum below. */
function Unmoved({ of: one }: { of: Delivery }) {
  const { amount, currency = '', isStakeUnknown, unmovedAmount, status } = one
  if (unmovedAmount !== undefined)
    return (
      <span className="why-not">
        {owedOfBet(one)}
        {one.needsPersonSince !== undefined && <small className="muted">needs a person</small>}
      </span>
    )
  const why =
    isStakeUnknown === true
      ? 'not counted: the stake was never acknowledged, and may be back already'
      : status === 'waiting'
        ? 'counted with the one before it'
        : 'not counted'
  return (
    <span className="muted why-not">
      {amount !== undefined && <s>{moneyText(amount, currency)}</s>}
      <small>{why}</small>
    </span>
  )
}

function together(rows: readonly Delivery[], columns: number, isAll: boolean): ReactNode {
  const moved = rows.filter(({ unmovedAmount }) => unmovedAmount !== undefined)
  const [waits, needs] = [false, true].map((is) => moved.filter((one) => (one.needsPersonSince !== undefined) === is))
  const of = isAll ? undefined : rows.length
  const sumOf = (name: string, some: readonly Delivery[] = []) =>
    some.length > 0 && <Together {...{ name, columns, of }} money={owedMoney(some)} />
  return (
    <>
      {sumOf('Waits', waits)}
      {sumOf('Needs a person', needs)}
    </>
  )
}

interface TogetherProps {
  readonly name?: string
  readonly money: readonly OwedMoney[]
  readonly columns: number
  /** So many of them, where there are more. */
  readonly of?: number | undefined
}

/** Under a table: what its rows add up to. */
export function Together({ name = 'Together', money, columns, of }: TogetherProps) {
  return (
    <tr>
      <th scope="row" colSpan={columns - 1}>
        <span className="foot-name">
          {name}
          {of !== undefined && `, of the ${of} that are shown`}
        </span>
      </th>
      <td className="num">
        <Sums of={money} />
      </td>
    </tr>
  )
}
