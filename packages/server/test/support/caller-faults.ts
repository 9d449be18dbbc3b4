/** Finds faults in a call of the platform, by the interface's rules and by the earlier calls. */
import { createHmac } from 'node:crypto'
import { BET_SCHEMAS } from '@purser/protocol/bet-request'
import { ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { StatedPlaceBetSchema } from '@purser/protocol/stated-place-bet'
import { Compile } from 'typebox/compile'
import type { ReceivedCall } from './scripted-wallet.ts'
import type { JsonObject } from './wire.ts'

interface Earlier {
  readonly secrets: readonly string[]
  readonly requests: readonly ReceivedCall[]
  /** Requests without an answer yet. */
  readonly open: ReadonlySet<ReceivedCall>
}

const STATED = { ...BET_SCHEMAS, place: StatedPlaceBetSchema }
const SCHEMAS = Object.fromEntries(Object.entries(STATED).map(([name, schema]) => [name, Compile(schema)]))
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const COMMON = [
  ...['requestId', 'type', 'transactionId', 'userId', 'amount', 'currency'],
  ...['coefficient', 'gameType', 'bonusId', 'bonusTemplateId', 'ticketType'],
]
const ONLY_IN_PLACE = ['ip', 'info', 'subPartnerId', 'metadata']
/** A bet keeps these members for its whole life (C-7). */
const KEPT = ['userId', 'operatorUser', 'currency', 'coefficient', 'gameType', 'ticketType', 'bonusId']

/** The rules that a request breaks, alone or with earlier requests of its bet. */
export function faultsOf(earlier: Earlier, request: ReceivedCall): string[] {
  const faults: string[] = []
  if (!earlier.secrets.some((secret) => isSigned(request, secret)))
    faults.push('the signature is not one of these bytes')
  if (request.headers['content-type'] !== 'application/json') faults.push('the content type is not JSON')
  if (request.operation === 'other') faults.push(`${request.method} ${request.path} is no call of the interface`)
  else if (request.operation === 'profile') faults.push(...profileFaults(request.body))
  else faults.push(...betFaults(request.operation, request.body), ...lifeFaults(earlier, request))
  return faults
}

/**
 * The signature is computed here a second time, so that a mistake in src/ does not hide itself
 * (S-1).
 */
export function isSigned({ headers, text }: ReceivedCall, secret: string): boolean {
  const [header = '', payload, mac] = String(headers['x-sign-jws']).split('.')
  const signed = `${header}.${Buffer.from(text).toString('base64url')}`
  const hasAlgorithm = Buffer.from(header, 'base64url').toString().includes('"alg":"HS256"')
  return hasAlgorithm && payload === '' && mac === createHmac('sha256', secret).update(signed).digest('base64url')
}

function profileFaults({ token, requestId, ...others }: JsonObject): string[] {
  const isText = (value: unknown) => typeof value === 'string' && value.length >= 10 && value.length <= 64
  const unknown = Object.keys(others).map((name) => `${name} is no member of User data`)
  return [...(isText(token) ? [] : ['token']), ...(isText(requestId) ? [] : ['requestId']), ...unknown]
}

function betFaults(operation: 'place' | 'settle' | 'unsettle' | 'rollback', body: JsonObject): string[] {
  const faults = SCHEMAS[operation]?.Check(body) ? [] : ['the schema of the operation does not hold']
  faults.push(...COMMON.filter((name) => !(name in body)).map((name) => `${name} is missing`))
  for (const name of ['requestId', 'transactionId']) if (!UUID.test(String(body[name]))) faults.push(`${name}: no uuid`)
  if (operation !== 'place')
    faults.push(...ONLY_IN_PLACE.filter((name) => name in body).map((name) => `${name} belongs to Place bet`))
  const wantsToken = operation === 'place' || operation === 'rollback' || body.resultType === 'cashout'
  if (wantsToken !== 'token' in body) faults.push(wantsToken ? 'token is missing' : 'token is not for this call')
  if (operation === 'rollback' && !(String(body.errorCode) in ROLLBACK_REASONS)) faults.push('errorCode is not listed')
  return faults
}

/**
 * A requestId always has the same text (C-5). A bet has one call at a time (C-6), and keeps the
 * members of its placement (C-7).
 */
function lifeFaults({ requests, open }: Earlier, request: ReceivedCall): string[] {
  const { body, text } = request
  const mine = requests.filter((earlier) => earlier.body.transactionId === body.transactionId)
  const placed = mine.find((earlier) => earlier.operation === 'place')?.body
  const faults = KEPT.filter((name) => placed !== undefined && placed[name] !== body[name])
  return [
    ...faults.map((name) => `${name} differs from the Place bet`),
    ...(requests.some((r) => r.body.requestId === body.requestId && r.text !== text) ? ['requestId used twice'] : []),
    ...(mine.some((earlier) => open.has(earlier)) ? ['another call of the bet is not answered yet'] : []),
  ]
}
