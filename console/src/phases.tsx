/** Where the time of a call went, as a waterfall: each bar begins where its phase began. */
import { spanOf } from '../../src/timeline/spans.ts'
import { type Phase, phasesOf } from './call-phases.ts'
import './phases.css'

interface PhasesProps {
  /** As the wallet's journal has it. */
  readonly seen?: Parameters<typeof phasesOf>[0]
  /** As the platform made it. */
  readonly made?: Parameters<typeof phasesOf>[1]
}

export function Phases({ seen, made }: PhasesProps) {
  const phases = phasesOf(seen, made)
  const whole = Math.max(...phases.map(({ from, ms }) => from + ms), 0)
  if (phases.length === 0) return null
  return (
    <table className="phases">
      <caption>
        Where {spanOf(whole)} went{' '}
        <span className="muted">{made === undefined ? 'in the wallet' : 'as the platform saw it'}</span>
      </caption>
      <thead className="vh">
        <tr>
          <th>Phase</th>
          <th>Began after</th>
          <th>Took</th>
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

/** Of a hundred: the width of a bar that took no time, so that it is seen. */
const LEAST = 0.7

function Row({ phase: { name, says, from, ms, isInWallet }, whole }: { phase: Phase; whole: number }) {
  const part = (of: number) => (whole === 0 ? 0 : (of / whole) * 100)
  const width = Math.max(LEAST, part(ms))
  return (
    <tr className={isInWallet ? 'in-wallet' : undefined}>
      <th scope="row" data-hint={isInWallet ? `in the wallet, by its own clock: ${says}` : says}>
        {name}
      </th>
      <td className="phase-line">
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect
            className={`phase-${name.toLowerCase()}`}
            x={Math.min(part(from), 100 - width)}
            width={width}
            height="10"
          />
        </svg>
        <span className="vh">{spanOf(from)}</span>
      </td>
      <td className="num">{spanOf(ms)}</td>
    </tr>
  )
}
