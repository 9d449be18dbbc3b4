/**
 * Uses the operator API for a test: makes players, gives them money, reads the wallet's state. An
 * unexpected answer throws.
 */
import { randomUUID } from 'node:crypto'
import { request as send } from 'undici'
import { type Json, type JsonObject, readReply } from './wire.ts'

export interface OperatorReply {
  status: number
  body: Json
}

export interface OperatorClient {
  request(method: string, path: string, body?: object): Promise<OperatorReply>
  createPlayer(over?: Record<string, unknown>): Promise<{ userId: string }>
  session(userId: string, over?: Record<string, unknown>): Promise<string>
  deposit(userId: string, amount: string, currency?: string): Promise<void>
  /** '0' when the player has no account in that currency. */
  balance(userId: string, currency?: string): Promise<string>
  bet(userId: string, betId: string): Promise<JsonObject>
  patch(userId: string, changes: object): Promise<JsonObject>
  lock(userId: string, betId: string): Promise<void>
  /** The new token; it replaces the player's earlier tokens (P-1). */
  switchCurrency(userId: string, currency: string): Promise<string>
}

export function operatorClient(baseUrl: string, operatorKey: string): OperatorClient {
  const request: OperatorClient['request'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${operatorKey}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await send(baseUrl + path, { method, headers, body: body ? JSON.stringify(body) : null })
    return readReply(reply.statusCode, await reply.body.text())
  }
  return { request, ...playerCalls(request), ...betCalls(request) }
}

type Request = OperatorClient['request']

function playerCalls(request: Request) {
  return {
    async createPlayer(over: Record<string, unknown> = {}): Promise<{ userId: string }> {
      const player = { userId: `player-${randomUUID()}`, currency: 'EUR', currencies: ['EUR', 'USD'], ...over }
      const created = object(await expected(request, 201, 'POST', '/operator/players', player))
      return { userId: text(created, 'userId') }
    },
    async session(userId: string, over: Record<string, unknown> = {}): Promise<string> {
      return text(object(await expected(request, 201, 'POST', `${player(userId)}/sessions`, over)), 'token')
    },
    async deposit(userId: string, amount: string, currency = 'EUR'): Promise<void> {
      await expected(request, 201, 'POST', `${player(userId)}/deposits`, { currency, amount, reference: randomUUID() })
    },
    async balance(userId: string, currency = 'EUR'): Promise<string> {
      const { balances } = object(await expected(request, 200, 'GET', `${player(userId)}/balances`))
      if (!Array.isArray(balances)) throw new Error('the answer has no list of balances')
      const account = balances.map(object).find((balance) => balance.currency === currency)
      return account ? text(account, 'amount') : '0'
    },
    async patch(userId: string, changes: object): Promise<JsonObject> {
      return object(await expected(request, 200, 'PATCH', player(userId), changes))
    },
    async switchCurrency(userId: string, currency: string): Promise<string> {
      return text(object(await expected(request, 200, 'POST', `${player(userId)}/currency`, { currency })), 'token')
    },
  }
}

function betCalls(request: Request) {
  return {
    async bet(userId: string, betId: string): Promise<JsonObject> {
      return object(await expected(request, 200, 'GET', `${player(userId)}/bets/${encodeURIComponent(betId)}`))
    },
    async lock(userId: string, betId: string): Promise<void> {
      await expected(request, 204, 'PUT', `${player(userId)}/bets/${encodeURIComponent(betId)}/lock`)
    },
  }
}

/** A new player for one test, with a session and money. */
export async function playerWithMoney(
  operator: OperatorClient,
  amount = '1000.00',
  currency = 'EUR',
  over: Record<string, unknown> = {},
): Promise<{ userId: string; token: string; currency: string }> {
  const currencies = [...new Set([currency, 'EUR', 'USD'])]
  const { userId } = await operator.createPlayer({ currency, currencies, ...over })
  await operator.deposit(userId, amount, currency)
  return { userId, token: await operator.session(userId), currency }
}

function player(userId: string): string {
  return `/operator/players/${encodeURIComponent(userId)}`
}

/**
 * Repeats the request while the answer is 503 `busy`, after which nothing was changed. A request
 * waits at most 0.5 s for a player's lock, which ten at once may exceed on a slow machine.
 */
export async function untilFree<Reply extends OperatorReply>(send: () => Promise<Reply>): Promise<Reply> {
  const reply = await send()
  const isBusy = reply.status === 503 && object(reply.body).code === 'busy'
  return isBusy ? untilFree(send) : reply
}

async function expected(request: Request, status: number, method: string, path: string, body?: object): Promise<Json> {
  const reply = await untilFree(() => request(method, path, body))
  if (reply.status === status) return reply.body
  throw new Error(`${method} ${path} answered ${reply.status} instead of ${status}: ${JSON.stringify(reply.body)}`)
}

function object(value: Json): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Error(`an object was expected, not ${JSON.stringify(value)}`)
}

function text(from: JsonObject, member: string): string {
  const value = from[member]
  if (typeof value === 'string') return value
  throw new Error(`"${member}" is not a text in ${JSON.stringify(from)}`)
}
