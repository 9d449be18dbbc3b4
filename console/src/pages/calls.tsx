/** Every call of the wire as it comes, refused ones and strangers' too; filters are words, in the address. */

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, Fragment, type ReactNode, useEffect, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { titleOf } from '../../../src/timeline/moments.ts'
import { sayCode } from '../../../src/timeline/refusal.ts'
import type { JournalCall } from '../../../src/timeline/sources.ts'
import { spanOf } from '../../../src/timeline/spans.ts'
import { read } from '../api.ts'
import { useFilters } from '../filters.tsx'
import { capital, Time } from '../format.tsx'
import { Id, ShortId } from '../ids.tsx'
import { Fresh, keyedClass, More, useKeys } from '../list.tsx'
import type { LiveMeta } from '../live.tsx'
import { Answer, Badge, Code, Empty, Fault, NONE, Stale, Waiting } from '../parts.tsx'
import { Phases } from '../phases.tsx'
import { saySignature } from '../say-signature.ts'
import { mayDo, useSession } from '../session.tsx'
import { useTail } from '../tail.ts'
import { filtersOf } from '../words.ts'
import { SignatureCheck } from './signature.tsx'
import './calls.css'

const LIVE: LiveMeta = { live: ['call'], everyMs: 1_000 }

export function CallsPage() {
  const { person } = useSession()
  const [query, setQuery] = useSearchParams()
  const text = query.get('q') ?? ''
  const { unknown } = filtersOf(text)
  const [isStopped, setStopped] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = String(new FormData(event.currentTarget).get('filter') ?? '').trim()
    setQuery(next === '' ? {} : { q: next })
  }
  return (
    <div className="page">
      <div className="head">
        <h1>Calls</h1>
        <p className="muted">What came over the wire, and what it was answered.</p>
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
            No filter: {unknown.join(' ')}. There are player, bet, request, op, outcome, code, platform, slow.
          </p>
        )}
      </form>
      {mayDo(person, 'support') ? (
        <Calls key={`calls ${text}`} {...{ text, isStopped, setStopped }} />
      ) : (
        <Fault error={new Error('calls need a key of the role support')} />
      )}
      <SignatureCheck />
    </div>
  )
}

/** In the address: its id, and when it came, by which it is found again when the list has gone on. */
const nameOf = ({ id, at }: JournalCall) => `${id}@${at}`

interface Tail {
  readonly text: string
  readonly isStopped: boolean
  setStopped(isStopped: boolean): void
}

