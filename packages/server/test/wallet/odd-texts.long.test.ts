/**
 * Texts with unusual characters stay exactly as received, although a decoder or a normalisation
 * could change them (I-7). This holds for the wire, the operator API and the feed, on
 * Postgres and on PGlite.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { objectOf, rowsOf } from '../operator/answers.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const MARK = '\ufeff'
const COMPOSED = '\u00e9'
const DECOMPOSED = 'e\u0301'

/** Variants of one id with each special character where a decoder would remove it. */
function oddTexts(): string[] {
  const id = randomUUID().slice(0, 20)
  const marked = [`${MARK}${id}`, `${MARK}${MARK}${id}`, `${id}${MARK}-`, `${id}${MARK}`]
  return [...marked, ` \u00a0${id}\u3000 `, `${id}${COMPOSED}`, `${id}${DECOMPOSED}`, `${id}😀`]
}

describe.each(['Postgres', 'the embedded database'])('on %s texts with unusual characters', (kind) => {
  let wallet: TestWallet
  beforeAll(async () => {
    const env = kind === 'Postgres' ? {} : { PURSER_DATA_DIR: `memory://${randomUUID()}` }
    wallet = await startWallet({ env })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  const get = async (path: string) => objectOf((await wallet.operator.request('GET', path)).body)
  const pathOf = (userId: string) => `/operator/players/${encodeURIComponent(userId)}`

  /** Runs a bet through its life, and each query about it. */
  async function play(odd: string): Promise<void> {
    const { wire, operator } = wallet
    const customFields = { nickname: odd, email: `${odd}@x.example` }
    await operator.createPlayer({ userId: odd, customFields })
    expect(await get(pathOf(odd))).toMatchObject({ userId: odd, customFields })
    const deposit = { currency: 'EUR', amount: '100.00', reference: odd }
    expect((await operator.request('POST', `${pathOf(odd)}/deposits`, deposit)).status).toBe(201)
    const token = await operator.session(odd)
    expect((await wire.profile(token)).body).toMatchObject({ userId: odd, customFields: { nickname: odd } })

    const metadata = [{ eventId: odd, event: odd, outcomeId: odd, coefficient: 2, more: odd }]
    const named = { userId: odd, transactionId: odd }
    const bet = { ...named, token, requestId: odd, amount: 10, info: odd, subPartnerId: odd, metadata }
    const placed = await wire.place(bet)
    expect(placed).toMatchObject({ status: 200, body: { transactionId: odd } })
    expect(await wire.place(bet)).toMatchObject({ status: 200, body: placed.body })
    expect(await wire.settle({ ...named, amount: 15 })).toMatchObject({ status: 200, body: { transactionId: odd } })
    expect(await wire.unsettle(named)).toMatchObject({ status: 200, body: { transactionId: odd } })
    expect(await wire.check(named)).toMatchObject({ body: { transactionId: odd, amount: 10 } })

    const details = { info: odd, subPartnerId: odd, metadata: [{ event: odd, more: odd }] }
    const path = `${pathOf(odd)}/bets/${encodeURIComponent(odd)}`
    expect(await get(path)).toMatchObject({ ...named, status: 'open', details })
    const statement = rowsOf(await get(`${pathOf(odd)}/statement`), 'data')
    expect(statement.map(({ reference }) => reference)).toContain(odd)
    const found = rowsOf(await get(`/operator/bets?transactionId=${encodeURIComponent(odd)}`), 'data')
    expect(found).toMatchObject([named])
    expect(await operator.balance(odd)).toBe('90.00')
  }

  test('each identify a player, a bet and a reference, and are stored unchanged', async () => {
    const texts = oddTexts()
    await Promise.all(texts.map(play))
    const { data } = await get('/operator/changes?limit=500&wait=0')
    const events = rowsOf({ data: data ?? [] }, 'data')
    const seen = new Set(
      events
        .map((event) => JSON.stringify(event))
        .flatMap((event) => texts.filter((text) => event.includes(JSON.stringify(text)))),
    )
    expect([...seen].sort()).toEqual([...texts].sort())
  })
})
