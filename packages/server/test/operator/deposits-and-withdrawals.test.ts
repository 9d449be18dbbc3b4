/**
 * Deposits and withdrawals apply once per reference, to the exact amount, and never below a balance
 * of zero.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperatorReply, untilFree } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type JsonObject, readReply } from '../support/wire.ts'
import { sendRaw } from '../wallet/raw-http.ts'
import { expectProblem, rowsOf } from './answers.ts'

describe.each(['1', '4'])('cash movements with %s buckets:', (buckets) => {
  let wallet: TestWallet

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  type Kind = 'deposits' | 'withdrawals'

  async function move(
    userId: string,
    kind: Kind,
    amount: string,
    reference: string,
    currency = 'EUR',
  ): Promise<OperatorReply> {
    const path = `/operator/players/${userId}/${kind}`
    const movement = { currency, amount, reference }
    const { status, body } = await untilFree(() => wallet.operator.request('POST', path, movement))
    return { status, body }
  }

  async function newPlayer(amount = '0'): Promise<string> {
    const { userId } = await wallet.operator.createPlayer({ currencies: ['EUR', 'USD', 'BTC', 'JPY'] })
    if (amount !== '0') await wallet.operator.deposit(userId, amount)
    return userId
  }

  async function movements(userId: string): Promise<JsonObject[]> {
    return rowsOf((await wallet.operator.request('GET', `/operator/players/${userId}/statement`)).body, 'data')
  }

  test('a deposit adds, a withdrawal subtracts, and each answers its transfer and the new balance', async () => {
    const userId = await newPlayer()
    expect(await move(userId, 'deposits', '100.00', 'in-1')).toEqual({
      status: 201,
      body: { transferId: 'EUR-1', balance: '100.00' },
    })
    expect(await move(userId, 'withdrawals', '99.99', 'out-1')).toEqual({
      status: 201,
      body: { transferId: 'EUR-2', balance: '0.01' },
    })
    expect(await move(userId, 'deposits', '7', 'in-2', 'JPY')).toEqual({
      status: 201,
      body: { transferId: 'JPY-1', balance: '7' },
    })
    expect(await wallet.operator.balance(userId)).toBe('0.01')
    const [, second, first] = await movements(userId)
    expect(first).toMatchObject({ kind: 'deposit', amount: '100.00', balance: '100.00', reference: 'in-1' })
    expect(second).toMatchObject({ kind: 'withdrawal', amount: '-99.99', balance: '0.01', reference: 'out-1' })
  })

  test.each(['deposits', 'withdrawals'] as const)(
    'repeated %s get the same answer and move nothing, even much later',
    async (kind) => {
      const userId = await newPlayer('50.00')
      const first = await move(userId, kind, '10.00', 'ref')
      await move(userId, 'deposits', '1.00', 'another')
      wallet.clock.advance(86_400_000)
      expect(await move(userId, kind, '10.00', 'ref')).toEqual(first)
      expect(await move(userId, kind, '10', 'ref'), 'the same amount, written otherwise').toEqual(first)
      expect(await movements(userId)).toHaveLength(3)
    },
  )

  test.each(['deposits', 'withdrawals'] as const)(
    'ten concurrent %s with one reference are one movement with ten equal answers',
    async (kind) => {
      const userId = await newPlayer('50.00')
      const replies = await Promise.all(Array.from({ length: 10 }, () => move(userId, kind, '10.00', 'ref')))
      const balance = kind === 'deposits' ? '60.00' : '40.00'
      expect(replies).toEqual(Array(10).fill({ status: 201, body: { transferId: 'EUR-2', balance } }))
      expect(await wallet.operator.balance(userId)).toBe(balance)
      expect(await movements(userId)).toHaveLength(2)
    },
  )

  test('ten concurrent deposits with different references all count', async () => {
    const userId = await newPlayer()
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => move(userId, 'deposits', '0.10', `ref-${i}`)),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(await wallet.operator.balance(userId)).toBe('1.00')
  })

  test('a reference that is used with other content is 422, whatever differs, and moves nothing', async () => {
    const userId = await newPlayer('50.00')
    await move(userId, 'deposits', '10.00', 'ref')
    const reused = [
      move(userId, 'deposits', '10.01', 'ref'),
      move(userId, 'deposits', '10.00', 'ref', 'USD'),
      move(userId, 'withdrawals', '10.00', 'ref'),
    ]
    for (const reply of await Promise.all(reused)) expectProblem(reply, 422, 'reference_reused')
    expect(await movements(userId)).toHaveLength(2)
  })

  test('references that differ in a byte that is not UTF-8 are refused, and not treated as equal', async () => {
    const userId = await newPlayer()
    const headers = { authorization: `Bearer ${wallet.operatorKey}`, 'content-type': 'application/json' }
    for (const reference of ['Zahlung-Ä', 'Zahlung-Ö']) {
      const body = Buffer.from(JSON.stringify({ currency: 'EUR', amount: '25.00', reference }), 'latin1')
      const path = `/operator/players/${userId}/deposits`
      const { status, text } = await sendRaw(wallet.url, { path, body, headers })
      expectProblem(readReply(status, text), 400, 'invalid_request', [''])
    }
    expect(await movements(userId)).toEqual([])
    for (const reference of ['Zahlung-Ä', 'Zahlung-Ö']) await move(userId, 'deposits', '25.00', reference)
    expect(await wallet.operator.balance(userId)).toBe('50.00')
  })

  test('a reference belongs to its player, and another player can use it too', async () => {
    const players = [await newPlayer(), await newPlayer()]
    for (const userId of players) expect((await move(userId, 'deposits', '1.00', 'ref')).status).toBe(201)
  })

  test('a withdrawal of more than the balance is 409, and one of the whole balance leaves 0', async () => {
    const userId = await newPlayer('50.00')
    expectProblem(await move(userId, 'withdrawals', '50.01', 'out-1'), 409, 'not_enough_money')
    expect((await move(userId, 'withdrawals', '50.00', 'out-2')).body).toMatchObject({ balance: '0.00' })
    expectProblem(await move(userId, 'withdrawals', '0.01', 'out-3'), 409, 'not_enough_money')
  })

  test('a refused withdrawal is not stored, so that the same reference works once there is money', async () => {
    const userId = await newPlayer()
    expectProblem(await move(userId, 'withdrawals', '5.00', 'out'), 409, 'not_enough_money')
    await move(userId, 'deposits', '5.00', 'in')
    expect((await move(userId, 'withdrawals', '5.00', 'out')).status).toBe(201)
  })

  test('ten concurrent withdrawals of six tenths each take exactly the balance', async () => {
    const userId = await newPlayer('3.00')
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => move(userId, 'withdrawals', '0.60', `out-${i}`)),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await wallet.operator.balance(userId)).toBe('0.00')
  })

  test('concurrent bets and withdrawals never take more than the balance', async () => {
    const userId = await newPlayer('10.00')
    const token = await wallet.operator.session(userId)
    const bets = Array.from({ length: 10 }, () =>
      wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 1 }),
    )
    const withdrawals = Array.from({ length: 10 }, (_, i) => move(userId, 'withdrawals', '1.00', `out-${i}`))
    const statuses = (await Promise.all<{ status: number }>([...bets, ...withdrawals])).map(({ status }) => status)
    expect(statuses.filter((status) => status < 300)).toHaveLength(10)
    expect(await wallet.operator.balance(userId)).toBe('0.00')
  })

  test('a currency that the player does not have is 409, and an unknown one is 400', async () => {
    const userId = await newPlayer('5.00')
    expectProblem(await move(userId, 'deposits', '1.00', 'a', 'SEK'), 409, 'currency_not_available')
    expectProblem(await move(userId, 'withdrawals', '1.00', 'b', 'SEK'), 409, 'not_enough_money')
    expectProblem(await move(userId, 'deposits', '1.00', 'c', 'ABC'), 400, 'invalid_request', ['/currency'])
    expectProblem(await move(userId, 'withdrawals', '1.00', 'd', 'ABC'), 400, 'invalid_request', ['/currency'])
  })

  test('a currency that was removed from a player allows withdrawals and no deposits', async () => {
    const userId = await newPlayer()
    await move(userId, 'deposits', '5.00', 'in-1', 'USD')
    await wallet.operator.patch(userId, { currencies: ['EUR'] })
    expectProblem(await move(userId, 'deposits', '5.00', 'in-2', 'USD'), 409, 'currency_not_available')
    expect((await move(userId, 'withdrawals', '5.00', 'out', 'USD')).body).toMatchObject({ balance: '0.00' })
  })

  test('large and small amounts are exact to the last digit', async () => {
    const userId = await newPlayer()
    const steps: [Kind, string, string, string][] = [
      ['deposits', '9999999999999999.99', 'EUR', '9999999999999999.99'],
      ['withdrawals', '0.01', 'EUR', '9999999999999999.98'],
      ['deposits', '0.00000001', 'BTC', '0.00000001'],
      ['deposits', '123456789.12345678', 'BTC', '123456789.12345679'],
    ]
    for (const [kind, amount, currency, balance] of steps) {
      expect((await move(userId, kind, amount, randomUUID(), currency)).body).toMatchObject({ balance })
    }
  })

  test('a movement that would take the balance out of its range is 409', async () => {
    const userId = await newPlayer()
    const huge = '999999999999999999'
    const replies = []
    for (let i = 0; i < 10; i++) replies.push(await move(userId, 'deposits', huge, `ref-${i}`, 'JPY'))
    expect(replies.slice(0, 9).map(({ status }) => status)).toEqual(Array(9).fill(201))
    expectProblem(replies[9] as OperatorReply, 409, 'balance_too_large')
    expect(await wallet.operator.balance(userId, 'JPY')).toBe('8999999999999999991')
  })

  const excluded = () => ({ selfExcludedUntil: new Date(wallet.clock.now().getTime() + 3_600_000).toISOString() })
  const exclusions: [string, string, () => object][] = [
    ['blocked', 'player_blocked', () => ({ status: 'blocked' })],
    ['self-excluded', 'self_excluded', excluded],
  ]
  test.each(exclusions)(
    'a %s player gets no deposit unless the call overrides the exclusion, which is recorded (O-3)',
    async (_, code, patch) => {
      const userId = await newPlayer('50.00')
      await move(userId, 'deposits', '1.00', 'before')
      await wallet.operator.patch(userId, patch())
      const path = `/operator/players/${userId}/deposits`
      const deposit = (over: object) =>
        wallet.operator.request('POST', path, { currency: 'EUR', amount: '5.00', reference: 'during', ...over })
      for (const over of [{}, { despiteExclusion: false }]) {
        const refused = await deposit(over)
        expectProblem(refused, 409, code)
        expect(JSON.stringify(refused.body)).toContain('despiteExclusion')
      }
      expect(await move(userId, 'deposits', '1.00', 'before'), 'the repeat of an earlier one').toMatchObject({
        status: 201,
      })
      const made = await deposit({ despiteExclusion: true })
      expect(made).toMatchObject({ status: 201, body: { balance: '56.00' } })
      expect(await deposit({ despiteExclusion: true }), 'the same again').toEqual(made)
      expect(await move(userId, 'withdrawals', '56.00', 'out')).toMatchObject({
        status: 201,
        body: { balance: '0.00' },
      })
      expect(await wallet.operator.session(userId), 'open bets must be seen').toMatch(/^\S{43}$/)
      const shown = (await movements(userId)).map(({ reference, despiteExclusion }) => [reference, despiteExclusion])
      expect(shown.slice(0, 3)).toEqual([
        ['out', undefined],
        ['during', true],
        ['before', undefined],
      ])
    },
  )

  test('a player whose exclusion has ended gets deposits', async () => {
    const userId = await newPlayer()
    await wallet.operator.patch(userId, excluded())
    wallet.clock.advance(3_600_000)
    expect(await move(userId, 'deposits', '1.00', 'after')).toMatchObject({ status: 201 })
  })

  test('a withdrawal has no despiteExclusion, since nothing forbids it', async () => {
    const userId = await newPlayer('5.00')
    const body = { currency: 'EUR', amount: '1.00', reference: 'out', despiteExclusion: true }
    const reply = await wallet.operator.request('POST', `/operator/players/${userId}/withdrawals`, body)
    expectProblem(reply, 400, 'invalid_request', ['/despiteExclusion'])
  })

  const faulty: [string, object, string[]][] = [
    ['nothing', {}, ['']],
    ['an amount of 0', { amount: '0.00' }, ['/amount']],
    ['a negative amount', { amount: '-1.00' }, ['/amount']],
    ['a number for an amount', { amount: 1 }, ['/amount']],
    ['an amount with a comma', { amount: '1,00' }, ['/amount']],
    ['an amount with an exponent', { amount: '1e2' }, ['/amount']],
    ['an amount with a space', { amount: ' 1' }, ['/amount']],
    ['more decimals than the currency has', { amount: '1.001' }, ['/amount']],
    ['too large an amount', { amount: '99999999999999999.00' }, ['/amount']],
    ['an empty reference', { reference: '' }, ['/reference']],
    ['a reference of 129 characters', { reference: 'r'.repeat(129) }, ['/reference']],
    ['a reference with a NUL', { reference: 'a\u0000' }, ['/reference']],
    ['an unknown member', { note: 'hello' }, ['/note']],
  ]
  test.each(faulty)('%s is 400 and moves nothing', async (name, over, pointers) => {
    const userId = await newPlayer()
    const body = name === 'nothing' ? {} : { currency: 'EUR', amount: '1.00', reference: 'ref', ...over }
    for (const kind of ['deposits', 'withdrawals']) {
      const reply = await wallet.operator.request('POST', `/operator/players/${userId}/${kind}`, body)
      expectProblem(reply, 400, 'invalid_request', pointers)
    }
    expect(await movements(userId)).toEqual([])
  })
})
