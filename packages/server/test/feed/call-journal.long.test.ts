/**
 * The journal of calls (W-30) records every call of a partner, without secrets or personal data.
 */
import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveJournalRetention } from '../../src/core/call-journal/journal-retention.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { asServer, createDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { placeMessage } from '../support/wire.ts'
import { type Call, callsOf, callWith, page } from './calls.ts'

let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet({
    env: {
      PARTNER_SECRET: 'the-new-secret-of-the-journal-test,the-old-secret-of-the-journal-test',
      PURSER_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

test('the journal contains each call of a bet with its ids, answer and times', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const bet = { ...bettor, transactionId: randomUUID() }
  const requestId = randomUUID()
  await wallet.wire.place({ ...bet, requestId, amount: 10 })
  await wallet.wire.settle({ ...bet, amount: 25 })
  await wallet.wire.rollback({ ...bet, amount: 10 })
  await wallet.wire.check({ ...bet })
  const calls = await callsOf(wallet, `transactionId=${bet.transactionId}`, 4)
  expect(calls.map(({ operation, outcome, answer }) => [operation, outcome, answer.status, answer.code])).toEqual([
    ['check', 'accepted', 200, undefined],
    ['rollback', 'already_processed', 400, 8],
    ['settle', 'accepted', 200, undefined],
    ['place', 'accepted', 200, undefined],
  ])
  const [place] = await callsOf(wallet, `requestId=${requestId}`, 1)
  expect(place).toMatchObject({ player: bet.userId, transactionId: bet.transactionId, source: '127.0.0.1' })
  expect(place?.milliseconds.arrival).toBeGreaterThanOrEqual(0)
  expect(place?.milliseconds.work).toBeGreaterThan(0)
  const { work = 0, queue = 0, database = 0, reply = -1 } = place?.milliseconds ?? {}
  expect([queue >= 0, database > 0, reply >= 0]).toEqual([true, true, true])
  expect(queue + database + reply).toBeCloseTo(work)
  // three batches, and none for the read call
  expect(new Set(calls.map(({ batch }) => batch)).size).toBe(4)
  expect(JSON.parse(place?.answer.body ?? '')).toMatchObject({ transactionId: bet.transactionId })
})

test('a call through a trusted proxy is recorded with the source address that the proxy sends', async () => {
  const requestId = randomUUID()
  const message = { ...(await playerWithMoney(wallet.operator)), requestId }
  const headers = { 'x-forwarded-for': '10.1.1.1, 198.51.100.1' }
  await wallet.wire.call('POST', '/user/balance', message, { headers })
  expect(await callsOf(wallet, `requestId=${requestId}`, 1)).toMatchObject([{ source: '198.51.100.1' }])
})

test('the body is stored as received, with its hash, but without the token', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const requestId = randomUUID()
  const body = JSON.stringify(placeMessage({ ...bettor, requestId, amount: 1, info: 'a bet of 10 €' }))
  await wallet.wire.call('POST', '/payment/bet', body)
  const [call] = await callsOf(wallet, `requestId=${requestId}`, 1)
  expect(call?.request.sha256).toBe(createHash('sha256').update(body).digest('hex'))
  expect(call?.request.bytes).toBe(Buffer.byteLength(body))
  expect(call?.request.body).not.toContain(bettor.token.slice(4))
  const { token, ...kept } = JSON.parse(call?.request.body ?? '')
  const { token: sent, ...others } = JSON.parse(body)
  expect(kept).toEqual(others)
  expect(token).toBe(`${sent.slice(0, 4)}…${createHash('sha256').update(sent).digest('hex').slice(0, 8)}`)
})

test('a read call is recorded with the time that the database took', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const transactionId = randomUUID()
  await wallet.wire.place({ ...bettor, transactionId, amount: 1 })
  const requestId = randomUUID()
  await wallet.wire.profile(bettor.token, { requestId })
  await wallet.wire.balance({ ...bettor, requestId })
  await wallet.wire.check({ ...bettor, transactionId })
  const [check] = await callsOf(wallet, `transactionId=${transactionId}&operation=check`, 1)
  const others = await callsOf(wallet, `requestId=${requestId}`, 2)
  for (const { operation, batch, milliseconds } of [...others, check as Call]) {
    const { work, queue = -1, database = 0, reply = -1 } = milliseconds
    expect([queue >= 0, database > 0, reply >= 0, batch], operation).toEqual([true, true, true, undefined])
    expect(queue + database + reply, operation).toBeCloseTo(work)
  }
})

