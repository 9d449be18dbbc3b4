/**
 * Records the examples of packages/server/openapi/platform.json: it makes the calls of
 * platform-story.mjs to a real platform. Only random or machine-dependent values are replaced: ids,
 * tokens, ports, durations.
 */
import { firstEvents } from './change-story.mjs'
import { STORY } from './platform-story.mjs'

/** One record per call: operation, name, request, status, answer, values of parameters. */
export async function recordExamples(server) {
  const { app, clock, keys, delivered } = server
  const known = { walletUrl: server.walletUrl, secret: keys.PARTNER_SECRET, token: await makePlayer(server) }
  const records = []
  for (const { before, call, keep, after, isDown, key = keys.PLATFORM_API_KEY, headers: more, ...names } of STORY) {
    await before?.(server, known)
    clock.step()
    const [method, url, request] = call(known)
    const reply = await app.inject({
      method,
      url,
      ...messageOf(request, key, more),
      payloadAsStream: names.isStream === true,
    })
    if (reply.statusCode !== names.status)
      throw new Error(`${names.name} was answered ${reply.statusCode} ${reply.body}`)
    const answer = names.isStream
      ? await firstEvents(reply.stream())
      : reply.body === ''
        ? undefined
        : JSON.parse(reply.body)
    keep?.(known, answer)
    records.push({ ...names, request, answer, parameters: parametersOf(url) })
    if (!isDown) await delivered()
    await after?.(server, known)
  }
  return withoutChance(records, known)
}

function messageOf(request, key, more) {
  const headers = { authorization: `Bearer ${key}`, ...more }
  if (request === undefined) return { headers }
  return { headers: { ...headers, 'content-type': 'application/json' }, payload: JSON.stringify(request) }
}

/** Creates the player Alice (EUR and USD, 100.00 EUR) and returns her token. */
async function makePlayer({ wallet, keys }) {
  const ask = async (url, payload) => {
    const headers = { authorization: `Bearer ${keys.OPERATOR_API_KEY}`, 'content-type': 'application/json' }
    return (await wallet.inject({ method: 'POST', url: `/operator/players${url}`, headers, payload })).json()
  }
  const customFields = { nickname: 'Alice', userCountry: 'DE', isCashOutAllowed: true }
  await ask('', { userId: 'alice', currency: 'EUR', currencies: ['EUR', 'USD'], customFields })
  await ask('/alice/deposits', { currency: 'EUR', amount: '100.00', reference: 'psp-4711' })
  return (await ask('/alice/sessions', {})).token
}

function parametersOf(url) {
  const { pathname, searchParams } = new URL(url, 'http://platform')
  const [, list, id] = pathname.split('/')
  const inPath = { bets: 'betId', events: 'eventId', deliveries: 'deliveryId' }[list]
  return {
    'idempotency-key': 'slip-1',
    'x-purser-person': 'maria',
    'x-purser-reason': 'asked for by the partner',
    name: 'support-desk',
    on: 'acme',
    ...(id && inPath && { [inPath]: id }),
    ...Object.fromEntries(searchParams),
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const DURATION_MS = 12
const PHASES = { connectMs: 1, firstByteMs: 10, bodyMs: 1 }

function withoutChance(records, { walletUrl, token }) {
  const ids = new Map()
  const idFor = (id) => {
    if (!ids.has(id)) ids.set(id, `5f0c7d1e-3b52-4c1a-9e44-${String(ids.size + 1).padStart(12, '0')}`)
    return ids.get(id)
  }
  const text = JSON.stringify(records, (member, value) => {
    if (member === 'durationMs' || member === 'p99Ms') return DURATION_MS
    if (member === 'phases') return PHASES
    return isCursor(member, value) ? Buffer.from(value, 'base64url').toString() : value
  })
  const fixed = text
    .replace(UUID, idFor)
    .replaceAll(walletUrl, 'https://wallet.acme.example')
    .replaceAll(token, 'example-token-'.padEnd(43, '0'))
  return JSON.parse(fixed, (member, value) =>
    isCursor(member, value) ? Buffer.from(value).toString('base64url') : value,
  )
}

/** Cursors contain ids, except the feed's, which are numbers. */
function isCursor(member, value) {
  return (member === 'next' || member === 'after') && typeof value === 'string' && !/^(\d+|latest|x)$/.test(value)
}
