/**
 * Players can be found by values that a user knows, and listed when they are blocked or
 * self-excluded.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectProblem, readAllPages, rowsOf } from './answers.ts'

let wallet: TestWallet
/** The prefix of every id, so that each test has its own players. */
let mine: string

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_BUCKETS: '3' } })
})
afterAll(() => wallet.stop())

const list = (query: string) => wallet.operator.request('GET', `/operator/players${query}`)
const find = (q: string, query = '') => list(`?q=${encodeURIComponent(q)}${query}`)
const idsOf = async (reply: ReturnType<typeof list>) => rowsOf((await reply).body, 'data').map(({ userId }) => userId)

async function players(...overs: object[]): Promise<string[]> {
  mine = randomUUID()
  const ids = overs.map((_, i) => `${mine}-${i + 1}`)
  for (const [i, over] of overs.entries()) await wallet.operator.createPlayer({ userId: ids[i], ...over })
  return ids
}

describe('the player search', () => {
  test.each<[string, object, (q: string) => string]>([
    ['the beginning of the userId', {}, () => mine.slice(0, 8)],
    ['the operatorUser', { operatorUser: 'Site.77' }, () => 'Site.7'],
    ['the nickname, in any case', { customFields: { nickname: 'Ädá Lovelace' } }, () => 'äDÁ l'],
    ['the e-mail address, in any case', { customFields: { email: 'Ada@Example.com' } }, () => 'ada@EXAMPLE.com'],
  ])('finds a player by %s', async (_name, over, q) => {
    const [id] = await players(over)
    expect(await idsOf(find(q('')))).toEqual([id])
  })

  test('finds by the current start of a value only', async () => {
    const [id] = await players({ customFields: { nickname: 'grace-hopper' } })
    expect(await idsOf(find('hopper'))).toEqual([])
    await wallet.operator.patch(id as string, { customFields: { nickname: 'amazing-grace' } })
    expect(await idsOf(find('grace-'))).toEqual([])
    expect(await idsOf(find('amazing-'))).toEqual([id])
  })

  test('finds an e-mail address by no prefix, which would reveal it letter by letter', async () => {
    const email = `grace-${randomUUID()}@example.com`
    const [id] = await players({ customFields: { email } })
    for (const length of [1, 10, email.length - 1]) expect(await idsOf(find(email.slice(0, length)))).not.toContain(id)
    expect(await idsOf(find(email))).toEqual([id])
  })

  test('shows a player once who matches several ways, exact ids before names', async () => {
    const name = `both-${randomUUID()}`
    await wallet.operator.createPlayer({ userId: `${name}-1`, operatorUser: name, customFields: { nickname: name } })
    await wallet.operator.createPlayer({ userId: randomUUID(), customFields: { nickname: name, email: `${name}@x` } })
    const [first, second, ...more] = await idsOf(find(name))
    expect([first, second === undefined, more]).toEqual([`${name}-1`, false, []])
  })

  test('accepts profiles that no text column and no index can store', async () => {
    const [odd, long] = await players(
      { customFields: { nickname: 'a\u0000b' } },
      { customFields: { nickname: 'l'.repeat(9_000) } },
    )
    expect(await idsOf(find('llllllll'))).toEqual([long])
    expect(await idsOf(find(odd as string))).toEqual([odd])
  })

  test('reads all kinds of match and all buckets page by page, each player once', async () => {
    const q = `page${randomUUID().slice(0, 8)}`
    const ids = []
    for (let i = 0; i < 12; i++) {
      const way = [
        { userId: `${q}-${i}` },
        { customFields: { nickname: `${q} ${i}` } },
        { customFields: { email: q } },
      ][i % 3]
      ids.push((await wallet.operator.createPlayer({ userId: randomUUID(), ...way })).userId)
    }
    const pages = await readAllPages((query) => find(q, `&${query}`), 5)
    expect(pages.map((page) => page.length)).toEqual([5, 5, 2])
    expect(
      pages
        .flat()
        .map(({ userId }) => userId)
        .sort(),
    ).toEqual(ids.sort())
  })
})

describe('the player list', () => {
  test('has the players who are blocked, self-excluded now, or of a brand', async () => {
    const brand = `b${randomUUID().slice(0, 8)}`
    const [one, two, three] = (await players({ brand }, { brand }, {})) as [string, string, string]
    await wallet.operator.patch(one, { status: 'blocked' })
    await wallet.operator.patch(two, { selfExcludedUntil: '2999-01-01T00:00:00Z' })
    await wallet.operator.patch(three, { selfExcludedUntil: '2001-01-01T00:00:00Z' })
    expect(await idsOf(list('?status=blocked'))).toEqual([one])
    expect(await idsOf(list('?status=self_excluded'))).toEqual([two])
    expect(await idsOf(list(`?brand=${brand}`))).toEqual([one, two])
    expect(await idsOf(list(`?brand=${brand}&status=blocked`))).toEqual([one])
    expect(await idsOf(find(mine, '&status=self_excluded'))).toEqual([two])
  })

  test('without a filter has all players ordered by id', async () => {
    await players({}, {}, {})
    const ids = (await readAllPages((query) => list(`?${query}`), 7)).flat().map(({ userId }) => userId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining([`${mine}-1`, `${mine}-2`, `${mine}-3`]))
    expect(ids).toEqual(ids.toSorted())
  })

  test.each(['?q=', '?q=%00', '?status=asleep', '?brand=%20', '?after=nonsense', '?limit=0', '?name=ada'])(
    'refuses %s',
    async (query) => {
      expectProblem(await list(query), 400, 'invalid_request')
    },
  )
})

test('the brand of a player cannot be changed, neither by PATCH nor by another creation', async () => {
  const [id] = await players({ brand: 'north' })
  expectProblem(
    await wallet.operator.request('PATCH', `/operator/players/${id}`, { brand: 'south' }),
    400,
    'invalid_request',
  )
  const again = { userId: id, currency: 'EUR', currencies: ['EUR', 'USD'] }
  expectProblem(
    await wallet.operator.request('POST', '/operator/players', { ...again, brand: 'south' }),
    409,
    'player_differs',
  )
  const same = await wallet.operator.request('POST', '/operator/players', { ...again, brand: 'north' })
  expect(same).toMatchObject({ status: 200, body: { brand: 'north' } })
})
