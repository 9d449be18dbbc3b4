/** The way to one operator: its own connections and its own queue, both bounded, and what is left of the platform's 5 s. */

import { giveUpAt, startBefore } from '../protocol/limits.ts'
import { type Soon, soon } from '../runtime/soon.ts'
import type { TraceHeaders } from '../runtime/tracing.ts'
import { world } from '../runtime/world.ts'
import type { ExchangeResult } from '../wallet-client/connection.ts'
import { openLine, type WalletAddress } from '../wallet-client/exchange.ts'
import { createTurnstile } from './turnstile.ts'

export interface OperatorCall {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly body: Buffer
  /** When the call came in, as world.elapsed() gives it. */
  readonly arrivedAt: number
  readonly trace?: TraceHeaders | undefined
}

export type LinkResult =
  /** `sentAt`: when it went out, as world.elapsed() gives it. */
  | { readonly kind: 'sent'; readonly sentAt: number; readonly heard: ExchangeResult }
  /** The operator has not heard of the call. */
  | { readonly kind: 'not_sent'; readonly detail: string }

export interface Link {
  /** Never rejects, and resolves before the platform gives up. */
  send(call: OperatorCall): Soon<LinkResult>
  /** Calls sent or waiting. */
  depth(): number
  /** How many more would find a place. */
  room(): number
  /** When the last call came, as world.elapsed() gives it. */
  usedAt(): number
  /** Finishes the calls under way, and those that wait. */
  close(): Promise<void>
}

/** Calls to one operator at once, and calls that wait for that, per process and use. */
export const LINK_LIMITS = { inside: 64, waiting: 256 }
/** Milliseconds for a connection to an operator; in one that is slower a call would be too late. */
const CONNECT_MS = 2_000

const TOO_MANY: LinkResult = { kind: 'not_sent', detail: 'too many calls to this operator are under way' }
const NO_TIME: LinkResult = { kind: 'not_sent', detail: 'no time is left' }

export function createLink({
  baseUrl,
  secrets,
  headers,
  reach,
  connection,
}: Omit<WalletAddress, 'connections' | 'connectMs' | 'part'>): Link {
  const line = openLine({
    ...{ baseUrl, secrets, headers, reach, connection, part: 'gateway' as const },
    ...{ connections: LINK_LIMITS.inside, connectMs: CONNECT_MS },
  })
  const turnstile = createTurnstile(LINK_LIMITS)
  const exchange = ({ method, path, body, trace, arrivedAt }: OperatorCall): Soon<LinkResult> => {
    const now = world.elapsed()
    if (now > startBefore(arrivedAt)) {
      turnstile.leave()
      return NO_TIME // a place was free, but the call came to it late (G-6)
    }
    const timeoutMs = Math.floor(giveUpAt(arrivedAt) - now)
    return line.exchange({ method, path, body, trace, timeoutMs }).then((heard) => {
      turnstile.leave()
      return { kind: 'sent', sentAt: now, heard }
    })
  }
  let usedAt = Number.NEGATIVE_INFINITY
  return {
    send(call) {
      usedAt = world.elapsed()
      return soon(turnstile.enter(startBefore(call.arrivedAt)), (isIn) => (isIn ? exchange(call) : TOO_MANY))
    },
    depth: turnstile.depth,
    room: () => LINK_LIMITS.inside + LINK_LIMITS.waiting - turnstile.depth(),
    usedAt: () => usedAt,
    close: () => turnstile.empty().then(line.close),
  }
}
