// Bets whose description has unusual types (W-3): each list, search, report and export shows them
// as text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { betView, callOf, newScene, nextBet, type Scene, sendCall } from '../wallet/scene.ts'

const TO_STRING = { toString: 1, valueOf: null }
const ODD: readonly unknown[] = [null, 7, 1.5, true, 'text', [], {}, [null], [7, 'x', [1]], TO_STRING, [TO_STRING]]
const NAMES = ['coefficient', 'gameType', 'ticketType', 'boosterCoefficient', 'bonusTemplateId', 'bonusAmount'] as const
const EVENT = `event-${Date.now()}`
const SELECTIONS = [
  ...ODD.map((odd) => ({ eventId: EVENT, event: odd, market: odd, outcomeId: odd, outcome: odd, stage: odd })),
  ...ODD.map((odd) => ({ eventId: odd })),
]

let wallet: TestWallet
let scene: Scene
beforeAll(async () => {
  wallet = await startWallet()
  scene = await newScene(wallet, { amount: '10000.00' })
  for (const odd of ODD) {
    const described = Object.fromEntries(NAMES.map((name) => [name, odd]))
    await placed({ ...described, ip: odd, info: odd, subPartnerId: odd, metadata: odd })
  }
  for (const one of SELECTIONS) await placed({ metadata: [one, ...ODD] })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

async function placed(members: object): Promise<Scene> {
  const bet = nextBet(scene)
  const { status } = await sendCall(bet, 'place', callOf(bet, 'place', { ...members, amount: 1 }))
  expect([status, members]).toEqual([200, members])
  return bet
}

async function read(path: string): Promise<{ data: Record<string, unknown>[] }> {
  const { status, body } = await wallet.operator.request('GET', path)
  expect([path, status, body]).toEqual([path, 200, expect.anything()])
  return body as unknown as { data: Record<string, unknown>[] }
}

describe('bets whose description has unusual types', () => {
  it('are in the list, with their selections as text', async () => {
    const { data } = await read(`/operator/bets?userId=${scene.userId}&selections=true&limit=100`)
    expect(data).toHaveLength(ODD.length + SELECTIONS.length)
    const [first] = data.filter(({ selectionCount }) => selectionCount === 1 + ODD.length).slice(-8)
    const selections = expect.arrayContaining([expect.objectContaining({ event: expect.any(String) })])
    expect(first).toMatchObject({ selections })
  })

  it('are in the statement with their selections', async () => {
    const { data } = await read(`/operator/players/${scene.userId}/statement?currency=EUR&bets=true&limit=100`)
    expect(data.length).toBeGreaterThan(ODD.length)
  })

  it.each([EVENT, 'text', '7', 'true', '[object Object]'])(
    'are found by the event %s if an id has that text',
    async (id) => {
      const { data } = await read(`/operator/bets?eventId=${encodeURIComponent(id)}&limit=100`)
      const wanted = SELECTIONS.filter(
        ({ eventId }) => ['string', 'number'].includes(typeof eventId) && `${eventId}` === id,
      )
      const isText = (odd: unknown) => typeof odd === 'string' || typeof odd === 'number'
      expect(data).toHaveLength(wanted.length)
      expect(data.length > 0).toBe(id === EVENT || ODD.filter(isText).some((odd) => `${odd}` === id))
    },
  )

  it('are found by an outcome whose id is text or a number', async () => {
    const { data } = await read(`/operator/bets?eventId=${EVENT}&outcomeId=7`)
    expect(data).toHaveLength(1)
  })

  it('hide address and free text of any type from the role read', async () => {
    const { body } = await wallet.operator.request('POST', '/operator/keys', { name: 'reader', role: 'read' })
    const bet = await placed({ ip: { v4: '203.0.113.7' }, info: ['Jo', 7, { name: 'Jo' }], metadata: 'Jo' })
    const path = `/operator/players/${scene.userId}/bets/${bet.betId}`
    const headers = { authorization: `Bearer ${(body as { key: string }).key}` }
    const seen = await (await fetch(wallet.url + path, { headers })).json()
    expect(seen).toMatchObject({
      details: { ip: { v4: '***' }, info: ['***', '***', { name: '***' }], metadata: 'Jo' },
    })
    expect((await betView(bet)).body).toMatchObject({ details: { ip: { v4: '203.0.113.7' } } })
  })

  it('have a site of text, by which the report sums', async () => {
    const today = wallet.clock.now().toISOString().slice(0, 10)
    const { data } = await read(`/operator/reports/daily?from=${today}&to=${today}&by=site`)
    const sites = data.map(({ site }) => site)
    expect(sites).toEqual(
      expect.arrayContaining(['7', '1.5', 'true', 'text', '[]', '{}', '{"toString":1,"valueOf":null}']),
    )
  })
})
