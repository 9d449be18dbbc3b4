/** How things are at this moment: the calls of the last hour, the money that is under way, who is on the other side, and what needs a person. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { sumOf } from '../../../../src/protocol/decimal.ts'
import { part, read } from '../../api.ts'
import { agoOf, amountText, countText } from '../../format.tsx'
import { type LiveMeta, MONEY_LIVE } from '../../live.tsx'
import { type Partner, Sums, troubleOf, underWayOf } from '../../partners.tsx'
import { Answer, Stale } from '../../parts.tsx'
import { useSession } from '../../session.tsx'
import { daysIn, isZero, type ReportRow } from '../money-days.ts'
import { NowChart, NowChartToCome } from './chart.tsx'
import { NeedsPerson } from './needs.tsx'
import { Parties } from './parties.tsx'
import './now.css'

export interface Counts {
  readonly at: string
  readonly accepted: number
  readonly refused: number
  readonly failed: number
}
export interface Party {
  readonly name: string
  readonly isKnown: boolean
  readonly minutes: readonly Counts[]
}
export interface Hour {
  readonly from: string
  readonly to: string
  readonly minutes: readonly (Counts & { readonly p99Ms: number })[]
  readonly parties: readonly Party[]
  readonly oldestWaiting?: string
}

/** Milliseconds: the hour goes on while nothing happens. */
export const LOOK_MS = 10_000
/** The most that the API lists at once. */
const MOST_PARTNERS = 500
export const LIVE: LiveMeta = { live: ['call', 'bet', 'delivery'], everyMs: 2_000 }
const asks = <T,>(key: string, path: string | undefined) => ({
  queryKey: ['now', key],
  queryFn: ({ signal }: { signal: AbortSignal }) => read<T>(path ?? '', signal),
  enabled: path !== undefined,
  meta: LIVE,
  refetchInterval: LOOK_MS,
})

export function NowPage() {
  const { bases } = useSession()
  const below = (path: string) => (bases.platform === undefined ? undefined : bases.platform + path)
  const ofWallet = useQuery(asks<Hour>('wallet', bases.wallet ? '/operator/now' : undefined))
  const ofPlatform = useQuery(asks<Hour>('platform', below('/now')))
  const partners = useQuery(
    asks<{ data: Partner[]; next: string | null }>('partners', below(`/partners?limit=${MOST_PARTNERS}`)),
  )
  const hour = bases.wallet ? ofWallet : ofPlatform
  const title = bases.wallet ? 'Calls to this wallet' : 'Calls to partners'
  return (
    <div className="page wide now">
      <div className="head">
        <h1>Now</h1>
      </div>
      <dl className="now-facts">
        {bases.wallet && <TodaysMoney />}
        {bases.platform !== undefined && (
          <UnderWay
            partners={partners.data?.data}
            oldest={ofPlatform.data?.oldestWaiting}
            of={typeof partners.data?.next === 'string' ? `, of the first ${MOST_PARTNERS} partners` : ''}
          />
        )}
        {!(bases.wallet && bases.platform !== undefined) && <HourSums hour={hour.data} calls={bases.wallet} />}
      </dl>
      <Answer of={hour} toCome={<NowChartToCome title={title} />}>
        {(data) => <NowChart hour={data} title={title} />}
      </Answer>
      <div className="now-pair">
        <NeedsPerson partners={partners.data?.data} />
        {bases.platform === undefined ? (
          <Answer of={ofWallet}>{(data) => <Parties hour={data} title="Platforms" />}</Answer>
        ) : (
          <Answer of={ofPlatform}>
            {(data) => <Parties hour={data} title="Partners" partners={partners.data?.data} />}
          </Answer>
        )}
      </div>
    </div>
  )
}

function Fact({ name, children, note, href }: { name: string; children: ReactNode; note?: ReactNode; href: string }) {
  return (
    <div className="now-fact">
      <dt>{name}</dt>
      <dd>
        <Link href={href}>{children}</Link>
      </dd>
      {note !== undefined && <dd className="note">{note}</dd>}
    </div>
  )
}

const MOST_CURRENCIES = 4

/** One line per currency, in its own digits; what is none is not shown. */
function Amounts({ of }: { of: ReadonlyMap<string, string> }) {
  const some = [...of].filter(([, amount]) => !isZero(amount))
  if (some.length === 0)
    return <span className="num">{[...of][0]?.join(' ').replace(/^(\S+) (.*)$/, '$2 $1') ?? 'none'}</span>
  return (
    <>
      {some.slice(0, MOST_CURRENCIES).map(([currency, amount]) => (
        <span className="amount num" key={currency}>
          {amountText(amount)} <small>{currency}</small>
        </span>
      ))}
      {some.length > MOST_CURRENCIES && <small>and {some.length - MOST_CURRENCIES} more</small>}
    </>
  )
}

function byCurrency(rows: readonly ReportRow[], of: (row: ReportRow) => readonly string[]): Map<string, string> {
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  return new Map(
    currencies.map((one) => [one, sumOf(rows.filter(({ currency }) => currency === one).flatMap((row) => of(row)))]),
  )
}

