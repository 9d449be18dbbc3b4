/** Waterfall chart: the phases of a call as bars on a time axis. */
import { formatDuration } from '@purser/timeline/drawing/time-format'
import { type CallPhase, computePhases } from './call-phases.ts'
import './phases.css'

interface PhasesProps {
  /** From the wallet's journal. */
  readonly seen?: Parameters<typeof computePhases>[0]
  /** From the platform's attempt. */
  readonly made?: Parameters<typeof computePhases>[1]
}

export function TimingWaterfall({ seen: journalCall, made: attempt }: PhasesProps) {
  const phases = computePhases(journalCall, attempt)
  const whole = Math.max(...phases.map(({ from, ms }) => from + ms), 0)
  if (phases.length === 0) return null
  return (
    <table className="phases">
      <caption>
        Timing ({formatDuration(whole)}){' '}
        <span className="muted">{attempt === undefined ? 'in the wallet' : 'at the platform'}</span>
      </caption>
      <thead className="vh">
        <tr>
          <th>Phase</th>
          <th>Start</th>
          <th>Duration</th>
        </tr>
      </thead>
      <tbody>
        {phases.map((phase) => (
          <Row key={`${phase.name} ${phase.isInWallet}`} phase={phase} whole={whole} />
        ))}
      </tbody>
    </table>
  )
}

/** Percent; keeps a phase without duration visible. */
const MIN_WIDTH = 0.7

function Row({ phase: { name, description, from, ms, isInWallet }, whole }: { phase: CallPhase; whole: number }) {
  const part = (of: number) => (whole === 0 ? 0 : (of / whole) * 100)
  const width = Math.max(MIN_WIDTH, part(ms))
  return (
    <tr className={isInWallet ? 'in-wallet' : undefined}>
      <th scope="row" data-hint={isInWallet ? `in the wallet (its own clock): ${description}` : description}>
        {name}
      </th>
      <td className="phase-line">
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect
            className={`phase-${name.toLowerCase().replaceAll(' ', '-')}`}
            x={Math.min(part(from), 100 - width)}
            width={width}
            height="10"
          />
        </svg>
        <span className="vh">{formatDuration(from)}</span>
      </td>
      <td className="num">{formatDuration(ms)}</td>
    </tr>
  )
}
