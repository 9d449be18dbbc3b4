/** One call to the developer's wallet beside its verdict. A click opens request and response. */
import { formatDuration } from '@purser/timeline/drawing/time-format'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { replyCodeName } from '@purser/timeline/refusal-reasons'
import { formatResultType } from '@purser/timeline/result-names'
import { memo } from 'react'
import { type WireCall, wireCallState } from '../../shared/betting-frame/wire-calls.ts'
import { capital, moneyText, Time } from '../../shared/charts/format.tsx'
import { IdEnd } from '../../shared/controls/ids.tsx'
import { CallDetails } from './call-details.tsx'
import { VerdictView } from './verdict-view.tsx'

interface CallRowProps {
  readonly call: WireCall
  readonly hasPlayers: boolean
  readonly isOpen: boolean
  /** The verdict shows clause and remedy. */
  readonly isExplained: boolean
  toggle(number: number): void
}

export const CallRow = memo(function Row({ call, hasPlayers, isOpen, isExplained, toggle }: CallRowProps) {
  const { number, at, operation, betId, amount, currency = '', verdict } = call
  const kind = verdict?.kind ?? 'none'
  return (
    <li className={`dev-call ${kind} ${wireCallState(call)}`}>
      <div className="dev-row">
        <span className="small muted dev-time">
          <Time at={at} millis />
        </span>
        <span className="dev-what">
          <button
            type="button"
            className="call-name"
            aria-expanded={isOpen}
            aria-label={`${callTitle(operation)}, call ${number}`}
            onClick={() => toggle(number)}
          >
            {callTitle(operation)}
          </button>
          {hasPlayers && (
            <span className="small muted dev-player-name" data-hint={call.player}>
              {call.player}
            </span>
          )}
          <span className="small muted">
            {describeCall(call).join(' · ')}
            {betId !== '' && (
              <>
                {' '}
                <IdEnd id={betId} />
              </>
            )}
          </span>
        </span>
        <span className="num dev-amount">{amount === undefined ? '' : moneyText(amount, currency)}</span>
        <Response call={call} />
        <VerdictView call={call} isExplained={isExplained || isOpen} hasCurl={!isOpen} />
      </div>
      {isOpen && <CallDetails call={call} />}
    </li>
  )
})

/** The interface's names of calls that are not about a bet. */
const USER_CALLS: Readonly<Record<string, string>> = { profile: 'User data', balance: 'Balance', check: 'Check' }

const callTitle = (operation: string) => USER_CALLS[operation] ?? operationTitle(operation)

/** The result, and the fault that the proxy caused. */
function describeCall({ resultType, trouble, isAgain }: WireCall): string[] {
  return [
    ...(resultType === undefined ? [] : [formatResultType(resultType)]),
    ...(isAgain ? ['the same again'] : trouble === undefined ? [] : [trouble]),
  ]
}

function Response({ call }: { call: WireCall }) {
  const { status, code, durationMs, endedAt, isLost, answer } = call
  const isFlying = endedAt === undefined && answer === undefined
  const name = code === undefined ? undefined : replyCodeName(code)
  return (
    <span className="dev-response">
      {isFlying ? (
        <span className="dev-flying">
          <span className="vh">in progress</span>
        </span>
      ) : (
        <span className="dev-status">
          <span>{status === undefined ? 'No response' : code === undefined ? status : `${status} · code ${code}`}</span>
          {durationMs !== undefined && <span className="small muted">{formatDuration(durationMs)}</span>}
        </span>
      )}
      <span className="small muted">
        {isLost && status !== undefined ? 'Response lost' : name === undefined ? '' : capital(name)}
      </span>
    </span>
  )
}
