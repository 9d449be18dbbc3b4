/** What needs a person, by partner and cause: how many, since when, the money they are about, and the next step. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { replyCodes } from '../../../../src/protocol/codes.ts'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { sayCode } from '../../../../src/timeline/refusal.ts'
import { read } from '../../api.ts'
import { BetOn } from '../../bet-on.tsx'
import { Time } from '../../format.tsx'
import { ShortId } from '../../ids.tsx'
import { owedMoney, owedOfBet, owedText } from '../../owed.ts'
import { forText } from '../../partners.tsx'
import { Answer, Badge, Empty, NONE } from '../../parts.tsx'
import { mayDo, useSession } from '../../session.tsx'
import { SendAgain } from './again.tsx'
import { type Delivery, LIVE, ofPartner, Together } from './deliveries.tsx'
import { TroubledPartners } from './partner.tsx'

/** The most that the API lists at once. */
const MOST = 500
const LOOK_MS = 3_000

/** The newest of them; also of the page Now, which keeps them under the same key. */
export const issuesOf = (base: string, partner = '') =>
  `${base}/deliveries?needsPerson=true&selections=true&unmoved=true&limit=${MOST}${ofPartner(partner)}`

/** Deliveries of one cause. */
export interface Issue {
  readonly partnerId: string
  readonly operation: string
  readonly status: string
  readonly code: number | undefined
  /** Newest first. */
  readonly deliveries: readonly Delivery[]
}

export function Issues({ base, partner }: { base: string; partner: string }) {
  // Kept while the window is open: what was sent again is soon no issue any more.
  const [sending, setSending] = useState<Issue>()
  const asked = useQuery({
    queryKey: partner === '' ? ['issues'] : ['issues', partner],
    queryFn: ({ signal }) => read<{ data: Delivery[]; next: string | null }>(issuesOf(base, partner), signal),
    meta: LIVE,
    refetchInterval: LOOK_MS,
  })
  return (
    <>
      {sending !== undefined && <SendAgain issue={sending} base={base} close={() => setSending(undefined)} />}
      <Answer of={asked}>
        {({ data, next }) =>
          data.length === 0 ? (
            <section className="card">
              <Empty
                title={partner === '' ? 'No delivery needs a person.' : `No delivery to ${partner} needs a person.`}
              >
                <TroubledPartners base={base} partner={partner} />
                <p>What a partner refuses, or does not answer in time, is here until it is acknowledged.</p>
              </Empty>
            </section>
          ) : (
            <>
              {next !== null && <p className="notice">There are more: these are the newest {MOST}.</p>}
              {issuesIn(data).map((issue) => (
                <IssueCard key={keyOf(issue)} issue={issue} send={() => setSending(issue)} />
              ))}
            </>
          )
        }
      </Answer>
    </>
  )
}

type Cause = Pick<Issue, 'partnerId' | 'operation' | 'status' | 'code'>
const keyOf = ({ partnerId, operation, status, code }: Cause) => JSON.stringify([partnerId, operation, status, code])

export function issuesIn(deliveries: readonly Delivery[]): Issue[] {
  const byCause = new Map<string, Delivery[]>()
  for (const one of deliveries) {
    const key = keyOf({ ...one, code: one.code })
    byCause.set(key, [...(byCause.get(key) ?? []), one])
  }
  return [...byCause.values()].flatMap((some) => {
    const [first] = some
    return first === undefined ? [] : [{ ...first, code: first.code, deliveries: some }]
  })
}

function IssueCard({ issue, send }: { issue: Issue; send(): void }) {
  const { person } = useSession()
  const { partnerId, operation, status, code, deliveries } = issue
  const since = deliveries.map(({ needsPersonSince, decidedAt }) => needsPersonSince ?? decidedAt).sort()[0] ?? ''
  const [name, tone, words] = WHAT[status] ?? [status, 'bad', '']
  const isUnanswered = status === 'pending' && code === undefined
  const says = isHeldBack(issue) ? HELD_BACK : isUnanswered ? UNANSWERED : words
  return (
    <section className="card issue half" aria-label={`${titleOf(operation)} ${name}`}>
      <header>
        <span className="issue-count">{deliveries.length}</span>
        <div className="issue-says">
          <h2>
            {titleOf(operation)} to {partnerId}
            <Badge tone={tone}>{code === undefined ? name : `${name} · ${sayCode(code)}`}</Badge>
          </h2>
          <p className="muted">
            {says} {deliveries[0]?.error && <>It said: “{deliveries[0].error}”.</>}
          </p>
          <p className="muted small">The oldest has been so {forText(since)}.</p>
        </div>
        <Money of={deliveries} />
        {status !== 'pending' && (
          <button
            type="button"
            className="button"
            disabled={!mayDo(person, 'support')}
            title={mayDo(person, 'support') ? undefined : 'This needs a key of the role support.'}
            onClick={send}
          >
            Send {deliveries.length} again…
          </button>
        )}
      </header>
      <Some deliveries={deliveries} />
    </section>
  )
}

const WHAT: Readonly<Record<string, readonly [string, string, string]>> = {
  stuck: ['stuck', 'bad', 'No answer came that says yes or no: it may have been booked. Sending it again is safe.'],
  refused: ['refused', 'bad', 'The partner said no. Mend the cause, then send it again.'],
  pending: ['tried again', 'wait', 'The partner answers, but not to the question. It is tried again by itself.'],
}
/** W-48: tried again, and the last answer had no code. */
const UNANSWERED = 'No answer has said yes or no: it may have been booked. It is tried again by itself.'

/** C-5: the partner's no to a result. */
const NO_TO_A_RESULT = replyCodes('invalid_request', 'recalculation_blocked', 'recalculation_negative')

/** W-46: the Rollback behind it waits. */
const isHeldBack = ({ operation, status, code }: Issue) =>
  operation === 'unsettle' && status === 'stuck' && NO_TO_A_RESULT.includes(code ?? 0)
const HELD_BACK = 'The partner said no, and the Rollback of the bet waits. Mend the cause, then send it again.'

function Money({ of }: { of: readonly Delivery[] }) {
  return (
    <div className="issue-money num">
      {owedMoney(of).map((money) => (
        <strong key={money.currency}>{owedText([money])}</strong>
      ))}
    </div>
  )
}

const SHOWN = 20

function Some({ deliveries }: { deliveries: readonly Delivery[] }) {
  const rest = deliveries.slice(SHOWN)
  return (
    <div className="scroll">
      <table className="list">
        <thead>
          <tr>
            <th>Since</th>
            <th>Bet</th>
            <th>Match</th>
            <th className="num">Tries</th>
            <th className="num">Money of the player</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.slice(0, SHOWN).map(({ deliveryId, betId, attempts, needsPersonSince, decidedAt, ...one }) => (
            <tr key={deliveryId}>
              <td>
                <Time at={needsPersonSince ?? decidedAt} />
              </td>
              <td>
                <ShortId id={betId} href={`/bets/${pathPart(betId)}`} />
              </td>
              <td>
                <BetOn of={one} />
              </td>
              <td className="num">{attempts}</td>
              <td className="num">
                <span className="why-not">
                  {owedOfBet(one) || NONE}
                  {one.isStakeUnknown && <small className="muted">if its stake was taken</small>}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {rest.length > 0 && (
            <tr>
              <td colSpan={4} className="muted">
                <span className="foot-name">and {rest.length} more</span>
              </td>
              <td className="num">{owedText(owedMoney(rest))}</td>
            </tr>
          )}
          {deliveries.length > 1 && <Together money={owedMoney(deliveries)} columns={5} />}
        </tfoot>
      </table>
    </div>
  )
}
