/** Journal of API calls, newest first. The page address contains the filters. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import type { JournalCallDetail } from '@purser/timeline/bet-sources'
import { formatDuration } from '@purser/timeline/drawing/time-format'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, Fragment, type ReactNode, useEffect, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { getJson } from '../../app/console-api.ts'
import { hasRole, useSession } from '../../app/console-session.tsx'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { capital, Time } from '../../shared/charts/format.tsx'
import { TimingWaterfall } from '../../shared/charts/timing-waterfall.tsx'
import { useFilters } from '../../shared/controls/filter-fields.tsx'
import { Id, ShortId } from '../../shared/controls/ids.tsx'
import {
  Badge,
  CodeBlock,
  DASH,
  EmptyState,
  ErrorMessage,
  LoadingSkeleton,
  QueryResult,
  StaleNotice,
} from '../../shared/controls/page-states.tsx'
import { keyedClass, MoreButton, NewRowsButton, useKeys } from '../../shared/controls/paged-list.tsx'
import { parseFilters } from '../../shared/data/call-filters.ts'
import { useLiveList } from '../../shared/data/live-list.ts'
import { describeSignature } from '../../shared/data/signature-check.ts'
import { SignatureDebugger } from './signature-debugger.tsx'
import './calls.css'

const LIVE: LiveMeta = { live: ['call'], everyMs: 1_000 }

export function CallsPage() {
  const { person } = useSession()
  const [query, setQuery] = useSearchParams()
  const text = query.get('q') ?? ''
  const { unknown } = parseFilters(text)
  const [isStopped, setStopped] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = String(new FormData(event.currentTarget).get('filter') ?? '').trim()
    setQuery(next === '' ? {} : { q: next })
  }
  return (
    <div className="page">
      <div className="head">
        <h1>API calls</h1>
        <p className="muted">The calls that platforms made to this wallet, with their responses.</p>
      </div>
      <form className="filters" onSubmit={submit} key={`words ${text}`}>
        <label>
          <span className="vh">Filters</span>
          <input
            name="filter"
            defaultValue={text}
            placeholder="player:robin  op:place  code:7  slow:>1s"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
        {unknown.length > 0 && (
          <p className="notice">
            Unknown filter: {unknown.join(' ')}. The filters are player, bet, request, op, outcome, code, platform,
            slow.
          </p>
        )}
      </form>
      {hasRole(person, 'support') ? (
        <Calls key={`calls ${text}`} {...{ text, isStopped, setStopped }} />
      ) : (
        <ErrorMessage error={new Error('API calls need the role Support')} />
      )}
      <SignatureDebugger />
    </div>
  )
}

/**
 * The name has the id and the time of the call, so that the call is found after it has left the
 * list.
 */
const callName = ({ id, at }: JournalCallDetail) => `${id}@${at}`

interface CallsProps {
  readonly text: string
  readonly isStopped: boolean
  setStopped(isStopped: boolean): void
}

/**
 * The list does not move while a call is open or a row is selected by keyboard. New calls are
 * counted instead.
 */
function Calls({ text, isStopped, setStopped }: CallsProps) {
  const [query, set] = useFilters()
  const open = query.get('call') ?? undefined
  const [isAtRow, setAtRow] = useState(false)
  const {
    asked: result,
    fault,
    rows: calls,
    fresh,
    show,
    place,
  } = useLiveList<JournalCallDetail>({
    path: `/operator/calls?limit=30${parseFilters(text).query}`,
    keyOf: ({ id }) => id,
    live: LIVE,
    isFrozen: isStopped || open !== undefined || isAtRow,
  })
  const toggle = (call: JournalCallDetail) => set('call', open === callName(call) ? '' : callName(call), true)
  const at = useKeys(calls.length, (i) => calls[i] && toggle(calls[i]))
  useEffect(() => setAtRow(at >= 0), [at])
  if (result.isPending) return <LoadingSkeleton />
  if (result.error !== null && calls.length === 0)
    return <ErrorMessage error={result.error} again={() => result.refetch()} />
  const isListed = calls.some((call) => callName(call) === open)
  return (
    <>
      {open !== undefined && !isListed && <LinkedCall name={open} close={() => set('call', '', true)} />}
      <section className="card" aria-label="Calls">
        <header>
          <h2>Newest first</h2>
          {isStopped && <span className="live paused">Paused</span>}
          <span className="spring" />
          <button type="button" className="button" onClick={() => setStopped(!isStopped)}>
            {isStopped ? 'Resume' : 'Pause'}
          </button>
        </header>
        <StaleNotice of={fault} />
        <NewRowsButton text={fresh} show={show} />
        {calls.length === 0 ? (
          <EmptyState title={text === '' ? 'No calls yet.' : 'No matching calls.'}>
            <p>
              {text === ''
                ? 'A call appears here a moment after its response.'
                : 'No call in the journal matches these filters.'}
            </p>
          </EmptyState>
        ) : (
          <div className="scroll" ref={place}>
            <Table>
              {calls.map((call, i) => (
                <Fragment key={call.id}>
                  <Row call={call} isOpen={open === callName(call)} isAt={i === at} toggle={() => toggle(call)} />
                  {open === callName(call) && <Details call={call} />}
                </Fragment>
              ))}
            </Table>
          </div>
        )}
        <MoreButton of={result} />
      </section>
    </>
  )
}

