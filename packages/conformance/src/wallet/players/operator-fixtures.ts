/** New players for each case, created through the operator API of a Purser wallet. */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { trimEndSlashes } from '@purser/protocol/values/base-url'
import { parseDecimal, STANDARD_SCALES } from '@purser/protocol/values/money'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { errorText } from '@purser/runtime/errors/error-text'
import { Pool } from 'undici'
import type { CaseNeed, OperatorAction, PlayerKind } from '../case/wallet-case.ts'
import {
  type FixturePlayer,
  InvalidFixturesError,
  type KnownProfile,
  OperatorApiError,
  OperatorUnavailableError,
  type PlayerAccount,
  type PlayerFixtures,
  type PlayerLease,
} from './player-fixtures.ts'

export interface OperatorFixturesOptions {
  readonly url: string
  readonly key: string
  /** The currency of the players. Default: EUR. */
  readonly currency?: string
}

/**
 * Cases in parallel: enough to use waiting times, few enough that races meet inside the wallet and
 * not in its queue.
 */
const CAPACITY = 8
const CONNECTIONS = 16
const TIMEOUT_MS = 10_000
const FIRST = 'EUR'
const CRYPTO = resolveAccount('BTC')
const SECOND = resolveAccount('USD')
/** Major units, in the first currency. */
const START = '1000'
/** Values that most players do not have, so that constant answers are detected. */
const DESCRIBED: KnownProfile = {
  ...{ isTest: true, userCountry: 'NO', firstName: 'Åse', lastName: 'Nordmann', nickname: 'nøtt', gender: 'no data' },
  ...{
    email: 'aase@kit.example',
    phone: '+4755512345',
    birthday: '1956-02-29',
    registrationDate: '2019-02-28 23:59:58',
  },
  ...{ isCashOutAllowed: false, isVerified: false, userStatus: 'watched', percentMargin: 4.25, avgBet: 12.5, isVIP: 1 },
}
/** Later than the birthday of any adult. */
const CHILDS_BIRTHDAY = '2020-01-01'
/** Seconds: the shortest lifetime of a session. */
const SHORT_LIFE_S = 1
/** Milliseconds of tolerance between two clocks. */
const SURELY_OVER_MS = 200
const FAR_FUTURE = '2099-01-01T00:00:00Z'

function resolveAccount(currency: string): PlayerAccount {
  const scale = STANDARD_SCALES.get(currency)
  if (scale === undefined) throw new InvalidFixturesError(`the kit does not know the decimal places of ${currency}`)
  return { currency, scale }
}

