/**
 * Fuzzes the gateway, which replaces ids and tokens in bytes. No other byte may change, in calls
 * (P-5) and in answers (G-3).
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { MalformedCall } from '@purser/protocol/request-body'
import type { PlayerRoute } from 'purser/gateway/players/player-directory'
import { rewriteForOperator, rewriteForPlatform, WrongPlayerError } from 'purser/gateway/wire/call-rewriting'
import { parseGatewayCall } from 'purser/gateway/wire/gateway-call'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { type JsonObjectNode, lastOf, readJsonNode, withoutMark } from '../lossless.ts'
import { mutateBytes, mutateJson, perhapsMarked } from '../mutate.ts'
import { bytesOf, firstOf, type Target, textOf } from '../target.ts'

const OWN_ID = 'gw-1-user'
const OPERATOR_USER = 'player-17'
const OPERATOR_TOKEN = 'operator/token+0123'
const TOKEN = 'gateway-token-0123456789'

const NAMES = { userId: OWN_ID, token: TOKEN, requestId: 'request-0123456789' }
const BET = { ...NAMES, type: 2, transactionId: 'bet-0123456789', amount: 10, currency: 'EUR', x: { token: 'y' } }
const PROFILE = { userId: OPERATOR_USER, currency: 'EUR', customFields: { nickname: 'n', avgBet: 1 }, isTest: false }
const [JSON_BET, JSON_PROFILE] = [JSON.stringify(BET), JSON.stringify(PROFILE)]
const ERROR = JSON.stringify({
  code: 4,
  message: `no session ${OPERATOR_TOKEN.replaceAll('/', '\\/')} ${OPERATOR_TOKEN}`,
})

const SEEDS = [
  textParts({ call: 'PUT bet known 200', body: JSON_BET, answer: '{"transactionId":"bet-0123456789"}' }),
  textParts({ call: 'PUT bet lost 400', body: JSON_BET, answer: ERROR }),
  textParts({
    call: 'POST profile known 200',
    body: JSON.stringify({ ...NAMES, userId: undefined }),
    answer: JSON_PROFILE,
  }),
  textParts({
    call: 'POST balance known 200',
    body: JSON.stringify({ ...NAMES, operatorUser: 'any' }),
    answer: JSON_PROFILE,
  }),
  textParts({
    call: 'POST check lost 200',
    body: JSON.stringify({ ...NAMES, transactionId: 'bet-0123456789' }),
    answer: ERROR,
  }),
]

export const CODE = { readCall: parseGatewayCall, toOperator: rewriteForOperator, toPlatform: rewriteForPlatform }

export function spliceTarget(code: typeof CODE = CODE): Target {
  return { name: 'splice', seeds: SEEDS, mutate, grows: ['body', 'answer'], judge: (parts) => judge(parts, code) }
}

function mutate(chance: Chance, parts: Parts): Parts {
  const isCall = chance.oneIn(2)
  const [body, answer] = [bytesOf(parts, 'body'), bytesOf(parts, 'answer')]
  const names = [OPERATOR_USER, OWN_ID, OPERATOR_TOKEN, OPERATOR_TOKEN.replaceAll('/', '\\/')]
  const withName = chance.oneIn(3) ? insert(chance, answer, chance.pick(names)) : answer
  return {
    call: chance.oneIn(9) ? mutateBytes(chance, bytesOf(parts, 'call')) : bytesOf(parts, 'call'),
    body: isCall ? perhapsMarked(chance, mutateJson(chance, body)) : body,
    answer: isCall ? answer : mutateJson(chance, withName),
  }
}

function insert(chance: Chance, bytes: Buffer, text: string): Buffer {
  const at = chance.below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)])
}

const ENDPOINTS = ['bet', 'profile', 'balance', 'check'] as const
type Endpoint = (typeof ENDPOINTS)[number]

function judge(parts: Parts, code: typeof CODE): string | undefined {
  const [method = '', named, way, code200] = textOf(parts, 'call').split(' ')
  const endpoint = ENDPOINTS.find((one) => one === named) ?? 'bet'
  const body = bytesOf(parts, 'body')
  const text = withoutMark(body.toString('utf8'))
  const mark = body.toString('utf8').slice(0, -text.length)
  const tree = isUtf8(body) ? readJsonNode(text) : undefined
  // JSON.parse of Node 24 confuses names with a backslash (nodejs/node#63785).
  if (tree?.kind === 'object' && tree.members.some(({ name }) => name.includes('\\'))) return undefined
  const object = tree?.kind === 'object' && isClear(endpoint, method, tree) ? tree : undefined
  const call = callOf(endpoint, method, body, code)
  if ('refusal' in call) return object === undefined ? undefined : `refused what must be routed: ${call.refusal}`
  if (object === undefined) return 'routed what must be refused'
  const player = { userId: OWN_ID, operatorId: 'op', operatorUser: OPERATOR_USER }
  const route: PlayerRoute = {
    player: player as PlayerRoute['player'],
    operatorToken: way === 'lost' ? undefined : OPERATOR_TOKEN,
  }
  const sent = code.toOperator(call, route)
  const status = code200 === '200' ? 200 : 400
  return firstOf([
    differenceOf('the call', sent, Buffer.from(mark + wantedCall(endpoint, text, object, route))),
    ofAnswer(
      endpoint,
      status,
      bytesOf(parts, 'answer'),
      () => code.toPlatform(call, route, { status, body: bytesOf(parts, 'answer') }),
      { object, route },
    ),
  ])
}

function callOf(endpoint: Endpoint, method: string, body: Buffer, code: typeof CODE) {
  try {
    return code.readCall(endpoint, method, body)
  } catch (error) {
    if (error instanceof MalformedCall) return { refusal: error.message }
    throw error
  }
}

const READ = ['type', 'token', 'userId', 'operatorUser', 'transactionId']

/** The members that the gateway reads occur once, in their form (R-6, P-5, S-5). */
function isClear(endpoint: Endpoint, method: string, object: JsonObjectNode): boolean {
  const [type, userId, operatorUser] = ['type', 'userId', 'operatorUser'].map((name) => lastOf(object, name))
  const isTwice = READ.some((name) => object.members.filter((member) => member.name === name).length > 1)
  const number = type?.kind === 'number' ? Number(type.written) : undefined
  const isKnown =
    endpoint === 'bet'
      ? (method === 'POST' && number === 1) || (method === 'PUT' && [1, 2, 3].includes(number ?? 0))
      : type === undefined
  const isNamed =
    operatorUser === undefined || (operatorUser.kind === 'string' && /^[A-Za-z0-9._~-]{1,64}$/.test(operatorUser.value))
  return isKnown && !isTwice && isNamed && (endpoint === 'profile' || userId?.kind === 'string')
}

