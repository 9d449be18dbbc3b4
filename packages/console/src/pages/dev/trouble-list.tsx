/**
 * Faults that a developer causes with one click. The report of the last run is below its button, so
 * no button moves under the pointer, and the list shows which troubles the wallet has passed.
 */
import { useState } from 'react'
import { FaultCaptionCard } from '../../shared/betting-frame/fault-caption.tsx'
import { type FaultCaption, useFaultScenario } from '../../shared/betting-frame/frame-actions.ts'
import { useEverySecond } from '../../shared/charts/format.tsx'
import { ActionError } from '../../shared/controls/page-states.tsx'
import type { DevState, DevTrouble } from './dev-state.ts'

interface TroubleReports {
  readonly [name: string]: FaultCaption
}

export function TroubleList({ state: { player, troubles } }: { state: DevState }) {
  const [reports, setReports] = useState<TroubleReports>({})
  const [open, setOpen] = useState<string>()
  const [startedAt, setStartedAt] = useState(0)
  const make = useFaultScenario(player, (name, caption) => setReports((before) => ({ ...before, [name]: caption })))
  const run = (name: string) => {
    setOpen(name)
    setStartedAt(Date.now())
    make.mutate(name)
  }
  const all = Object.values(reports)
  const passed = all.filter(({ isAsDemanded }) => isAsDemanded).length
  return (
    <section className="card dev-troubles" aria-label="Make trouble">
      <header>
        <h2>Make trouble</h2>
        <span className="spring" />
        <span className="muted small" role="status">
          {all.length === 0
            ? 'One click, one real fault'
            : `${passed} of ${troubles.length} passed${all.length > passed ? `, ${all.length - passed} failed` : ''}`}
        </span>
      </header>
      <ol>
        {troubles.map((trouble) => (
          <li key={trouble.name} className={toneOf(reports[trouble.name])}>
            <TroubleButton
              trouble={trouble}
              report={reports[trouble.name]}
              startedAt={make.isPending && make.variables === trouble.name ? startedAt : undefined}
              isBusy={make.isPending}
              run={() => run(trouble.name)}
            />
            <div aria-live="polite">
              {make.error !== null && make.variables === trouble.name && (
                <ActionError>Nothing to judge: {make.error.message}.</ActionError>
              )}
              {open === trouble.name && !make.isPending && <Report of={reports[trouble.name]} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

const toneOf = (report: FaultCaption | undefined) =>
  report === undefined ? undefined : report.isAsDemanded ? 'passed' : 'failed'

interface TroubleButtonProps {
  readonly trouble: DevTrouble
  readonly report: FaultCaption | undefined
  /** Undefined while the trouble does not run. */
  readonly startedAt: number | undefined
  readonly isBusy: boolean
  run(): void
}

function TroubleButton({ trouble: { title, hint }, report, startedAt, isBusy, run }: TroubleButtonProps) {
  return (
    <button type="button" className="dev-trouble" disabled={isBusy} onClick={run}>
      <span className="dev-mark" aria-hidden="true">
        {report === undefined ? '▸' : report.isAsDemanded ? '✓' : '✕'}
      </span>
      <span>
        {title}
        {report !== undefined && <span className="vh">{report.isAsDemanded ? ': passed' : ': failed'}</span>}
        <span className="small muted">{startedAt === undefined ? hint : <Running since={startedAt} />}</span>
      </span>
    </button>
  )
}

function Running({ since }: { since: number }) {
  const text = useEverySecond(() => `Running for ${Math.max(0, Math.round((Date.now() - since) / 1_000))} s…`)
  return <>{text}</>
}

function Report({ of: report }: { of: FaultCaption | undefined }) {
  return report === undefined ? null : <FaultCaptionCard caption={report} />
}
