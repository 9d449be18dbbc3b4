/** How things are at this moment: the calls of the last hour, the money that is under way, who is on the other side, and what needs a person. */
import { useQuery } from '@tanstack/react-query'
import { part, read } from '../../api.ts'
import type { LiveMeta } from '../../live.tsx'
import type { Partner } from '../../partners.tsx'
import { Answer, Empty } from '../../parts.tsx'
import { useSession } from '../../session.tsx'
import { NoNowChart, NowChart, NowChartToCome } from './chart.tsx'
import { Fact, notKnown } from './fact.tsx'
import { MoneyOfDays } from './money.tsx'
import { NeedsPerson } from './needs.tsx'
import { Parties, PartiesCard } from './parties.tsx'
import { UnderWay } from './under-way.tsx'
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
        {bases.wallet && <MoneyOfDays />}
        {bases.platform !== undefined && (
          <UnderWay
            partners={partners.data?.data}
            fault={partners.error}
            oldest={ofPlatform.data?.oldestWaiting}
            of={typeof partners.data?.next === 'string' ? `, of the first ${MOST_PARTNERS} partners` : ''}
          />
        )}
        {!(bases.wallet && bases.platform !== undefined) && <HourSums hour={hour} calls={bases.wallet} />}
      </dl>
      <Answer
        of={hour}
        toCome={<NowChartToCome title={title} />}
        around={(inner) => <NoNowChart title={title}>{inner}</NoNowChart>}
      >
        {(data) => <NowChart hour={data} title={title} />}
      </Answer>
      <div className="now-pair">
        <NeedsPerson partners={partners} />
        {bases.platform === undefined ? (
          <PartiesCard title="Platforms">
            <Answer of={ofWallet}>{(data) => <Parties hour={data} empty={NO_PLATFORM} />}</Answer>
          </PartiesCard>
        ) : (
          <PartiesCard title="Partners">
            <Answer of={ofPlatform}>
              {(hour) => (
                <Answer of={partners}>
                  {({ data }) => <Parties hour={hour} partners={data} empty={NO_PARTNER} />}
                </Answer>
              )}
            </Answer>
          </PartiesCard>
        )}
      </div>
    </div>
  )
}

const NO_PLATFORM = (
  <Empty title="Nobody has called in the last hour.">
    <p>Each platform whose secret signs calls has a row here.</p>
  </Empty>
)
const NO_PARTNER = (
  <Empty title="No partner was called in the last hour.">
    <p>Each partner that is called, or for which something waits, has a row here.</p>
  </Empty>
)

interface Asked {
  readonly data: Hour | undefined
  readonly error: unknown
}

/** What a server that has only one side says beside it. */
function HourSums({ hour: { data, error }, calls }: { hour: Asked; calls: boolean }) {
  const sum = (name: 'refused' | 'failed') =>
    data?.minutes.reduce((total, minute) => total + minute[name], 0) ?? notKnown(error)
  const listed = (outcome: string) => (calls ? `/calls${outcome}` : '/deliveries')
  return (
    <>
      <Fact name="Refused" href={listed('')} note="calls of the last hour, with a code">
        <span className="num">{sum('refused')}</span>
      </Fact>
      <Fact
        name="Failed"
        href={listed(`?q=${part('outcome:system_error')}`)}
        note="calls of the last hour, without yes or no"
      >
        <span className="num">{sum('failed')}</span>
      </Fact>
    </>
  )
}
