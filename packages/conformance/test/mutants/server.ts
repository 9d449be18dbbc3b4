/**
 * The HTTP server of the test wallet. It checks the signature before anything else (S-2), and
 * answers an exception with an error.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { type HttpReply, render } from './answers.ts'
import { handleBetCall } from './bet-calls.ts'
import { type CallName, isSigned } from './check-signature.ts'
import { Crash, MalformedRequest } from './crash.ts'
import type { Answer } from './decision.ts'
import { whileAnswering } from './fired.ts'
import { type OperatorReply, operate, statement } from './operator-api.ts'
import { operationOf, readBetCall, readBody } from './read-call.ts'
import { type Body, isLongExpress } from './shape.ts'
import { has, nowOf, type Wallet } from './state.ts'
import { balance, check, profile } from './user-data.ts'

const MAX_BODY_BYTES = 256 * 1024
/** Milliseconds: more than the response time-out (interface.md, Limits). */
const TOO_LATE_MS = 5_200

interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  /** Undefined for a body above the limit. */
  readonly bytes: Buffer | undefined
}

export async function listen(wallet: Wallet): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => void serve(wallet, incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the test wallet has no port')
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${address.port}`, close }
}

/** Answers a request without a connection. */
export function answerRequest(wallet: Wallet, request: Request): Promise<HttpReply> {
  return whileAnswering(String(request.bytes), () => answer(wallet, request))
}

async function serve(wallet: Wallet, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { status, body } = await answerRequest(wallet, await read(incoming))
  outgoing.writeHead(status, body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' })
  outgoing.end(status === 204 ? undefined : body)
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  const { method = 'GET', url = '/', headers } = incoming
  const bytes = size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)
  return { method, url: new URL(`http://wallet${url}`), headers, bytes }
}

async function answer(wallet: Wallet, request: Request): Promise<HttpReply> {
  const { method, url } = request
  const isDoubled = url.pathname.includes('//')
  // repeated slashes count as one (D-4)
  if (isDoubled && !has(wallet, 'second-slash-404')) url.pathname = url.pathname.replaceAll(/\/{2,}/g, '/')
  if (url.pathname.startsWith('/operator/')) return answerOperator(wallet, request)
  if (wallet.hidesBalances && url.pathname === '/user/balance') return { status: 404, body: '' }
  if (method === 'GET' && url.pathname === '/healthz') return { status: 200, body: '{"status":"ok"}' }
  switch (`${method} ${url.pathname}`) {
    case 'POST /payment/bet':
    case 'PUT /payment/bet':
      return answerBet(wallet, request)
    case 'POST /user/profile':
      return answerUser(wallet, 'profile', profile, request)
    case 'POST /user/balance':
      return answerUser(wallet, 'balance', balance, request)
    case 'POST /payment/check':
      return answerUser(wallet, 'check', check, request)
    default:
      return { status: url.pathname === '/payment/bet' && has(wallet, 'other-method-ok') ? 200 : 404, body: '' }
  }
}

function answerBet(wallet: Wallet, request: Request): Promise<HttpReply> {
  const name = () => operationOf(wallet.faults, request.method, peek(request.bytes).type)
  return answerSigned(wallet, request, name, async (body) => {
    const operation = operationOf(wallet.faults, request.method, body.type)
    if (isLongExpress(body) && has(wallet, 'long-express-slow')) await setTimeout(TOO_LATE_MS)
    if (operation !== undefined) return handleBetCall(wallet, readBetCall(wallet, operation, body))
    const isNone = typeof body.type === 'number' && ![1, 2, 3].includes(body.type)
    if (!isNone || !has(wallet, 'unknown-type-ok')) throw new MalformedRequest('there is no such type')
    return { kind: 'bet', transactionId: String(body.transactionId), requestId: '', at: nowOf(wallet) }
  })
}

function answerUser(
  wallet: Wallet,
  name: CallName,
  handle: (wallet: Wallet, body: Body) => Answer,
  request: Request,
): Promise<HttpReply> {
  return answerSigned(
    wallet,
    request,
    () => name,
    async (body) => {
      // a bet call is never a user call (S-5)
      if ('type' in body && !readsBetCalls(wallet, name)) throw new MalformedRequest('a body with a type is a bet call')
      return handle(wallet, body)
    },
  )
}

function readsBetCalls(wallet: Wallet, name: CallName): boolean {
  if (name === 'balance') return has(wallet, 'balance-of-a-bet-call')
  return name === 'check' ? has(wallet, 'check-of-a-bet-call') : has(wallet, 'profile-of-a-bet-call')
}

/** Reads an unverified body, for faults and for the name of a rejected call. */
function peek(bytes: Buffer | undefined): { readonly type?: unknown } {
  try {
    return JSON.parse(bytes?.toString() ?? '') ?? {}
  } catch {
    return {}
  }
}

async function answerSigned(
  wallet: Wallet,
  request: Request,
  nameOf: () => CallName | undefined,
  handle: (body: Body) => Promise<Answer>,
): Promise<HttpReply> {
  const name = nameOf()
  try {
    return render(wallet, name, await handleSigned(wallet, request, name, handle))
  } catch (error) {
    if (error instanceof MalformedRequest) return render(wallet, name, { kind: 'refused', code: 5 })
    if (error instanceof Crash) return { status: error.status, body: '{"code":100,"message":"System error"}' }
    throw error
  }
}

async function handleSigned(
  wallet: Wallet,
  { headers, bytes }: Request,
  name: CallName | undefined,
  handle: (body: Body) => Promise<Answer>,
): Promise<Answer> {
  if (bytes === undefined) throw new MalformedRequest('the body is too large')
  const signature = headers['x-sign-jws']
  const header = typeof signature === 'string' ? signature : undefined
  if (!isSigned(wallet.faults, name, header, bytes, wallet.secret)) return { kind: 'refused', code: 1 }
  refuseByFault(wallet, headers['content-type'], bytes)
  return handle(readBody(wallet.faults, bytes))
}

/** Only a fault rejects a content type or a replay (S-4). */
function refuseByFault(wallet: Wallet, contentType: string | undefined, bytes: Buffer): void {
  if (contentType !== 'application/json' && has(wallet, 'content-type-demanded')) throw new Crash('unsupported', 415)
  if (!has(wallet, 'replay-refused')) return
  const body = bytes.toString()
  if (wallet.bodiesSeen.has(body)) throw new MalformedRequest('seen before')
  wallet.bodiesSeen.add(body)
}

function answerOperator(wallet: Wallet, request: Request): HttpReply {
  if (request.headers.authorization !== `Bearer ${wallet.operatorKey}`) return { status: 401, body: '{}' }
  const { status, body } = operatorReply(wallet, request) ?? { status: 404 }
  return { status, body: body === undefined ? '' : JSON.stringify(body) }
}

function operatorReply(wallet: Wallet, { method, url, bytes }: Request): OperatorReply | undefined {
  const [, userId] = /^\/operator\/players\/([^/]+)\/statement$/.exec(url.pathname) ?? []
  if (userId !== undefined) return statement(wallet, decodeURIComponent(userId), url.searchParams.get('currency') ?? '')
  return operate(wallet, method, url.pathname, bytes?.length ? JSON.parse(bytes.toString()) : {})
}
