/** Request with headers and signature, and response of a call, byte for byte. */
import type { WireAnswer, WireCall } from '../../shared/betting-frame/wire-calls.ts'
import { Id } from '../../shared/controls/ids.tsx'
import { CodeBlock } from '../../shared/controls/page-states.tsx'
import { CurlLine } from './verdict-view.tsx'

const SIGNATURE = 'x-sign-jws'

export function CallDetails({ call: { betId, request, answer, curl } }: { call: WireCall }) {
  const signature = request?.headers[SIGNATURE]
  return (
    <div className="dev-details">
      {request === undefined ? (
        <p className="muted">The call did not reach your wallet.</p>
      ) : (
        <>
          <dl className="rows">
            <dt>Request</dt>
            <dd>
              <code>
                {request.method} {request.url}
              </code>
            </dd>
            {betId !== '' && (
              <>
                <dt>Bet</dt>
                <dd>
                  <Id id={betId} whole />
                </dd>
              </>
            )}
            <dt>Signature</dt>
            <dd>
              {signature === undefined ? (
                'None'
              ) : (
                <code>
                  {SIGNATURE}: {signature}
                </code>
              )}
            </dd>
          </dl>
          <div className="dev-bodies">
            <CodeBlock name="Request">{`${formatHeaders(request.headers)}\n\n${request.body}`}</CodeBlock>
            <CodeBlock name="Response">{formatAnswer(answer)}</CodeBlock>
          </div>
        </>
      )}
      {curl !== undefined && <CurlLine text={curl} />}
    </div>
  )
}

function formatHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .filter(([name]) => name !== SIGNATURE)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function formatAnswer(answer: WireAnswer | undefined): string {
  if (answer === undefined) return 'In progress'
  if (answer.kind === 'none') return `No response: ${answer.why}`
  return `${answer.status}\ncontent-type: ${answer.contentType}\n\n${answer.body}`
}
