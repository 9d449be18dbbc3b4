/**
 * The sandbox forwards only read requests of the console to its platform (U-1), with the rights of
 * the caller's role.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Server, startUntil } from '../cli/command.ts'

let sandbox: Server
let wallet: string
let operatorKey: string
let reader: string

beforeAll(async () => {
  const quiet = ['--rate', '0', '--faults', '0', '--addresses']
  sandbox = await startUntil(/Ctrl-C stops it/, ['sandbox', ...quiet], { PORT: '0', PURSER_DATA_DIR: 'memory://' })
  wallet = named('Purser wallet')
  operatorKey = named('Operator key')
  const made = await ask(operatorKey, 'POST', '/operator/keys', { name: 'reader', role: 'read' })
  reader = String(made.body.key)
})
afterAll(() => sandbox.kill('SIGKILL'))

const named = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(sandbox.output())?.[1] ?? ''

async function ask(key: string, method: string, path: string, body?: object, server = wallet) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(server + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const look = (key: string, path: string) => ask(key, 'GET', `/sandbox/platform${path}`)

/** A bet of a player with an address. */
async function newBet(): Promise<string> {
  const [platform, key] = [named('Platform'), named('Platform key')]
  const { body: session } = await ask(operatorKey, 'POST', '/operator/players/alice/sessions', {})
  const loaded = { partnerId: 'sandbox', token: session.token }
  const { body: frame } = await ask(key, 'POST', '/frame-sessions', loaded, platform)
  const selections = [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2' }]
  const bet = { frameSessionId: frame.frameSessionId, amount: '1.00', selections, ip: '192.0.2.7', info: 'of alice' }
  const { body } = await ask(key, 'POST', '/bets', bet, platform)
  expect(body).toMatchObject({ status: 'accepted' })
  return String(body.betId)
}

test('shows lists and a bet to a key of the role read, without personal data (O-11)', async () => {
  const betId = await newBet()
  for (const path of ['/bets?limit=1', '/deliveries', '/deliveries/retries', '/changes?after=latest'])
    expect(await look(reader, path), path).toMatchObject({ status: 200, body: { data: expect.any(Array) } })
  for (const path of [`/show/${betId.slice(0, 8)}`, '/now', '/partners'])
    expect(await look(reader, path), path).toMatchObject({ status: 200 })
  const placeOf = async (key: string) => {
    const { body } = await look(key, `/bets/${betId}`)
    return (body.deliveries as { request: unknown }[])[0]?.request
  }
  expect(await placeOf(operatorKey)).toMatchObject({ ip: '192.0.2.7', info: 'of alice' })
  expect(await placeOf(reader)).toMatchObject({ ip: '***', info: '***' })
})

test.each([
  '/keys',
  '/actions',
  '/partners/sandbox',
  '/audit',
  '/bets/..',
  '/bets/%2e%2e',
  '/bets/..%2Fkeys',
  '/deliveries/retries/%2e%2e',
])('forwards nothing for %s', async (path) => {
  for (const key of [reader, operatorKey]) {
    const { status, body } = await look(key, path)
    expect({ path, status: status === 404 || status === 400 }).toEqual({ path, status: true })
    expect(body).not.toHaveProperty('data')
  }
})

test('forwards an unknown id as the problem of the platform', async () => {
  expect(await look(reader, `/bets/${randomUUID()}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

interface StreamEvent {
  readonly topics?: readonly string[]
  readonly bets?: readonly string[]
  readonly all?: boolean
}

/** Complete events only, because a chunk may end within an event. */
async function* eventsOf({ body }: Response): AsyncGenerator<RegExpExecArray> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = /^id:(?: (.*))?\nevent: (.*)\ndata: (.*)$/.exec(block)
      if (event !== null) yield event
    }
  }
}

test('merges the events of both servers into one stream for a key of the role read', async () => {
  const gone = new AbortController()
  const headers = { authorization: `Bearer ${reader}` }
  const answer = await fetch(`${wallet}/sandbox/live`, { headers, signal: gone.signal })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  let betId: string | undefined
  const changedSides = new Set<string>()
  for await (const [, id, event, data] of eventsOf(answer)) {
    if (event === 'begin') {
      betId ??= await newBet()
      continue
    }
    expect(id).toMatch(/^\d+-\d+$/)
    const { topics = [], bets = [], all = false } = JSON.parse(data ?? '') as StreamEvent
    // After many changes the stream only reports that anything may have changed, so both sides
    // count.
    if (all && betId !== undefined) for (const side of ['wallet', 'platform']) changedSides.add(side)
    if (betId !== undefined && bets.includes(betId))
      changedSides.add(topics.includes('balance') ? 'wallet' : 'platform')
    if (changedSides.size === 2) break
  }
  gone.abort()
  expect([...changedSides].sort()).toEqual(['platform', 'wallet'])
  expect((await fetch(`${wallet}/sandbox/live`)).status).toBe(401)
})
