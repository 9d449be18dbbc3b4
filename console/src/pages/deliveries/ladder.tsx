/**
 * The retry ladder: a line for each delivery that is tried again or was given up, on the six minutes of a rollback (C-4). All times are the
 * platform's: those of the attempts, the planned ones, and now, which is its answer's time and what has passed here since.
 */

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { read } from '../../api.ts'
import { BetOn } from '../../bet-on.tsx'
import { countText } from '../../format.tsx'
import { ShortId } from '../../ids.tsx'
import { Badge } from '../../parts.tsx'
import { type Delivery, LIVE, ofPartner } from './deliveries.tsx'

interface Ladder {
  readonly madeAt: readonly string[]
  readonly plannedAt: readonly string[]
  readonly isUnderWay: boolean
  readonly asOf: string
}

type Tried = Delivery & { readonly ladder: Ladder }

const AXIS_MS = 360_000
const MINUTES = [0, 1, 2, 3, 4, 5, 6]
/** Deliveries that are looked through, and lines that are shown. */
const LOOKED_AT = 100
const SHOWN = 20
/** Milliseconds between two looks, and between two steps of the line of now. */
const LOOK_MS = 3_000
const STEP_MS = 500

export function Ladders({ base, partner }: { base: string; partner: string }) {
  const asked = useQuery({
    queryKey: ['ladders', partner],
    queryFn: async ({ signal }) => {
      const path = `${base}/deliveries?status=pending,stuck&ladder=true&selections=true&limit=${LOOKED_AT}${ofPartner(partner)}`
      const { data } = await read<{ data: (Delivery & { ladder?: Ladder })[] }>(path, signal)
      const tried = data.filter((one): one is Tried => isTriedAgain(one))
      return { tried, readAt: performance.now() }
    },
    meta: LIVE,
    refetchInterval: LOOK_MS,
  })
  const passed = usePassed(asked.data?.readAt)
  const { tried = [] } = asked.data ?? {}
  if (tried.length === 0) return null
  return (
    <section className="card" aria-label="Retry ladder">
      <header>
        <h2>Retry ladder</h2>
        <span className="muted small">Minutes since the first try of each.</span>
        <span className="spring" />
        <span className="ladder-key small muted">
          <i className="dot made" /> tried <i className="dot planned" /> planned <i className="gave-up">✕</i> gave up{' '}
          <i className="now-mark" /> now
        </span>
      </header>
      <ol className="ladders">
        <li className="ladder ladder-axis" aria-hidden="true">
          <span />
          <span className="ladder-line">
            {MINUTES.map((minute) => (
              <span key={minute} className="ladder-minute small muted" style={{ left: placeOf(minute * 60_000) }}>
                {minute} min
              </span>
            ))}
          </span>
          <span />
        </li>
        {tried.slice(0, SHOWN).map((one) => (
          <Line key={one.deliveryId} of={one} passed={passed} />
        ))}
      </ol>
      {tried.length > SHOWN && <p className="more muted small">and {tried.length - SHOWN} more</p>}
    </section>
  )
}

/** What is under way for the first time is no retry yet. */
function isTriedAgain({ ladder, status }: Delivery & { ladder?: Ladder }): boolean {
  return ladder !== undefined && (status === 'stuck' || ladder.madeAt.length > 0)
}

function usePassed(since: number | undefined): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), STEP_MS)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, now - (since ?? now))
}

const placeOf = (ms: number) => `${(Math.min(Math.max(ms, 0), AXIS_MS) / AXIS_MS) * 100}%`

function Line({ of, passed }: { of: Tried; passed: number }) {
  const { betId, operation, partnerId, status, attempts, ladder } = of
  const first = Date.parse(ladder.madeAt[0] ?? ladder.asOf)
  const since = (at: string) => Date.parse(at) - first
  const now = since(ladder.asOf) + passed
  const planned = ladder.plannedAt.map(since)
  const isStuck = status === 'stuck'
  const shown = planned.filter((at) => at <= AXIS_MS)
  const tries = countText(attempts, 'try', 'tries')
  return (
    <li className="ladder">
      <span className="ladder-what">
        <ShortId id={betId} href={`/bets/${pathPart(betId)}`} />
        <span className="small muted cut">
          {titleOf(operation)} to {partnerId}
        </span>
        <BetOn of={of} />
      </span>
      <span
        className="ladder-line"
        role="img"
        aria-label={`${tries}, ${isStuck ? 'gave up' : `${shown.length} planned`}`}
      >
        {ladder.madeAt.map((at) => (
          <i key={at} className="dot made" style={{ left: placeOf(since(at)) }} title={`tried at ${at}`} />
        ))}
        {shown.map((at, i) => (
          <i
            key={ladder.plannedAt[i]}
            className="dot planned"
            style={{ left: placeOf(at) }}
            title={`planned for ${ladder.plannedAt[i]}`}
          />
        ))}
        {isStuck && (
          <i className="gave-up" style={{ left: placeOf(since(ladder.madeAt.at(-1) ?? ladder.asOf)) }}>
            ✕
          </i>
        )}
        {!isStuck && now <= AXIS_MS && <i className="ladder-now" style={{ left: placeOf(now) }} />}
      </span>
      <span className="ladder-next small">
        {isStuck ? <Badge tone="bad">Gave up</Badge> : <Next ladder={ladder} first={first} now={now} />}
        <span className="muted">{tries}</span>
      </span>
    </li>
  )
}

/** `now` in milliseconds since the first attempt began, at `first`. */
function Next({ ladder: { isUnderWay, plannedAt }, first, now }: { ladder: Ladder; first: number; now: number }) {
  const [at] = plannedAt
  if (isUnderWay || at === undefined) return <span>on its way</span>
  const seconds = Math.round((Date.parse(at) - first - now) / 1_000)
  return <span title={at}>{seconds <= 0 ? 'due now' : `next in ${inWords(seconds)}`}</span>
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
