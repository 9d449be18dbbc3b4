/**
 * Conformance runs of this wallet: the verdict, the impact on money, and a square for each case.
 * During a run the squares fill in.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { callApi, encodeQueryPart, getJson } from '../../app/console-api.ts'
import { displayName, hasRole, useSession } from '../../app/console-session.tsx'
import { Time } from '../../shared/charts/format.tsx'
import { ActionError, Badge, EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import './conformance.css'

interface Totals {
  readonly cases: number
  readonly passed: number
  readonly failedMust: number
  readonly failedShould: number
  readonly notJudged: number
}

interface Run {
  readonly runId: string
  readonly startedAt: string
  readonly startedBy: string
  readonly state: 'running' | 'ended' | 'failed'
  readonly endedAt?: string
  readonly isGood?: boolean
  readonly why?: string
  readonly totals: Totals
}

interface Case {
  readonly id: string
  readonly clause: string
  readonly level: 'MUST' | 'SHOULD'
  readonly sentence: string
  readonly loses: string
  readonly verdict?: 'passed' | 'failed' | 'not judged'
  readonly why?: string
}

const POLL_MS = 1_000
const SLOW_POLL_MS = 5_000
const RUNS = '/operator/conformance'

export function ConformancePage() {
  const { person } = useSession()
  const client = useQueryClient()
  const [query, setQuery] = useSearchParams()
  const runs = useQuery({
    queryKey: ['conformance'],
    queryFn: ({ signal }) => getJson<{ data: Run[] }>(`${RUNS}?limit=20`, signal),
    refetchInterval: SLOW_POLL_MS,
  })
  const start = useMutation({
    mutationFn: () => callApi<Run>('POST', RUNS),
    onSuccess: ({ runId }) => setQuery({ run: runId }, { replace: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['conformance'] }),
  })
  const isRunning = runs.data?.data.some(({ state }) => state === 'running') === true
  const isAdmin = hasRole(person, 'admin')
  const chosen = query.get('run') ?? runs.data?.data[0]?.runId
  return (
    <div className="page">
      <div className="head">
        <h1>Conformance</h1>
        <span className="spring" />
        <button
          type="button"
          className="button main-one"
          disabled={!isAdmin || isRunning || start.isPending}
          title={isAdmin ? undefined : 'This requires the role Admin.'}
          onClick={() => start.mutate()}
        >
          {isRunning ? 'Running…' : 'Run conformance tests'}
        </button>
      </div>
      <p className="muted">
        The kit calls this wallet as a platform does. Each case creates its own players (<code>conformance-…</code>),
        whose money remains in the ledger.
      </p>
      {start.error !== null && <ActionError>The run did not start: {start.error.message}.</ActionError>}
      <QueryResult of={runs}>
        {({ data }) =>
          chosen === undefined ? (
            <section className="card">
              <EmptyState title="No conformance runs yet.">
                <p>Each case is shown as a square. The reports are stored.</p>
              </EmptyState>
            </section>
          ) : (
            <>
              <RunView key={chosen} runId={chosen} />
              <PreviousRuns runs={data} chosen={chosen} />
            </>
          )
        }
      </QueryResult>
    </div>
  )
}

function RunView({ runId }: { runId: string }) {
  const result = useQuery({
    queryKey: ['conformance', runId],
    queryFn: ({ signal }) => getJson<Run & { cases: Case[] }>(`${RUNS}/${encodePathSegment(runId)}`, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'running' || state.data === undefined ? POLL_MS : false),
    refetchIntervalInBackground: true, // the user's own run, not paused with live updates
  })
  return (
    <QueryResult of={result}>
      {(run) => (
        <>
          <RunVerdict run={run} />
          <CaseGrid run={run} />
        </>
      )}
    </QueryResult>
  )
}

function runVerdict({ state, isGood, totals }: Run): readonly [tone: string, word: string] {
  if (state === 'failed') return ['bad', 'No result']
  if (state === 'running') return totals.failedMust > 0 ? ['bad', 'Running, with failures'] : ['wait', 'Running']
  return isGood === true ? ['good', 'Conforms'] : ['bad', 'Does not conform']
}

const countJudged = ({ passed, failedMust, failedShould, notJudged }: Totals) =>
  passed + failedMust + failedShould + notJudged

function RunVerdict({ run }: { run: Run & { cases: readonly Case[] } }) {
  const { totals } = run
  const [tone, word] = runVerdict(run)
  const losses = run.cases.filter(({ verdict, level }) => verdict === 'failed' && level === 'MUST')
  const facts = [
    ['Passed', totals.passed],
    ['MUST failed', totals.failedMust],
    ['SHOULD failed', totals.failedShould],
    ['Skipped', totals.notJudged],
  ] as const
  return (
    <section className="card" aria-label="Result">
      <header>
        <h2 role="status">
          <Badge tone={tone}>{word}</Badge>
        </h2>
        <span className="muted small">
          {countJudged(totals)} of {totals.cases} cases · started <Time at={run.startedAt} />,{' '}
          {displayName({ name: run.startedBy })}
        </span>
      </header>
      <div className="body verdict">
        {run.why !== undefined && <p className="notice">The run has no result: {run.why}.</p>}
        <dl className="facts">
          {facts.map(([name, count]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{count}</dd>
            </div>
          ))}
        </dl>
        {losses.length > 0 && (
          <>
            <h3>Impact</h3>
            <ul className="losses">
              {losses.map(({ id, loses }) => (
                <li key={id}>
                  <Link href={`/conformance?run=${encodeQueryPart(run.runId)}&case=${encodeQueryPart(id)}`}>{id}</Link>{' '}
                  {loses}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}

const WORDS: Readonly<Record<string, readonly [tone: string, word: string]>> = {
  passed: ['good', 'Passed'],
  failed: ['bad', 'Failed'],
  'not judged': ['wait', 'Skipped'],
}
const LEGEND: Readonly<Record<string, string>> = { 'not-yet': 'waiting', 'not-judged': 'skipped' }
const caseState = ({ verdict }: Case) => (verdict === undefined ? 'not-yet' : verdict.replace(' ', '-'))

function CaseGrid({ run }: { run: Run & { cases: readonly Case[] } }) {
  const [query, setQuery] = useSearchParams()
  const chosen =
    run.cases.find(({ id }) => id === query.get('case')) ?? run.cases.find(({ verdict }) => verdict === 'failed')
  const choose = (id: string) => setQuery({ run: run.runId, case: id }, { replace: true })
  const groupOf = (id: string) => id.replace(/-\d+$/, '')
  const groups = [...new Set(run.cases.map(({ id }) => groupOf(id)))]
  return (
    <section className="card" aria-label="Cases">
      <header>
        <h2>Cases</h2>
        <span className="keys-of-cases">
          {['passed', 'failed', 'not-judged', 'not-yet'].map((one) => (
            <span key={one} className={`square-key ${one}`}>
              {LEGEND[one] ?? one}
            </span>
          ))}
        </span>
      </header>
      <div className="body squares">
        {groups.map((group) => (
          <div className="square-group" key={group}>
            <h3>{group}</h3>
            <div className="square-row">
              {run.cases
                .filter(({ id }) => groupOf(id) === group)
                .map((one) => (
                  <button
                    key={one.id}
                    type="button"
                    className={`square ${caseState(one)}`}
                    aria-pressed={one.id === chosen?.id}
                    aria-label={`${one.id}, ${(WORDS[one.verdict ?? '']?.[1] ?? 'Waiting').toLowerCase()}`}
                    title={`${one.id}: ${one.sentence}`}
                    onClick={() => choose(one.id)}
                  />
                ))}
            </div>
          </div>
        ))}
      </div>
      {chosen !== undefined && <Detail of={chosen} />}
    </section>
  )
}

function Detail({ of: { id, level, clause, sentence, loses, verdict, why } }: { of: Case }) {
  const [tone, word] = WORDS[verdict ?? ''] ?? ['plain', 'Waiting']
  return (
    <section className="case" aria-label={`Case ${id}`}>
      <h3>
        <code>{id}</code> <Badge tone={tone}>{word}</Badge> <span className="muted">{level}</span>
      </h3>
      <p>{sentence}</p>
      {why !== undefined && <p className={verdict === 'failed' ? 'notice' : 'muted'}>{why}</p>}
      <dl className="rows">
        <dt>Spec reference</dt>
        <dd>{clause}</dd>
        <dt>Impact</dt>
        <dd>{loses}</dd>
      </dl>
    </section>
  )
}

function PreviousRuns({ runs, chosen }: { runs: readonly Run[]; chosen: string }) {
  return (
    <section className="card" aria-label="Previous runs">
      <header>
        <h2>Previous runs</h2>
      </header>
      <div className="scroll">
        <table className="list">
          <thead>
            <tr>
              <th>Started</th>
              <th>Started by</th>
              <th>Result</th>
              <th className="num">Passed</th>
              <th className="num">MUST failed</th>
              <th className="num">SHOULD failed</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.runId} className={run.runId === chosen ? 'at' : undefined}>
                <td>
                  <Link href={`/conformance?run=${encodeQueryPart(run.runId)}`}>
                    <Time at={run.startedAt} />
                  </Link>
                </td>
                <td>
                  <span className="cut">{displayName({ name: run.startedBy })}</span>
                </td>
                <td>
                  <Badge tone={runVerdict(run)[0]}>{runVerdict(run)[1]}</Badge>
                </td>
                <td className="num">{run.totals.passed}</td>
                <td className="num">{run.totals.failedMust}</td>
                <td className="num">{run.totals.failedShould}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
