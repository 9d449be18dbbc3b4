/**
 * HTTP clients treat the ids `.` and `..` (I-8) as steps between folders. New objects with these
 * ids are rejected, and `encodePathSegment` reaches existing ones with any client.
 */
import { randomUUID } from 'node:crypto'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { decodePathSegment, encodePathSegment } from '@purser/protocol/values/path-segment'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { openAccounts } from '../../src/wallet/ledger/account.ts'
import { bucketOf } from '../../src/wallet/store/bucket.ts'
import { insertPlayer } from '../../src/wallet/store/player.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const DOTS = ['.', '..']
const WHY = { code: 'invalid_request', errors: [{ detail: expect.stringContaining('the path of a URL') }] }
/** The number of buckets of a new database. */
const BUCKETS = 1

let wallet: TestWallet
let platform: TestPlatform
let gateway: TestGateway

beforeAll(async () => {
  ;[wallet, platform, gateway] = await Promise.all([startWallet(), startPlatform(), startGateway()])
})
afterAll(() => Promise.all([wallet.stop(), platform.stop(), gateway.stop()]))

/** `fetch` resolves such steps in a path. */
async function call({ url, key }: { url: string; key: string }, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

const operator = (method: string, path: string, body?: object) =>
  call({ url: wallet.url, key: wallet.operatorKey }, method, path, body)

describe.each(DOTS)('the id "%s"', (id) => {
  test('is rejected for a new player, partner, operator and webhook', async () => {
    const secret = randomUUID()
    const at = { baseUrl: 'http://127.0.0.1:9', secret }
    const refused = [
      await operator('POST', '/operator/players', { userId: id, currency: 'EUR' }),
      await operator('PUT', `/operator/webhooks/${encodePathSegment(id)}`, { url: 'http://127.0.0.1:9' }),
      await call(platform, 'POST', '/partners', { partnerId: id, ...at }),
      await call(gateway, 'POST', '/operators', { operatorId: id, ...at }),
    ]
    for (const answer of refused) expect(answer).toMatchObject({ status: 400, body: WHY })
  })

  test('is rejected for a new event, also in a bet', async () => {
    const selections = [{ eventId: id, outcomeId: 'home', coefficient: 2 }]
    const bet = { frameSessionId: randomUUID(), amount: '1.00', selections }
    const event = await call(platform, 'PUT', `/events/${encodePathSegment(id)}`, { status: 'open' })
    expect(event).toMatchObject({ status: 400, body: WHY })
    expect(await call(platform, 'POST', '/bets', bet)).toMatchObject({ status: 400, body: WHY })
  })

  test('works for an existing event, which accepts bets and changes', async () => {
    await platform.sql("insert into platform.event (event_id, status, updated_at) values ($1, 'open', now())", [id])
    const path = `/events/${encodePathSegment(id)}`
    const frameSessionId = await platform.api.loadFrame((await platform.partner()).partnerId)
    const selections = [{ eventId: id, outcomeId: 'home', coefficient: 2 }]
    const bet = { frameSessionId, amount: '1.00', selections }
    expect(await call(platform, 'POST', '/bets', bet)).toMatchObject({ status: 201, body: { status: 'accepted' } })
    expect(await call(platform, 'PUT', path, { status: 'ended' })).toMatchObject({ status: 204 })
    expect(await platform.sql('select status from platform.event where event_id = $1', [id])).toEqual([
      { status: 'ended' },
    ])
  })

  test('works for an existing player, who gets money, sessions and bets', async () => {
    await addPlayer(id)
    const path = `/operator/players/${encodePathSegment(id)}`
    const deposit = { currency: 'EUR', amount: '10.00', reference: 'r-1' }
    expect(await operator('POST', `${path}/deposits`, deposit)).toMatchObject({ status: 201 })
    expect(await operator('GET', `${path}/balances`)).toMatchObject({ body: { balances: [{ amount: '10.00' }] } })
    const { body } = await operator('POST', `${path}/sessions`, {})
    const placed = { token: body.token, userId: id, transactionId: randomUUID(), amount: 4 }
    expect(await wallet.wire.place(placed)).toMatchObject({ status: 200 })
    expect(await operator('GET', `${path}/bets/${placed.transactionId}`)).toMatchObject({
      body: { userId: id, status: 'open' },
    })
    expect(await operator('GET', `/operator/show/${encodePathSegment(id)}`)).toMatchObject({
      body: { player: { userId: id } },
    })
    expect(await operator('GET', `${path}?`)).toMatchObject({ body: { userId: id } })
    const tombstone = { userId: id, transactionId: randomUUID(), errorCode: 10 }
    expect(await wallet.wire.rollback(tombstone)).toMatchObject({ status: 200 })
    expect(await operator('GET', `${path}/bets/${tombstone.transactionId}`)).toMatchObject({
      body: { userId: id, status: 'cancelled' },
    })
    await wallet.auditIsClean()
  })
})

test('a segment of a path is decoded to its id again, for any id', () => {
  for (const id of [...DOTS, '...', '.a', 'a/b', '%2E', '~', '~'.repeat(64), `a${'~'.repeat(63)}`, 'é😀'])
    expect(decodePathSegment(decodeURIComponent(encodePathSegment(id)))).toBe(id)
})

async function addPlayer(id: string): Promise<void> {
  const db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  const player = { id: id as PlayerId, currency: 'EUR' as Currency, currencies: ['EUR' as Currency] }
  const rest = { isTest: null, operatorUser: null, customFields: null, brand: null, createdAt: new Date() }
  const bucket = bucketOf(id, BUCKETS)
  await db.transaction(async (tx) => {
    await insertPlayer(tx, bucket, { ...player, ...rest })
    await openAccounts(tx, bucket, player.id, player.currencies, STANDARD_SCALES, rest.createdAt)
  })
  await db.close()
}
