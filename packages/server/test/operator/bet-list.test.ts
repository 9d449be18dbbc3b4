/**
 * The lists of bets and anomalies over all players are sorted newest first, with filters and pages.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, objectOf, readAllPages, rowsOf } from './answers.ts'

interface Player {
  userId: string
  token: string
  currency: string
}

describe.each(['1', '4'])('the bet list with %s buckets', (buckets) => {
  let wallet: TestWallet
  let players: Player[]
  /** Every bet with its final status, oldest first, a minute apart. */
  const bets: { userId: string; transactionId: string; status: string }[] = []
  const startedAt: string[] = []

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
    players = await Promise.all(Array.from({ length: 4 }, () => playerWithMoney(wallet.operator, '100.00')))
    for (let i = 0; i < 20; i++) bets.push(await makeBet(players[i % 4] as Player, STATUSES[i % 5] as string))
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  const STATUSES = ['open', 'settled', 'cancelled', 'refused', 'unknown']

  async function makeBet({ userId, token }: Player, status: string): Promise<(typeof bets)[number]> {
    const bet = { userId, transactionId: randomUUID() }
    wallet.clock.advance(60_000)
    startedAt.push(wallet.clock.now().toISOString())
    // each bet is on the event 77, with its own outcome, and on one of two other events
    const metadata = [
      { eventId: 77, outcomeId: bets.length },
      { eventId: `event-${bets.length % 2}`, outcomeId: 0 },
    ]
    const amount = status === 'refused' ? 1_000 : 1
    if (status !== 'unknown') await wallet.wire.place({ ...bet, token, amount, metadata, info: 'a text with a \u0000' })
    if (status === 'settled' || status === 'unknown') await wallet.wire.settle({ ...bet, amount: 2 })
    if (status === 'cancelled') await wallet.wire.rollback({ ...bet, amount: 1 })
    return { ...bet, status }
  }

  const list = (query: string) => wallet.operator.request('GET', `/operator/bets?${query}`)
  const listed = async (query: string) => rowsOf((await list(query)).body, 'data')
  const namesOf = (rows: JsonObject[]) =>
    rows.map(({ userId, transactionId, status }) => ({ userId, transactionId, status }))
  const newestFirst = () => [...bets].reverse()

  test('has all bets in the order of their ids, page after page', async () => {
    const pages = await readAllPages((query) => list(`order=id&${query}`), 3)
    const sorted = bets.toSorted((a, b) => (a.transactionId < b.transactionId ? -1 : 1))
    expect(namesOf(pages.flat())).toEqual(sorted)
    expectProblem(await list('order=id&status=open'), 400, 'invalid_request')
  })

  test('has the bets of all players newest first, with their status', async () => {
    const rows = await listed('')
    expect(namesOf(rows)).toEqual(newestFirst())
    const times = rows.map(({ firstSeenAt }) => String(firstSeenAt))
    expect(times).toEqual([...times].sort().reverse())
    expect(rows.find(({ status }) => status === 'settled')).toMatchObject({
      stake: '1.00',
      payout: '2.00',
      currency: 'EUR',
    })
    expect(rows.find(({ status }) => status === 'refused')).toMatchObject({ refusalCode: 7 })
  })

  test.each([1, 3, 7, 20, 21])('has every bet once in pages of %i', async (limit) => {
    const pages = await readAllPages(list, limit)
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
    expect(namesOf(pages.flat())).toEqual(newestFirst())
  })

  test.each(STATUSES)('has exactly the bets of the status %s, page by page', async (status) => {
    const pages = await readAllPages((query) => list(`status=${status}&${query}`), 3)
    expect(namesOf(pages.flat())).toEqual(newestFirst().filter((bet) => bet.status === status))
    expect(pages.flat()).toHaveLength(4)
  })

  test.each([1, 3, 50])('has the bets of an event in pages of %i', async (limit) => {
    const placed = newestFirst().filter(({ status }) => status !== 'unknown')
    const onEvent = async (id: string) =>
      namesOf((await readAllPages((query) => list(`eventId=${id}&${query}`), limit)).flat())
    expect(await onEvent('77')).toEqual(placed)
    expect(await onEvent('event-1')).toEqual(placed.filter((bet) => bets.indexOf(bet) % 2 === 1))
    expect(await onEvent('7')).toEqual([])
  })

  test('has the selections of each bet on request, for an event too, and none for a bet that was never placed', async () => {
    const on = (i: number) => [
      { eventId: '77', outcomeId: String(i) },
      { eventId: `event-${i % 2}`, outcomeId: '0' },
    ]
    const shown = (rows: JsonObject[]) => rows.map(({ selections, selectionCount }) => [selections, selectionCount])
    const placed = (bet: (typeof bets)[number]) => bet.status !== 'unknown'
    expect(shown(await listed('selections=true'))).toEqual(
      newestFirst().map((bet) => (placed(bet) ? [on(bets.indexOf(bet)), 2] : [undefined, undefined])),
    )
    expect(shown(await listed('eventId=77&outcomeId=7&selections=true'))).toEqual([[on(7), 2]])
    expect(shown(await listed('limit=1'))).toEqual([[undefined, undefined]])
  })

  test('has the bets of an event filtered by outcome, player, status and time', async () => {
    const seven = bets[7] as (typeof bets)[number]
    expect(namesOf(await listed('eventId=77&outcomeId=7'))).toEqual([seven])
    expect(await listed('eventId=event-1&outcomeId=7')).toEqual([])
    expectProblem(await list('eventId=event-1&outcomeId=%00'), 400, 'invalid_request')
    expect(namesOf(await listed(`eventId=77&userId=${seven.userId}&status=${seven.status}`))).toEqual([seven])
    expect(namesOf(await listed(`eventId=77&from=${startedAt[7]}&to=${startedAt[8]}`))).toEqual([seven])
    expectProblem(await list('outcomeId=7'), 400, 'invalid_request')
    expectProblem(await list(`eventId=77&transactionId=${seven.transactionId}`), 400, 'invalid_request')
  })

  test('has exactly the bets of a player, and with a status only those', async () => {
    const { userId } = players[1] as Player
    expect(namesOf(await listed(`userId=${userId}`))).toEqual(newestFirst().filter((bet) => bet.userId === userId))
    expect(namesOf(await listed(`userId=${userId}&status=open`))).toEqual(
      newestFirst().filter((bet) => bet.userId === userId && bet.status === 'open'),
    )
    expect(await listed('userId=nobody')).toEqual([])
  })

  test('includes from and excludes to, by the time when a bet was first named', async () => {
    const rows = await listed('')
    const [later, earlier] = [String(rows[4]?.firstSeenAt), String(rows[9]?.firstSeenAt)]
    expect(await listed(`from=${earlier}&to=${later}`)).toEqual(rows.slice(5, 10))
    expect(await listed(`from=${startedAt[19]}`)).toEqual(rows.slice(0, 1))
    expect(await listed(`to=${startedAt[0]}`)).toEqual([])
  })

  test('has no gap and no repeat when bets arrive between pages', async () => {
    const known = namesOf(await listed(''))
    const { userId, token } = players[0] as Player
    const pages = await readAllPages(list, 6, async () => {
      await wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 1 })
    })
    expect(namesOf(pages.flat())).toEqual(known)
  })

  describe('of anomalies', () => {
    const anomalies = (query: string) => wallet.operator.request('GET', `/operator/anomalies?${query}`)

    test('has the calls that contradict the lifecycle of a bet, newest first, with their answers', async () => {
      const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
      const bet = { userId, transactionId: randomUUID() }
      const calls = [
        () => wallet.wire.settle({ ...bet, amount: 5 }),
        () => wallet.wire.unsettle({ ...bet, amount: 5 }),
        () => wallet.wire.place({ ...bet, token, amount: 1 }),
        () => wallet.wire.place({ ...bet, token, amount: 2 }),
        () => wallet.wire.settle({ ...bet, amount: 5, currency: 'USD' }),
        () => wallet.wire.settle({ ...bet, amount: 0, resultType: 'won' }),
        () => wallet.wire.settle({ ...bet, amount: 500, resultType: 'won' }),
        () =>
          wallet.operator.request('POST', `/operator/players/${userId}/withdrawals`, {
            currency: 'EUR',
            amount: '590.00',
            reference: 'r',
          }),
        () => wallet.wire.settle({ ...bet, amount: 5 }),
        () => wallet.wire.rollback({ ...bet, amount: 1 }),
      ]
      for (const call of calls) {
        wallet.clock.advance(1_000)
        await call()
      }
      const { body } = await anomalies('limit=8')
      const shown = rowsOf(body, 'data').map(({ operation, anomaly, outcome, code }) => [
        operation,
        anomaly,
        outcome,
        code,
      ])
      expect(shown).toEqual([
        ['rollback', 'rollback_after_settle', 'refused', 8],
        ['settle', 'taking_back_refused', 'refused', 21],
        ['settle', 'payout_above_odds', 'applied', undefined],
        ['settle', 'result_contradicts_amount', 'applied', undefined],
        ['settle', 'currency_differs_from_bet', 'refused', 5],
        ['place', 'place_differs_from_bet', 'refused', 8],
        ['unsettle', 'unsettle_of_unknown_bet', 'refused', 5],
        ['settle', 'settle_of_unknown_bet', 'refused', 5],
      ])
      expect(
        rowsOf(body, 'data').every((row) => row.userId === userId && row.transactionId === bet.transactionId),
      ).toBe(true)
    })

    test('has each anomaly once over all pages, while others arrive', async () => {
      const known = rowsOf((await anomalies('limit=500')).body, 'data')
      expect(known.length).toBeGreaterThan(4)
      const pages = await readAllPages(anomalies, 2, async () => {
        await wallet.wire.settle({ userId: players[0]?.userId, transactionId: randomUUID(), amount: 1 })
      })
      expect(pages.flat()).toEqual(known)
    })

    test('is filtered by time', async () => {
      const known = rowsOf((await anomalies('limit=500')).body, 'data')
      const [newer, older] = [known[1] as JsonObject, known[3] as JsonObject]
      const { body } = await anomalies(`from=${older.at}&to=${newer.at}`)
      const expected = known.filter(({ at }) => String(at) >= String(older.at) && String(at) < String(newer.at))
      expect(objectOf(body)).toEqual({ data: expected, next: null })
    })

    test('does not have repeats, refusals for money, or results of locked bets', async () => {
      const before = rowsOf((await anomalies('limit=500')).body, 'data').length
      const { userId, token } = await playerWithMoney(wallet.operator, '10.00')
      const bet = { userId, transactionId: randomUUID() }
      await wallet.wire.place({ ...bet, token, amount: 1 })
      await wallet.wire.place({ ...bet, token, amount: 1 })
      await wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 100 })
      await wallet.wire.settle({ ...bet, amount: 2 })
      await wallet.operator.lock(userId, bet.transactionId)
      await wallet.wire.settle({ ...bet, amount: 3 })
      expect(rowsOf((await anomalies('limit=500')).body, 'data')).toHaveLength(before)
    })
  })

  test('has the first three selections of an express and their number, and truncates long names', async () => {
    const player = await playerWithMoney(wallet.operator, '100.00')
    const bet = { ...player, transactionId: randomUUID(), amount: 1 }
    const metadata = Array.from({ length: 40 }, (_, i) => ({
      ...{ eventId: i, event: `Home ${i} - Away ${'y'.repeat(300)}`, market: 'Winner', outcome: null, stage: 1 },
    }))
    await wallet.wire.place({ ...bet, metadata } as never)
    const [row] = await listed(`userId=${player.userId}&selections=true`)
    const name = (i: number) => `Home ${i} - Away ${'y'.repeat(300)}`.slice(0, 200)
    expect(row).toMatchObject({
      selectionCount: 40,
      selections: [0, 1, 2].map((i) => ({ eventId: String(i), event: name(i), market: 'Winner' })),
    })
  })

  const cursor = (parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const faulty: [string, string, string][] = [
    ['/operator/bets', 'status=pending', '/query/status'],
    ['/operator/bets', 'userId=', '/query/userId'],
    ['/operator/bets', `userId=${'%F0%9F%98%80'.repeat(40)}`, '/query/userId'],
    ['/operator/bets', 'limit=1000', '/query/limit'],
    ['/operator/bets', 'from=yesterday', '/query/from'],
    ['/operator/bets', `after=${cursor(['2031-05-16T00:00:00.000Z', 'a'])}`, '/query/after'],
    ['/operator/bets', `after=${cursor(['2031-05-16T00:00:00.000Z', 'a\u0000', 'b'])}`, '/query/after'],
    ['/operator/anomalies', `after=${cursor(['2031-05-16T00:00:00.000Z', 'a', 'b', 'c'])}`, '/query/after'],
    ['/operator/anomalies', `after=${cursor(['when?', 'a', 'b', '1'])}`, '/query/after'],
    ['/operator/anomalies', 'to=2031-13-01T00:00:00Z', '/query/to'],
  ]
  test.each(faulty)('is 400 for %s?%s', async (path, query, pointer) => {
    expectProblem(await wallet.operator.request('GET', `${path}?${query}`), 400, 'invalid_request', [pointer])
  })
})
