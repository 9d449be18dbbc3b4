/** Sending again what one cause holds up, line by line: first what each would do, tried dry; then sent, how far it has come, and what came of each. */

import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { ApiProblem, ask, read } from '../../api.ts'
import { Dialog } from '../../dialog.tsx'
import { ShortId } from '../../ids.tsx'
import { type OwedMoney, owedMoney, owedText } from '../../owed.ts'
import { Answer, Badge, Refusal } from '../../parts.tsx'
import { type Delivery, DeliveryState } from './deliveries.tsx'
import type { Issue } from './issues.tsx'

interface Counted {
  readonly count: number
  readonly money: readonly OwedMoney[]
  readonly notTaken: { readonly stillTried: number }
}

interface Begun {
  readonly retryId: string
}

/** How far a retry has come (C-16). */
interface Retry extends Begun {
  readonly chosen: Readonly<Record<string, unknown>>
  readonly state: 'running' | 'finished' | 'cut_short'
  readonly count: number
  readonly taken: number
}

interface Followed extends Retry {
  readonly states: Readonly<Record<string, number>>
  /** The first of its deliveries. */
  readonly data: readonly Delivery[]
}

/** Retries among which the one that was just begun surely is. */
const LATEST = 20

const chosenOf = ({ partnerId, operation, status, code }: Issue) => ({
  ...{ partnerId, operation, status },
  code: code ?? null, // without a code is a cause of its own
})

/**
 * Sends them again and resolves to the retry's id. The server begins it before it answers: should the answer get lost, the retry that was not
 * there before is the one.
 */
async function sendAgain(issue: Issue, base: string): Promise<Begun> {
  const latest = () => read<{ data: Retry[] }>(`${base}/deliveries/retries?limit=${LATEST}`).then(({ data }) => data)
  const before = new Set((await latest()).map(({ retryId }) => retryId))
  try {
    return await ask<Begun>('POST', `${base}/deliveries/retry`, { ...chosenOf(issue), dryRun: false })
  } catch (error) {
    if (error instanceof ApiProblem && error.status < 500) throw error
    const begun = (await latest()).find((retry) => !before.has(retry.retryId) && isOf(issue, retry))
    if (begun === undefined) throw error
    return begun
  }
}

function isOf({ partnerId, operation, status, code }: Issue, { chosen }: Retry): boolean {
  const wanted: Readonly<Record<string, string>> = { partnerId, operation, status, code: `${code ?? 'none'}` }
  return Object.entries(wanted).every(([name, value]) => chosen[name] === value)
}

