/** One moment of a bet taken apart: what was asked, what was answered, whether the signature was good, why, and what else could have been. */

import { lazy, type ReactNode, Suspense } from 'react'
import { moneyText, signed } from '../../../../src/timeline/amounts.ts'
import { type Call, type Decision, type Moment, titleOf } from '../../../../src/timeline/moments.ts'
import { sayAttempt, sayEnding, sayKind } from '../../../../src/timeline/say.ts'
import type { WalletBet } from '../../../../src/timeline/sources.ts'
import type { CallsAre } from '../../bet-data.ts'
import { Time } from '../../format.tsx'
import { Id } from '../../ids.tsx'
import { Code, NONE, Waiting } from '../../parts.tsx'
import { Phases } from '../../phases.tsx'
import { saySignature } from '../../say-signature.ts'
import { AsCurl, SendAgain } from './again.tsx'

/** With the rules of the wallet, which nobody needs before a call is chosen. */
const Why = lazy(() => import('./why.tsx').then((module) => ({ default: module.Why })))

interface Props {
  readonly moment: Moment
  readonly wallet: WalletBet | undefined
  readonly callsAre: CallsAre
  close(): void
}

export function MomentPanel({ moment, close, ...rest }: Props) {
  const title = moment.kind === 'decision' ? moment.title : `${titleOf(moment.operation)}, ${sayAttempt(moment)}`
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

function DecisionPanel({ decision: { operation, detail, says = detail } }: { decision: Decision }) {
  return (
    <p className="moment-body">
      The platform decided this and has to tell the wallet with {titleOf(operation)}
      {says === '' ? '' : `: ${says}`}.
    </p>
  )
}

function CallPanel({ call, wallet, callsAre }: { call: Call } & Pick<Props, 'wallet' | 'callsAre'>) {
  const { journal, made, delivery } = call
  const request = journal?.request.body ?? (delivery?.request && JSON.stringify(delivery.request))
  const answer = journal?.answer.body ?? made?.body
  return (
    <div className="moment-body columns">
      <div>
        <dl className="rows">
          <Row name="How it went">{sayEnding(call)}</Row>
          {made?.error !== undefined && <Row name="The platform saw">{made.error}</Row>}
          <Row name="Signature">
            {journal === undefined
              ? made === undefined
                ? NONE
                : NO_JOURNAL[callsAre]
              : saySignature(journal.signature)}
          </Row>
          <Row name="Request">{call.requestId === '' ? NONE : <Id id={call.requestId} />}</Row>
          {journal !== undefined && <Row name="From">{journal.source}</Row>}
        </dl>
        <Phases seen={journal} made={made} />
        <SendAgain call={call} />
        <Moved call={call} />
      </div>
      <div className="bodies">
        <h3>Asked</h3>
        <Body name="Asked" text={request} />
        <h3>Answered</h3>
        <Body name="Answered" text={answer === '' ? undefined : answer} />
        <AsCurl call={call} />
      </div>
      <Suspense fallback={<Waiting rows={3} />}>
        <Why call={call} wallet={wallet} />
      </Suspense>
    </div>
  )
}

/** Why it is not said who signed a call. */
const NO_JOURNAL: Readonly<Record<CallsAre, string>> = {
  hidden: 'not shown here: only the wallet’s calls have it',
  'asked for': '…',
  failed: 'the calls could not be read',
  read: 'not in the journal (any more)',
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
  if (text === undefined) return <p className="muted small">Nothing that could be kept.</p>
  return <Code name={name}>{pretty(text)}</Code>
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Moved({ call: { transfers } }: { call: Call }) {
  if (transfers.length === 0) return null
  return (
    <table className="list moved">
      <thead>
        <tr>
          <th>Transfer</th>
          <th className="num">For the player</th>
          <th className="num">Balance after</th>
        </tr>
      </thead>
      <tbody>
        {transfers.map(({ transferId, kind, amount, balance, currency }) => (
          <tr key={transferId}>
            <td>{sayKind(kind)}</td>
            <td className="num">{signed(amount)}</td>
            <td className="num">{moneyText(balance, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