function TodaysMoney() {
  const day = new Date().toISOString().slice(0, 10)
  const asked = useQuery({
    queryKey: ['money', day],
    queryFn: ({ signal }) => read<{ data: ReportRow[] }>(`/operator/reports/daily?from=${day}`, signal),
    meta: MONEY_LIVE,
  })
  const rows = asked.data?.data ?? []
  const isKnown = asked.data !== undefined
  const paid = (row: ReportRow) => [row.payouts, row.promotionPayouts]
  return (
    <>
      <Fact name="In play" href="/bets?status=open" note="stakes of bets without a result">
        {isKnown ? <Amounts of={byCurrency(rows, ({ accounts }) => [accounts.open_stakes.closing])} /> : '…'}
      </Fact>
      <Fact
        name="Paid out today"
        href={`/money?day=${day}`}
        note={`${isKnown && daysIn(rows).length === 0 ? 'nothing moved yet, ' : ''}since midnight UTC, before corrections`}
      >
        {isKnown ? <Amounts of={byCurrency(rows, paid)} /> : '…'}
      </Fact>
      <Stale of={asked} />
    </>
  )
}

interface UnderWayProps {
  readonly partners: readonly Partner[] | undefined
  readonly oldest: string | undefined
  /** What the sums leave out, in words. */
  readonly of: string
}

function UnderWay({ partners, oldest, of }: UnderWayProps) {
  const waiting = partners?.reduce((sum, one) => sum + one.waiting, 0)
  const owed = totals((partners ?? []).flatMap((one) => one.owed))
  const onTheWay = totals((partners ?? []).flatMap((one) => one.onTheWay))
  const count = owed.reduce((sum, { deliveries }) => sum + deliveries, 0)
  return (
    <>
      <Fact
        name="Waiting"
        href={underWayOf()}
        note={
          <>
            {oldest === undefined || waiting === 0
              ? 'deliveries on their way'
              : `the oldest decided ${agoOf(new Date(oldest))}`}
            {onTheWay.length > 0 && (
              <>
                ; <Sums of={onTheWay} />
              </>
            )}
            {of}
          </>
        }
      >
        <span className="num">{waiting ?? '…'}</span>
      </Fact>
      <Fact name="Owed" href="/deliveries" note={<OwedNote count={count} partners={partners} of={of} />}>
        {partners === undefined ? (
          '…'
        ) : count === 0 ? (
          <span className="num">0</span>
        ) : (
          <Amounts of={new Map(owed.map(({ currency, amount }) => [currency, amount]))} />
        )}
      </Fact>
    </>
  )
}

type Sum = Partner['owed'][number]

/** Of all partners, by currency. */
function totals(sums: readonly Sum[]): Sum[] {
  const currencies = [...new Set(sums.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const some = sums.filter((one) => one.currency === currency)
    return {
      currency,
      amount: sumOf(some.map(({ amount }) => amount)),
      takeBack: sumOf(some.map(({ takeBack }) => takeBack)),
      deliveries: some.reduce((sum, { deliveries }) => sum + deliveries, 0),
    }
  })
}

/** That no delivery does is not that nothing does: a partner that is down needs somebody before its deliveries do. */
function OwedNote({ count, partners = [], of }: { count: number; partners: UnderWayProps['partners']; of: string }) {
  const troubled = partners.filter((partner) => troubleOf(partner) !== undefined)
  const deliveries =
    count > 0
      ? countText(count, 'delivery needs a person', 'deliveries need a person')
      : troubled.length > 0
        ? 'no delivery is refused or given up'
        : 'nothing needs a person'
  const [first] = troubled
  return (
    <>
      {deliveries}
      {of}
      {first !== undefined && (
        <>
          ;{' '}
          <Link className="apart" href={underWayOf(troubled.length === 1 ? first.partnerId : undefined)}>
            {troubleText(troubled)}
          </Link>
        </>
      )}
    </>
  )
}

function troubleText(troubled: readonly Partner[]): string {
  const [down, slow] = (['down', 'slow'] as const).map((kind) =>
    troubled.filter((partner) => troubleOf(partner)?.kind === kind),
  )
  return [sayOf(down, 'is down', 'are down'), sayOf(slow, 'has not taken its money', 'have not taken their money')]
    .filter((words) => words !== '')
    .join(', ')
}

function sayOf(some: readonly Partner[] = [], one: string, several: string): string {
  const [first] = some
  if (first === undefined) return ''
  return some.length === 1 ? `${first.partnerId} ${one}` : `${some.length} partners ${several}`
}

/** What a server that has only one side says beside it. */
function HourSums({ hour, calls }: { hour: Hour | undefined; calls: boolean }) {
  const sum = (name: 'refused' | 'failed') => hour?.minutes.reduce((total, minute) => total + minute[name], 0)
  const listed = (outcome: string) => (calls ? `/calls${outcome}` : '/deliveries')
  return (
    <>
      <Fact name="Refused" href={listed('')} note="calls of the last hour, with a code">
        <span className="num">{sum('refused') ?? '…'}</span>
      </Fact>
      <Fact
        name="Failed"
        href={listed(`?q=${part('outcome:system_error')}`)}
        note="calls of the last hour, without yes or no"
      >
        <span className="num">{sum('failed') ?? '…'}</span>
      </Fact>
    </>
  )
}