/** While somebody reads nothing shifts: the tail stands still while a call is open, and new ones are counted. */
function Calls({ text, isStopped, setStopped }: Tail) {
  const [query, set] = useFilters()
  const open = query.get('call') ?? undefined
  const [isAtRow, setAtRow] = useState(false)
  const {
    asked,
    fault,
    rows: calls,
    fresh,
    show,
    place,
  } = useTail<JournalCall>({
    path: `/operator/calls?limit=30${filtersOf(text).query}`,
    keyOf: ({ id }) => id,
    live: LIVE,
    isHeld: isStopped || open !== undefined || isAtRow,
  })
  const toggle = (call: JournalCall) => set('call', open === nameOf(call) ? '' : nameOf(call), true)
  const at = useKeys(calls.length, (i) => calls[i] && toggle(calls[i]))
  useEffect(() => setAtRow(at >= 0), [at])
  if (asked.isPending) return <Waiting />
  if (asked.error !== null && calls.length === 0) return <Fault error={asked.error} again={() => asked.refetch()} />
  const isListed = calls.some((call) => nameOf(call) === open)
  return (
    <>
      {open !== undefined && !isListed && <Addressed name={open} close={() => set('call', '', true)} />}
      <section className="card" aria-label="Calls">
        <header>
          <h2>Newest first</h2>
          {isStopped && <span className="live paused">Paused</span>}
          <span className="spring" />
          <button type="button" className="button" onClick={() => setStopped(!isStopped)}>
            {isStopped ? 'Go on' : 'Pause'}
          </button>
        </header>
        <Stale of={fault} />
        <Fresh text={fresh} show={show} />
        {calls.length === 0 ? (
          <Empty title={text === '' ? 'No calls yet.' : 'No such calls.'}>
            <p>
              {text === ''
                ? 'A call appears here a moment after it was answered.'
                : 'Nothing that the journal keeps fits these words.'}
            </p>
          </Empty>
        ) : (
          <div className="scroll" ref={place}>
            <Table>
              {calls.map((call, i) => (
                <Fragment key={call.id}>
                  <Row call={call} isOpen={open === nameOf(call)} isAt={i === at} toggle={() => toggle(call)} />
                  {open === nameOf(call) && <Details call={call} />}
                </Fragment>
              ))}
            </Table>
          </div>
        )}
        <More of={asked} />
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
          <th className="num">Took</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** The call of the address, which is not in the list (any more). The journal finds by time: within a millisecond there are few. */
function Addressed({ name, close }: { name: string; close(): void }) {
  const asked = useQuery({
    queryKey: ['call', name],
    queryFn: async ({ signal }) => {
      const from = new Date(name.slice(name.lastIndexOf('@') + 1))
      if (Number.isNaN(from.getTime())) return null
      const to = new Date(from.getTime() + 1)
      const path = `/operator/calls?limit=100&from=${from.toISOString()}&to=${to.toISOString()}`
      const { data } = await read<{ data: JournalCall[] }>(path, signal)
      return data.find((call) => nameOf(call) === name) ?? null
    },
  })
  return (
    <section className="card" aria-label="The call of this address">
      <Answer of={asked}>
        {(call) =>
          call === null ? (
            <Empty title="The call of this address is not in the journal (any more).">
              <p>The journal keeps calls for some days.</p>
            </Empty>
          ) : (
            <div className="scroll">
              <Table>
                <Row call={call} isOpen isAt={false} toggle={close} />
                <Details call={call} />
              </Table>
            </div>
          )
        }
      </Answer>
    </section>
  )
}

interface RowProps {
  readonly call: JournalCall
  readonly isOpen: boolean
  /** The keys are at it. */
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
          {capital(titleOf(call.operation))}
        </button>
      </td>
      <td>
        <Badge tone={tone}>{outcomeText(outcome, answer.code)}</Badge>
      </td>
      <td className="cut">
        {player === undefined ? NONE : <Link href={`/players/${pathPart(player)}`}>{player}</Link>}
      </td>
      <td>
        {player === undefined || transactionId === undefined ? (
          NONE
        ) : (
          <ShortId id={transactionId} href={`/bets/${pathPart(player)}/${pathPart(transactionId)}`} />
        )}
      </td>
      <td className="num">{spanOf(milliseconds.arrival + milliseconds.work)}</td>
    </tr>
  )
}

/** "Not enough money (7)"; an outcome that is called otherwise than its code stands before it. */
function outcomeText(outcome: string, code: number | undefined): string {
  const words = outcome.replaceAll('_', ' ')
  const said = code === undefined ? words : sayCode(code)
  return capital(said.startsWith(words) ? said : `${words} · ${said}`)
}

function Details({ call }: { call: JournalCall }) {
  const { signature, source, request, answer, requestId } = call
  return (
    <tr className="call-details">
      <td colSpan={6}>
        <dl className="rows">
          <dt>Signature</dt>
          <dd>
            {signature === 'refused'
              ? 'Refused: no secret of this wallet signs exactly these bytes. Take it apart below.'
              : capital(saySignature(signature))}
          </dd>
          <dt>From</dt>
          <dd>{source}</dd>
          <dt>Request</dt>
          <dd>
            {requestId === undefined ? NONE : <Id id={requestId} whole />} · {request.bytes} bytes · SHA-256{' '}
            <code>{request.sha256.slice(0, 16)}…</code>
          </dd>
        </dl>
        <div className="call-phases">
          <Phases seen={call} />
        </div>
        <div className="call-bodies">
          <Code name="Request">{request.body}</Code>
          <Code name="Answer">{`${answer.status} ${answer.body}`}</Code>
        </div>
      </td>
    </tr>
  )
}
