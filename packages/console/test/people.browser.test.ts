/**
 * Users sign in by name, are locked after wrong passwords, and have roles. An adjustment needs two
 * users (U-4, W-27).
 */
import pg from 'pg'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import { expectAccessibleEverywhere, launch, signedIn } from './browser.ts'

let browser: Browser
let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_APPROVE_ABOVE: '50' } })
  const headers = { authorization: `Bearer ${wallet.operatorKey}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) =>
    expect((await fetch(wallet.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(201)
  await post('/operator/players', { userId: 'zoe', currency: 'EUR' })
  await post('/operator/players/zoe/deposits', { currency: 'EUR', amount: '100.00', reference: 'first' })
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  await wallet?.stop()
})

async function openSignInPage(): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  await page.goto(`${wallet.url}/console/`)
  return page
}

async function signIn(page: Page, { name, password }: { name: string; password: string }): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const OWN = 'of their own choice'

/** The first sign-in, which requires a change of the admin's password. */
async function signInFirst(page: Page, person: { name: string; password: string }): Promise<void> {
  await signIn(page, person)
  await page.getByRole('heading', { name: 'New password' }).waitFor()
  await page.getByLabel('Current password').fill(person.password)
  await page.getByLabel('New password').fill(OWN)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('link', { name: 'Settings' }).waitFor()
}

async function admin(): Promise<Page> {
  const page = await openSignInPage()
  await page.getByRole('button', { name: 'Use an API key' }).click()
  await page.getByLabel('API key').fill(wallet.operatorKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  return page
}

async function make(page: Page, name: string, role: string): Promise<{ name: string; password: string }> {
  const people = page.getByRole('region', { name: 'Users' })
  await people.getByLabel('Name').fill(name)
  await people.getByLabel('Role').selectOption(role)
  await people.getByRole('button', { name: 'Add user' }).click()
  await people.getByText(`The password of ${name} is shown only once:`).waitFor()
  return { name, password: (await people.locator('.once code').textContent()) ?? '' }
}

async function query(text: string): Promise<object[]> {
  const client = new pg.Client(wallet.databaseUrl)
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

const balance = async () => {
  const headers = { authorization: `Bearer ${wallet.operatorKey}` }
  const answer = await fetch(`${wallet.url}/operator/players/zoe/balances`, { headers })
  return ((await answer.json()) as { balances: { amount: string }[] }).balances[0]?.amount
}

describe('the console for several users', () => {
  test('lets one person request an adjustment, refuses that person’s approval, and accepts another’s', async () => {
    const boss = await admin()
    const anna = await make(boss, 'anna', 'cash')
    const bert = await make(boss, 'bert', 'cash')
    await expectAccessibleEverywhere(boss, 'settings')
    const form = boss.locator('.line-form').first()
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: 0, height: -1 }
    const [name, button] = [await boxOf(form.getByLabel('Name')), await boxOf(form.getByRole('button'))]
    expect([button.y, button.height], 'the button stands on the line of the fields').toEqual([name.y, name.height])

    const hers = await openSignInPage()
    await expectAccessibleEverywhere(hers, 'sign-in by name')
    await signIn(hers, anna)
    await hers.getByRole('heading', { name: 'New password' }).waitFor()
    await expectAccessibleEverywhere(hers, 'the first sign-in')
    await hers.getByRole('button', { name: 'Sign out' }).click()
    await signInFirst(hers, anna)
    await hers.getByRole('link', { name: 'Players' }).click()
    await hers.getByRole('link', { name: 'zoe' }).click()
    await hers.getByRole('button', { name: 'Adjust…' }).click()
    await hers.getByLabel('Amount').fill('75.00')
    await hers.getByLabel('Reason').fill('a bonus that was promised')
    await expectAccessibleEverywhere(hers, 'adjusting')
    await hers.getByRole('button', { name: 'Post adjustment' }).click()
    await hers.getByText('Sent for approval').waitFor()
    expect(await balance()).toBe('100.00')
    await hers.getByRole('button', { name: 'Done' }).click()
    await hers.getByRole('link', { name: 'Finance' }).click()
    await hers.getByRole('button', { name: 'Approve' }).click()
    await hers.getByText('the person who requested it cannot approve it').waitFor()
    expect(await balance()).toBe('100.00')

    const his = await openSignInPage()
    await signInFirst(his, bert)
    await his.getByRole('link', { name: 'Finance' }).click()
    await his.getByText('requested by anna').waitFor()
    await expectAccessibleEverywhere(his, 'approving')
    await his.getByRole('button', { name: 'Approve' }).click()
    await his.getByRole('region', { name: 'Pending adjustments' }).waitFor({ state: 'detached' })
    expect(await balance()).toBe('175.00')
    await his.getByRole('link', { name: 'Settings' }).click()
    const booked = his.getByRole('region', { name: 'Audit log' }).locator('tbody tr').first()
    await booked.getByText('bert').waitFor()
    await booked.getByText('approve adjustment').waitFor()
  })

  test('creates a key with rights, a scope and an expiry', async () => {
    const page = await admin()
    const keys = page.getByRole('region', { name: 'API keys' })
    await keys.getByLabel('Name').fill('site')
    await keys.getByLabel('Role').selectOption('support')
    await keys.getByLabel('Only the brand').fill('north')
    await keys.getByLabel('Expires, UTC').fill('2099-03-01T12:30')
    await keys.getByRole('checkbox', { name: 'sessions' }).check()
    await keys.getByRole('checkbox', { name: 'profiles' }).check()
    await expectAccessibleEverywhere(page, 'a new key')
    await keys.getByRole('button', { name: 'Create API key' }).click()
    await keys.getByText('The key of site is shown only once:').waitFor()
    const row = keys.getByRole('row', { name: /site/ })
    await row.getByText('limited to north').waitFor()
    await row.getByText('only sessions, profiles').waitFor()
    await row.getByText('2099-03-01 12:30').waitFor()
    expect(await keys.getByRole('checkbox', { checked: true }).count(), 'the form is empty again').toBe(0)
    await keys.getByLabel('Name').fill('plain')
    await keys.getByRole('button', { name: 'Create API key' }).click()
    await keys.getByRole('row', { name: /plain Viewer Active .* never/ }).waitFor()
    expect(await page.getByRole('region', { name: 'Users' }).getByRole('checkbox').count()).toBe(0)
  })

  test('offers no changes to a person who may only read', async () => {
    const boss = await admin()
    const carl = await make(boss, 'carl', 'read')
    const page = await openSignInPage()
    await signInFirst(page, carl)
    await page.getByRole('link', { name: 'Players' }).click()
    await page.getByRole('link', { name: 'zoe' }).click()
    await page.getByRole('heading', { name: 'Statement' }).waitFor()
    expect(await page.getByRole('button', { name: 'Adjust…' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('region', { name: 'Your password' }).waitFor()
    expect(await page.getByRole('region', { name: 'API keys' }).count()).toBe(0)
  })

  test('counts input on a page without requests as use of the session, at most once a minute', async () => {
    const page = await (await signedIn(browser, wallet.url, wallet.operatorKey)).newPage()
    await page.clock.install()
    await page.goto(`${wallet.url}/console/players/zoe`)
    await page.getByRole('heading', { name: 'Statement' }).waitFor()
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.getByRole('button', { name: 'Paused' }).waitFor()
    const uses: string[] = []
    page.on('request', (request) => {
      if (request.headers()['x-purser-unattended'] === undefined) uses.push(new URL(request.url()).pathname)
    })
    const path = '/console/api/session'
    await page.clock.fastForward(61_000)
    await query("update purser.console_session set used_at = now() - interval '29 minutes'")
    await page.mouse.wheel(0, 200)
    await expect.poll(() => uses).toEqual([path])
    const newest =
      "select used_at > now() - interval '1 minute' as used from purser.console_session order by made_at desc limit 1"
    await expect.poll(() => query(newest)).toEqual([{ used: true }])
    await page.clock.fastForward(30_000)
    await page.keyboard.press('ArrowDown')
    await page.clock.fastForward(31_000)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => uses).toEqual([path, path])
    await query("update purser.console_session set used_at = now() - interval '31 minutes'")
    await page.clock.fastForward(61_000)
    await page.keyboard.press('ArrowDown')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  test('locks a name after five wrong passwords, and an admin sees it and sets a new one', async () => {
    const boss = await admin()
    const dora = await make(boss, 'dora', 'support')
    const page = await openSignInPage()
    for (let i = 0; i < 5; i++) {
      await signIn(page, { name: 'dora', password: `wrong ${i}` })
      await page.getByRole('alert').getByText('locked for a while').waitFor()
      await page.reload()
    }
    await signIn(page, dora)
    await page.getByRole('alert').getByText('locked for a while').waitFor()
    await boss.reload()
    const row = boss.getByRole('row', { name: /dora/ }).first()
    await row.getByText('Locked').waitFor()
    await row.getByRole('button', { name: 'New password, dora' }).click()
    await boss.getByText('The password of dora is shown only once:').waitFor()
    await signIn(page, { name: 'dora', password: (await boss.locator('.once code').textContent()) ?? '' })
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })

  test('ends a person after a confirmation, and signs the person out', async () => {
    const boss = await admin()
    const ella = await make(boss, 'ella', 'support')
    const page = await openSignInPage()
    await signInFirst(page, ella)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const row = boss.getByRole('row', { name: /ella/ }).first()
    const end = row.getByRole('button', { name: 'Deactivate ella' })
    await end.click()
    await boss.getByRole('dialog', { name: 'Deactivate ella?' }).getByRole('button', { name: 'Cancel' }).click()
    await row.getByText('Active', { exact: true }).waitFor()
    const focused = 'document.activeElement?.getAttribute("aria-label")'
    await expect.poll(() => boss.evaluate(focused)).toBe('Deactivate ella')
    const shownOnce = boss.getByText('The password of ella is shown only once:')
    expect(await shownOnce.count(), 'nobody was ended, and it is never shown again').toBe(1)
    await end.click()
    await expectAccessibleEverywhere(boss, 'a person to be ended')
    await boss.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await row.getByText('Deactivated').waitFor()
    expect(await shownOnce.count()).toBe(0)
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })
})

test('the audit of this wallet has no findings', () => wallet.auditIsClean())
