/**
 * Details of the moment that is selected on a bet's timeline: request, response, signature, timing,
 * explanation and what-if table.
 */

import { formatSigned, moneyText } from '@purser/timeline/amount-text'
import type { WalletBetDetail } from '@purser/timeline/bet-sources'
import {
  operationTitle,
  type PlatformDecision,
  type TimelineCall,
  type TimelineMoment,
} from '@purser/timeline/drawing/timeline-moments'
import { describeAttempt, describeEnding, formatTransferKind } from '@purser/timeline/moment-text'
import { lazy, type ReactNode, Suspense } from 'react'
import { Time } from '../../shared/charts/format.tsx'
import { TimingWaterfall } from '../../shared/charts/timing-waterfall.tsx'
import { Id } from '../../shared/controls/ids.tsx'
import { CodeBlock, DASH, LoadingSkeleton } from '../../shared/controls/page-states.tsx'
import type { JournalState } from '../../shared/data/bet-data.ts'
import { describeSignature } from '../../shared/data/signature-check.ts'
import { CurlCommand, RetryCall } from './call-retry.tsx'

/** The wallet's rules are loaded only after a call is selected. */
const Why = lazy(() => import('./answer-explanation.tsx').then((module) => ({ default: module.AnswerExplanation })))

interface Props {
  readonly moment: TimelineMoment
  readonly wallet: WalletBetDetail | undefined
  readonly callsAre: JournalState
  close(): void
}

export function MomentPanel({ moment, close, ...rest }: Props) {
  const title =
    moment.kind === 'decision' ? moment.title : `${operationTitle(moment.operation)}, ${describeAttempt(moment)}`
  return (
    <section className="moment" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="muted small">
          <Time at={moment.at} millis />
        </span>
        <span className="spring" />
        <button type="button" className="button quiet" onClick={close} aria-label="Close">
          ✕
        </button>
      </header>
      {moment.kind === 'decision' ? <DecisionPanel decision={moment} /> : <CallPanel call={moment} {...rest} />}
    </section>
  )
}

function DecisionPanel({
  decision: { operation, detail, longDetail: fullDetail = detail },
}: {
  decision: PlatformDecision
}) {
  return (
    <p className="moment-body">
      The platform made this decision and sends it to the wallet with {operationTitle(operation)}
      {fullDetail === '' ? '' : `: ${fullDetail}`}.
    </p>
  )
}

function CallPanel({ call, wallet, callsAre }: { call: TimelineCall } & Pick<Props, 'wallet' | 'callsAre'>) {
  const { journal, made, delivery } = call
  const request = journal?.request.body ?? (delivery?.request && JSON.stringify(delivery.request))
  const answer = journal?.answer.body ?? made?.body
  return (
    <div className="moment-body columns">
      <div>
        <dl className="rows">
          <Row name="Outcome">{describeEnding(call)}</Row>
          {made?.error !== undefined && <Row name="Error seen by platform">{made.error}</Row>}
          <Row name="Signature">
            {journal === undefined
              ? made === undefined
                ? DASH
                : NO_JOURNAL[callsAre]
              : describeSignature(journal.signature)}
          </Row>
          <Row name="Request">{call.requestId === '' ? DASH : <Id id={call.requestId} />}</Row>
          {journal !== undefined && <Row name="IP address">{journal.source}</Row>}
        </dl>
        <TimingWaterfall seen={journal} made={made} />
        <RetryCall call={call} />
        <TransferTable call={call} />
      </div>
      <div className="bodies">
        <h3>Request</h3>
        <Body name="Request" text={request} />
        <h3>Response</h3>
        <Body name="Response" text={answer === '' ? undefined : answer} />
        <CurlCommand call={call} />
      </div>
      <Suspense fallback={<LoadingSkeleton rows={3} />}>
        <Why call={call} wallet={wallet} />
      </Suspense>
    </div>
  )
}

/** The reason why the signature's status is missing. */
const NO_JOURNAL: Readonly<Record<JournalState, string>> = {
  hidden: 'not available: only the wallet’s journal contains it',
  'asked for': '…',
  failed: 'the calls could not be loaded',
  read: 'not in the journal',
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Body({ name, text }: { name: string; text: string | undefined }) {
  if (text === undefined) return <p className="muted small">Not recorded.</p>
  return <CodeBlock name={name}>{pretty(text)}</CodeBlock>
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function TransferTable({ call: { transfers } }: { call: TimelineCall }) {
  if (transfers.length === 0) return null
  return (
    <table className="list moved">
      <thead>
        <tr>
          <th>Transfer</th>
          <th className="num">Amount</th>
          <th className="num">Balance after</th>
        </tr>
      </thead>
      <tbody>
        {transfers.map(({ transferId, kind, amount, balance, currency }) => (
          <tr key={transferId}>
            <td>{formatTransferKind(kind)}</td>
            <td className="num">{formatSigned(amount)}</td>
            <td className="num">{moneyText(balance, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
