/** A call that has failed is sent again, as the service does: what is judged is the answer that it ends with, and the money. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../../../protocol/operation.ts'
import type { Exchange } from '../../http-exchange.ts'
import { interpretAnswer, isFinalStatus, isSystemErrorAnswer } from '../play/answer-meaning.ts'
import type { CasePlay } from './call-plan.ts'

/**
 * Milliseconds before each attempt after the first: the gaps grow, as the interface says. Together they are longer than the 5 s
 * that a Place bet may take, so that a Rollback that cannot be carried out before its bet is over is answered by the last one.
 */
const GAPS_MS = [250, 500, 1_000, 2_000, 4_000]
/** The largest part of a gap that is added to it, so that calls that met once do not meet each time. */
const MAX_JITTER = 0.5
/** Milliseconds after which no other attempt begins: a wallet that answers nothing would else keep the run for an hour. */
const RETRY_FOR_MS = 12_000

/** The last exchange: the first with an answer that is enough, or that the service would leave it at. */
export async function retryCall(
  { signal, target }: CasePlay,
  operation: Operation,
  attempt: () => Promise<Exchange>,
  canStop: (exchange: Exchange) => boolean,
): Promise<Exchange> {
  const start = performance.now()
  let exchange = await attempt()
  for (const gapMs of GAPS_MS) {
    const isOver = performance.now() - start > RETRY_FOR_MS
    if (isOver || canStop(exchange) || !isRetryable(operation, exchange)) break
    await sleep(gapMs * (1 + Math.random() * MAX_JITTER), undefined, { signal })
    await target.sender.acquire(1)
    exchange = await attempt()
  }
  return exchange
}

/** Limits, rollback retries; Settle, resettle (a); C-4, C-5. What the service makes of 400 with 100 there is not shown: it may insist. */
function isRetryable(operation: Operation, exchange: Exchange): boolean {
  if (operation !== 'rollback' && operation !== 'settle' && operation !== 'unsettle') return false
  const { answer } = exchange
  if (answer.kind === 'none' || !isFinalStatus(answer)) return true
  return isSystemErrorAnswer(interpretAnswer(exchange))
}
