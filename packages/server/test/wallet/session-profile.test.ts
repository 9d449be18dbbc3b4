// Tokens and their expiry, the profile, the balance and the check of a bet (P-1 to P-5).
import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused, member, timeOf } from './answers.ts'
import { expiredToken, foreignToken, outOfDateToken, unknownToken } from './moments.ts'
import { balanceOf, bring, deliver, must, newScene, nextBet, type Scene, sentBefore } from './scene.ts'

let wallet: TestWallet
// With several buckets, because a profile request has no player: the token must lead to the
// player's bucket.
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_BUCKETS: '4' } })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const deadTokens = [
  { what: 'a token that never existed', made: unknownToken, code: 3 },
  { what: 'an expired token', made: expiredToken, code: 4 },
  { what: 'an out-of-date token', made: outOfDateToken, code: 4 },
] as const

/** Every row of the wallet's tables, as text. */
async function everythingStored(): Promise<string> {
  const client = new pg.Client({ connectionString: wallet.databaseUrl })
  await client.connect()
  try {
    const tables = await client.query(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'purser'",
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`select t::text as row from ${name} t`)
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

function spelled(bytes: Buffer, encoding: string): string {
  return bytes.toString(encoding as BufferEncoding)
}

describe('a session token (P-1)', () => {
  it('consists of 32 random bytes in base64url', async () => {
    const tokens = new Set<string>()
    for (let round = 0; round < 5; round++) tokens.add((await newScene(wallet)).token)
    expect(tokens.size).toBe(5)
    for (const token of tokens) {
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    }
  })

  it('is stored only as its SHA-256', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    const digest = createHash('sha256').update(scene.token).digest()
    const stored = await everythingStored()
    expect(['hex', 'base64', 'base64url'].filter((spelling) => stored.includes(spelled(digest, spelling)))).not.toEqual(
      [],
    )
    expect(stored).not.toContain(scene.token)
    expect(stored).not.toContain(Buffer.from(scene.token).toString('hex'))
    expect(stored).not.toContain(Buffer.from(scene.token, 'base64url').toString('hex'))
  })

  it('is valid until its expiry and not longer', async () => {
    const scene = await newScene(wallet)
    const { status, body } = await wallet.operator.request('POST', `/operator/players/${scene.userId}/sessions`, {
      ttlSeconds: 3600,
    })
    expect(status).toBe(201)
    const [token, expiresAt] = [String(member(body, 'token')), Date.parse(String(member(body, 'expiresAt')))]
    expect(Math.abs(expiresAt - wallet.clock.now().getTime() - 3_600_000)).toBeLessThan(10_000)
    wallet.clock.advance(3_580_000)
    expect((await wallet.wire.profile(token)).status).toBe(200)
    wallet.clock.advance(21_000)
    expectRefused(await wallet.wire.profile(token), 4)
    expectRefused(await deliver(scene, 'place', { token }), 4)
  })

  it('is expired after the operator has ended all sessions', async () => {
    const scene = await newScene(wallet)
    const { status } = await wallet.operator.request('DELETE', `/operator/players/${scene.userId}/sessions`)
    expect(status).toBe(204)
    expectRefused(await wallet.wire.profile(scene.token), 4)
    expectRefused(await deliver(scene, 'place'), 4)
    const token = await wallet.operator.session(scene.userId)
    expectDone(await deliver(scene, 'place', { token }), scene.betId)
  })

  it('of another player is always code 3: only its owner can learn that it has expired', async () => {
    const [scene, other] = [await newScene(wallet), await newScene(wallet)]
    for (const made of [expiredToken, outOfDateToken]) {
      expectRefused(await deliver(scene, 'place', await made(other)), 3)
      expectRefused(await wallet.wire.balance({ userId: scene.userId, ...(await made(other)) }), 3)
    }
  })

  it('is compared byte by byte', async () => {
    const { token } = await newScene(wallet)
    for (const other of [token.toLowerCase(), token.slice(0, -1), `${token}=`, ` ${token}`, `${token}\n`]) {
      expectRefused(await wallet.wire.profile(other), 3)
    }
  })

  it.each([10, 64])('of %i characters that was never issued is rejected with code 3', async (length) => {
    expectRefused(await wallet.wire.profile('t'.repeat(length)), 3)
  })
})

describe('a switch of the currency (P-1, K24, case 70)', () => {
  it('ends the old token, keeps the userId and gives a token of the new currency', async () => {
    const scene = await newScene(wallet)
    const token = await wallet.operator.switchCurrency(scene.userId, 'USD')
    expect(token).not.toBe(scene.token)
    expectRefused(await wallet.wire.profile(scene.token), 4)
    const { body } = await wallet.wire.profile(token)
    expect(body).toMatchObject({ userId: scene.userId, currency: 'USD' })
  })

  it('leaves bets in their old currency: Settle and Rollback move the EUR balance', async () => {
    const [one, two] = [await newScene(wallet)].flatMap((scene) => [scene, nextBet(scene)]) as [Scene, Scene]
    await bring(one, 'open')
    await bring(two, 'open')
    await wallet.operator.switchCurrency(one.userId, 'USD')
    await must(one, 'settle')
    await must(two, 'rollback')
    expect(await balanceOf(one, 'EUR')).toBe('1150.00')
    expect(Number(await balanceOf(one, 'USD'))).toBe(0)
  })

  it('allows a bet in the new currency, with the new token only', async () => {
    const scene = await newScene(wallet)
    const token = await wallet.operator.switchCurrency(scene.userId, 'USD')
    await wallet.operator.deposit(scene.userId, '50.00', 'USD')
    expectRefused(await deliver(scene, 'place', { currency: 'USD', amount: 20 }), 4)
    expectRefused(await deliver(scene, 'place', { currency: 'EUR', amount: 20, token }), 5)
    expectDone(await deliver(scene, 'place', { currency: 'USD', amount: 20, token }), scene.betId)
    expect([await balanceOf(scene, 'EUR'), await balanceOf(scene, 'USD')]).toEqual(['1000.00', '30.00'])
  })

  it('to a currency that the player may not use is rejected, and the token stays valid', async () => {
    const scene = await newScene(wallet)
    const path = `/operator/players/${scene.userId}/currency`
    for (const currency of ['JPY', 'QQQ']) {
      const { status } = await wallet.operator.request('POST', path, { currency })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }
    expect((await wallet.wire.profile(scene.token)).status).toBe(200)
  })
})

describe('/user/balance (P-3)', () => {
  it('returns the exact balance of the ledger after every step (case 26)', async () => {
    const scene = await newScene(wallet, { amount: '0.30' })
    const { userId, token } = scene
    const balance = async () => (await wallet.wire.balance({ userId, token })).body
    expect(await balance()).toEqual({ userId, currency: 'EUR', amount: 0.3 })
    await must(scene, 'place', { amount: 0.1 })
    expect(await balance()).toEqual({ userId, currency: 'EUR', amount: 0.2 })
    await must(scene, 'settle', { amount: 0.21 })
    expect(await balance()).toEqual({ userId, currency: 'EUR', amount: 0.41 })
    await must(scene, 'unsettle')
    await must(scene, 'rollback')
    expect(await balance()).toEqual({ userId, currency: 'EUR', amount: 0.3 })
  })

  it('is exact with 15 digits', async () => {
    const { userId, token } = await newScene(wallet, { amount: '1234567890123.45' })
    expect((await wallet.wire.balance({ userId, token })).text).toContain('"amount":1234567890123.45')
  })

  it('returns 0 in an allowed currency without an account (case 25)', async () => {
    const { userId, token } = await newScene(wallet)
    const { body } = await wallet.wire.balance({ userId, token, currency: 'USD' })
    expect(body).toEqual({ userId, currency: 'USD', amount: 0 })
  })

  it.each(['JPY', 'QQQ'])('is rejected with code 5 in %s, which the player may not use', async (currency) => {
    const { userId, token } = await newScene(wallet)
    expectRefused(await wallet.wire.balance({ userId, token, currency }), 5)
  })

  it.each(deadTokens)('is rejected with code $code for $what', async ({ made, code }) => {
    const scene = await newScene(wallet)
    expectRefused(await wallet.wire.balance({ userId: scene.userId, ...(await made(scene)) }), code)
  })

  it('is rejected with code 3 for another player’s token', async () => {
    const scene = await newScene(wallet)
    expectRefused(await wallet.wire.balance({ userId: scene.userId, ...(await foreignToken(scene)) }), 3)
  })
})

describe('/payment/check (P-4)', () => {
  async function check({ userId, betId: transactionId }: Scene): Promise<unknown> {
    return (await wallet.wire.check({ userId, transactionId })).body
  }

  it('returns the last applied operation', async () => {
    const scene = await newScene(wallet)
    const base = { transactionId: scene.betId, currency: 'EUR' }
    for (const [column, amount, type] of [
      ['place', 100, 1],
      ['settle', 250, 2],
      ['settle', 70, 2],
      ['unsettle', undefined, 1],
      ['rollback', 100, 3],
    ] as const) {
      wallet.clock.advance(1_000)
      const over = column === 'settle' ? { amount } : {}
      const answer = await must(scene, column, over)
      const expected = { ...base, type, transactionTime: timeOf(answer), amount: amount ?? expect.any(Number) }
      expect(await check(scene)).toEqual(expected)
    }
  })

  it('ignores calls without effect', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    wallet.clock.advance(1_000)
    for (const column of ['place', 'settle', 'rollback'] as const) await deliver(scene, column)
    const { answer } = sentBefore(scene, 'settle')
    expect(await check(scene)).toMatchObject({ type: 2, amount: 250, transactionTime: timeOf(answer) })
  })

  it('is rejected with code 5 for an unknown bet, a refused bet and a bet of another player', async () => {
    const [unknown, refused, open] = [await newScene(wallet), await newScene(wallet), await newScene(wallet)]
    await bring(refused, 'refused')
    await bring(open, 'open')
    for (const { userId, betId } of [unknown, refused, { ...open, userId: unknown.userId }]) {
      expectRefused(await wallet.wire.check({ userId, transactionId: betId }), 5)
    }
  })
})

describe('/user/profile (P-2)', () => {
  it.each(deadTokens)('is rejected with code $code for $what', async ({ made, code }) => {
    const { token } = (await made(await newScene(wallet))) as { token: string }
    expectRefused(await wallet.wire.profile(token), code)
  })

  it('lists the currencies that the player may use, with the active one', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator)
    const { status, body } = await wallet.wire.profile(token)
    expect(status).toBe(200)
    expect(body).toMatchObject({ userId, currency: 'EUR', currencies: ['EUR', 'USD'] })
  })
})