function Table({ children }: { children: ReactNode }) {
  return (
    <table className="list calls">
      <thead>
        <tr>
          <th>Time</th>
          <th>Call</th>
          <th>Outcome</th>
          <th>Player</th>
          <th>Bet</th>
          <th className="num">Duration</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/**
 * The call in the address that is not in the list. The journal is searched by time, and a
 * millisecond contains few calls.
 */
function LinkedCall({ name, close }: { name: string; close(): void }) {
  const result = useQuery({
    queryKey: ['call', name],
    queryFn: async ({ signal }) => {
      const from = new Date(name.slice(name.lastIndexOf('@') + 1))
      if (Number.isNaN(from.getTime())) return null
      const to = new Date(from.getTime() + 1)
      const path = `/operator/calls?limit=100&from=${from.toISOString()}&to=${to.toISOString()}`
      const { data } = await getJson<{ data: JournalCallDetail[] }>(path, signal)
      return data.find((call) => callName(call) === name) ?? null
    },
  })
  return (
    <section className="card" aria-label="Linked call">
      <QueryResult of={result}>
        {(call) =>
          call === null ? (
            <EmptyState title="The linked call is not in the journal.">
              <p>The journal keeps calls for some days only.</p>
            </EmptyState>
          ) : (
            <div className="scroll">
              <Table>
                <Row call={call} isOpen isAt={false} toggle={close} />
                <Details call={call} />
              </Table>
            </div>
          )
        }
      </QueryResult>
    </section>
  )
}

interface RowProps {
  readonly call: JournalCallDetail
  readonly isOpen: boolean
  /** True if the row is selected by keyboard. */
  readonly isAt: boolean
  toggle(): void
}

function Row({ call, isOpen, isAt, toggle }: RowProps) {
  const { answer, milliseconds, outcome, player, transactionId } = call
  const tone = answer.status === 200 ? 'good' : outcome === 'bad_signature' || answer.status >= 500 ? 'bad' : 'refused'
  return (
    <tr className={isAt ? keyedClass(isAt) : isOpen ? 'at' : undefined}>
      <td>
        <Time at={call.at} millis />
      </td>
      <td>
        <button
          type="button"
          className="call-name"
          aria-expanded={isOpen}
          onClick={toggle}
          title={`op:${call.operation}`}
        >
          {capital(operationTitle(call.operation))}
        </button>
      </td>
      <td>
        <Badge tone={tone}>{outcomeText(outcome, answer.code)}</Badge>
      </td>
      <td className="cut">
        {player === undefined ? DASH : <Link href={`/players/${encodePathSegment(player)}`}>{player}</Link>}
      </td>
      <td>
        {player === undefined || transactionId === undefined ? (
          DASH
        ) : (
          <ShortId id={transactionId} href={`/bets/${encodePathSegment(player)}/${encodePathSegment(transactionId)}`} />
        )}
      </td>
      <td className="num">{formatDuration(milliseconds.arrival + milliseconds.work)}</td>
    </tr>
  )
}

/**
 * Example: "Not enough money (7)". An outcome that is named differently from its code precedes it.
 */
function outcomeText(outcome: string, code: number | undefined): string {
  const words = outcome.replaceAll('_', ' ')
  const codeText = code === undefined ? words : describeReplyCode(code)
  return capital(codeText.startsWith(words) ? codeText : `${words} · ${codeText}`)
}

function Details({ call }: { call: JournalCallDetail }) {
  const { signature, source, request, answer, requestId } = call
  return (
    <tr className="call-details">
      <td colSpan={6}>
        <dl className="rows">
          <dt>Signature</dt>
          <dd>
            {signature === 'refused'
              ? 'Rejected: no secret of this wallet matches this signature and body. Check it in the signature debugger below.'
              : capital(describeSignature(signature))}
          </dd>
          <dt>IP address</dt>
          <dd>{source}</dd>
          <dt>Request</dt>
          <dd>
            {requestId === undefined ? DASH : <Id id={requestId} whole />} · {request.bytes} bytes · SHA-256{' '}
            <code>{request.sha256.slice(0, 16)}…</code>
          </dd>
        </dl>
        <div className="call-phases">
          <TimingWaterfall seen={call} />
        </div>
        <div className="call-bodies">
          <CodeBlock name="Request">{request.body}</CodeBlock>
          <CodeBlock name="Response">{`${answer.status} ${answer.body}`}</CodeBlock>
        </div>
      </td>
    </tr>
  )
}
