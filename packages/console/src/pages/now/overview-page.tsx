/**
 * Overview page: calls of the last hour, open stakes, deliveries, partners, and items for
 * attention.
 */
import { useQuery } from '@tanstack/react-query'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import { useSession } from '../../app/console-session.tsx'
import { EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import type { Partner } from '../../shared/data/partners.tsx'
import { CallChart, CallChartFrame, CallChartSkeleton } from './call-chart.tsx'
import { Parties, PartiesCard } from './call-parties.tsx'
import { FigureTile, unknownFigure } from './figure-tile.tsx'
import { MoneyTiles } from './money-tiles.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { OutstandingTiles } from './outstanding-tiles.tsx'
import { type Hour, OVERVIEW_LIVE, OVERVIEW_POLL_MS } from './overview-data.ts'
import './now.css'

/** The API's maximum per page. */
const MAX_PARTNERS = 500
const overviewQuery = <T,>(key: string, path: string | undefined) => ({
  queryKey: ['now', key],
  queryFn: ({ signal }: { signal: AbortSignal }) => getJson<T>(path ?? '', signal),
  enabled: path !== undefined,
  meta: OVERVIEW_LIVE,
  refetchInterval: OVERVIEW_POLL_MS,
})

export function OverviewPage() {
  const { bases } = useSession()
  const below = (path: string) => (bases.platform === undefined ? undefined : bases.platform + path)
  const ofWallet = useQuery(overviewQuery<Hour>('wallet', bases.wallet ? '/operator/now' : undefined))
  const ofPlatform = useQuery(overviewQuery<Hour>('platform', below('/now')))
  const partners = useQuery(
    overviewQuery<{ data: Partner[]; next: string | null }>('partners', below(`/partners?limit=${MAX_PARTNERS}`)),
  )
  const hour = bases.wallet ? ofWallet : ofPlatform
  const title = bases.wallet ? 'Calls to this wallet' : 'Calls to partners'
  return (
    <div className="page wide now">
      <div className="head">
        <h1>Overview</h1>
      </div>
      <dl className="now-facts">
        {bases.wallet && <MoneyTiles />}
        {bases.platform !== undefined && (
          <OutstandingTiles
            partners={partners.data?.data}
            fault={partners.error}
            oldest={ofPlatform.data?.oldestWaiting}
            of={typeof partners.data?.next === 'string' ? `, for the first ${MAX_PARTNERS} partners` : ''}
          />
        )}
        {!(bases.wallet && bases.platform !== undefined) && <HourSums hour={hour} calls={bases.wallet} />}
      </dl>
      <QueryResult
        of={hour}
        skeleton={<CallChartSkeleton title={title} />}
        around={(inner) => <CallChartFrame title={title}>{inner}</CallChartFrame>}
      >
        {(data) => <CallChart hour={data} title={title} />}
      </QueryResult>
      <div className="now-pair">
        <NeedsAttention partners={partners} />
        {bases.platform === undefined ? (
          <PartiesCard title="Platforms">
            <QueryResult of={ofWallet}>{(data) => <Parties hour={data} empty={NO_PLATFORM} />}</QueryResult>
          </PartiesCard>
        ) : (
          <PartiesCard title="Partners">
            <QueryResult of={ofPlatform}>
              {(hour) => (
                <QueryResult of={partners}>
                  {({ data }) => <Parties hour={hour} partners={data} empty={NO_PARTNER} />}
                </QueryResult>
              )}
            </QueryResult>
          </PartiesCard>
        )}
      </div>
    </div>
  )
}

const NO_PLATFORM = (
  <EmptyState title="No platform has called in the last hour.">
    <p>Each platform whose signature is valid has a row here.</p>
  </EmptyState>
)
const NO_PARTNER = (
  <EmptyState title="No partner was called in the last hour.">
    <p>Each partner with calls or open deliveries has a row here.</p>
  </EmptyState>
)

interface HourQuery {
  readonly data: Hour | undefined
  readonly error: unknown
}

/** Tiles of a server that has only a wallet or only a platform. */
function HourSums({ hour: { data, error }, calls }: { hour: HourQuery; calls: boolean }) {
  const sum = (name: 'refused' | 'failed') =>
    data?.minutes.reduce((total, minute) => total + minute[name], 0) ?? unknownFigure(error)
  const listed = (outcome: string) => (calls ? `/calls${outcome}` : '/deliveries')
  return (
    <>
      <FigureTile name="Rejected" href={listed('')} note="Rejected calls, last hour">
        <span className="num">{sum('refused')}</span>
      </FigureTile>
      <FigureTile
        name="Failed"
        href={listed(`?q=${encodeQueryPart('outcome:system_error')}`)}
        note="Failed calls, last hour"
      >
        <span className="num">{sum('failed')}</span>
      </FigureTile>
    </>
  )
}
