/** Head of the page of `purser dev`: the wallet's address and state, and the counts of verdicts. */
import { ThemeButton } from '../../app/page-shell.tsx'
import { Badge } from '../../shared/controls/page-states.tsx'
import icon from '../../shared/look/icon.svg'
import type { DevState } from './dev-state.ts'

export function DevHead({ state }: { state: DevState }) {
  const { wallet, verdicts } = state
  const { calls, right, advice, wrong, undecided } = verdicts
  const figures = [
    ['Calls', calls, ''],
    ['Right', right, right > 0 ? 'good' : ''],
    ['Wrong', wrong, wrong > 0 ? 'bad' : ''],
    ...(advice > 0 ? ([['Advice', advice, 'wait']] as const) : []),
    ['Undecided', undecided, ''],
  ] as const
  return (
    <header className="dev-head">
      <span className="brand">
        <img src={icon} alt="" /> <h1>purser dev</h1>
      </span>
      <div className="dev-wallet">
        <span className="dev-url">
          <span className="muted">Your wallet</span> <code>{wallet.url}</code>{' '}
          <Badge tone={wallet.isUp ? 'good' : 'wait'}>{wallet.isUp ? 'Up' : 'Waiting'}</Badge>
        </span>
        <span className="small dev-sentence" role="status">
          {wallet.sentence ?? ''}
        </span>
      </div>
      <dl className="dev-figures">
        {figures.map(([name, count, tone]) => (
          <div key={name} className={tone}>
            <dt>{name}</dt>
            <dd>{count.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      <ThemeButton />
    </header>
  )
}