test('the journal stores no personal data of a profile', async () => {
  const email = `${randomUUID()}@example.com`
  const { userId } = await wallet.operator.createPlayer({ customFields: { email } })
  const requestId = randomUUID()
  const reply = await wallet.wire.profile(await wallet.operator.session(userId), { requestId })
  expect(reply.text).toContain(email)
  const [call] = await callsOf(wallet, `operation=profile&requestId=${requestId}`, 1)
  expect(call?.player).toBe(userId)
  expect(call?.answer.body).toContain('email')
  expect(call?.answer.body).not.toContain(email)
})

/** More unauthenticated calls than the journal stores at once. */
const SENT = 300

async function lostBy({ url }: TestWallet): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number.parseInt(/^wallet_journal_dropped_calls (\d+)$/m.exec(text)?.[1] ?? '', 10)
}

test('a body that cannot be serialised again is answered as usual, and the wallet continues', async () => {
  const deep = `{"a":"\\n","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const reply = await wallet.wire.call('POST', '/payment/bet', deep, { signature: null })
  expect([reply.status, reply.body]).toEqual([400, expect.objectContaining({ code: 1 })])
  const signed = await wallet.wire.call('POST', '/payment/bet', deep)
  expect([signed.status, signed.body]).toEqual([400, expect.objectContaining({ code: 5 })])
  expect((await fetch(`${wallet.url}/healthz`)).status).toBe(200)
})

describe('the journal records for a rejected call', () => {
  test('with a bad signature the bytes that arrived', async () => {
    const body = JSON.stringify({ marker: randomUUID() })
    await wallet.wire.call('POST', '/payment/bet', body, { signature: 'a.b.c' })
    const call = await callWith(wallet, 'outcome=bad_signature', body)
    expect(call).toMatchObject({ operation: 'unknown', signature: 'refused', answer: { status: 400, code: 1 } })
  })

  test('without JSON the body', async () => {
    const marker = randomUUID()
    await wallet.wire.call('POST', '/payment/bet', `no JSON ${marker}`)
    const call = await callWith(wallet, 'code=5', `no JSON ${marker}`)
    expect(call).toMatchObject({ outcome: 'invalid_request', signature: 'verified with secret 1' })
  })

  test('which of two secrets verified it', async () => {
    const bettor = await playerWithMoney(wallet.operator)
    const requestId = randomUUID()
    const place = placeMessage({ ...bettor, requestId, amount: 1 })
    await wallet.wire.call('POST', '/payment/bet', place, { secret: 'the-old-secret-of-the-journal-test' })
    const [call] = await callsOf(wallet, `requestId=${requestId}`, 1)
    expect(call?.signature).toBe('verified with secret 2')
  })

  test('unauthenticated calls are recorded up to a limit, and the omitted ones are counted', async () => {
    const tag = randomUUID()
    const lostBefore = await lostBy(wallet)
    const send = () => wallet.wire.call('POST', '/payment/bet', tag, { signature: null })
    await Promise.all(Array.from({ length: SENT }, send))
    const kept = await callWith(wallet, 'outcome=bad_signature', tag)
    expect(kept).toBeDefined()
    for (let all = 0; all < SENT; ) {
      const { data } = await page(wallet, 'outcome=bad_signature&limit=500')
      all = data.filter(({ request }) => request.body === tag).length + (await lostBy(wallet)) - lostBefore
    }
    expect(await lostBy(wallet)).toBeGreaterThan(SENT / 2)
  })
})

test('pages follow each other without gaps or duplicates', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const sent = await Promise.all(
    Array.from({ length: 7 }, async () => {
      const requestId = randomUUID()
      await wallet.wire.place({ ...bettor, requestId, transactionId: randomUUID(), amount: 1 })
      return requestId
    }),
  )
  await callsOf(wallet, `player=${bettor.userId}`, 7)
  const read: string[] = []
  let after = ''
  do {
    const { data, next } = await page(wallet, `player=${bettor.userId}&limit=3${after}`)
    read.push(...data.map(({ requestId }) => requestId ?? ''))
    after = next === null ? '' : `&after=${next}`
  } while (after !== '')
  expect(read.sort()).toEqual(sent.sort())
})

test('an unknown filter is rejected', async () => {
  const { status } = await wallet.operator.request('GET', '/operator/calls?bet=1')
  expect(status).toBe(400)
})

/** Acts as the owner with `purser migrate` and PURSER_JOURNAL_DAYS. */
async function keepFor(url: string, days: number): Promise<void> {
  const db = await openDb({ kind: 'postgres', url })
  await saveJournalRetention(db, days, { isGiven: true }).finally(() => db.close())
}

describe('days of the journal', () => {
  const partitions = async (url: string) => {
    const sql = new pg.Client({ connectionString: url })
    await sql.connect()
    const { rows } = await sql.query(
      "select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'purser.journal'::regclass order by 1",
    )
    await sql.end()
    return rows.map(({ name }) => name)
  }

  test('have one partition each, and partitions beyond the retention are dropped whole', async () => {
    const sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    await sql.query("select purser.rotate_journal_of('purser', '2020-01-05', 14)")
    expect(await partitions(wallet.databaseUrl)).toEqual(
      expect.arrayContaining(['journal_20200104', 'journal_20200105', 'journal_20200106']),
    )
    await sql.query("select purser.rotate_journal_of('purser', '2020-01-20', 14)")
    await sql.end()
    const left = await partitions(wallet.databaseUrl)
    expect(left).not.toContain('journal_20200105')
    expect(left).toContain('journal_20200106')
  })

  test('are set by the owner: the role of a server can neither choose nor shorten them', async () => {
    const database = await createDatabase()
    const owner = new pg.Client({ connectionString: database.url })
    const server = new pg.Client({ connectionString: asServer('wallet', database.url) })
    await Promise.all([owner.connect(), server.connect()])
    await owner.query(
      "select purser.rotate_journal_of('purser', d::date, 99) from (select current_date - n from unnest(array[9, 20]) n) o (d)",
    )
    expect(await partitions(database.url)).toHaveLength(6)
    for (const forbidden of [
      "select purser.rotate_journal_of('purser', current_date, 0)",
      'update purser.journal_retention set days = 0',
      "insert into purser.journal_retention (schema, days) values ('purser', 0)",
      'delete from purser.journal_retention',
    ])
      await expect(server.query(forbidden)).rejects.toThrow('permission denied')
    await expect(server.query('select purser.rotate_journal(current_date, 0)')).rejects.toThrow('does not exist')
    await server.query('select purser.rotate_journal()')
    expect(await partitions(database.url), 'today, two beside it, and the three of nine days ago').toHaveLength(6)
    const impatient = await startWallet({ databaseUrl: database.url, env: { PURSER_JOURNAL_DAYS: '1' } })
    const bettor = await playerWithMoney(impatient.operator)
    await impatient.wire.place({ ...bettor, transactionId: randomUUID(), amount: 1 })
    await impatient.stop()
    expect(await partitions(database.url)).toHaveLength(6)
    await Promise.all([owner.end(), server.end()])
    await database.drop()
  })

  test('cannot be changed with the owner’s rights except through the function', async () => {
    const sql = new pg.Client({ connectionString: asServer('wallet', wallet.databaseUrl) })
    await sql.connect()
    await sql.query(`create function pg_temp.evil() returns boolean language plpgsql as $$ begin
      raise exception 'as %', current_user; end $$`)
    await sql.query('create view pg_temp.pg_class as select * from pg_catalog.pg_class where pg_temp.evil()')
    await sql.query('create view pg_temp.pg_inherits as select * from pg_catalog.pg_inherits where pg_temp.evil()')
    await sql.query('grant select on pg_temp.pg_class, pg_temp.pg_inherits to public')
    await sql.query('select purser.rotate_journal()')
    await expect(sql.query('select gateway.rotate_journal()')).rejects.toThrow('permission denied')
    await sql.end()
  })

  test('are not stored if the retention is 0', async () => {
    const database = await createDatabase()
    await keepFor(database.url, 0)
    const quiet = await startWallet({ databaseUrl: database.url, env: { PURSER_JOURNAL_DAYS: '0' } })
    const bettor = await playerWithMoney(quiet.operator)
    await quiet.wire.place({ ...bettor, transactionId: randomUUID(), amount: 1 })
    await quiet.auditIsClean()
    expect((await page(quiet, '')).data).toEqual([])
    expect(await partitions(quiet.databaseUrl)).toEqual([])
    await quiet.stop()
    await database.drop()
  })

  test('are written when a wallet stops, and dropped when a wallet has no journal', async () => {
    const database = await createDatabase()
    const one = await startWallet({ databaseUrl: database.url })
    const bettor = await playerWithMoney(one.operator)
    await one.auditIsClean()
    await one.wire.place({ ...bettor, transactionId: randomUUID(), amount: 1 })
    await one.stop()
    const sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    const { rows } = await sql.query('select sum(calls)::int as calls from purser.journal')
    expect(rows).toEqual([{ calls: 1 }])
    await keepFor(database.url, 0)
    const none = await startWallet({ databaseUrl: database.url, env: { PURSER_JOURNAL_DAYS: '0' } })
    await none.stop()
    expect(await partitions(database.url)).toEqual([])
    await sql.end()
    await database.drop()
  })
})
