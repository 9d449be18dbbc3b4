/** Signed exchanges with a wallet: a message is signed as it is, sent, and signed anew where its secret is refused. */
import { SIGNATURE_HEADER, sign } from '../protocol/signature.ts'
import type { Headers } from '../runtime/headers.ts'
import type { TraceHeaders } from '../runtime/tracing.ts'
import { type Part, userAgent } from '../runtime/version.ts'
import { world } from '../runtime/world.ts'
import {
  type ConnectionOptions,
  type ExchangeResult,
  failed,
  openConnection,
  type WalletConnection,
} from './connection.ts'
import { createSigning, isBadSignature, type Signing } from './signing.ts'

/** The address of a wallet, and the secrets that are shared with it. */
export interface WalletAddress extends ConnectionOptions {
  /** The first signs; where it is refused, the next one does (C-13). */
  readonly secrets: readonly string[]
  /** Whose calls they are. */
  readonly part: Part
  /** Sent with every call. */
  readonly headers?: Headers | undefined
}

export interface Message {
  readonly method: 'POST' | 'PUT'
  /** A path of the interface. */
  readonly path: string
  readonly body: Uint8Array
  /** Milliseconds over the wait for a connection, connect, headers and body (C-2). */
  readonly timeoutMs: number
  /** The headers of the call's span, where tracing is on. */
  readonly trace?: TraceHeaders | undefined
}

export interface Line {
  /** Never rejects. */
  exchange(message: Message): Promise<ExchangeResult>
  /** Finishes the exchanges under way: with every secret that they may need. */
  close(): Promise<void>
}

export function openLine(address: WalletAddress): Line {
  const { secrets } = address
  const connection = openConnection(address)
  const headers = {
    ...{ 'content-type': 'application/json', 'user-agent': userAgent(address.part) },
    ...{ ...address.headers, ...address.connection?.headers },
  }
  const way = { connection, headers }
  const [only = '', another] = secrets
  const signing = createSigning(secrets)
  const inTurn = new Set<Promise<ExchangeResult>>()
  const exchangeCounted = (message: Message) => {
    const result = exchangeInTurn(way, signing, message)
    inTurn.add(result)
    return result.finally(() => inTurn.delete(result))
  }
  return {
    exchange: (message) => (another === undefined ? exchange(way, only, message) : exchangeCounted(message)),
    // A pool that is closing takes no request, and an exchange between two secrets sends one more.
    close: () => Promise.all(inTurn).then(() => connection.close()),
  }
}

interface Way {
  readonly connection: WalletConnection
  readonly headers: Headers
}

/** All tries share the time of the message. The last answer counts; without time for every secret none does. */
async function exchangeInTurn(way: Way, signing: Signing, message: Message): Promise<ExchangeResult> {
  const until = world.elapsed() + message.timeoutMs
  const [first = '', ...others] = signing.order()
  let used = first
  let result = await exchange(way, first, message)
  for (const secret of others) {
    if (!isRefused(result)) break
    const timeoutMs = Math.floor(until - world.elapsed())
    if (timeoutMs <= 0) return failed('time_out', 'no time was left to try every secret', null)
    used = secret
    result = await exchange(way, secret, { ...message, timeoutMs })
  }
  if (!isRefused(result)) signing.worked(used)
  return result
}

const isRefused = (result: ExchangeResult) => result.kind === 'answered' && isBadSignature(result)

function exchange(
  { connection, headers: fixed }: Way,
  secret: string,
  { method, path, body, timeoutMs, trace }: Message,
): Promise<ExchangeResult> {
  const headers: Record<string, string> = { ...fixed, [SIGNATURE_HEADER]: sign(body, secret) }
  if (trace !== undefined) Object.assign(headers, trace)
  return connection.send({ method, path, headers, body, timeoutMs })
}
