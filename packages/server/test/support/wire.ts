/**
 * Makes the betting platform's calls, signs them, and sends them over real HTTP. It has its own
 * code for signatures (S-1), because shared code with src/ would hide mistakes in src/.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [member: string]: Json
}

export interface WireReply {
  status: number
  /** The parsed answer; the plain text when it is not JSON, null when it is empty. */
  body: Json
  text: string
}

export interface CallOptions {
  secret?: string
  headers?: Record<string, string>
  /** Sent unchanged; null sends no signature. */
  signature?: string | null
}

/**
 * Members of a message. They replace members of the complete valid message; undefined removes a
 * member.
 */
export type Members = Record<string, unknown>

export interface PartnerWire {
  /** A string body is sent and signed unchanged. */
  call(method: string, path: string, body: object | string, options?: CallOptions): Promise<WireReply>
  place(bet: Members): Promise<WireReply>
  settle(bet: Members): Promise<WireReply>
  unsettle(bet: Members): Promise<WireReply>
  rollback(bet: Members): Promise<WireReply>
  profile(token: string, over?: Members): Promise<WireReply>
  balance(player: Members): Promise<WireReply>
  check(bet: Members): Promise<WireReply>
}

const BET = '/payment/bet'
/** Longer than the wallet's longest permitted wait, so that a missing answer is noticed. */
const ANSWER_TIMEOUT_MS = 15_000

export function partnerWire(baseUrl: string, secret: string): PartnerWire {
  // Connections are not limited, because calls that must coincide in the wallet must not wait here.
  const agent = new Agent({ headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS })
  const call: PartnerWire['call'] = async (method, path, body, options = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const reply = await request(baseUrl + path, {
      dispatcher: agent,
      method,
      headers: headersFor(text, secret, options),
      body: text === '' ? null : text,
    })
    return readReply(reply.statusCode, await reply.body.text())
  }
  return {
    call,
    place: (bet) => call('POST', BET, placeMessage(bet)),
    settle: (bet) => call('PUT', BET, settleMessage(bet)),
    unsettle: (bet) => call('PUT', BET, unsettleMessage(bet)),
    rollback: (bet) => call('PUT', BET, rollbackMessage(bet)),
    profile: (token, over) => call('POST', '/user/profile', { token, requestId: randomUUID(), ...over }),
    balance: (player) => call('POST', '/user/balance', { currency: 'EUR', requestId: randomUUID(), ...player }),
    check: (bet) => call('POST', '/payment/check', bet),
  }
}

/** The value of `x-sign-jws` for a body: a detached JWS (S-1). */
export function sign(body: string, secret: string): string {
  const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
  const signed = `${header}.${Buffer.from(body).toString('base64url')}`
  return `${header}..${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** The code of a rejection; undefined when the answer has no code. */
export function replyCode(reply: WireReply): number | undefined {
  const { body } = reply
  const code = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.code : undefined
  return typeof code === 'number' ? code : undefined
}

function headersFor(body: string, secret: string, options: CallOptions): Record<string, string> {
  const signature = options.signature === undefined ? sign(body, options.secret ?? secret) : options.signature
  return {
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
    ...(signature === null ? {} : { 'x-sign-jws': signature }),
    ...options.headers,
  }
}

export function readReply(status: number, text: string): WireReply {
  return { status, body: parsed(text), text }
}

function parsed(text: string): Json {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The members of all four bet operations. The token is well-formed, but no wallet ever issued it.
 */
function commonMembers(): Members {
  return {
    requestId: randomUUID(),
    transactionId: randomUUID(),
    token: 'a-token-that-no-wallet-has-ever-given-out',
    userId: 'nobody',
    amount: 10,
    currency: 'EUR',
    coefficient: 2.5,
    gameType: 'sportsbook',
    bonusId: null,
    bonusTemplateId: null,
    ticketType: 'single',
    boosterCoefficient: 1,
  }
}

export function placeMessage(over: Members): Members {
  return {
    ...commonMembers(),
    type: 1,
    ip: '203.0.113.7',
    info: 'a bet of the tests',
    subPartnerId: null,
    metadata: [selection()],
    bonusAmount: null,
    ...over,
  }
}

function selection(): Members {
  return {
    disciplineId: 1,
    discipline: 'Football',
    tournamentId: 77,
    tournament: 'Eliteserien',
    tournamentRegionCode: 'NO',
    eventId: 4711,
    event: 'Brann - Molde',
    eventDate: '2031-05-16 18:00:00',
    marketId: 1,
    market: 'Winner',
    outcomeId: 2,
    outcome: 'Molde',
    coefficient: 2.5,
    stage: 1,
  }
}

export function settleMessage(over: Members): Members {
  const { token: _, ...common } = commonMembers()
  return { ...common, type: 2, amount: 25, resultType: 'won', ...over }
}

export function unsettleMessage(over: Members): Members {
  const { token: _, ...common } = commonMembers()
  return { ...common, type: 1, ...over }
}

export function rollbackMessage(over: Members): Members {
  return { ...commonMembers(), type: 3, bonusAmount: null, errorCode: 50, ...over }
}