type Values = Readonly<Record<string, unknown>>

/** Replaces each value in its place; an absent member comes first. */
function withValues(text: string, object: JsonObjectNode, values: Values): [number, number, string][] {
  const edits: [number, number, string][] = []
  const absent = Object.keys(values).filter((name) => lastOf(object, name) === undefined)
  const added = absent.map((name) => `${JSON.stringify(name)}:${JSON.stringify(values[name])}`).join(',')
  if (added !== '') edits.push([object.start + 1, object.start + 1, object.members.length > 0 ? `${added},` : added])
  for (const { name, value } of object.members)
    if (Object.hasOwn(values, name)) edits.push([value.start, value.end, JSON.stringify(values[name])])
  return text === '' ? [] : edits
}

function edited(text: string, edits: readonly [number, number, string][]): string {
  return [...edits]
    .sort(([a], [b]) => b - a)
    .reduce((now, [start, end, put]) => now.slice(0, start) + put + now.slice(end), text)
}

function tokenIn(object: JsonObjectNode): string | undefined {
  const token = lastOf(object, 'token')
  return token?.kind === 'string' && token.value.length >= 10 && token.value.length <= 64 ? token.value : undefined
}

function wantedCall(endpoint: Endpoint, text: string, object: JsonObjectNode, { operatorToken }: PlayerRoute): string {
  const token = tokenIn(object)
  const hidden = () =>
    createHash('sha256')
      .update(token ?? '')
      .digest('base64url')
  const isNamed = endpoint !== 'profile' || lastOf(object, 'operatorUser') !== undefined
  const values = {
    ...(token !== undefined && { token: operatorToken ?? hidden() }),
    ...(isNamed && { operatorUser: OPERATOR_USER }),
  }
  return edited(text, withValues(text, object, values))
}

interface RoutedRequest {
  readonly object: JsonObjectNode
  readonly route: PlayerRoute
}

function ofAnswer(
  endpoint: Endpoint,
  status: number,
  answer: Buffer,
  give: () => Buffer,
  known: RoutedRequest,
): string | undefined {
  const renamed = endpoint === 'profile' || endpoint === 'balance' ? renamedAnswer(endpoint, status, answer) : answer
  if (renamed === 'unclear') return undefined
  let got: Buffer
  try {
    got = give()
  } catch (error) {
    if (!(error instanceof WrongPlayerError)) throw error
    return renamed === undefined ? undefined : 'an answer is held back that is this player’s'
  }
  if (renamed === undefined) return 'an answer about another player is passed on'
  const token = tokenIn(known.object)
  const isSecret = token !== undefined && known.route.operatorToken !== undefined
  return differenceOf('the answer', got, isSecret ? withToken(renamed, token) : renamed)
}

/** Undefined for an answer about another player. */
function renamedAnswer(endpoint: Endpoint, status: number, answer: Buffer): Buffer | undefined | 'unclear' {
  const text = answer.toString('utf8')
  const tree = isUtf8(answer) ? readJsonNode(text) : undefined
  if (status !== 200 || tree?.kind !== 'object') return answer
  if (text.includes('\\\\')) return 'unclear' // nodejs/node#63785
  const userId = lastOf(tree, 'userId')
  if (userId?.kind !== 'string') return answer
  const isOwn = userId.value === OPERATOR_USER || (endpoint === 'balance' && userId.value === OWN_ID)
  if (!isOwn) return undefined
  if (endpoint === 'balance') return Buffer.from(edited(text, withValues(text, tree, { userId: OWN_ID })))
  const custom = tree.members.filter(({ name }) => name === 'customFields')
  const names = { userId: OWN_ID, operatorUser: OPERATOR_USER }
  const added = custom.length === 0 ? { customFields: { operatorUser: OPERATOR_USER } } : {}
  const inner = custom.flatMap(({ value }) =>
    value.kind === 'object' ? withValues(text, value, { operatorUser: OPERATOR_USER }) : [],
  )
  return Buffer.from(edited(text, [...withValues(text, tree, { ...names, ...added }), ...inner]))
}

/** Replaces the operator's token in the bytes of an answer. */
function withToken(answer: Buffer, token: string): Buffer {
  const forms = [OPERATOR_TOKEN, OPERATOR_TOKEN.replaceAll('/', '\\/')]
  let text = answer.toString('latin1')
  for (const form of forms) text = text.split(form).join(token)
  return Buffer.from(text, 'latin1')
}

function differenceOf(what: string, got: Buffer, wanted: Buffer): string | undefined {
  return got.equals(wanted)
    ? undefined
    : `${what} has other bytes: ${got.toString('utf8').slice(0, 300)} instead of ${wanted.toString('utf8').slice(0, 300)}`
}
