/** The two books of a day, as the page Money compares them: what matches, what differs, what only one side has. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { compareBooks, sideOfTheirs, sidesOfFile } from '../../console/src/pages/money/books.ts'
import { compareDay } from '../../console/src/pages/money/read-books.ts'
import { type BetView, toWalletSide } from '../../src/reconcile/sides.ts'

const ours = (over: Partial<BetView> & { transactionId: string }) =>
  toWalletSide({ userId: 'ann', status: 'open', currency: 'EUR', stake: '10.00', ...over })
const won = { status: 'settled', payout: '21.00', resultType: 'won' } as const
const HEAD = ['player', 'betId', 'status', 'currency', 'stake', 'resultType', 'payout']
const file = (...rows: string[][]) => sidesOfFile('bets.csv', [HEAD, ...rows])

describe('two books', () => {
  test('match, differ, or have what the other one has not; what holds nobody’s money counts for nothing', () => {
    const theirs = file(
      ['ann', 'bet-matched', 'settled', 'EUR', '10.0', 'won', '21'],
      ['ann', 'bet-differs', 'settled', 'EUR', '10.00', 'won', '22.00'],
      ['ann', 'bet-theirs', 'open', 'EUR', '10.00', '', ''],
      ['ann', 'bet-declined', 'declined', 'EUR', '10.00', '', ''],
    )
    const mine = [
      ours({ transactionId: 'bet-matched', ...won }),
      ours({ transactionId: 'bet-differs', ...won }),
      ours({ transactionId: 'bet-ours' }),
      ours({ transactionId: 'bet-refused', status: 'refused' }),
    ]
    const { differs, onlyOurs, onlyTheirs, ...counts } = compareBooks(mine, theirs)
    expect(counts).toEqual({ matched: 1, inFlight: 0 })
    expect(differs).toMatchObject([
      { kind: 'payout', betId: 'bet-differs', platform: '22.00 EUR', wallet: '21.00 EUR' },
    ])
    expect(onlyOurs.map(({ betId }) => betId)).toEqual(['bet-ours'])
    expect(onlyTheirs.map(({ betId }) => betId)).toEqual(['bet-theirs'])
  })
  test('a bet whose call is on its way is neither right nor wrong', () => {
    const bet = { betId: 'bet-1', partnerId: 'acme', userId: 'ann', amount: '10.00', currency: 'EUR', ...won }
    const open = [ours({ transactionId: 'bet-1' })]
    expect(compareBooks(open, [sideOfTheirs(bet)]).differs).toHaveLength(1)
    const waiting = compareBooks(open, [
      sideOfTheirs({ ...bet, deliveries: [{ status: 'done' }, { status: 'pending' }] }),
    ])
    expect(waiting).toMatchObject({ matched: 0, inFlight: 1, differs: [] })
    const placing = compareBooks([], [sideOfTheirs({ ...bet, status: 'placing' })])
    expect(placing).toMatchObject({ inFlight: 1, onlyTheirs: [] })
  })
  test('a player whom the platform knows by another name is found by that of the operator', () => {
    const bet = {
      betId: 'bet-1',
      partnerId: 'acme',
      userId: 'agg-7',
      operatorUser: 'ann',
      status: 'accepted',
      amount: '10.00',
      currency: 'EUR',
    }
    expect(compareBooks([ours({ transactionId: 'bet-1' })], [sideOfTheirs(bet)])).toMatchObject({ matched: 1 })
  })
})

describe('what differs is looked at once more', () => {
  afterEach(() => vi.unstubAllGlobals())
  const asked = { day: '2026-11-27', platform: '/platform', name: '' }
  const bet = { betId: 'bet-1', partnerId: 'acme', userId: 'ann', amount: '10.00', currency: 'EUR' }
  const settled = { ...bet, ...won, deliveries: [{ status: 'done' }] }

  /** Both servers; `passes`: the result comes to the wallet behind its second answer, and the platform hears so. */
  function servers(passes: boolean) {
    let answers = 0
    const isOver = () => passes && answers > 1
    vi.stubGlobal('fetch', async (path: string) => {
      if (path.startsWith('/operator/bets')) {
        answers += 1
        return Response.json({ data: [ours({ transactionId: 'bet-1' })].map(viewOf), next: null })
      }
      const isList = path.startsWith('/platform/bets?')
      const now = isList || !passes || isOver() ? settled : { ...bet, status: 'accepted', deliveries: [] }
      return Response.json(isList ? { data: [now], next: null } : now)
    })
  }
  const viewOf = () => ({ userId: 'ann', transactionId: 'bet-1', status: 'open', currency: 'EUR', stake: '10.00' })

  test('and one that moved meanwhile is on its way', async () => {
    servers(true)
    expect(await compareDay(asked)).toMatchObject({ inFlight: 1, matched: 0, differs: [] })
  })
  test('and one that stood still differs', async () => {
    servers(false)
    expect(await compareDay(asked)).toMatchObject({ inFlight: 0, differs: [{ kind: 'status', betId: 'bet-1' }] })
  })
})

describe('a file', () => {
  test.each([
    [['player,betId', 'x'], 'lacks the columns'],
    [[HEAD.join(), 'ann,bet-1,open,EUR,ten,,'], 'line 2: stake must be an amount'],
    [[HEAD.join(), 'ann,bet-1,gone,EUR,10,,'], 'line 2: status must be one of'],
    [[HEAD.join(), 'ann,bet-1,open,EUR,10,,', 'ann,bet-1,open,EUR,10,,'], 'has the bet bet-1 twice'],
  ])('says what is wrong with it: %s', (lines, says) => {
    expect(() =>
      sidesOfFile(
        'bets.csv',
        lines.map((line) => line.split(',')),
      ),
    ).toThrow(says)
  })
})
