/**
 * The wallet's feed (W-40) has every change of bets, balances, players and sessions, as pages and
 * as server-sent events.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { request as send } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WalletChangeSchema } from '../../src/wallet/operator-api/wallet-feed-events.ts'
import { hashToken } from '../../src/wallet/store/session.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type FeedEvent, readFeed } from './feed-reader.ts'

const FAST_PATHS = ['on', 'off'] as const
const seen: FeedEvent[] = []

describe.each(FAST_PATHS)('the feed events with the fast path %s', (fastPath) => {
  let wallet: TestWallet
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_FAST_PATH: fastPath } })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  /** The events of `act`, without id, version and time. */
  async function eventsOf(act: () => Promise<unknown>) {
    const { next } = await readFeed(wallet.operator, 'latest')
    await act()
    const { events } = await readFeed(wallet.operator, next)
    seen.push(...events)
    return events.map(({ id: _, version: __, at: ___, ...event }) => event)
  }

  const balance = (userId: string, change: string, amount: string, number: number, cause: string, names: object) => ({
    event: 'balance.changed',
    balance: { userId, currency: 'EUR', change, amount, transferId: `EUR-${number}`, cause, ...names },
  })

  test('follow the lifecycle of a bet: placed, settled, settled again, unsettled, rolled back', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const transactionId = randomUUID()
    const about = { userId, token, transactionId }
    const received = await eventsOf(async () => {
      await wallet.wire.place({ ...about, requestId: 'request-place', amount: 10 })
      await wallet.wire.place({ ...about, requestId: 'request-again', amount: 10 })
      await wallet.wire.settle({ ...about, requestId: 'request-won-1', amount: 25, resultType: 'won' })
      await wallet.wire.settle({ ...about, requestId: 'request-won-2', amount: 20, resultType: 'won' })
      await wallet.wire.settle({ ...about, requestId: 'request-refund', amount: 20, resultType: 'refund' })
      await wallet.wire.unsettle({ ...about, requestId: 'request-open', amount: 20 })
      await wallet.wire.rollback({ ...about, requestId: 'request-back', amount: 10, errorCode: 52 })
    })
    const bet = (requestId: string, members: object) => ({
      bet: { userId, transactionId, requestId, currency: 'EUR', ...members },
    })
    const names = { transactionId }
    expect(received).toEqual([
      { event: 'bet.placed', ...bet('request-place', { stake: '10.00', stakePaidBy: 'player' }) },
      balance(userId, '-10.00', '90.00', 2, 'bet.placed', names),
      { event: 'bet.settled', ...bet('request-won-1', { payout: '25.00', resultType: 'won' }) },
      balance(userId, '25.00', '115.00', 4, 'bet.settled', names),
      { event: 'bet.resettled', ...bet('request-won-2', { payout: '20.00', resultType: 'won' }) },
      balance(userId, '-5.00', '110.00', 6, 'bet.resettled', names),
      { event: 'bet.resettled', ...bet('request-refund', { payout: '20.00', resultType: 'refund' }) },
      { event: 'bet.unsettled', ...bet('request-open', {}) },
      balance(userId, '-20.00', '90.00', 8, 'bet.unsettled', names),
      { event: 'bet.rolled_back', ...bet('request-back', { refund: '10.00', errorCode: 52 }) },
      balance(userId, '10.00', '100.00', 9, 'bet.rolled_back', names),
    ])
  })

  test('have no balance change for a lost bet, a refused bet, a tombstone and a freebet', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const [lost, refused, tombstone] = [randomUUID(), randomUUID(), randomUUID()]
    await wallet.wire.place({ userId, token, transactionId: lost, amount: 10 })
    const received = await eventsOf(async () => {
      await wallet.wire.settle({ userId, transactionId: lost, amount: 0, resultType: 'lost' })
      await wallet.wire.place({ userId, token, transactionId: refused, amount: 1_000 })
      await wallet.wire.place({ userId, token, transactionId: refused, amount: 1_000 })
      await wallet.wire.rollback({ userId, transactionId: tombstone, amount: 10, errorCode: 10 })
      await wallet.wire.place({ userId, token: 'no-such-token-anywhere', transactionId: randomUUID(), amount: 10 })
    })
    expect(received).toMatchObject([
      { event: 'bet.settled', bet: { transactionId: lost, payout: '0.00', resultType: 'lost' } },
      { event: 'bet.refused', bet: { transactionId: refused, currency: 'EUR', stake: '1000.00', code: 7 } },
      { event: 'bet.rolled_back', bet: { transactionId: tombstone, errorCode: 10 } },
    ])
    expect(received[2]?.bet).not.toHaveProperty('refund')
  })

  test('cover the operator’s players, sessions, money and locks, and are not written when nothing changes', async () => {
    const userId = `player-${randomUUID()}`
    const path = `/operator/players/${userId}`
    const transactionId = randomUUID()
    let [first, second] = ['', '']
    const received = await eventsOf(async () => {
      await wallet.operator.createPlayer({ userId })
      await wallet.operator.createPlayer({ userId }).catch(() => {}) // the same request again
      await wallet.operator.deposit(userId, '50.00')
      first = await wallet.operator.session(userId)
      await wallet.wire.place({ userId, token: first, transactionId, amount: 10 })
      await wallet.operator.lock(userId, transactionId)
      await wallet.operator.lock(userId, transactionId)
      await wallet.operator.request('DELETE', `${path}/bets/${transactionId}/lock`)
      await wallet.operator.patch(userId, { status: 'blocked', customFields: { email: 'a@b.c' } })
      await wallet.operator.patch(userId, { status: 'blocked' })
      second = await wallet.operator.switchCurrency(userId, 'USD')
      await wallet.operator.request('DELETE', `${path}/sessions`)
      await wallet.operator.request('DELETE', `${path}/sessions`)
      const out = { currency: 'EUR', amount: '5.00', reference: 'out-1' }
      for (const _ of ['once', 'again']) await wallet.operator.request('POST', `${path}/withdrawals`, out)
      const why = { reason: 'paid twice', person: 'maria', transactionId }
      await wallet.operator.request('POST', `${path}/adjustments`, {
        ...out,
        amount: '-1.00',
        reference: 'adj-1',
        ...why,
      })
    })
    const player = { userId, status: 'active', currency: 'EUR', currencies: ['EUR', 'USD'] }
    const blocked = { ...player, status: 'blocked' }
    const session = (token: string, currency: string) => ({
      session: { userId, sessionId: hashToken(token), currency, expiresAt: expect.stringMatching(/Z$/) },
    })
    const bet = { bet: { userId, transactionId } }
    expect(received).toEqual([
      { event: 'player.created', player },
      balance(userId, '50.00', '50.00', 1, 'deposit', { reference: expect.any(String) }),
      { event: 'session.opened', ...session(first, 'EUR') },
      { event: 'bet.placed', bet: expect.objectContaining({ transactionId }) },
      balance(userId, '-10.00', '40.00', 2, 'bet.placed', { transactionId }),
      { event: 'bet.locked', ...bet },
      { event: 'bet.unlocked', ...bet },
      { event: 'player.changed', player: { ...blocked, changed: ['status', 'customFields'] } },
      { event: 'session.ended', ...session(first, 'EUR') },
      { event: 'player.changed', player: { ...blocked, currency: 'USD', changed: ['currency'] } },
      { event: 'session.opened', ...session(second, 'USD') },
      { event: 'session.ended', ...session(second, 'USD') },
      balance(userId, '-5.00', '35.00', 3, 'withdrawal', { reference: 'out-1' }),
      balance(userId, '-1.00', '34.00', 4, 'adjustment', { reference: 'adj-1', transactionId }),
    ])
    expect(JSON.stringify(received)).not.toContain('a@b.c')
    expect(JSON.stringify(received)).not.toContain(first)
  })

  test('of many concurrent bets are written together, each with the balance after it', async () => {
    const bettors = await Promise.all(Array.from({ length: 12 }, () => playerWithMoney(wallet.operator, '100.00')))
    const received = await eventsOf(() =>
      Promise.all(
        bettors.map(({ userId, token }) =>
          wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 1 }),
        ),
      ),
    )
    expect(received.map(({ event }) => event)).toEqual(bettors.flatMap(() => ['bet.placed', 'balance.changed']))
    for (let i = 0; i < received.length; i += 2)
      expect(received[i + 1]?.balance).toMatchObject({
        transactionId: received[i]?.bet?.transactionId,
        amount: '99.00',
      })
  })
})

