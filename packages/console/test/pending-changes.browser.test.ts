/**
 * The console shows the pending changes of a player, and users approve, confirm and discard them
 * (W-50).
 */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asking, asking } from '../../server/test/people/audited-calls.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { expectAccessibleEverywhere, launch, signedIn } from './browser.ts'

const HOUR_MS = 3_600_000
const FAR = '2099-01-01T00:00:00.000Z'

let browser: Browser
let wallet: TestWallet
let first: Asking
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

async function startWith(coolingOff: string): Promise<void> {
  wallet = await startWallet({ env: { PURSER_COOLING_OFF: coolingOff } })
  first = asking(wallet.url, wallet.operatorKey, '/operator/actions')
}

async function newPlayer(userId: string, protections: object): Promise<void> {
  await first.must('POST', '/operator/players', { userId, currency: 'EUR' })
  await first.must('PATCH', `/operator/players/${userId}`, protections)
}

const change = (userId: string, body: object) => first.send('PATCH', `/operator/players/${userId}`, body)
const read = (userId: string) => first.must('GET', `/operator/players/${userId}`)

/** The page of the player for a user with this role. */
async function openPlayer(userId: string, role: string): Promise<{ page: Page; pending: Locator }> {
  const name = `${role}-${userId}`
  const { key } = await first.must('POST', '/operator/keys', { name, role })
  const page = await (await signedIn(browser, wallet.url, String(key))).newPage()
  return openWith(page, userId)
}

async function openWith(page: Page, userId: string): Promise<{ page: Page; pending: Locator }> {
  await page.goto(`${wallet.url}/console/players/${userId}`)
  return { page, pending: page.getByRole('region', { name: 'Pending changes' }) }
}

const rowOf = (pending: Locator, text: string) => pending.getByRole('listitem').filter({ hasText: text })

describe('a change that waits for a second person', () => {
  beforeAll(() => startWith('second-person'))
  afterAll(() => wallet?.stop())

  const asked = { status: 'active', selfExcludedUntil: null, limits: { stake: '1500.00', loss: null, betCount: 20 } }
  const protections = { status: 'blocked', selfExcludedUntil: FAR, limits: { stake: '50.00', loss: '9', betCount: 5 } }

  test('is approved by another person only, each change separately', async () => {
    await newPlayer('zoe', protections)
    expect((await change('zoe', asked)).status).toBe(202)
    const { page, pending } = await openPlayer('zoe', 'support')
    const raise = rowOf(pending, 'Daily stake limit: 1,500.00')
    await raise.getByText(/requested by Root key, .*another user can approve it until/).waitFor()
    await expectAccessibleEverywhere(page, 'pending changes')
    await raise.getByRole('button', { name: 'Approve' }).click()
    await raise.waitFor({ state: 'detached' })
    await rowOf(pending, 'The self-exclusion ends').getByRole('button', { name: 'Approve' }).click()
    await rowOf(pending, 'The self-exclusion ends').waitFor({ state: 'detached' })
    const after = await read('zoe')
    expect(after).toMatchObject({ status: 'blocked', limits: { stake: '1500.00', loss: '9', betCount: 5 } })
    expect(after).not.toHaveProperty('selfExcludedUntil')

    const own = await openWith(await (await signedIn(browser, wallet.url, wallet.operatorKey)).newPage(), 'zoe')
    const unblocked = rowOf(own.pending, 'The account is unblocked')
    await unblocked.getByRole('button', { name: 'Approve' }).click()
    await unblocked.getByRole('alert').getByText('Another user must approve this change').waitFor()
    expect(await read('zoe')).toMatchObject({ status: 'blocked' })
  })

  test('is withdrawn by entering the present value, and disappears with its last member', async () => {
    await newPlayer('yan', protections)
    expect((await change('yan', asked)).status).toBe(202)
    const { pending } = await openPlayer('yan', 'support')
    await pending.getByRole('listitem').nth(4).waitFor()
    for (let left = 5; left > 0; left--) {
      await expect.poll(() => pending.getByRole('listitem').count()).toBe(left)
      await pending.getByRole('button', { name: 'Discard' }).first().click()
    }
    await pending.waitFor({ state: 'detached' })
    expect(await read('yan')).toMatchObject(protections)
    expect(await read('yan')).not.toHaveProperty('waiting')
  })

  test('is read-only for a person who may only read', async () => {
    await newPlayer('xia', protections)
    await change('xia', asked)
    const { pending } = await openPlayer('xia', 'read')
    await pending.getByText('Daily bet limit: 20').waitFor()
    expect(await pending.getByRole('button').count()).toBe(0)
  })
})

describe('a change that waits for hours', () => {
  beforeAll(() => startWith('1h'))
  afterAll(() => wallet?.stop())

  test('is confirmed after the hours, and not earlier', async () => {
    await newPlayer('wim', { limits: { stake: '50.00', betCount: 5 } })
    wallet.clock.advance(-2 * HOUR_MS)
    expect((await change('wim', { limits: { stake: '100.00' } })).status).toBe(202)
    wallet.clock.advance(2 * HOUR_MS)
    expect((await change('wim', { limits: { betCount: null } })).status).toBe(202)
    const { pending } = await openPlayer('wim', 'support')
    const late = rowOf(pending, 'No daily bet limit')
    await late.getByText(/it can be confirmed from .* until/).waitFor()
    expect(await late.getByRole('button', { name: 'Confirm' }).isDisabled()).toBe(true)
    await rowOf(pending, 'Daily stake limit: 100.00').getByRole('button', { name: 'Confirm' }).click()
    await rowOf(pending, 'Daily stake limit').waitFor({ state: 'detached' })
    expect(await read('wim')).toMatchObject({ limits: { stake: '100.00', betCount: 5 } })
  })
})
