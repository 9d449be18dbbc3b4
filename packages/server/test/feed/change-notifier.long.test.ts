/**
 * A live page of the console is notified of each change by ids without other data. The notification
 * stream ends with the user's session.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Feed } from '../../src/core/change-feed/change-feed.ts'
import { createChangeNotifier, MAX_SUBSCRIBERS_PER_CALLER } from '../../src/core/change-feed/change-notifier.ts'
import { addChangeNotifierRoute } from '../../src/core/change-feed/change-notifier-routes.ts'
import { serveWhoLeaves } from '../support/leaving.ts'
import { playerWithMoney } from '../support/operator.ts'
import { signal } from '../support/signal.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: {
    readonly all?: true
    readonly topics?: readonly string[]
    readonly bets?: readonly string[]
    readonly players?: readonly string[]
  }
}

interface Stream {
  readonly status: number
  /** The first matching event; undefined when the stream ends. */
  until(wanted: (one: StreamEvent) => boolean): Promise<StreamEvent | undefined>
  leave(): void
}

async function watch(headers: Record<string, string>): Promise<Stream> {
  const gone = new AbortController()
  const answer = await fetch(`${wallet.url}/operator/live`, { headers, signal: gone.signal })
  const blocks = blocksOf(answer)
  return {
    status: answer.status,
    async until(wanted) {
      for (;;) {
        const { value, done } = await blocks.next()
        if (done) return undefined
        const received = parseStreamEvent(value)
        if (received !== undefined && wanted(received)) return received
      }
    },
    leave: () => gone.abort(),
  }
}

async function* blocksOf({ body }: Response): AsyncGenerator<string> {
  let text = ''
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (text + new TextDecoder().decode(bytes)).split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}

function parseStreamEvent(block: string): StreamEvent | undefined {
  const [, id = '', event = '', data = ''] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
  return event === '' ? undefined : { id, event, data: JSON.parse(data) }
}