/** The names of the members, including nested ones. */
function shapeOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: ${typeof value}`]
  return Object.entries(value).flatMap(([name, member]) => shapeOf(member, `${path}/${name}`))
}

describe('the reference of feed events', () => {
  const text = readFileSync(new URL('../../../../docs/reference/changes.md', import.meta.url), 'utf8')
  const examples = [...text.matchAll(/^```jsonl\n(.*?)^```$/gms)].flatMap(([, lines = '']) =>
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as FeedEvent),
  )

  test('has an example of every event', () => {
    const names = (WalletChangeSchema.anyOf as { properties: { event: { enum: string[] } } }[]).flatMap(
      ({ properties }) => properties.event.enum,
    )
    expect([...new Set(examples.map(({ event }) => event))].sort()).toEqual(names.sort())
  })

  test('has examples with the members of real events', () => {
    const shapes = new Set(seen.map((event) => `${event.event} ${shapeOf(event).sort().join(' ')}`))
    for (const example of examples)
      expect([...shapes]).toContain(`${example.event} ${shapeOf(example).sort().join(' ')}`)
  })
})

describe('the feed routes', () => {
  let wallet: TestWallet
  beforeAll(async () => {
    wallet = await startWallet()
    await playerWithMoney(wallet.operator)
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  test('return a page when an event arrives', async () => {
    const { next } = await readFeed(wallet.operator, 'latest')
    const waiting = wallet.operator.request('GET', `/operator/changes?after=${next}&wait=30`)
    const { userId } = await wallet.operator.createPlayer()
    expect((await waiting).body).toMatchObject({ data: [{ event: 'player.created', version: 1, player: { userId } }] })
  })

  test('refuse a cursor before the first stored event with 410, and name the start of the feed', async () => {
    await readFeed(wallet.operator)
    const sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    await sql.query('delete from purser.change where last_number <= 2')
    await sql.end()
    const { status, body } = await wallet.operator.request('GET', '/operator/changes?after=1')
    expect(status).toBe(410)
    expect(body).toMatchObject({ code: 'cursor_too_old', detail: expect.stringContaining('begins after 2') })
  })

  test('continue a stream after the reader’s last event, and do not delay a shutdown', async () => {
    const { events } = await readFeed(wallet.operator)
    const headers = { authorization: `Bearer ${wallet.operatorKey}`, 'last-event-id': events.at(-2)?.id ?? '' }
    const gone = new AbortController()
    const reply = await send(`${wallet.url}/operator/changes/stream?after=0`, { headers, signal: gone.signal })
    expect(reply.headers['content-type']).toBe('text/event-stream')
    let text = ''
    for await (const chunk of reply.body) {
      text += String(chunk)
      if (text.includes('data: ')) break
    }
    gone.abort()
    const [last] = events.slice(-1)
    expect(text).toBe(`retry: 1000\n\nid: ${last?.id}\nevent: ${last?.event}\ndata: ${JSON.stringify(last)}\n\n`)
  })
})
