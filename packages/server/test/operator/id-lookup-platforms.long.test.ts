/**
 * Two platforms may use one id for different bets (W-43). The lookup by id shows each bet with its
 * own calls only, and each call with the bet that it belongs to (W-41).
 */
import { randomUUID } from 'node:crypto'
import { buildBetHistory } from '@purser/timeline/bet-history'
import type { JournalCallDetail, WalletBetDetail } from '@purser/timeline/bet-sources'
import { expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type JsonObject, partnerWire } from '../support/wire.ts'
import { answered } from '../wallet/answers.ts'
import { rowsOf } from './answers.ts'

const SECRETS = { acme: 'secret-of-acme', best: 'secret-of-best' }
/** The longest possible name. */
const BEST = 'best'.padEnd(32, '-platform')
const PARTNER_SECRETS = `acme:${SECRETS.acme},${BEST}:${SECRETS.best}`

async function withWallet(env: Record<string, string>, work: (wallet: TestWallet) => Promise<void>): Promise<void> {
  const wallet = await startWallet({ env: { PARTNER_SECRETS, ...env } })
  await work(wallet)
  await wallet.auditIsClean()
  await wallet.stop()
}

function asking({ operator, url }: TestWallet) {
  const get = async (path: string) => {
    const { status, body } = await operator.request('GET', path)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as JsonObject
  }
  const requestsOf = (list: JsonObject, member: string) => rowsOf(list, member).map(({ requestId }) => requestId)
  const show = (id: string) => get(`/operator/show/${encodeURIComponent(id)}`)
  const calls = (id: string) => get(`/operator/calls?transactionId=${encodeURIComponent(id)}&limit=100`)
  return {
    ...{ acme: partnerWire(url, SECRETS.acme), best: partnerWire(url, SECRETS.best), get, show, calls },
    shownCalls: async (id: string) => requestsOf(await show(id), 'calls'),
    listedCalls: async (id: string) => requestsOf(await calls(id), 'data'),
  }
}

test.each(['of a uuid', 'of a short id'])('the lookup keeps two platforms’ bets of one id %s apart', async (what) => {
  await withWallet({}, async (wallet) => {
    const { acme, best, get, show, calls, shownCalls, listedCalls } = asking(wallet)
    const bettor = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const transactionId = what === 'of a uuid' ? randomUUID() : 'short-bet-id'
    const second = `${transactionId}@${BEST}`.padEnd(37, '.')
    for (const [wire, requestId] of [[acme, 'request-of-acme'] as const, [best, 'request-of-best'] as const])
      expect(answered(await wire.place({ ...bettor, transactionId, requestId, amount: 10 }))).toBe(200)
    await expect.poll(async () => (await listedCalls(transactionId)).length).toBe(2)
    expect(await show('request-of-best')).toMatchObject({ kind: 'request', bet: { transactionId: second } })
    expect(await show('request-of-acme')).toMatchObject({ kind: 'request', bet: { transactionId } })
    const { userId } = bettor
    const matches = [transactionId, second].map((id) => ({ kind: 'bet', id, userId }))
    // the id may mean either bet
    expect(await show(transactionId)).toMatchObject({ kind: 'several', matches })
    expect(await shownCalls(`${userId}/${transactionId}`)).toEqual(['request-of-acme'])
    expect(await shownCalls(second)).toEqual(['request-of-best'])
    expect(await listedCalls(second)).toEqual(['request-of-best'])
    const bet = (await get(`/operator/players/${bettor.userId}/bets/${transactionId}`)) as unknown as WalletBetDetail
    const journal = rowsOf(await calls(transactionId), 'data') as unknown as JournalCallDetail[]
    const drawn = buildBetHistory({ wallet: bet, journal }).moments.filter(({ kind }) => kind === 'call')
    expect(drawn).toHaveLength(1)
  })
})

test('a list finds the bets of an id on every platform, or on one, and no id that only looks like it', async () => {
  await withWallet({ PURSER_BUCKETS: '4' }, async (wallet) => {
    const { acme, best, get } = asking(wallet)
    const bettor = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const { userId } = bettor
    const id = 'short-bet-id'
    const second = `${id}@${BEST}`.padEnd(37, '.')
    for (const wire of [acme, best])
      expect(answered(await wire.place({ ...bettor, transactionId: id, amount: 10 }))).toBe(200)
    for (const other of [`${id}@acme`, `${id}@x`, `${id}0`])
      for (const wire of [acme, best]) await wire.place({ ...bettor, transactionId: other, amount: 1 })
    const listed = async (query: string) => {
      const { data } = await get(`/operator/bets?${query}`)
      return (data as JsonObject[]).map(({ transactionId }) => transactionId).sort()
    }
    for (const whose of ['', `&userId=${userId}`]) {
      expect(await listed(`transactionId=${id}${whose}`)).toEqual([id, second])
      expect(await listed(`transactionId=${id}&platform=${BEST}${whose}`)).toEqual([second])
      expect(await listed(`transactionId=${id}&platform=acme${whose}`)).toEqual([id])
      expect(await listed(`transactionId=${second}${whose}`)).toEqual([second])
      expect(await listed(`transactionId=${second}&platform=acme${whose}`)).toEqual([])
    }
    const page = await get(`/operator/bets?transactionId=${id}&limit=1`)
    const rest = await get(`/operator/bets?transactionId=${id}&limit=1&after=${page.next}`)
    const both = [...rowsOf(page, 'data'), ...rowsOf(rest, 'data')].map(({ transactionId }) => transactionId)
    expect(both.sort()).toEqual([id, second])
    expect(rest.next).toBe(null)
  })
})

test('the lookup shows all calls about a bet that platforms share', async () => {
  await withWallet({ PURSER_SHARED_BETS: 'true' }, async (wallet) => {
    const { acme, best, show, shownCalls, listedCalls } = asking(wallet)
    const bettor = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const bet = { userId: bettor.userId, transactionId: randomUUID(), amount: 10 }
    await acme.place({ ...bet, token: bettor.token, requestId: 'request-of-acme' })
    expect(answered(await best.settle({ ...bet, requestId: 'request-of-best', resultType: 'won' }))).toBe(200)
    await expect.poll(async () => (await listedCalls(bet.transactionId)).length).toBe(2)
    expect((await shownCalls(bet.transactionId)).sort()).toEqual(['request-of-acme', 'request-of-best'])
    expect(await show('request-of-best')).toMatchObject({ bet: { transactionId: bet.transactionId } })
  })
})