const withKey = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${wallet.operatorKey}`, ...more })
const begins = ({ event }: StreamEvent) => event === 'begin'
const isAbout = (bet: string) => (one: StreamEvent) => one.data.bets?.includes(bet) === true

async function newBet() {
  const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  return { userId, token, transactionId: randomUUID(), amount: 10 }
}

async function signedIn(): Promise<{ cookie: string; 'x-purser-console': string }> {
  const headers = { 'x-purser-console': '1', 'content-type': 'application/json' }
  const body = JSON.stringify({ key: wallet.operatorKey })
  const answer = await fetch(`${wallet.url}/console/api/session`, { method: 'POST', headers, body })
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '', 'x-purser-console': '1' }
}

/**
 * The server notices a disconnect when the connections have closed, which takes long on a busy
 * machine.
 */
const SEEN = { timeout: 60_000 }

describe('a subscriber', () => {
  test('is notified of a bet with its id and its player’s id, and without amounts', async () => {
    const stream = await watch(withKey())
    await stream.until(begins)
    const bet = await newBet()
    expect((await wallet.wire.place(bet)).status).toBe(200)
    const received = await stream.until(isAbout(bet.transactionId))
    expect(received?.event).toBe('changed')
    expect(Object.keys(received?.data ?? {}).sort()).toEqual(['bets', 'players', 'topics'])
    expect(received?.data.players).toContain(bet.userId)
    expect(received?.data.topics).toEqual(expect.arrayContaining(['bet', 'balance']))
    stream.leave()
  })

  test('is notified of calls after the journal has stored them, rejected calls too', async () => {
    const stream = await watch(withKey())
    await stream.until(begins)
    const bet = await newBet()
    expect((await wallet.wire.place({ ...bet, amount: 100_000 })).status).toBe(400)
    const listed = async () => {
      const { body } = await wallet.operator.request('GET', `/operator/calls?transactionId=${bet.transactionId}`)
      return (body as { data: unknown[] }).data.length
    }
    for (;;) {
      expect(await stream.until(({ data }) => data.topics?.includes('call') === true)).toBeDefined()
      if ((await listed()) === 1) break
    }
    stream.leave()
  })

  test('receives the notifications that it missed since the last event', async () => {
    const first = await watch(withKey())
    const last = (await first.until(begins))?.id ?? ''
    first.leave()
    const bet = await newBet()
    expect((await wallet.wire.place(bet)).status).toBe(200)
    const second = await watch(withKey({ 'last-event-id': last }))
    expect((await second.until(begins))?.id).toBe(last)
    expect(await second.until(isAbout(bet.transactionId))).toBeDefined()
    second.leave()
  })

  test('is notified to reload everything when its position is not in the feed', async () => {
    const stream = await watch(withKey({ 'last-event-id': '999999999' }))
    expect(await stream.until(({ data }) => data.all === true)).toBeDefined()
    stream.leave()
  })

  test('does not receive each id of many concurrent changes', async () => {
    const first = await watch(withKey())
    const last = (await first.until(begins))?.id ?? ''
    first.leave()
    await Promise.all(Array.from({ length: 70 }, () => playerWithMoney(wallet.operator, '1.00', 'EUR')))
    const stream = await watch(withKey({ 'last-event-id': last }))
    expect((await stream.until(({ event }) => event === 'changed'))?.data).toEqual({ all: true })
    stream.leave()
  })
})

describe('a notification stream', () => {
  test('requires a key or session, and the right origin', async () => {
    expect((await watch({})).status).toBe(401)
    const { cookie } = await signedIn()
    expect((await watch({ cookie })).status).toBe(401)
    expect((await watch({ cookie, 'x-purser-console': '1', 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  })

  test('ends when its session ends', async () => {
    const session = await signedIn()
    const stream = await watch(session)
    await stream.until(begins)
    await fetch(`${wallet.url}/console/api/session`, { method: 'DELETE', headers: session })
    expect(await stream.until(() => false)).toBeUndefined()
    expect((await watch(session)).status).toBe(401)
  })

  test('counts against a limit for each caller, and frees its slot for the next one', async () => {
    const made = await wallet.operator.request('POST', '/operator/keys', { name: 'many-pages', role: 'read' })
    const headers = { authorization: `Bearer ${(made.body as unknown as { key: string }).key}` }
    const streams = await Promise.all(Array.from({ length: MAX_SUBSCRIBERS_PER_CALLER }, () => watch(headers)))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    expect((await watch(headers)).status).toBe(503)
    expect((await watch(withKey())).status, 'others have their places').toBe(200)
    for (const stream of streams) stream.leave()
    await expect
      .poll(async () => {
        const stream = await watch(headers)
        stream.leave()
        return stream.status
      }, SEEN)
      .toBe(200)
  })

  test('that is closed while it opens frees its slot for the next one', async () => {
    const [asked, found] = [signal(), signal()]
    const ask = async () => {
      asked.give()
      await found.given
      return { kind: 'page', page: { events: [], next: '7' } }
    }
    const userQueries = { query: async () => [] }
    const live = createChangeNotifier({
      db: { userQueries } as never,
      feed: { poll: ask } as unknown as Feed,
      clock: { now: () => new Date() },
      schema: 'platform',
      subjectOf: () => ({}),
    })
    const admission = { isStillAllowed: async () => true }
    const server = await serveWhoLeaves((api) =>
      addChangeNotifierRoute(api, { live, admission, key: 'key', tag: 'Changes' }),
    )
    const leaving = new AbortController()
    const left = fetch(`${server.url}/live`, { signal: leaving.signal }).catch(() => 'left')
    await asked.given
    const others = Array.from({ length: MAX_SUBSCRIBERS_PER_CALLER - 1 }, () => live.subscribe(undefined, 'who'))
    expect(await live.subscribe(undefined, 'who'), 'one place is the reader’s').toBeUndefined()
    leaving.abort()
    expect(await left).toBe('left')
    await server.gone
    found.give()
    expect((await Promise.all(others)).every((one) => one !== undefined)).toBe(true)
    await expect.poll(async () => (await live.subscribe(undefined, 'who')) !== undefined, SEEN).toBe(true)
    live.close()
    await server.close()
  })

  test('ends when the server stops, and delays the stop no longer than a call', async () => {
    const other = await startWallet()
    const headers = { authorization: `Bearer ${other.operatorKey}` }
    const answer = await fetch(`${other.url}/operator/live`, { headers })
    const all = answer.text()
    await other.stop()
    expect(await all).toContain('event: begin')
  })
})

describe('the ledger status', () => {
  interface Ledger {
    readonly ok: boolean
    readonly checkedAt: string
    readonly currencies: readonly { readonly currency: string; readonly players: string; readonly sum: string }[]
  }
  const readLedger = async (of: TestWallet) =>
    (await of.operator.request('GET', '/operator/ledger')).body as unknown as Ledger

  test('has a sum of zero for each currency, with any owners of the money', async () => {
    const own = await startWallet()
    await playerWithMoney(own.operator, '70.00', 'EUR')
    const { userId, token } = await playerWithMoney(own.operator, '30.00', 'EUR')
    expect((await own.wire.place({ userId, token, transactionId: randomUUID(), amount: 10 })).status).toBe(200)
    const before = own.clock.now()
    const { ok, checkedAt, currencies } = await readLedger(own)
    expect(ok).toBe(true)
    const eur = { currency: 'EUR', players: '90.00', others: '-90.00', sum: '0.00' }
    expect(currencies).toEqual([eur, { currency: 'USD', players: '0.00', others: '0.00', sum: '0.00' }])
    expect(new Date(checkedAt) >= before).toBe(true)
    await own.stop()
  })

  test('shows the difference when a balance was changed outside the ledger', async () => {
    const own = await startWallet()
    const { userId } = await playerWithMoney(own.operator, '70.00', 'EUR')
    const client = new pg.Client({ connectionString: own.databaseUrl })
    await client.connect()
    await client.query("update purser.account set balance = balance + 250 where player = $1 and currency = 'EUR'", [
      userId,
    ])
    await client.end()
    const { ok, currencies } = await readLedger(own)
    expect(ok).toBe(false)
    expect(currencies[0]).toEqual({ currency: 'EUR', players: '72.50', others: '-70.00', sum: '2.50' })
    await own.stop()
  })
})
