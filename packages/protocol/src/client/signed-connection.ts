/**
 * Signed calls to a wallet. A call whose signature is rejected is signed with the next secret and
 * sent again (C-13).
 */

import { environment } from '@purser/runtime/environment'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import type { TraceHeaders } from '@purser/runtime/tracing'
import { type UserAgentPart, userAgent } from '@purser/runtime/version'
import { SIGNATURE_HEADER, signBody } from '../signature.ts'
import {
  type ConnectionOptions,
  type ExchangeResult,
  openWalletConnection,
  toFailedExchange,
  type WalletConnection,
} from './network/wallet-connection.ts'
import { createSecretRotation, isBadSignature, type SecretRotation } from './secret-rotation.ts'

export interface WalletAddress extends ConnectionOptions {
  /** The first secret signs. If it is rejected, the next one signs (C-13). */
  readonly secrets: readonly string[]
  /** Named in the header `User-Agent`. */
  readonly part: UserAgentPart
  /** Sent with each call. */
  readonly headers?: ExtraHeaders | undefined
}

export interface WalletMessage {
  readonly method: 'POST' | 'PUT'
  /** A path of the interface. */
  readonly path: string
  readonly body: Uint8Array
  /** Milliseconds in total: wait for a connection, connect, headers and body (C-2). */
  readonly timeoutMs: number
  /** The headers of the call's span. Undefined if tracing is off. */
  readonly trace?: TraceHeaders | undefined
}

export interface SignedConnection {
  /** Never rejects. */
  exchange(message: WalletMessage): Promise<ExchangeResult>
  /** Waits for the calls in progress, including their tries with further secrets. */
  close(): Promise<void>
}

export function openSignedConnection(address: WalletAddress): SignedConnection {
  const { secrets } = address
  const connection = openWalletConnection(address)
  const headers = {
    ...{ 'content-type': 'application/json', 'user-agent': userAgent(address.part) },
    ...{ ...address.headers, ...address.connection?.headers },
  }
  const context = { connection, headers }
  const [only = '', another] = secrets
  const rotation = createSecretRotation(secrets)
  const inFlight = new Set<Promise<ExchangeResult>>()
  const exchangeTracked = (message: WalletMessage) => {
    const result = exchangeWithRotation(context, rotation, message)
    inFlight.add(result)
    return result.finally(() => inFlight.delete(result))
  }
  return {
    exchange: (message) => (another === undefined ? exchangeSigned(context, only, message) : exchangeTracked(message)),
    // A closing pool accepts no requests, so it closes only after calls that may need another
    // secret.
    close: () => Promise.all(inFlight).then(() => connection.close()),
  }
}

interface SigningContext {
  readonly connection: WalletConnection
  readonly headers: ExtraHeaders
}

/**
 * All tries share the time of the message, and the last answer counts. If no time is left for all
 * secrets, the call has timed out (C-13).
 */
async function exchangeWithRotation(
  context: SigningContext,
  rotation: SecretRotation,
  message: WalletMessage,
): Promise<ExchangeResult> {
  const until = environment.monotonicNow() + message.timeoutMs
  const [first = '', ...others] = rotation.order()
  let used = first
  let result = await exchangeSigned(context, first, message)
  for (const secret of others) {
    if (!isSignatureRejected(result)) break
    const timeoutMs = Math.floor(until - environment.monotonicNow())
    if (timeoutMs <= 0) return toFailedExchange('time_out', 'no time was left to try every secret', null)
    used = secret
    result = await exchangeSigned(context, secret, { ...message, timeoutMs })
  }
  if (!isSignatureRejected(result)) rotation.markAccepted(used)
  return result
}

const isSignatureRejected = (result: ExchangeResult) => result.kind === 'answered' && isBadSignature(result)

function exchangeSigned(
  { connection, headers: fixed }: SigningContext,
  secret: string,
  { method, path, body, timeoutMs, trace }: WalletMessage,
): Promise<ExchangeResult> {
  const headers: Record<string, string> = { ...fixed, [SIGNATURE_HEADER]: signBody(body, secret) }
  if (trace !== undefined) Object.assign(headers, trace)
  return connection.send({ method, path, headers, body, timeoutMs })
}
