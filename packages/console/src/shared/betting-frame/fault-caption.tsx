/**
 * Report of a fault scenario: the demand of the rules, the wallet's behaviour, and the money.
 */
import type { ReactNode } from 'react'
import { Badge } from '../controls/page-states.tsx'
import type { FaultCaption } from './frame-actions.ts'

export function FaultCaptionCard({ caption, children }: { caption: FaultCaption; children?: ReactNode }) {
  const { title, story, money, isAsDemanded } = caption
  return (
    <article className="caption">
      <div className="head">
        <h3>{title}</h3>
        {isAsDemanded ? <Badge tone="good">Correct per spec</Badge> : <Badge tone="bad">Not correct per spec</Badge>}
        {children}
      </div>
      <p>{story}</p>
      <p className="where">{money}</p>
    </article>
  )
}
