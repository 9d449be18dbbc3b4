/** List of platforms or partners. Small bars show the calls of each in the last hour. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { encodeQueryPart } from '../../app/console-api.ts'
import { useSession } from '../../app/console-session.tsx'
import { countText } from '../../shared/charts/format.tsx'
import {
  findPartnerTrouble,
  needsAttentionLink,
  OwedSums,
  type Partner,
  PartnerBadge,
  retryingLink,
} from '../../shared/data/partners.tsx'
import { NONE_OF } from '../reports/day-sums.ts'
import type { Hour, Party } from './overview-data.ts'

const MINUTE_MS = 60_000
const MAX_SILENT = 50

export function PartiesCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      {children}
    </section>
  )
}

interface Props {
  readonly hour: Hour
  /** Partners without calls are shown if they have something open (`hasSomething`). */
  readonly partners?: readonly Partner[] | undefined
  readonly empty: ReactNode
}

/** True if the partner has open deliveries or is in trouble. */
const hasSomething = (one: Partner) =>
  one.waiting > 0 || one.owed.length > 0 || one.inProgress.length > 0 || findPartnerTrouble(one) !== undefined

export function Parties({ hour, partners = [], empty }: Props) {
  const silent = partners.filter(({ partnerId }) => !hour.parties.some(({ name }) => name === partnerId))
  const waited = silent.filter(hasSomething)
  const shown = waited.slice(0, MAX_SILENT)
  const quiet = silent.length - waited.length
  const parties = [...hour.parties, ...shown.map(({ partnerId }) => ({ name: partnerId, isKnown: true, minutes: [] }))]
  return (
    <>
      {parties.length === 0 ? (
        empty
      ) : (
        <ul className="parties">
          {parties.map((party) => (
            <Row
              key={`${party.isKnown} ${party.name}`}
              hour={hour}
              party={party}
              partner={partners.find(({ partnerId }) => partnerId === party.name)}
            />
          ))}
        </ul>
      )}
      {waited.length > shown.length && (
        <p className="more muted small">and {waited.length - shown.length} more with open deliveries</p>
      )}
      {quiet > 0 && (
        <p className="more muted small">
          {countText(quiet, 'partner')} had no calls in the last hour and {quiet === 1 ? 'has' : 'have'} no open
          deliveries
        </p>
      )}
    </>
  )
}

function Row({ hour, party, partner }: { hour: Hour; party: Party; partner: Partner | undefined }) {
  const calls = party.minutes.reduce((sum, { accepted, refused, failed }) => sum + accepted + refused + failed, 0)
  const failed = party.minutes.reduce((sum, minute) => sum + minute.failed, 0)
  const name = partyName(party)
  const { bases } = useSession()
  return (
    <li title={name}>
      <span className="party-name">
        <span className="cut">{name}</span>
        {partner !== undefined && name === bases.partner && <span className="muted">this wallet</span>}
        {partner !== undefined && <PartnerBadge of={partner} />}
      </span>
      <Bars
        hour={hour}
        party={party}
        description={`${name}: ${countText(calls, 'call')} in the last hour, ${failed} failed`}
      />
      <Link className="num party-count" href={partyLink(party, partner)}>
        {calls} <small>{calls === 1 ? 'call' : 'calls'}</small>
      </Link>
      {partner !== undefined && <PartyOwed to={partner} />}
    </li>
  )
}

/** An empty sum is shown in words, not omitted. */
function PartyOwed({ to: { owed, inProgress } }: { to: Partner }) {
  return (
    <small className="party-owed">
      {owed.length === 0 && inProgress.length === 0 && <span className="muted">no money is outstanding</span>}
      {owed.length > 0 && (
        <span>
          needs attention: <OwedSums of={owed} />
        </span>
      )}
      {inProgress.length > 0 && (
        <span>
          retrying: <OwedSums of={inProgress} />
        </span>
      )}
    </small>
  )
}

function partyName({ name, isKnown }: Party): string {
  if (!isKnown) return 'Unknown sender'
  return name === '' ? NONE_OF.platform : name
}

function partyLink({ name, isKnown }: Party, partner: Partner | undefined): string {
  if (partner !== undefined) return deliveriesLink(partner)
  if (!isKnown) return `/calls?q=${encodeQueryPart('outcome:bad_signature')}`
  return name === '' ? '/calls' : `/calls?q=${encodeQueryPart(`platform:${name}`)}`
}

/** Links to the deliveries that need attention, else to the retrying ones. */
function deliveriesLink({ partnerId, owed }: Partner): string {
  return owed.length > 0 ? needsAttentionLink(partnerId) : retryingLink(partnerId)
}

const [WIDTH, HEIGHT, BAR] = [4, 26, 3]

/** A bar per minute, relative to the busiest one, with failed calls on top. */
function Bars({ hour, party, description }: { hour: Hour; party: Party; description: string }) {
  const first = Date.parse(hour.from)
  const count = (Date.parse(hour.to) - first) / MINUTE_MS + 1
  const sums = party.minutes.map(({ accepted, refused, failed }) => accepted + refused + failed)
  const most = Math.max(1, ...sums)
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${count * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={description}
    >
      <line className="ground" x1="0" x2={count * WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {party.minutes.map(({ at, accepted, refused, failed }) => {
        const x = ((Date.parse(at) - first) / MINUTE_MS) * WIDTH
        const [good, bad] = [((accepted + refused) / most) * HEIGHT, (failed / most) * HEIGHT]
        return (
          <g key={at}>
            <rect x={x} width={BAR} y={HEIGHT - good} height={good} />
            <rect className="failed" x={x} width={BAR} y={HEIGHT - good - bad} height={bad} />
          </g>
        )
      })}
    </svg>
  )
}
