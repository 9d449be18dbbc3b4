/** The log of a wallet is enough to follow a call, but has no secret and no personal data. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'
import { sign } from '../support/wire.ts'

const PERSON = { email: 'ada@example.org', phone: '+47 555 01 234', firstName: 'Augusta', nickname: 'Countess' }

let database: TestDatabase
let wallet: WalletProcess
let userId: string
const tokens: string[] = []
const signatures: string[] = []

beforeAll(async () => {
  database = await createDatabase()
  wallet = await spawnWallet({
    databaseUrl: database.url,
    env: { LOG_LEVEL: 'trace', PARTNER_SECRET: 'a-secret-of-the-tests,an-older-secret-of-the-tests' },
  })
  const player = await playerWithMoney(wallet.operator, '100.00', 'EUR', { customFields: PERSON })
  userId = player.userId
  tokens.push(player.token, await wallet.operator.session(userId), await wallet.operator.switchCurrency(userId, 'EUR'))
  await callInEveryWay()
  await failInEveryWay()
  await wallet.kill('SIGTERM')
})
afterAll(() => database.drop())

async function callInEveryWay(): Promise<void> {
  const bet = { userId, transactionId: randomUUID(), token: tokens.at(-1) }
  await wallet.wire.place({ ...bet, amount: 10, requestId: 'request-of-a-bet' })
  await wallet.wire.settle({ ...bet, amount: 5, resultType: 'cashout' })
  await wallet.wire.place({ ...bet, transactionId: randomUUID(), token: tokens[0], amount: 10 })
  await wallet.wire.place({ ...bet, token: [tokens[1]], amount: 10 })
  await wallet.wire.profile(tokens[1] as string)
  await wallet.wire.balance({ userId, token: tokens.at(-1) })
  await wallet.wire.call('POST', '/user/profile', `{"token":"${tokens[1]}"`)
  for (const secret of [wallet.secret, 'another secret']) {
    signatures.push(sign('{}', secret))
    await wallet.wire.call('POST', '/user/profile', '{}', { secret })
  }
  await fetch(`${wallet.url}/operator/audit`, { headers: { authorization: 'Bearer a-guessed-key' } })
}

/** Statements that fail with the row in the error, and a database that is gone. */
async function failInEveryWay(): Promise<void> {
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query(
    "alter table purser.player add constraint broken check (custom_fields::text not like '%example.org%') not valid",
  )
  await sql.query("alter table purser.bet add constraint broken check (bet_id not like 'broken%') not valid")
  await sql.end()
  expect(
    (
      await wallet.operator.request('POST', '/operator/players', {
        userId: 'broken',
        currency: 'EUR',
        customFields: PERSON,
      })
    ).status,
  ).toBe(500)
  await wallet.wire.place({ userId, token: tokens.at(-1), transactionId: 'broken-bet-1', amount: 1 })
  await wallet.auditIsClean()
  await database.drop()
  await wallet.wire.profile(tokens.at(-1) as string)
  await wallet.wire.settle({ userId, transactionId: randomUUID(), amount: 1 })
  expect((await wallet.operator.request('GET', '/operator/audit')).status).toBe(503)
}

test('every line of standard output is JSON with a level and a UTC time', () => {
  const lines = wallet
    .output()
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('first start: ')) // printed for a person, on standard error
    .map((line) => JSON.parse(line))
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines)
    expect(line).toMatchObject({ level: expect.any(Number), time: expect.stringMatching(/^\d{4}-.*Z$/) })
})

test('the log of a call is one line with its ids and its outcome', () => {
  const lines = wallet
    .output()
    .split('\n')
    .filter((line) => line.includes('request-of-a-bet'))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    operation: 'place',
    outcome: 'accepted',
    player: userId,
    msg: 'call',
    ms: expect.any(Number),
  })
})

test('the log of a refused key is one line with address, path and reason, and never the key', () => {
  const lines = wallet
    .output()
    .split('\n')
    .filter((line) => line.includes('an API key was rejected'))
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    {
      ...{ level: 40, reason: 'unknown', failures: 1, address: '127.0.0.1', requestId: expect.any(String) },
      ...{ method: 'GET', route: '/operator/audit' },
    },
  ])
  expect(wallet.output()).not.toContain('a-guessed-key')
})

test('the log of an internal error has its message and its location', () => {
  const errors = wallet
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
    .map((line) => JSON.parse(line).err)
  expect(errors.length).toBeGreaterThanOrEqual(3)
  expect(errors.map(({ message }) => message)).toContain(
    'new row for relation "player" violates check constraint "broken"',
  )
  for (const error of errors)
    expect(error).toMatchObject({ message: expect.stringMatching(/./), stack: expect.stringMatching(/ at /) })
})

test('the logs contain no token, key, secret or signature, and no name of the header that carries one', () => {
  const output = wallet.output()
  const secrets = [
    ...tokens,
    ...signatures,
    wallet.operatorKey,
    'a-secret-of-the-tests',
    'an-older-secret-of-the-tests',
    'a-guessed-key',
  ]
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([])
  expect(output).not.toMatch(/x-sign-jws|authorization|bearer/i)
})

test('the logs contain no personal data', () => {
  const output = wallet.output()
  expect(Object.values(PERSON).filter((value) => output.includes(value))).toEqual([])
})
