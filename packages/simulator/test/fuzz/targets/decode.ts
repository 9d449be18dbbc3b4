/**
 * Fuzzes the decoding of bytes to a typed call, and compares each result with decode-reference.ts.
 *
 * JSON members that are the same but spelled differently must be the same call.
 */

import { MalformedCall } from '@purser/protocol/request-body'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { decodeBetCall, decodeUserCall } from 'purser/wallet/wire/call-decoder'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { type JsonObjectNode, lastOf, readJsonNode, withoutMark } from '../lossless.ts'
import { mutateJson, perhapsMarked, spell } from '../mutate.ts'
import { bytesOf, firstOf, shown, type Target, textOf } from '../target.ts'
import { type ExpectedFields, expectedOf, type RequestKind } from './decode-reference.ts'

const IDS = { requestId: '0d6e2c0e-1111-4222-8333-944455556666', transactionId: 'b7d1c0aa-1111-4222-8333-944455556666' }
const WHO = { userId: 'user-1', token: 'token-0123456789' }
const SELECTION = {
  ...{ disciplineId: 1, discipline: 'Football', tournamentId: '17', tournament: null, tournamentRegionCode: 'GB' },
  ...{ eventId: 4711, event: 'A – B', eventDate: '2026-11-23 20:45:00', marketId: 1, market: '1x2', outcomeId: 3 },
  ...{ outcome: 'A', coefficient: 1.85, stage: 0 },
}
const BET = { ...IDS, ...WHO, amount: 12.5, currency: 'EUR', coefficient: 1.85, gameType: 'sportsbook' }
const BONUS = { bonusId: null, bonusTemplateId: null, bonusAmount: null, subPartnerId: null }
const PLACE = { type: 1, ...BET, ...BONUS, ticketType: 'single', ip: '127.0.0.1', info: 'x', metadata: [SELECTION] }

const seed = (call: string, body: object) => textParts({ call, body: JSON.stringify(body) })
const SEEDS = [
  seed('POST bet', PLACE),
  seed('POST bet', { ...PLACE, amount: 0, bonusId: 17, bonusAmount: 5, currency: 'BTC', operatorUser: 'op-1' }),
  seed('PUT bet', { type: 2, ...BET, resultType: 'won' }),
  seed('PUT bet', { type: 2, ...BET, resultType: 'cashout', operatorUser: 'op-1' }),
  seed('PUT bet', { type: 1, ...BET }),
  seed('PUT bet', { type: 3, ...BET, errorCode: 10 }),
  seed('POST profile', { token: WHO.token, requestId: IDS.requestId }),
  seed('POST balance', { ...WHO, currency: 'EUR', requestId: IDS.requestId, operatorUser: 'op-1' }),
  seed('POST check', { userId: WHO.userId, transactionId: IDS.transactionId }),
]
const CALLS = ['POST bet', 'PUT bet', 'POST profile', 'POST balance', 'POST check', 'GET bet']

export const CODE = { decodeBetCall, decodeUserCall }

export function decodeTarget(code: typeof CODE = CODE): Target {
  return { name: 'decode', seeds: SEEDS, mutate, grows: ['body'], judge: (parts) => judge(parts, code) }
}

function mutate(chance: Chance, parts: Parts): Parts {
  const call = chance.oneIn(10) ? chance.pick(CALLS) : textOf(parts, 'call').split(' aggregator')[0]
  return {
    call: Buffer.from(`${call}${chance.oneIn(3) ? ' aggregator' : ''}`),
    body: perhapsMarked(chance, mutateJson(chance, bytesOf(parts, 'body'))),
  }
}

function askedIn(parts: Parts): RequestKind {
  const [method = '', endpoint, aggregator] = textOf(parts, 'call').split(' ')
  const known = (['profile', 'balance', 'check'] as const).find((one) => one === endpoint)
  return { method, endpoint: known ?? 'bet', isAggregator: aggregator === 'aggregator' }
}

type DecodeResult = { readonly call: Record<string, unknown> } | { readonly refusal: string }

function decode(asked: RequestKind, body: Buffer, code: typeof CODE): DecodeResult {
  const settings = { scales: STANDARD_SCALES, behindAggregator: asked.isAggregator, platform: '' }
  try {
    const call =
      asked.endpoint === 'bet'
        ? code.decodeBetCall(asked.method, body, settings)
        : code.decodeUserCall[asked.endpoint](body)
    return { call: call as unknown as Record<string, unknown> }
  } catch (error) {
    if (error instanceof MalformedCall) return { refusal: error.message }
    throw error
  }
}

/** Characters of a reply's sentence. */
const LONGEST_SENTENCE = 200

function judge(parts: Parts, code: typeof CODE): string | undefined {
  const asked = askedIn(parts)
  const body = bytesOf(parts, 'body')
  const tree = readJsonNode(withoutMark(body.toString('utf8')))
  if (tree?.kind === 'object' && hasBackslash(tree)) return undefined
  const got = decode(asked, body, code)
  const wanted = expectedOf(asked, body, STANDARD_SCALES)
  if ('refusal' in got)
    return firstOf([
      wanted !== undefined && `refused what must be accepted: ${got.refusal}`,
      (got.refusal === '' || got.refusal.length > LONGEST_SENTENCE) &&
        `the refusal is no sentence: ${got.refusal.length} characters`,
    ])
  if (wanted === undefined) return `accepted what must be refused: ${shown(got.call)}`
  return firstOf([
    differenceOf(got.call, wanted),
    tree?.kind === 'object' && differenceOfSpelling(asked, tree, got.call, code),
  ])
}

/** Node 24's JSON.parse confuses names with a backslash (nodejs/node#63785). */
function hasBackslash({ members }: JsonObjectNode): boolean {
  return members.some(({ name, value }) => name.includes('\\') || (value.kind === 'object' && hasBackslash(value)))
}

function differenceOf(call: Record<string, unknown>, wanted: ExpectedFields): string | undefined {
  const names = Object.keys(wanted).filter((name) => call[name] !== wanted[name])
  return names.length === 0 ? undefined : `decoded as another call: ${shown(call)} instead of ${shown(wanted)}`
}

/** The members that count, in another order and spelling, decode to the same call. */
function differenceOfSpelling(
  asked: RequestKind,
  tree: JsonObjectNode,
  call: Record<string, unknown>,
  code: typeof CODE,
) {
  const names = [...new Set(tree.members.map(({ name }) => name))].reverse()
  const members = names.flatMap((name) => {
    const value = lastOf(tree, name)
    return value === undefined ? [] : [{ name, value }]
  })
  const plain = { below: () => 0, oneIn: () => false, pick: <T>(items: readonly T[]) => items[0] as T }
  const again = decode(asked, Buffer.from(spell(plain, { ...tree, members })), code)
  if ('refusal' in again) return `refused in another spelling: ${again.refusal}`
  const [one, other] = [shown(sorted(call)), shown(sorted(again.call))]
  return one === other ? undefined : `another call in another spelling: ${other} instead of ${one}`
}

/**
 * `details` keeps the order of the members within selections, so only the call's own members are
 * sorted.
 */
function sorted(call: Record<string, unknown>): unknown[] {
  return Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1))
}
