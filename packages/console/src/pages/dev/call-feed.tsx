/**
 * Calls to the developer's wallet while they happen, newest first, each beside its verdict.
 *
 * The list does not move while it is under the pointer or scrolled, or a call is open. New calls
 * are counted instead.
 */
import { useRef, useState } from 'react'
import { useWireCalls, type WireCall } from '../../shared/betting-frame/wire-calls.ts'
import { capital, useZone } from '../../shared/charts/format.tsx'
import { NewRowsButton } from '../../shared/controls/paged-list.tsx'
import { CallRow } from './call-row.tsx'
import type { DevCause } from './dev-state.ts'

/** The server keeps as many. */
const MAX_SHOWN = 300
const ALL = ''
const ANY_FAULT = 'any fault'

interface CallFeedProps {
  readonly isWalletUp: boolean
  /** True if calls must name their player. */
  readonly hasPlayers: boolean
  readonly causes: readonly DevCause[]
}

export function CallFeed({ isWalletUp, hasPlayers, causes }: CallFeedProps) {
  const all = useWireCalls(MAX_SHOWN)
  const zone = useZone()
  const [filter, setFilter] = useState(ALL)
  const [hasBalances, setBalances] = useState(false)
  const calls = all.filter((call) => isShown(call, filter, hasBalances))
  const { rows, fresh, show, toggle, isOpen, place, listeners } = useStillList(calls)
  const explained = newestOfEachCause(rows)
  const chosen = causes.find(({ cause }) => cause === filter)
  return (
    <section className="card dev-feed" aria-label="Calls to your wallet">
      <header>
        <h2>Calls to your wallet</h2>
        <span className="spring" />
        <label className="small dev-check">
          <input type="checkbox" checked={hasBalances} onChange={({ target }) => setBalances(target.checked)} /> Balance
          reads
        </label>
      </header>
      {causes.length > 0 && <CauseFilter causes={causes} filter={filter} choose={setFilter} />}
      {chosen !== undefined && rows.length === 0 && <p className="dev-note">{chosen.example.sentence}</p>}
      <div className="dev-heads small muted" aria-hidden="true">
        <span>Time, {zone === 'utc' ? 'UTC' : 'local'}</span>
        <span>Call</span>
        <span className="num">Amount</span>
        <span>Response</span>
        <span>Verdict</span>
      </div>
      <NewRowsButton text={fresh} show={show} />
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must scroll it
        <ol ref={place} {...listeners} tabIndex={0} aria-label="Calls, newest first">
          {rows.map((call) => (
            <CallRow
              key={call.number}
              {...{ call, hasPlayers, toggle }}
              isOpen={isOpen(call.number)}
              isExplained={explained.has(call.number)}
            />
          ))}
        </ol>
      )}
      <FeedHint isWalletUp={isWalletUp} hasBets={all.some(({ betId }) => betId !== '')} hasRows={rows.length > 0} />
    </section>
  )
}

interface FeedHintProps {
  readonly isWalletUp: boolean
  readonly hasBets: boolean
  readonly hasRows: boolean
}

/** Before the first bet there may be calls for User data. */
function FeedHint({ isWalletUp, hasBets, hasRows }: FeedHintProps) {
  if (hasBets && hasRows) return null
  return (
    <div className="empty dev-empty">
      {hasBets ? (
        <strong>No call matches.</strong>
      ) : (
        <>
          <strong>{isWalletUp ? 'Place a bet at the left.' : 'Waiting for your wallet.'}</strong>
          <p>Each call to your wallet appears here.</p>
        </>
      )}
    </div>
  )
}

interface CauseFilterProps {
  readonly causes: readonly DevCause[]
  readonly filter: string
  choose(filter: string): void
}

/** The fault that costs most is first. */
function CauseFilter({ causes, filter, choose }: CauseFilterProps) {
  const chips = [
    { name: ALL, title: 'All calls', count: undefined, tone: '' },
    ...(causes.length > 1 ? [{ name: ANY_FAULT, title: 'Every fault', count: undefined, tone: '' }] : []),
    ...causes.map(({ cause, count, kind }) => ({ name: cause, title: capital(cause), count, tone: kind })),
  ]
  return (
    <fieldset className="dev-causes" aria-label="Faults, the most expensive first">
      {chips.map(({ name, title, count, tone }) => (
        <button
          key={name}
          type="button"
          className={`dev-cause ${tone}`}
          aria-pressed={filter === name}
          onClick={() => choose(name)}
        >
          {title}
          {count !== undefined && <span className="dev-count">{count}</span>}
        </button>
      ))}
    </fieldset>
  )
}

const isFault = ({ verdict }: WireCall) => verdict?.kind === 'wrong' || verdict?.kind === 'advice'

/** A balance is read after each burst of calls, so a right one would only be noise. */
function isShown(call: WireCall, filter: string, hasBalances: boolean): boolean {
  if (filter === ANY_FAULT) return isFault(call)
  if (filter !== ALL) return call.verdict?.cause === filter
  return hasBalances || call.operation !== 'balance' || isFault(call)
}

/** Each fault is explained once. */
function newestOfEachCause(rows: readonly WireCall[]): ReadonlySet<number> {
  const oldestFirst = rows.filter(isFault).toReversed()
  const newest = new Map(oldestFirst.map(({ verdict, number }) => [verdict?.cause ?? verdict?.sentence, number]))
  return new Set(newest.values())
}

/** Shown rows stay in place while the list is in use, and keep their current values. */
function useStillList(calls: readonly WireCall[]) {
  const [opened, setOpened] = useState<readonly number[]>([])
  const [isScrolled, setScrolled] = useState(false)
  const [isUnderPointer, setUnderPointer] = useState(false)
  const [newest, setNewest] = useState(0)
  const place = useRef<HTMLOListElement>(null)
  const last = calls[0]?.number ?? 0
  const isStill = isScrolled || isUnderPointer || opened.length > 0
  if (!isStill && newest !== last) setNewest(last)
  const rows = isStill ? calls.filter(({ number }) => number <= newest) : calls
  const hidden = calls.length - rows.length
  return {
    ...{ rows, place },
    fresh: hidden === 0 ? undefined : `${hidden} new`,
    show() {
      setNewest(last)
      setOpened([])
      place.current?.scrollTo({ top: 0 })
    },
    listeners: {
      onScroll: () => setScrolled((place.current?.scrollTop ?? 0) > 0),
      onPointerEnter: () => setUnderPointer(true),
      onPointerLeave: () => setUnderPointer(false),
    },
    isOpen: (number: number) => opened.includes(number),
    toggle: (number: number) =>
      setOpened((before) => (before.includes(number) ? before.filter((one) => one !== number) : [...before, number])),
  }
}
