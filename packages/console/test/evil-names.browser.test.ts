/**
 * Every page shows hostile input in names as text (U-1), and the id of another player opens
 * nothing.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { refusal } from '../../server/test/support/scripted-wallet.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { atPlatform, atWallet } from './at.ts'
import { complaintsOf } from './browser.ts'

/** At most 64 characters, the limit for a player's id from a partner. */
const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
/** No part of the input is an element of the page. */
async function runsNothing(page: Page, address: string): Promise<void> {
  const parts = 'img[src="x"], main script, [href^="javascript:"], [onerror]'
  expect(await page.locator(parts).count(), address).toBe(0)
}

async function shows(page: Page, part: string, address: string): Promise<void> {
  await expect
    .poll(() => page.locator(`main ${part}`).allTextContents(), { message: `${address} ${part}` })
    .toEqual(expect.arrayContaining([expect.stringContaining(EVIL)]))
}

describe('the console of a wallet with hostile names', () => {
  const at = atWallet({ env: { PURSER_APPROVE_ABOVE: '50', PURSER_CONFORMANCE: 'on' } })
  let wallet: TestWallet
  let page: Page
  beforeEach(() => {
    ;({ server: wallet, page } = at)
  })

  const must = async (method: string, path: string, body: object) => {
    const { status, body: said } = await wallet.operator.request(method, path, body)
    expect(status, JSON.stringify(said)).toBeLessThan(300)
  }

  /** Stores a name that the API rejects, as an older version or a user of the database may have. */
  async function byHand(text: string, values: unknown[]): Promise<void> {
    const client = new pg.Client(wallet.databaseUrl)
    await client.connect()
    try {
      expect((await client.query(text, values)).rowCount).toBe(1)
    } finally {
      await client.end()
    }
  }

  test('refuses invalid names of keys, webhooks and brands', async () => {
    const url = 'https://crm.example/purser'
    for (const [method, path, body] of [
      ['POST', '/operator/keys', { name: EVIL, role: 'read' }],
      ['PUT', `/operator/webhooks/${encodeURIComponent(EVIL)}`, { url, events: [] }],
      ['PUT', '/operator/webhooks/crm', { url: 'javascript:alert(3)', events: [] }],
      ['POST', '/operator/players', { userId: 'eve', currency: 'EUR', brand: EVIL }],
    ] as const)
      expect((await wallet.operator.request(method, path, body)).status, `${method} ${path}`).toBe(400)
  })

  test('shows every name as text on every page, and runs none of it', async () => {
    const { userId } = await wallet.operator.createPlayer({ currency: 'EUR', brand: 'blue' })
    await byHand('update purser.player set brand = $1 where player = $2', [EVIL, userId])
    await wallet.operator.patch(userId, { customFields: { nickname: EVIL, firstName: EVIL } })
    await wallet.operator.deposit(userId, '100.00')
    const by = { reason: EVIL, ticket: EVIL, person: EVIL, currency: 'EUR' }
    const path = `/operator/players/${userId}/adjustments`
    await must('POST', path, { ...by, amount: '5.00', reference: 'booked' })
    await must('POST', path, { ...by, amount: '75.00', reference: 'asked-for' })
    await must('POST', '/operator/keys', { name: 'robot', role: 'read' })
    await byHand("update purser.api_key set name = $1 where name = 'robot'", [EVIL])
    await must('PUT', '/operator/webhooks/crm', {
      url: `https://crm.example/?q=${encodeURIComponent(EVIL)}`,
      events: [],
    })
    await byHand("update purser.webhook set webhook_id = $1, url = $2 where webhook_id = 'crm'", [EVIL, EVIL])
    const complaints = complaintsOf(page, wallet.url)
    for (const [address, parts] of [
      ['/players', ['table.list']], // nickname, brand
      [`/players?q=${encodeURIComponent(EVIL.slice(0, 12))}`, ['table.list']],
      // brand, reason, nickname
      [`/players/${userId}`, ['.head', '[aria-label=Statement]', '[aria-label="Limits and restrictions"]']],
      // person and reason; brand
      ['/money', ['[aria-label="Pending adjustments"]', '.day-card h2']],
      ['/reports?by=brand', ['table.list']],
      ['/find?q=asked-for', ['[aria-label=Adjustment]']],
      ['/settings', ['[aria-label="API keys"]', '[aria-label=Webhooks]', '[aria-label="Audit log"]']],
    ] as const) {
      await at.see(address)
      for (const part of parts) await shows(page, part, address)
      await runsNothing(page, address)
    }
    expect(complaints).toEqual([])
  })

  test('shows as text what a caller wrote into a bet, and what was searched for', async () => {
    const player = await playerWithMoney(wallet.operator)
    const item = { event: EVIL, market: EVIL, outcome: EVIL, eventId: EVIL, outcomeId: EVIL, coefficient: 2 }
    const transactionId = randomUUID()
    const bet = { ...player, transactionId, amount: 1, info: EVIL, metadata: [item] }
    expect((await wallet.wire.place(bet)).status).toBe(200)
    const complaints = complaintsOf(page, wallet.url)
    await at.see(`/bets/${player.userId}/${transactionId}`)
    await page.getByRole('cell', { name: EVIL }).first().waitFor()
    await page.locator('[data-moment]').first().click()
    await shows(page, '.moment', 'a moment')
    await runsNothing(page, 'a moment')
    // a player has the nickname EVIL by now
    await at.see(`/find?q=${encodeURIComponent(`nobody ${EVIL}`)}`)
    await page.getByText('No results.').waitFor()
    await runsNothing(page, 'find')
    const isRefusal = (one: string) => one.includes('404 (Not Found)') || one.includes('400 (Bad Request)')
    expect(complaints.filter((one) => !isRefusal(one))).toEqual([])
  })

  test('opens and changes nothing with an id of another player', async () => {
    const alice = await playerWithMoney(wallet.operator)
    const { userId: mallory } = await playerWithMoney(wallet.operator)
    const transactionId = randomUUID()
    expect((await wallet.wire.place({ ...alice, transactionId, amount: 10 })).status).toBe(200)
    const asked = { reference: 'for-alice', currency: 'EUR', amount: '75.00', reason: 'a bonus', person: 'anna' }
    await must('POST', `/operator/players/${alice.userId}/adjustments`, asked)
    const of = `/operator/players/${mallory}`
    const wrong = { currency: 'EUR', amount: '1.00', reference: 'x', reason: 'x', transactionId }
    const ask = async (method: 'get' | 'put' | 'post' | 'delete', path: string, data?: object) => {
      const options = { headers: { 'x-purser-console': '1' }, ...(data && { data }) }
      const answer = await at.context.request[method](wallet.url + path, options)
      return { status: answer.status(), text: await answer.text() }
    }
    for (const [method, path, body] of [
      ['get', `${of}/bets/${transactionId}`, undefined],
      ['put', `${of}/bets/${transactionId}/lock`, undefined],
      ['delete', `${of}/bets/${transactionId}/lock`, undefined],
      ['post', `${of}/adjustments/approve`, { reference: asked.reference }],
      ['post', `${of}/adjustments/refuse`, { reference: asked.reference }],
      ['get', `/operator/conformance/${randomUUID()}`, undefined],
    ] as const)
      expect(await ask(method, path, body), `${method} ${path}`).toMatchObject({ status: 404 })
    expect((await ask('post', `${of}/adjustments`, wrong)).text).toContain('is no bet of this player')
    expect(await wallet.operator.balance(alice.userId)).toBe('990.00')
    expect(await wallet.operator.bet(alice.userId, transactionId)).toMatchObject({ status: 'open', locked: false })
    await at.see(`/bets/${mallory}/${transactionId}`)
    await page.getByText('No bet with ID').waitFor()
  })
})

describe('the console of a platform with hostile names', () => {
  const at = atPlatform()

  test('shows the names and messages of a partner as text', async () => {
    const { server: scene, page } = at
    scene.wallet.profile = { ...scene.wallet.profile, userId: EVIL }
    const frame = await scene.api.loadFrame(scene.partnerId)
    const { betId } = await scene.api.place(frame)
    scene.wallet.next('settle', refusal(20, EVIL))
    await scene.api.settle(betId, 'won', '25.00')
    await scene.time.settle()
    const complaints = complaintsOf(page, scene.platform.url)
    for (const [address, part] of [
      ['/bets', 'table.list'],
      ['/deliveries', '.issue'],
      [`/bets/${betId}`, '.facts'],
    ] as const) {
      await at.see(address)
      await shows(page, part, address)
      await runsNothing(page, address)
    }
    await page.locator('[data-moment^="call"]').last().click()
    await shows(page, '.moment', 'a moment')
    await runsNothing(page, 'a moment')
    // the bet is requested before the kind of this server is known
    expect(complaints.filter((one) => !one.includes('404 (Not Found)'))).toEqual([])
  })
})
