/**
 * Report of a fault scenario: the demand of the rules, the wallet's behaviour, and the money.
 */
import type { ReactNode } from 'react'
import { capital } from '../charts/format.tsx'
import { Badge } from '../controls/page-states.tsx'
import type { FaultCaption } from './frame-actions.ts'
import { isVerdictKind, VerdictMark } from './verdict-mark.tsx'

export function FaultCaptionCard({ caption, children }: { caption: FaultCaption; children?: ReactNode }) {
  const { title, story, wallet, money, isAsDemanded } = caption
  return (
    <article className="caption">
      <div className="head">
        <h3>{title}</h3>
        {isAsDemanded ? <Badge tone="good">Correct per spec</Badge> : <Badge tone="bad">Not correct per spec</Badge>}
        {children}
      </div>
      {wallet === undefined ? (
        <>
          <p>{story}</p>
          <p className="where">{money}</p>
        </>
      ) : (
        <dl className="rows">
          <dt>Rules</dt>
          <dd>{story}</dd>
          <dt>Your wallet</dt>
          {wallet.map((sentence) => (
            <dd key={sentence} className="caption-verdict">
              <VerdictSentence text={sentence} />
            </dd>
          ))}
          <dt>Money</dt>
          <dd className="where">{money}</dd>
        </dl>
      )}
    </article>
  )
}

/** "wrong: the sentence" */
function VerdictSentence({ text }: { text: string }) {
  const [, kind = '', sentence = text] = /^(\w+): (.*)$/s.exec(text) ?? []
  return (
    <>
      {isVerdictKind(kind) && <VerdictMark kind={kind} />} {capital(sentence)}
    </>
  )
}
