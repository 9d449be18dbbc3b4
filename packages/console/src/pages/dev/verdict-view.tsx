/** Verdict on a call. A right call is quiet, and a fault has its cost, clause and remedy. */
import { VerdictMark, verdictWord } from '../../shared/betting-frame/verdict-mark.tsx'
import type { WireCall, WireVerdict } from '../../shared/betting-frame/wire-calls.ts'
import { capital } from '../../shared/charts/format.tsx'
import { CopyButton } from '../../shared/controls/ids.tsx'

interface VerdictViewProps {
  readonly call: WireCall
  /** Clause and remedy are visible. */
  readonly isExplained: boolean
  /** False if the command is visible elsewhere. */
  readonly hasCurl: boolean
}

export function VerdictView({ call, isExplained, hasCurl }: VerdictViewProps) {
  const { verdict, curl } = call
  if (verdict === undefined) return <span className="dev-verdict muted small">{describeMissing(call)}</span>
  const { kind, sentence, cause } = verdict
  const name = verdictWord(kind)
  const isFault = kind === 'wrong' || kind === 'advice'
  return (
    <div className="dev-verdict">
      <VerdictMark kind={kind} isNamed />
      <div>
        <p className="dev-said">
          <strong>{isFault && cause !== undefined ? `${name}: ${cause}` : name}</strong>{' '}
          <span>{asSentence(sentence)}</span>
        </p>
        {isFault && <Cost of={verdict} />}
        {isFault && isExplained && <Explanation of={verdict} curl={hasCurl ? curl : undefined} />}
      </div>
    </div>
  )
}

/** A call that a fault kept from the wallet has no verdict. */
function describeMissing({ endedAt, request, answer }: WireCall): string {
  if (endedAt === undefined && answer === undefined) return ''
  if (request !== undefined) return ''
  return answer?.kind === 'none' ? `Your wallet accepts no connection: ${answer.why}.` : 'Your wallet did not get it.'
}

function Cost({ of: { loses, whom } }: { of: WireVerdict }) {
  if (loses === undefined || loses === '') return null
  return (
    <p className="dev-cost">
      {whom !== undefined && <span className="dev-whom">{capital(whom)}’s loss</span>} {asSentence(loses)}
    </p>
  )
}

const asSentence = (text: string) => capital(/[.!?…]$/.test(text) ? text : `${text}.`)

function Explanation({ of: verdict, curl }: { of: WireVerdict; curl: string | undefined }) {
  const { clause, clauseWords, remedy, caseId } = verdict
  return (
    <>
      <dl className="rows dev-explanation">
        {remedy !== undefined && (
          <>
            <dt>Fix</dt>
            <dd>{asSentence(remedy)}</dd>
          </>
        )}
        {clause !== undefined && (
          <>
            <dt>Clause</dt>
            <dd>
              {clauseWords ?? clause} {clauseWords !== undefined && <span className="muted">({clause})</span>}
            </dd>
          </>
        )}
        {caseId !== undefined && (
          <>
            <dt>Test case</dt>
            <dd>
              <code>{caseId}</code>
            </dd>
          </>
        )}
      </dl>
      {curl !== undefined && <CurlLine text={curl} />}
    </>
  )
}

/** Repeats the call. */
export function CurlLine({ text }: { text: string }) {
  return (
    <div className="dev-curl">
      <code>{text}</code>
      <CopyButton text={text} name="Copy curl" />
    </div>
  )
}
