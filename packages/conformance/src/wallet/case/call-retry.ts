/**
 * Retries a failed call, as the service (the betting platform) does. Only the last answer is
 * judged.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '@purser/protocol/operation'
import type { Exchange } from '../../http-exchange.ts'
import { interpretAnswer, isFinalStatus, isSystemErrorAnswer } from '../play/answer-meaning.ts'
import type { CasePlay } from './call-plan.ts'

/**
 * Milliseconds. The gaps grow, as the interface says. Their sum exceeds the 5 s of a Place bet, so
 * the last attempt of a Rollback arrives after its Place bet has ended.
 */
const GAPS_MS = [250, 500, 1_000, 2_000, 4_000]
/** The largest share of a gap that is added, so that calls do not collide repeatedly. */
const MAX_JITTER = 0.5
/**
 * Milliseconds after which no attempt begins. Otherwise a wallet that never answers would make the
 * run last an hour.
 */
const RETRY_FOR_MS = 12_000

/** Returns the last exchange. Its answer is sufficient or final, or no attempt is left. */
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

/**
 * See Limits, rollback retries; Settle, resettle (a); C-4; C-5. For these calls the interface does
 * not define 400 with code 100, so the service may retry.
 */
function isRetryable(operation: Operation, exchange: Exchange): boolean {
  if (operation !== 'rollback' && operation !== 'settle' && operation !== 'unsettle') return false
  const { answer } = exchange
  if (answer.kind === 'none' || !isFinalStatus(answer)) return true
  return isSystemErrorAnswer(interpretAnswer(exchange))
}
