/**
 * Reconcile can read the bets of a wallet through the operator API: first in pages, then differing
 * bets one by one.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { WalletBetView } from '../../src/reconcile/bet-sides.ts'
import { readWalletBets, readWalletPages } from '../../src/reconcile/wallet-api.ts'

const PAGES: Readonly<Record<string, { readonly data: readonly WalletBetView[]; readonly next: string | null }>> = {
  first: { data: [bet('one'), bet('two', 'acme')], next: 'a cursor & more' },
  'a cursor & more': { data: [], next: 'last' },
  last: { data: [bet('three', 'other')], next: null },
}
/** More bets than the number of concurrent requests. */
const MANY = 19

let server: Server
let api: { readonly url: string; readonly key: string }
const asked: string[] = []
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://wallet')
    asked.push(searchParams.get('after') ?? pathname)
    const isList = pathname === '/operator/bets' && searchParams.get('order') === 'id'
    const body = isList ? PAGES[searchParams.get('after') ?? 'first'] : singleBet(pathname)
    const status = body === undefined ? 404 : 200
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'key' }
})
beforeEach(() => {
  asked.length = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function bet(transactionId: string, platform?: string): WalletBetView {
  return { ...{ userId: 'ann', transactionId, status: 'open' }, ...(platform !== undefined && { platform }) }
}

/** The wallet does not have the bet `lost`. */
function singleBet(pathname: string): WalletBetView | undefined {
  const id = decodeURIComponent(pathname.split('/').at(-1) ?? '')
  return id === 'lost' ? undefined : bet(id)
}

async function readAll(platforms: readonly string[] | undefined): Promise<string[][]> {
  const pages: string[][] = []
  for await (const page of readWalletPages(api, platforms)) pages.push(page.map(({ betId }) => betId))
  return pages
}

test('the pages follow the cursor of the API to its end, even after an empty page', async () => {
  expect(await readAll(['', 'acme', 'other'])).toEqual([['one', 'two'], [], ['three']])
  expect(asked).toEqual(['/operator/bets', 'a cursor & more', 'last'])
})

test('the pages have the bets of the given platforms only', async () => {
  expect(await readAll(['acme'])).toEqual([['two'], [], []])
  expect(await readAll([''])).toEqual([['one'], [], []])
})

test('the pages of a wallet with named platforms are not read without a platform', async () => {
  await expect(readAll(undefined)).rejects.toThrow('--platform')
})

test('single bets are read all, and a bet that the wallet does not have is left out', async () => {
  const keys = Array.from({ length: MANY }, (_, i) => ({ player: 'ann', betId: i === 3 ? 'lost' : `bet ${i}` }))
  const found = await readWalletBets(api, keys, undefined)
  expect(found.map(({ betId }) => betId)).toEqual(keys.flatMap(({ betId }) => (betId === 'lost' ? [] : [betId])))
  expect(asked).toHaveLength(MANY)
})
