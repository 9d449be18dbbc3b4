/** Reports of several days: GGR, breakdown and balances, the trial balance, and the audit. */
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { downloadFile, encodeQueryPart, getJson } from '../../app/console-api.ts'
import { MONEY_LIVE } from '../../app/live-updates.tsx'
import { DAY_MS, dayOf } from '../../shared/charts/days.ts'
import { DayField, type SetFilter, TextField, useFilters } from '../../shared/controls/filter-fields.tsx'
import {
  ActionError,
  Badge,
  EmptyState,
  ErrorMessage,
  LoadingSkeleton,
  QueryResult,
} from '../../shared/controls/page-states.tsx'
import { downloadBlob } from '../../shared/data/file-download.ts'
import { DayTables } from './daily-tables.tsx'
import type { ReportRow } from './day-sums.ts'
import { TrialBalances } from './trial-balance.tsx'
import '../money/money.css'
import './reports.css'

const DAYS = 7

const VIEWS = [
  ['days', 'Days'],
  ['trial', 'Trial balance'],
  ['audit', 'Audit'],
] as const
export const GROUPINGS = [
  ['', 'Combined'],
  ['brand', 'By brand'],
  ['platform', 'By platform'],
  ['site', 'By site'],
] as const
const WORDS = [
  ['currency', 'Currency'],
  ['brand', 'Brand'],
  ['platform', 'Platform'],
  ['site', 'Site'],
] as const

export function ReportsPage() {
  const [query, set] = useFilters()
  const view = query.get('view') ?? 'days'
  return (
    <div className="page">
      <div className="head">
        <h1>Reports</h1>
        <span className="spring" />
        <fieldset className="switch" aria-label="View">
          {VIEWS.map(([one, name]) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => set('view', one)}>
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {view === 'audit' ? <AuditCard /> : <Rows view={view} query={query} set={set} />}
    </div>
  )
}

interface RowsProps {
  readonly view: string
  readonly query: URLSearchParams
  readonly set: SetFilter
}

function Rows({ view, query, set }: RowsProps) {
  const today = dayOf(Date.now())
  const range = { from: query.get('from') ?? dayOf(Date.now() - (DAYS - 1) * DAY_MS), to: query.get('to') ?? today }
  const filters: Readonly<Record<string, string>> = {
    ...Object.fromEntries(WORDS.map(([name]) => [name, query.get(name) ?? ''])),
    ...range,
  }
  const by = (view === 'days' && GROUPINGS.find(([one]) => one === query.get('by'))?.[0]) || ''
  const words = Object.entries({ ...filters, by: `currency${by && ','}${by}` }).flatMap(([name, value]) =>
    value === '' ? [] : [`${name}=${encodeQueryPart(value)}`],
  )
  const path = `/operator/reports/daily?${words.join('&')}`
  const result = useQuery({
    queryKey: ['report', path],
    queryFn: ({ signal }) => getJson<{ data: ReportRow[] }>(path, signal),
    ...(range.to >= today && { meta: MONEY_LIVE }),
  })
  const saved = useMutation({
    mutationFn: async () => downloadBlob(`purser-${range.from}-${range.to}.csv`, await downloadFile(path, 'text/csv')),
  })
  return (
    <>
      <form className="filter-bar" onSubmit={(event) => event.preventDefault()} aria-label="Days and filters">
        <div className="filter-fields">
          <DayField name="From" value={range.from} max={range.to} isNeeded set={(value) => set('from', value)} />
          <DayField name="To" value={range.to} max={today} isNeeded set={(value) => set('to', value)} />
          {WORDS.map(([name, label]) => (
            <TextField
              key={name}
              name={label}
              value={filters[name] ?? ''}
              set={(value) => set(name, normalizeFilter(name, value))}
            />
          ))}
          {view === 'days' && (
            <label className="field">
              <span>Rows</span>
              <select value={by} onChange={({ target }) => set('by', target.value)}>
                {GROUPINGS.map(([one, name]) => (
                  <option key={one} value={one}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        <button type="button" className="button" disabled={saved.isPending} onClick={() => saved.mutate()}>
          {saved.isPending ? 'Saving…' : 'CSV'}
        </button>
      </form>
      {saved.error !== null && <ActionError>Couldn’t save the file: {saved.error.message}.</ActionError>}
      <QueryResult of={result}>
        {({ data }) =>
          data.length === 0 ? (
            <section className="card">
              <EmptyState title="No activity on these days.">
                <p>Days are in UTC and start with the first deposit. Choose other days or remove filters.</p>
              </EmptyState>
            </section>
          ) : view === 'trial' ? (
            <TrialBalances rows={data} />
          ) : (
            <DayTables rows={data} by={by} />
          )
        }
      </QueryResult>
    </>
  )
}

/** A site is any text from the platform, including spaces. */
const normalizeFilter = (name: string, text: string) =>
  name === 'currency' ? text.trim().toUpperCase() : name === 'site' && text.trim() !== '' ? text : text.trim()

interface Audit {
  readonly ok: boolean
  readonly findings: readonly { readonly check: string; readonly row: Readonly<Record<string, string>> }[]
}

/** The audit reads the whole ledger, so it runs only on request. */
function AuditCard() {
  const audit = useMutation({ mutationFn: () => getJson<Audit>('/operator/audit') })
  return (
    <section className="card" aria-label="Audit">
      <header>
        <h2>Checks of the ledger and of the bets</h2>
        <span className="spring" />
        <button type="button" className="button main-one" disabled={audit.isPending} onClick={() => audit.mutate()}>
          {audit.isPending ? 'Checking…' : audit.data === undefined ? 'Check now' : 'Check again'}
        </button>
      </header>
      {renderAuditResult(audit)}
    </section>
  )
}

function renderAuditResult(audit: { isPending: boolean; error: Error | null; data: Audit | undefined }): ReactNode {
  if (audit.isPending) return <LoadingSkeleton />
  if (audit.error !== null) return <ErrorMessage error={audit.error} />
  if (audit.data === undefined)
    return (
      <EmptyState title="The audit has not run yet.">
        <p>
          The audit reads all accounts, transfers and bets as of one moment. A large wallet with millions of rows takes
          some seconds.
        </p>
      </EmptyState>
    )
  const { ok, findings } = audit.data
  if (ok)
    return (
      <p className="body" role="status">
        <Badge tone="good">Passed</Badge> Every check passed.
      </p>
    )
  return (
    <div className="body audit-findings" role="status">
      <Badge tone="bad">{findings.length === 1 ? '1 finding' : `${findings.length} findings`}</Badge>
      <ul>
        {findings.map((finding) => (
          <li key={JSON.stringify(finding)}>
            Failed check: {finding.check} <code>{Object.entries(finding.row).flat().join(' ')}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
