/**
 * Reconciliation of a day, on request. It shows which bets are equal at wallet and platform, which
 * differ, and which are missing on one side.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatCsvLine, formatTextCell } from '@purser/runtime/text/csv-writer'
import { useMutation } from '@tanstack/react-query'
import type { ReconcileFinding } from 'purser/reconcile/bet-comparison'
import { FINDING_LABELS } from 'purser/reconcile/side-description'
import { useEffect, useId, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useSession } from '../../app/console-session.tsx'
import { capital, Time } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { ActionError, Badge, EmptyState, LoadingSkeleton } from '../../shared/controls/page-states.tsx'
import { downloadText } from '../../shared/data/file-download.ts'
import { NONE_OF } from '../reports/day-sums.ts'
import { type BookSource, compareDay, MAX_BETS, MAX_RECHECKED } from './book-reader.ts'

type Result = Awaited<ReturnType<typeof compareDay>> & { readonly at: number; readonly of: string }

export function Reconciliation({ day }: { day: string }) {
  const { bases } = useSession()
  const [name, setName] = useState('')
  const chooser = useId()
  const compare = useMutation({
    mutationFn: async (source: BookSource): Promise<Result> => ({
      ...(await compareDay({ ...source, day, name: name.trim() })),
      at: Date.now(),
      of: source.file?.name ?? 'the platform of this server',
    }),
  })
  const platformSource = { platform: bases.platform ?? '', partner: bases.partner }
  const [query] = useSearchParams()
  const card = useRef<HTMLElement>(null)
  const isRequested = query.get('compare') === 'platform' && bases.platform !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on the first render
  useEffect(() => {
    if (isRequested) compare.mutate(platformSource)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result changes the height
  useEffect(() => {
    if (location.hash === '#reconciliation') card.current?.scrollIntoView({ block: 'center' })
  }, [compare.isPending])
  return (
    <section className="card" aria-label="Reconciliation" ref={card}>
      <header>
        <h2>Reconciliation</h2>
        <span className="muted small">the bets of the day, here and at the platform</span>
        <span className="spring" />
        <div className="choices">
          {compare.data && (
            <button
              type="button"
              className="button quiet"
              onClick={() => downloadText(`reconciled-${day}.csv`, toCsv(compare.data))}
            >
              CSV
            </button>
          )}
          {bases.platform !== undefined && (
            <button
              type="button"
              className="button"
              disabled={compare.isPending}
              onClick={() => compare.mutate(platformSource)}
            >
              Compare with the platform
            </button>
          )}
          <label className="button" htmlFor={chooser}>
            Compare with a file…
          </label>
          <input
            id={chooser}
            className="vh"
            type="file"
            accept=".csv,text/csv"
            disabled={compare.isPending}
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) compare.mutate({ file })
              target.value = '' // allows the same file again
            }}
          />
        </div>
      </header>
      {compare.error !== null && <ActionError>The comparison failed: {compare.error.message}.</ActionError>}
      {compare.isPending ? (
        <LoadingSkeleton rows={2} />
      ) : compare.data === undefined ? (
        <NotYet name={name} setName={setName} />
      ) : (
        <ComparisonView result={compare.data} />
      )}
    </section>
  )
}

function NotYet({ name, setName }: { name: string; setName(name: string): void }) {
  return (
    <EmptyState title="No comparison yet.">
      <p>
        The file has one line per bet of this day. Its first line names the columns: <code>betId</code>,{' '}
        <code>player</code>, <code>status</code>, <code>currency</code>, <code>stake</code>, <code>resultType</code>,{' '}
        <code>payout</code>. This page compares up to {MAX_BETS.toLocaleString('en')} bets.{' '}
        <code>purser reconcile</code> compares any number.
      </p>
      <label className="field of-platform">
        <span>Platform</span>
        <input value={name} placeholder={NONE_OF.platform} onChange={({ target }) => setName(target.value)} />
      </label>
    </EmptyState>
  )
}

const PARTS = [
  ['differs', 'Different', 'bad'],
  ['onlyOurs', 'Missing at platform', 'bad'],
  ['onlyTheirs', 'Missing here', 'bad'],
] as const

function ComparisonView({ result }: { result: Result }) {
  const { matched, inFlight, at, of, isFirstLook } = result
  const findings = PARTS.flatMap(([name, title]) => result[name].map((finding) => [title, finding] as const))
  return (
    <div role="status">
      <dl className="facts body books">
        <Figure name="Matched" count={matched} tone="good" />
        {PARTS.map(([name, title, tone]) => (
          <Figure
            key={name}
            name={title}
            count={result[name].length}
            tone={result[name].length === 0 ? 'plain' : tone}
          />
        ))}
        {inFlight > 0 && <Figure name="Call in progress" count={inFlight} tone="wait" />}
      </dl>
      <p className="result-says muted small">
        {findings.length === 0 ? 'All bets match' : 'The differences are listed below'}: compared with {of},{' '}
        <Time at={at} />.
        {isFirstLook &&
          ` More than ${MAX_RECHECKED} bets differ, so none was checked a second time. The list may contain bets near midnight or with a call in progress.`}
      </p>
      {findings.length > 0 && <Findings of={findings} />}
    </div>
  )
}

function Figure({ name, count, tone }: { name: string; count: number; tone: string }) {
  return (
    <div>
      <dt>
        <Badge tone={tone}>{name}</Badge>
      </dt>
      <dd className="num">{count}</dd>
    </div>
  )
}

/** The most rows on the page; the CSV has all. */
const SHOWN = 100

function Findings({ of }: { of: readonly (readonly [string, ReconcileFinding])[] }) {
  return (
    <>
      <div className="scroll">
        <table className="list">
          <thead>
            <tr>
              <th>Result</th>
              <th>Difference</th>
              <th>Bet</th>
              <th>Player</th>
              <th>At platform</th>
              <th>In wallet</th>
            </tr>
          </thead>
          <tbody>
            {of.slice(0, SHOWN).map(([title, { kind, betId, player, platform, wallet }]) => (
              <tr key={`${kind} ${betId} ${player}`}>
                <td>{title}</td>
                <td>{capital(FINDING_LABELS[kind])}</td>
                <td>
                  <ShortId id={betId} href={`/bets/${encodePathSegment(player)}/${encodePathSegment(betId)}`} />
                </td>
                <td>
                  <span className="cut">{player}</span>
                </td>
                <td>{platform ?? 'no record'}</td>
                <td>{wallet ?? 'no record'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {of.length > SHOWN && (
        <p className="result-says muted small">
          {SHOWN} of {of.length} are shown; the CSV has all of them.
        </p>
      )}
    </>
  )
}

function toCsv(result: Result): string {
  const lines = PARTS.flatMap(([name, title]) =>
    result[name].map(({ kind, betId, player, platform, wallet }) =>
      formatCsvLine([title, FINDING_LABELS[kind], ...[betId, player, platform, wallet].map(formatTextCell)]),
    ),
  )
  return [formatCsvLine(['where', 'what', 'bet', 'player', 'platform', 'wallet']), ...lines].join('')
}