export function SendAgain({ issue, base, close }: { issue: Issue; base: string; close(): void }) {
  const chosen = chosenOf(issue)
  const dry = useQuery({
    queryKey: ['dry run', chosen],
    queryFn: () => ask<Counted>('POST', `${base}/deliveries/retry`, { ...chosen, dryRun: true }),
    gcTime: 0,
  })
  const send = useMutation({ mutationFn: () => sendAgain(issue, base) })
  const lines = useMemo(() => inOrder(issue.deliveries), [issue])
  return (
    <Dialog title="Send again" close={close}>
      {send.data !== undefined ? (
        <Sent retryId={send.data.retryId} base={base} lines={lines} />
      ) : (
        <Answer of={dry}>
          {({ count, money, notTaken }) => (
            <>
              <p>
                <strong>{count}</strong> would be sent again
                {money.length > 0 && `: ${owedText(money)}`}. Nothing has been sent yet.
              </p>
              <p className="muted">
                The same bytes go out with the same request id. A partner that has booked one already answers the same
                again and books nothing.
              </p>
              {notTaken.stillTried > 0 && (
                <p className="muted">{notTaken.stillTried} more are tried again by themselves.</p>
              )}
              <Lines name="What each would do" lines={lines} count={count} stateOf={() => WOULD_BE_SENT} />
            </>
          )}
        </Answer>
      )}
      {send.error !== null && <Refusal>Not sent: {send.error.message}.</Refusal>}
      <div className="choices">
        <button type="button" className="button" onClick={close}>
          {send.data === undefined ? 'Cancel' : 'Done'}
        </button>
        {send.data === undefined && (
          <button
            type="button"
            className="button main-one"
            disabled={!dry.data?.count || send.isPending}
            onClick={() => send.mutate()}
          >
            {send.isPending ? 'Sending…' : `Send ${dry.data?.count ?? ''} again`}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** Lines that are shown and followed, and milliseconds between two looks. */
const FOLLOWED = 100
const LOOK_MS = 700

/** As the platform lists those of a retry: by their ids, which are numbers of any length. */
function inOrder(deliveries: readonly Delivery[]): readonly Delivery[] {
  const byId = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1)
  return deliveries.toSorted((a, b) => byId(a.deliveryId, b.deliveryId)).slice(0, FOLLOWED)
}

const WOULD_BE_SENT = <Badge tone="plain">Not sent</Badge>

interface LinesProps {
  readonly name: string
  readonly lines: readonly Delivery[]
  /** Of all, some of which may not be shown. */
  readonly count: number
  stateOf(line: Delivery): ReactNode
}

function Lines({ name, lines, count, stateOf }: LinesProps) {
  return (
    <>
      <ul className="outcomes" aria-label={name}>
        {lines.map((line) => (
          <li key={line.deliveryId}>
            <span className="outcome-what">
              <ShortId id={line.betId} href={`/bets/${pathPart(line.betId)}`} />
              <span className="muted small">
                {titleOf(line.operation)}: {owedText(owedMoney([line])) || 'no money'}
              </span>
            </span>
            {stateOf(line)}
          </li>
        ))}
      </ul>
      {count > lines.length && <p className="muted small">and {count - lines.length} more</p>}
    </>
  )
}

interface SentProps {
  readonly retryId: string
  readonly base: string
  readonly lines: readonly Delivery[]
}

function Sent({ retryId, base, lines }: SentProps) {
  const asked = useQuery({
    queryKey: ['retry', retryId],
    queryFn: ({ signal }) =>
      read<Followed>(`${base}/deliveries/retries/${pathPart(retryId)}?limit=${FOLLOWED}`, signal),
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? LOOK_MS : false),
    refetchIntervalInBackground: true, // of one's own doing, also while the rest is paused
  })
  return <Answer of={asked}>{(retry) => <Outcome retry={retry} lines={lines} />}</Answer>
}

function Outcome({ retry, lines }: { retry: Followed; lines: readonly Delivery[] }) {
  const now = new Map(retry.data.map((one) => [one.deliveryId, one]))
  const shown = [
    ...lines,
    ...retry.data.filter(({ deliveryId }) => !lines.some((one) => one.deliveryId === deliveryId)),
  ]
  const over = retry.taken - underWay(retry)
  return (
    <>
      <p role="status">
        <strong>
          {retry.taken} of {retry.count}
        </strong>{' '}
        sent again{retry.state === 'finished' && retry.taken === retry.count ? '.' : SAYS[retry.state]}
      </p>
      <label className="progress">
        <span className="small muted">
          {over} of {retry.count} answered
        </span>
        <progress max={retry.count || 1} value={Math.max(0, over)} />
      </label>
      <Lines
        name="What came of each"
        lines={shown}
        count={Math.max(retry.count, shown.length)}
        stateOf={({ deliveryId }) => {
          const { status, code } = now.get(deliveryId) ?? {}
          if (status !== undefined) return <DeliveryState status={status} code={code} />
          return retry.state === 'running' ? NOT_YET : LEFT_OUT
        }}
      />
    </>
  )
}

const NOT_YET = <Badge tone="wait">Not sent yet</Badge>
/** Somebody else was quicker, or the retry was cut short: what is said above tells which. */
const LEFT_OUT = <Badge tone="plain">Left out</Badge>

const SAYS: Readonly<Record<Retry['state'], string>> = {
  running: ', and it goes on.',
  finished: '. What is missing was changed by somebody else meanwhile.',
  cut_short: '. Then it was cut short: send the others again.',
}

const underWay = ({ states }: Followed) => (states.pending ?? 0) + (states.waiting ?? 0)
const isUnderWay = (retry: Followed) => retry.state === 'running' || underWay(retry) > 0
