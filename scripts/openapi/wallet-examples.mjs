/**
 * Records the examples of packages/server/openapi/wallet.json: it makes the calls of
 * wallet-story.mjs to a real wallet. Only random values are replaced: tokens, and ids of problem
 * reports.
 */
import { signBody } from '@purser/protocol/signature'
import { firstEvents } from './change-story.mjs'
import { BET, STORY } from './wallet-story.mjs'

export const SECRET = 'testdemo'
export const OPERATOR_KEY = 'key'
const P99_MS = 8
const PROBLEM_ID = '00000000-0000-4000-8000-000000000000'

/** One record per call: operation, name, request, status, answer, values of parameters. */
export async function recordExamples(app, db) {
  const known = { token: '', key: '', run: '' }
  const records = []
  for (const { before, call, credential, headers: more, ...names } of STORY) {
    await before?.(db)
    const [method, url, request] = call(known)
    const { headers, ...message } = messageOf(
      url,
      request,
      typeof credential === 'function' ? credential(known) : credential,
    )
    const reply = await app.inject({
      method,
      url,
      ...message,
      headers: { ...headers, ...(names.accept && { accept: names.accept }), ...more },
      payloadAsStream: names.isStream === true,
    })
    if (reply.statusCode !== names.status)
      throw new Error(`${names.name} was answered ${reply.statusCode} ${reply.body}`)
    const answer = names.isStream ? await firstEvents(reply.stream()) : bodyOf(reply)
    known.token = answer?.token ?? known.token
    known.run = answer?.runId ?? known.run
    known.key = answer?.role === 'cash' ? answer.key : known.key
    records.push({ ...names, request, answer, parameters: parametersOf(url) })
  }
  return withoutChance(records)
}

function bodyOf({ body, headers }) {
  if (/^(text\/csv|application\/x-ndjson)/.test(headers['content-type'])) return body
  return body === '' ? undefined : JSON.parse(body)
}

/** A call with the right credential for its path, unless the story gives another. */
function messageOf(url, request, credential) {
  const payload = request === undefined ? '' : JSON.stringify(request)
  const proof = url.startsWith('/operator')
    ? { authorization: `Bearer ${credential ?? OPERATOR_KEY}` }
    : { 'x-sign-jws': signBody(Buffer.from(payload), credential ?? SECRET) }
  return payload === '' ? { headers: proof } : { headers: { ...proof, 'content-type': 'application/json' }, payload }
}

function parametersOf(url) {
  return {
    userId: 'alice',
    transactionId: BET,
    id: BET.slice(0, 6),
    runId: PROBLEM_ID,
    name: 'support-desk',
    webhookId: 'crm',
    'x-purser-person': 'maria',
    'x-purser-reason': 'asked for by the player',
    ...Object.fromEntries(new URL(url, 'http://wallet').searchParams),
  }
}

function withoutChance(records) {
  const tokens = new Map()
  const tokenFor = (token) => {
    if (!tokens.has(token)) tokens.set(token, `example-token-${tokens.size + 1}-`.padEnd(43, '0'))
    return tokens.get(token)
  }
  return JSON.parse(JSON.stringify(records), (member, value) => {
    if (value?.type === 'about:blank' || isAction(value)) return { ...value, requestId: PROBLEM_ID }
    if (value?.data?.some(isAction)) return { ...value, next: value.next && cursorOf(value.data.at(-1)) }
    if (member === 'secret' && value.startsWith?.('whsec_')) return `whsec_${'0'.repeat(43)}=`
    if (member === 'runId') return PROBLEM_ID
    if (member === 'p99Ms') return P99_MS
    if (member === 'sessionId') return 'SHA-256-of-the-token-0000000000000000000000'
    return member === 'token' && value.length === 43 ? tokenFor(value) : value
  })
}

function isAction(value) {
  return value?.key?.hash !== undefined
}

/** The cursor after this action, whose request id was replaced. */
function cursorOf({ at, requestId }) {
  return Buffer.from(JSON.stringify([at, requestId])).toString('base64url')
}
