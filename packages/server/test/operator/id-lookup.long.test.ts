/**
 * GET /operator/show/{id}, and its page in the console, explain any id with all related records
 * (W-41).
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatLookupPage } from '../../src/cli/lookup-page.ts'
import { hashToken } from '../../src/wallet/store/session.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

describe.each(['1', '4'])('the lookup with %s buckets', (buckets) => {
  let wallet: TestWallet
  let bettor: { userId: string; token: string }
  const betId = randomUUID()
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
    bettor = await playerWithMoney(wallet.operator, '100.00', 'EUR', { operatorUser: 'site-4711' })
    await wallet.wire.place({ ...bettor, transactionId: betId, requestId: 'request-place-1', amount: 10 })
    await wallet.wire.settle({ ...bettor, transactionId: betId, amount: 25, resultType: 'won' })
    const out = { currency: 'EUR', amount: '5.00', reference: 'payout-0815' }
    await wallet.operator.request('POST', `/operator/players/${bettor.userId}/withdrawals`, out)
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  async function shown(id: string) {
    const { status, body } = await wallet.operator.request('GET', `/operator/show/${encodeURIComponent(id)}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as unknown as { kind: string } & Record<string, unknown>
  }
  const balances = [
    { currency: 'EUR', amount: '110.00' },
    { currency: 'USD', amount: '0.00' },
  ]

  test.each([
    ['the whole id', (id: string) => id],
    ['its first six characters', (id: string) => id.slice(0, 6)],
  ])('finds a bet by %s, with its lifecycle, its money and its player’s balances', async (_what, part) => {
    expect(await shown(part(betId))).toMatchObject({
      kind: 'bet',
      bet: { userId: bettor.userId, transactionId: betId, status: 'settled', payout: '25.00' },
      balances,
    })
  })

  test('finds a player by our id, by the start of it, and by the operator’s id', async () => {
    const player = { kind: 'player', player: { userId: bettor.userId, operatorUser: 'site-4711' }, balances }
    for (const id of [bettor.userId, bettor.userId.slice(0, 20), 'site-4711', 'site-4'])
      expect(await shown(id), id).toMatchObject(player)
    const { bets, transfers } = (await shown('site-4711')) as { bets?: unknown[]; transfers?: unknown[] } & object
    expect(bets).toMatchObject([{ transactionId: betId }])
    expect(transfers).toHaveLength(4)
  })

  test('finds a payment by its reference, and any transfer by player and number', async () => {
    const transfer = { kind: 'withdrawal', reference: 'payout-0815', amount: '-5.00' }
    for (const id of ['payout-0815', 'payout', `${bettor.userId}/payout-0815`, `${bettor.userId}/EUR-5`])
      expect(await shown(id), id).toMatchObject({ kind: 'transfer', userId: bettor.userId, transfer, balances })
    expect(await shown(`${bettor.userId}/EUR-2`)).toMatchObject({ transfer: { kind: 'stake', transactionId: betId } })
  })

  test('finds a session by its token or its hash, and never shows the token', async () => {
    const sessionId = hashToken(bettor.token)
    for (const id of [bettor.token, sessionId])
      expect(await shown(id)).toMatchObject({ kind: 'session', session: { sessionId, userId: bettor.userId } })
    expect(JSON.stringify(await shown(bettor.token))).not.toContain(bettor.token)
  })

  test('finds a request by its full id, with its calls and its bet, once the journal has it', async () => {
    let answer = await wallet.operator.request('GET', '/operator/show/request-place-1')
    while (answer.status !== 200) answer = await wallet.operator.request('GET', '/operator/show/request-place-1')
    expect(answer.body).toMatchObject({
      kind: 'request',
      calls: [{ operation: 'place', outcome: 'accepted', status: 200, requestId: 'request-place-1' }],
      bet: { transactionId: betId },
    })
  })

  test('lists the candidates of an ambiguous id, each of which can be looked up', async () => {
    const others = [await playerWithMoney(wallet.operator), await playerWithMoney(wallet.operator)]
    const same = `same-${randomUUID().slice(0, 8)}`
    for (const other of others) await wallet.wire.place({ ...other, transactionId: same, amount: 1 })
    const several = await shown(same)
    const { kind, matches } = several as unknown as { kind: string; matches: Record<string, string>[] }
    expect(kind).toBe('several')
    expect(matches).toEqual(matches.map((one) => expect.objectContaining({ ...one, selectionCount: 1 })))
    expect(formatLookupPage(several)).toContain('Brann - Molde')
    expect(matches.map(({ userId }) => userId).sort()).toEqual(others.map(({ userId }) => userId).sort())
    const [{ userId, id } = { userId: '', id: '' }] = matches
    expect(await shown(`${userId}/${id}`)).toMatchObject({ kind: 'bet', bet: { userId, transactionId: same } })
    const journal = async () => (await wallet.operator.request('GET', `/operator/calls?transactionId=${same}`)).body
    await expect.poll(journal).toMatchObject({ data: [{}, {}] })
    const calls = async (player = '') => (await shown(`${player}/${same}`)).calls as unknown[]
    for (const other of others) expect(await calls(other.userId), 'of this player’s bet alone').toHaveLength(1)
  })

  test('lists a transferId without its player for each player that may have it, and searches no journal for it', async () => {
    const sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    await sql.query('begin; lock table purser.journal in access exclusive mode')
    const short = await wallet.operator.request('GET', '/operator/show/EUR-2').finally(() => sql.end())
    const long = await wallet.operator.request('GET', '/operator/show/EUR-1234567')
    const detail = (id: string) => `each player may have a transfer ${id}: ask for USER/${id}`
    expect([short.status, short.body]).toEqual([404, expect.objectContaining({ detail: detail('EUR-2') })])
    expect([long.status, long.body]).toEqual([404, expect.objectContaining({ detail: detail('EUR-1234567') })])
    const other = await wallet.operator.request('GET', '/operator/show/XYZ-2')
    expect(other.body).toMatchObject({ status: 404, detail: 'anything with this id does not exist' })
  })

  test('reports an unknown id, a prefix that is too short, and text that cannot be stored', async () => {
    for (const [id, status] of [
      ['nothing-of-ours', 404],
      [betId.slice(0, 5), 404],
      [`${bettor.userId}/EUR-99`, 404],
      ['nobody/EUR-1', 404],
      ['a\u0000b', 400],
    ] as const)
      expect((await wallet.operator.request('GET', `/operator/show/${encodeURIComponent(id)}`)).status, id).toBe(status)
  })

  test('renders every page in 80 columns with all fields of the answer', async () => {
    for (const id of [betId, bettor.userId, 'payout-0815', bettor.token, 'player']) {
      const page = formatLookupPage(await shown(id))
      expect(Math.max(...page.split('\n').map((line) => line.length)), page).toBeLessThanOrEqual(80)
    }
    const page = formatLookupPage(await shown(betId))
    for (const word of [betId, 'settled', 'payout', '25.00', 'request-place-1', 'EUR-2']) expect(page).toContain(word)
  })
})

test('a lookup page folds long values, and escapes ids for the terminal', () => {
  const page = formatLookupPage({
    kind: 'transfer',
    transfer: { reason: 'word '.repeat(60), reference: 'a\u001b[2Jb' },
  })
  expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(page).toContain('a\\u001b[2Jb')
})
