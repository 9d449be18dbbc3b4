/** What the books say over some days: what each day came to, the trial balance at its ends, and whether every rule of the ledger holds. */
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fileOf, part, read } from '../api.ts'
import { DAY_MS, dayOf } from '../days.ts'
import { DayField, type SetFilter, useFilters, WordField } from '../filters.tsx'
import { MONEY_LIVE } from '../live.tsx'
import { Answer, Badge, Empty, Fault, Refusal, Waiting } from '../parts.tsx'
import { saveBlob } from '../save.ts'
import type { ReportRow } from './money-days.ts'
import { DayTables } from './reports-days.tsx'
import { TrialBalances } from './reports-trial.tsx'
import './money.css'
import './reports.css'

const DAYS = 7

const VIEWS = [
  ['days', 'Days'],
  ['trial', 'Trial balance'],
  ['audit', 'Audit'],
] as const
export const SPLITS = [
  ['', 'All together'],
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
        <fieldset className="switch" aria-label="Which">
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
  const wanted: Readonly<Record<string, string>> = {
    ...Object.fromEntries(WORDS.map(([name]) => [name, query.get(name) ?? ''])),
    ...range,
  }
  const by = (view === 'days' && SPLITS.find(([one]) => one === query.get('by'))?.[0]) || ''
  const words = Object.entries({ ...wanted, by: `currency${by && ','}${by}` }).flatMap(([name, value]) =>
    value === '' ? [] : [`${name}=${part(value)}`],
  )
  const path = `/operator/reports/daily?${words.join('&')}`
  const asked = useQuery({
    queryKey: ['report', path],
    queryFn: ({ signal }) => read<{ data: ReportRow[] }>(path, signal),
    ...(range.to >= today && { meta: MONEY_LIVE }),
  })
  const saved = useMutation({
    mutationFn: async () => saveBlob(`purser-${range.from}-${range.to}.csv`, await fileOf(path, 'text/csv')),
  })
  return (
    <>
      <form className="filter-bar" onSubmit={(event) => event.preventDefault()} aria-label="Which days">
        <div className="filter-fields">
          <DayField name="From" value={range.from} max={range.to} isNeeded set={(value) => set('from', value)} />
          <DayField name="To" value={range.to} max={today} isNeeded set={(value) => set('to', value)} />
          {WORDS.map(([name, label]) => (
            <WordField
              key={name}
              name={label}
              value={wanted[name] ?? ''}
              set={(value) => set(name, wordOf(name, value))}
            />
          ))}
          {view === 'days' && (
            <label className="field">
              <span>Rows</span>
              <select value={by} onChange={({ target }) => set('by', target.value)}>
                {SPLITS.map(([one, name]) => (
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
      {saved.error !== null && <Refusal>Not saved: {saved.error.message}.</Refusal>}
      <Answer of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <section className="card">
              <Empty title="No player had money on these days.">
                <p>Days are in UTC, from the first deposit on. Choose other days, or fewer words above.</p>
              </Empty>
            </section>
          ) : view === 'trial' ? (
            <TrialBalances rows={data} />
          ) : (
            <DayTables rows={data} by={by} />
          )
        }
      </Answer>
    </>
  )
}

/** A site is what the platform says, spaces too. */
const wordOf = (name: string, text: string) =>
  name === 'currency' ? text.trim().toUpperCase() : name === 'site' && text.trim() !== '' ? text : text.trim()

interface Audit {
  readonly ok: boolean
  readonly findings: readonly { readonly check: string; readonly row: Readonly<Record<string, string>> }[]
}

/** It reads all of the books, so it runs when somebody asks for it. */
function AuditCard() {
  const audit = useMutation({ mutationFn: () => read<Audit>('/operator/audit') })
  return (
    <section className="card" aria-label="Audit">
      <header>
        <h2>Every rule of the ledger and of the bets</h2>
        <span className="spring" />
        <button type="button" className="button main-one" disabled={audit.isPending} onClick={() => audit.mutate()}>
          {audit.isPending ? 'Checking…' : audit.data === undefined ? 'Check now' : 'Check again'}
        </button>
      </header>
      {verdictOf(audit)}
    </section>
  )
}

function verdictOf(audit: { isPending: boolean; error: Error | null; data: Audit | undefined }): ReactNode {
  if (audit.isPending) return <Waiting />
  if (audit.error !== null) return <Fault error={audit.error} />
  if (audit.data === undefined)
    return (
      <Empty title="Not checked yet.">
        <p>It reads all accounts, transfers and bets from one moment; with millions of them that takes some seconds.</p>
      </Empty>
    )
  const { ok, findings } = audit.data
  if (ok)
    return (
      <p className="body" role="status">
        <Badge tone="good">The books are right</Badge> Every rule holds: nothing was found.
      </p>
    )
  return (
    <div className="body audit-findings" role="status">
      <Badge tone="bad">{findings.length === 1 ? '1 finding' : `${findings.length} findings`}</Badge>
      <ul>
        {findings.map((finding) => (
          <li key={JSON.stringify(finding)}>
            Not so: {finding.check} <code>{Object.entries(finding.row).flat().join(' ')}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
