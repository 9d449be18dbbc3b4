/** What needs a person, five lines at most, each with its next step. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { sayCode } from '../../../../src/timeline/refusal.ts'
import { read } from '../../api.ts'
import { countText, moneyText } from '../../format.tsx'
import { useLinkKeys } from '../../list.tsx'
import { owedMoney } from '../../owed.ts'
import { forText, needsOf, type Partner, Sums, troubleOf, waitsOf } from '../../partners.tsx'
import { Badge, Empty, Fault, Stale, Waiting } from '../../parts.tsx'
import { useSession } from '../../session.tsx'
import type { Delivery } from '../deliveries/deliveries.tsx'
import { issuesIn, issuesOf } from '../deliveries/issues.tsx'
import { LIVE, LOOK_MS } from './now.tsx'

interface Need {
  readonly key: string
  readonly what: ReactNode
  readonly badge: readonly [tone: string, word: string]
  readonly since: string
  readonly step: string
  readonly href: string
}

interface Proposal {
  readonly userId: string
  readonly reference: string
  readonly amount: string
  readonly currency: string
  readonly proposedAt: string
}

const MOST = 5

/** `partners`: asked for where there is a platform. */
export function NeedsPerson({ partners }: { partners: Pick<UseQueryResult<{ data: readonly Partner[] }>, AskedOf> }) {
  const { bases } = useSession()
  const issues = useQuery({
    queryKey: ['issues'],
    queryFn: ({ signal }) => read<{ data: Delivery[]; next: string | null }>(issuesOf(bases.platform ?? ''), signal),
    enabled: bases.platform !== undefined,
    meta: LIVE,
    refetchInterval: LOOK_MS,
  })
  const adjustments = useQuery({
    queryKey: ['now', 'adjustments'],
    queryFn: ({ signal }) => read<{ data: Proposal[] }>('/operator/adjustments?status=pending&limit=100', signal),
    enabled: bases.wallet,
    refetchInterval: LOOK_MS,
  })
  const needs = [
    ...ofPartners(partners.data?.data ?? []),
    ...ofIssues(issues.data?.data ?? []),
    ...ofAdjustments(adjustments.data?.data ?? []),
  ]
  const shown = needs.slice(0, MOST)
  const at = useLinkKeys(shown.length, (i) => shown[i]?.href)
  const isKnown =
    (!issues.isEnabled || (issues.data !== undefined && partners.data !== undefined)) &&
    (!adjustments.isEnabled || adjustments.data !== undefined)
  return (
    <section className="card" aria-label="Needs a person">
      <header>
        <h2>Needs a person</h2>
      </header>
      {[issues, adjustments, partners].map((asked, i) => (
        <Unsure key={['issues', 'adjustments', 'partners'][i]} of={asked} />
      ))}
      {!isKnown && [issues, adjustments, partners].every(({ error }) => error === null) && <Waiting />}
      {isKnown && shown.length === 0 && (
        <Empty title="Nothing needs a person.">
          <p>
            What a partner refuses, a partner that is down, money that does not arrive, or that waits for a second
            person is here.
          </p>
        </Empty>
      )}
      <ol className="needs">
        {shown.map((need, i) => (
          <li key={need.key} className={i === at ? 'at' : undefined}>
            <span className="need-what">
              <Badge tone={need.badge[0]}>{need.badge[1]}</Badge> {need.what}
            </span>
            <span className="need-step">
              <span className="muted small num">{forText(need.since)}</span>
              <Link href={need.href} className="button">
                {need.step}
              </Link>
            </span>
          </li>
        ))}
      </ol>
      {needs.length > MOST && (
        <p className="more muted small">and {needs.length - MOST} more kinds, in Deliveries and Money</p>
      )}
    </section>
  )
}

type AskedOf = 'data' | 'error' | 'dataUpdatedAt' | 'refetch'

/** Without an answer yet, or with one that is not of now. */
function Unsure({ of }: { of: Pick<UseQueryResult, AskedOf> }) {
  if (of.error !== null && of.data === undefined) return <Fault error={of.error} again={() => of.refetch()} />
  return <Stale of={of} />
}

function ofPartners(partners: readonly Partner[]): Need[] {
  return partners.flatMap((partner) => {
    const trouble = troubleOf(partner)
    if (trouble === undefined) return []
    const isDown = trouble.kind === 'down'
    return {
      key: `partner ${partner.partnerId}`,
      what: isDown ? <DownSays of={partner} /> : <SlowSays of={partner} />,
      badge: isDown ? ['bad', 'Down'] : ['wait', 'Money waits'],
      since: trouble.since ?? new Date().toISOString(),
      step: 'See what waits',
      href: waitsOf(partner.partnerId),
    }
  })
}

function DownSays({ of: { partnerId, waiting, onTheWay } }: { of: Partner }) {
  return (
    <>
      <strong>{partnerId}</strong> gives no usable answers;{' '}
      {waiting === 0 ? 'nothing waits for it' : `${countText(waiting, 'delivery waits', 'deliveries wait')} for it`}
      {onTheWay.length > 0 && (
        <>
          {' '}
          · <Sums of={onTheWay} />
        </>
      )}
    </>
  )
}

function SlowSays({ of: { partnerId, onTheWay } }: { of: Partner }) {
  return (
    <>
      <Sums of={onTheWay} /> by <strong>{partnerId}</strong>, which has not taken it yet
    </>
  )
}

const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  stuck: ['bad', 'Stuck'],
  refused: ['bad', 'Refused'],
  pending: ['wait', 'Tried again'],
}

function ofIssues(deliveries: readonly Delivery[]): Need[] {
  return issuesIn(deliveries).map(({ partnerId, operation, status, code, deliveries: some }) => ({
    key: JSON.stringify([partnerId, operation, status, code]),
    what: (
      <>
        {some.length} × {titleOf(operation)} to <strong>{partnerId}</strong>
        {code === undefined ? '' : `, ${sayCode(code)}`} · <Sums of={owedMoney(some)} />
      </>
    ),
    badge: WORDS[status] ?? ['bad', status],
    since: some.map((one) => one.needsPersonSince ?? one.decidedAt).sort()[0] ?? '',
    step: status === 'pending' ? 'Look' : 'Mend, send again',
    href: needsOf(partnerId),
  }))
}

function ofAdjustments(proposals: readonly Proposal[]): Need[] {
  return proposals.map(({ userId, reference, amount, currency, proposedAt }) => ({
    key: `adjustment ${userId} ${reference}`,
    what: (
      <>
        <span className="num">{moneyText(amount, currency)}</span> for <strong>{userId}</strong> waits for a second
        person
      </>
    ),
    badge: ['wait', 'Adjustment'],
    since: proposedAt,
    step: 'Approve or refuse',
    href: '/money',
  }))
}
