/** Tiles of the Overview: the money of the deliveries that are retrying or need attention. */

import { sumDecimals } from '@purser/protocol/values/decimal'
import { Link } from 'wouter'
import { countText, formatAgo } from '../../shared/charts/format.tsx'
import { splitDirections } from '../../shared/data/owed-money.ts'
import { findPartnerTrouble, OwedSums, type Partner, retryingLink } from '../../shared/data/partners.tsx'
import { AmountLines, FigureTile, unknownFigure } from './figure-tile.tsx'

interface Props {
  readonly partners: readonly Partner[] | undefined
  /** The error of the request for the partners. */
  readonly fault: unknown
  /** The decision time of the oldest open delivery. */
  readonly oldest: string | undefined
  /** The text ", for the first 500 partners" if the sums are limited, else empty. */
  readonly of: string
}

export function OutstandingTiles({ partners, fault, oldest, of }: Props) {
  const waiting = partners?.reduce((sum, one) => sum + one.waiting, 0)
  const owed = sumByCurrency((partners ?? []).flatMap((one) => one.owed))
  const inProgress = sumByCurrency((partners ?? []).flatMap((one) => one.inProgress))
  const count = owed.reduce((sum, { deliveries }) => sum + deliveries, 0)
  return (
    <>
      <FigureTile
        name="Retrying"
        href={retryingLink()}
        note={<WaitsNote {...{ waiting, oldest, of }} sums={inProgress} />}
      >
        {waiting === undefined ? unknownFigure(fault) : <Count of={waiting} />}
      </FigureTile>
      <FigureTile
        name="Needs attention"
        href="/deliveries"
        note={<NeedsNote count={count} partners={partners} of={of} />}
      >
        {partners === undefined ? (
          unknownFigure(fault)
        ) : count === 0 ? (
          <Count of={0} />
        ) : (
          <AmountLines
            of={splitDirections(owed).map(({ isBack, ...money }) => ({
              ...money,
              note: isBack ? 'to be taken back' : 'to be paid',
            }))}
          />
        )}
      </FigureTile>
    </>
  )
}

function Count({ of }: { of: number }) {
  return (
    <span className="num">
      {of} <small>{of === 1 ? 'delivery' : 'deliveries'}</small>
    </span>
  )
}

type Sum = Partner['owed'][number]

function sumByCurrency(sums: readonly Sum[]): Sum[] {
  const currencies = [...new Set(sums.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const some = sums.filter((one) => one.currency === currency)
    return {
      currency,
      amount: sumDecimals(some.map(({ amount }) => amount)),
      takeBack: sumDecimals(some.map(({ takeBack }) => takeBack)),
      deliveries: some.reduce((sum, { deliveries }) => sum + deliveries, 0),
    }
  })
}

interface WaitsProps extends Pick<Props, 'oldest' | 'of'> {
  readonly waiting: number | undefined
  readonly sums: readonly Sum[]
}

function WaitsNote({ waiting, oldest, sums, of }: WaitsProps) {
  return (
    <>
      {sums.length > 0 && (
        <>
          <OwedSums of={sums} />;{' '}
        </>
      )}
      retried automatically
      {oldest !== undefined && waiting !== 0 && `, the oldest from ${formatAgo(new Date(oldest))}`}
      {of}
    </>
  )
}

/**
 * A partner that is down needs attention before its deliveries do, so it is named even if no
 * delivery needs attention.
 */
function NeedsNote({ count, partners, of }: { count: number; partners: Props['partners']; of: string }) {
  const troubled = (partners ?? []).filter((partner) => findPartnerTrouble(partner) !== undefined)
  const deliveries =
    count > 0
      ? `${countText(count, 'delivery', 'deliveries')} must be resolved by hand`
      : troubled.length > 0
        ? 'no delivery is rejected or exhausted'
        : partners === undefined
          ? 'deliveries that must be resolved by hand'
          : 'nothing needs attention'
  const [first] = troubled
  return (
    <>
      {deliveries}
      {of}
      {first !== undefined && (
        <>
          ;{' '}
          <Link className="apart" href={retryingLink(troubled.length === 1 ? first.partnerId : undefined)}>
            {troubleText(troubled)}
          </Link>
        </>
      )}
    </>
  )
}

function troubleText(troubled: readonly Partner[]): string {
  const [down, slow] = (['down', 'slow'] as const).map((kind) =>
    troubled.filter((partner) => findPartnerTrouble(partner)?.kind === kind),
  )
  return [
    describePartners(down, 'is down', 'are down'),
    describePartners(slow, 'has overdue deliveries', 'have overdue deliveries'),
  ]
    .filter((words) => words !== '')
    .join(', ')
}

function describePartners(some: readonly Partner[] = [], one: string, several: string): string {
  const [first] = some
  if (first === undefined) return ''
  return some.length === 1 ? `${first.partnerId} ${one}` : `${some.length} partners ${several}`
}