type OperatorRequest = (method: string, path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>

export function createOperatorFixtures(api: OperatorFixturesOptions): PlayerFixtures & { close(): Promise<void> } {
  const base = new URL(api.url)
  const pool = new Pool(base.origin, { connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
  const callApi = createOperatorRequest(pool, trimEndSlashes(base.pathname), api.key)
  const first = resolveAccount(api.currency ?? FIRST)
  return {
    capacity: CAPACITY,
    areDisposable: true,
    missing: () => [],
    lease: (kind, needs) => leasePlayers({ callApi, first }, kind, needs),
    close: () => pool.close(),
  }
}

function createOperatorRequest(pool: Pool, prefix: string, key: string): OperatorRequest {
  return async (method, path, body) => {
    const call = {
      method: method as 'POST',
      path: `${prefix}${path}`,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    }
    const response = await pool.request(call).catch((error: unknown) => {
      throw new OperatorUnavailableError(`the operator API does not answer: ${errorText(error)}`)
    })
    const text = await response.body.text()
    if (response.statusCode < 300) return text === '' ? {} : JSON.parse(text)
    throw new OperatorApiError(`the operator API answered ${method} ${path} with ${response.statusCode}: ${text}`)
  }
}

interface Operator {
  readonly callApi: OperatorRequest
  readonly first: PlayerAccount
}

async function leasePlayers(operator: Operator, kind: PlayerKind, needs: readonly CaseNeed[]): Promise<PlayerLease> {
  const [A, B] = await Promise.all([
    createPlayer(operator, kind, needs.includes('dead token')),
    needs.includes('B') ? createPlayer(operator, 'ordinary', false) : undefined,
  ])
  return {
    players: B === undefined ? { A } : { A, B },
    act: (act, player, betId) => performOperatorAction(operator.callApi, act, player, betId),
    release() {},
  }
}

async function createPlayer(operator: Operator, kind: PlayerKind, withDeadToken: boolean): Promise<FixturePlayer> {
  const { callApi } = operator
  const userId = `conformance-${randomUUID()}`
  const first = kind === 'crypto' ? CRYPTO : operator.first
  const currencies = [first.currency, SECOND.currency]
  const known: KnownProfile = kind === 'described' ? DESCRIBED : { isTest: false }
  const { isTest, ...customFields } = known
  await callApi('POST', '/operator/players', { userId, currency: first.currency, currencies, isTest, customFields })
  const balance = await deposit(callApi, userId, first)
  const deadToken = withDeadToken ? await expiredToken(callApi, userId) : undefined
  const token = await newToken(callApi, userId)
  const made = { userId, token, first, second: SECOND, known, balance, isSeen: true } as const
  const player: FixturePlayer = { ...made, ...(deadToken && { deadToken }) }
  return applyPlayerKind(callApi, kind, player)
}

async function applyPlayerKind(
  callApi: OperatorRequest,
  kind: PlayerKind,
  player: FixturePlayer,
): Promise<FixturePlayer> {
  switch (kind) {
    case 'ordinary':
    case 'crypto':
    case 'described':
      return player
    case 'blocked':
      return performOperatorAction(callApi, 'block', player, '')
    case 'selfExcluded':
      return performOperatorAction(callApi, 'self-exclude', player, '')
    case 'unverified':
      return performOperatorAction(callApi, 'unverify', player, '')
    case 'underAge':
      return performOperatorAction(callApi, 'make under age', player, '')
    case 'switched':
      return switchPlayerCurrency(callApi, player)
    default:
      return kind satisfies never
  }
}

/** As in a fixtures file, the current currency is the first one and has money. */
async function switchPlayerCurrency(callApi: OperatorRequest, player: FixturePlayer): Promise<FixturePlayer> {
  const { token, oldToken = '' } = await performOperatorAction(callApi, 'switch currency', player, '')
  const balance = await deposit(callApi, player.userId, SECOND)
  return { ...player, token, oldToken, first: SECOND, second: player.first, balance }
}

/** Returns minor units. */
async function deposit(callApi: OperatorRequest, userId: string, { currency, scale }: PlayerAccount): Promise<bigint> {
  await callApi('POST', `${playerPath(userId)}/deposits`, { currency, amount: START, reference: randomUUID() })
  return parseDecimal(START, scale) ?? 0n
}

async function performOperatorAction(
  callApi: OperatorRequest,
  act: OperatorAction,
  player: FixturePlayer,
  betId: string,
): Promise<FixturePlayer> {
  const path = playerPath(player.userId)
  const patch = async (changes: object) => {
    await callApi('PATCH', path, changes)
    return player
  }
  switch (act) {
    case 'block':
      return patch({ status: 'blocked' })
    case 'self-exclude':
      return patch({ selfExcludedUntil: FAR_FUTURE })
    case 'unverify':
      return patch({ verified: false })
    case 'make under age':
      return patch({ birthday: CHILDS_BIRTHDAY })
    case 'limit stake':
      return patch({ limits: { stake: '150' } })
    case 'limit loss':
      return patch({ limits: { loss: '150' } })
    case 'limit bet count':
      return patch({ limits: { betCount: 1 } })
    case 'lock bet':
      await callApi('PUT', `${path}/bets/${encodePathSegment(betId)}/lock`)
      return player
    case 'end sessions':
      await callApi('DELETE', `${path}/sessions`)
      return { ...player, token: await newToken(callApi, player.userId), deadToken: player.token }
    case 'switch currency': {
      const { token } = await callApi('POST', `${path}/currency`, { currency: SECOND.currency })
      return { ...player, token: String(token), oldToken: player.token }
    }
    default:
      return act satisfies never
  }
}

/** The token of an expired session. The action 'end sessions' gives the token of an ended one. */
async function expiredToken(callApi: OperatorRequest, userId: string): Promise<string> {
  const token = await newToken(callApi, userId, { ttlSeconds: SHORT_LIFE_S })
  await sleep(SHORT_LIFE_S * 1_000 + SURELY_OVER_MS)
  return token
}

async function newToken(callApi: OperatorRequest, userId: string, sessionOptions = {}): Promise<string> {
  const { token } = await callApi('POST', `${playerPath(userId)}/sessions`, sessionOptions)
  return String(token)
}

function playerPath(userId: string): string {
  return `/operator/players/${encodePathSegment(userId)}`
}
