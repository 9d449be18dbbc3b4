/**
 * The console works as a whole: every scenario of the sandbox's demo, the timeline of a bet, and
 * hostile texts in bets.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enterSandbox, type Sandbox, startSandbox } from './at.ts'
import { expectAccessibleEverywhere, launch, open } from './browser.ts'

/** Milliseconds. One scenario starts a wallet twice and waits up to a minute for a result. */
const TROUBLE_MS = 240_000

let browser: Browser
let context: BrowserContext
let sandbox: Sandbox
let url: string
let output: () => string

beforeAll(async () => {
  sandbox = await startSandbox()
  ;({ url, output } = sandbox)
  operator.headers.authorization = `Bearer ${sandbox.key}`
  browser = await launch()
  context = await enterSandbox(browser, sandbox)
})
afterAll(async () => {
  await browser?.close()
  await sandbox?.stop()
})

const operator = { headers: { authorization: '', 'content-type': 'application/json' } }
async function balanceOf(player: string): Promise<string> {
  const answer = await fetch(`${url}/operator/players/${player}/balances`, operator)
  return ((await answer.json()) as { balances: { amount: string }[] }).balances[0]?.amount ?? ''
}
async function move(what: 'deposits' | 'withdrawals', amount: string): Promise<void> {
  const body = JSON.stringify({ currency: 'EUR', amount, reference: randomUUID() })
  const answer = await fetch(`${url}/operator/players/robin/${what}`, { ...operator, method: 'POST', body })
  expect(answer.status).toBe(201)
}

/** The errors in the sandbox's log. */
const failures = () =>
  output()
    .match(/^.*"level":50.*$/gm)
    ?.join('\n') ?? ''

/** Runs a scenario; resolves to its badge or its error. */
async function make(page: Page, trouble: string): Promise<string> {
  await page.locator('.trouble', { hasText: trouble }).click()
  const said = page.locator('.caption, .demo-notice').first()
  await said.waitFor({ timeout: TROUBLE_MS })
  return (await said.textContent()) ?? ''
}

/** The timeline of a bet in another wallet. */
async function followToOther(page: Page): Promise<void> {
  const caption = page.locator('.caption')
  await caption.getByText('does not contain the calls of the second wallet').waitFor()
  await caption.getByRole('link', { name: 'View timeline' }).click()
  const facts = page.locator('.facts')
  await facts.getByText('casey in another wallet, partner mortal-').waitFor()
  expect(await facts.getByRole('link').count(), 'nobody of this wallet is led to').toBe(0)
  expect(await page.locator('[data-moment^="call"]').count(), 'its calls, as the platform made them').toBeGreaterThan(2)
  await page.goto(`${url}/console/money?compare=platform`)
  await page.getByText(/(match|listed below): compared with the platform of this server/).waitFor()
  expect(await page.locator('.books > div', { hasText: 'Missing here' }).textContent()).toBe('Missing here0')
}

describe('the demo of the console', () => {
  test('is the first page of the sandbox, is reached with one click, and exists only there', async () => {
    const signedOutContext = await browser.newContext()
    const { page, complaints } = await open(signedOutContext, url, '/')
    await page.getByRole('button', { name: 'Open the sandbox' }).waitFor()
    expect(await page.locator('.rail').count()).toBe(0)
    await expectAccessibleEverywhere(page, 'sign-in')
    await page.getByRole('button', { name: 'Open the sandbox' }).click()
    await page.getByRole('heading', { name: 'See the money move' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/demo')
    expect(await page.evaluate('document.cookie'), 'no script reads the session').toBe('')
    expect(complaints).toEqual([])
    await signedOutContext.close()
  })

  test('places a bet, settles it as won and corrects it, and the accounts always sum to 0.00', async () => {
    const { page, complaints } = await open(context, url, '/console/demo')
    const sum = page.locator('.sum strong')
    const bet = page.locator('.demo-bets li').first()
    await page.locator('.odds').first().click()
    await page.getByRole('button', { name: 'Place bet' }).click()
    await bet.getByText('Open', { exact: true }).waitFor()
    await page.getByText('490.00 EUR').waitFor()
    expect(await sum.textContent()).toBe('0.00')
    await bet.getByRole('button', { name: 'Settle: won' }).click()
    await bet.getByText('Won', { exact: true }).waitFor()
    expect(await sum.textContent()).toBe('0.00')
    await bet.getByRole('button', { name: 'Correct the result' }).click()
    await bet.getByText('Lost', { exact: true }).waitFor()
    await page.getByText('490.00 EUR').waitFor()
    expect(await sum.textContent()).toBe('0.00')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('switches the currency of the player, and pays with the available money', async () => {
    const { page, complaints } = await open(context, url, '/console/demo')
    const currency = page.getByRole('group', { name: 'Currency of the player' })
    await currency.getByRole('button', { name: 'USD' }).click()
    await page.locator('.purse', { hasText: '500.00 USD' }).waitFor()
    await page.locator('.odds').first().click()
    await page.getByRole('button', { name: 'Place bet' }).click()
    await page.locator('.demo-bets li').first().getByText('10.00 USD').waitFor()
    await page.locator('.purse', { hasText: '490.00 USD' }).waitFor()
    expect(await page.locator('.sum strong').textContent()).toBe('0.00')
    await page.locator('.t', { hasText: 'Open stakes' }).getByText('10.00').waitFor()
    expect(await page.locator('.wire .verdict-mark:not(.right)').count(), 'the wallet is right').toBe(0)
    await currency.getByRole('button', { name: 'EUR' }).click()
    await page.locator('.purse', { hasText: 'EUR' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each([
    ['Send it twice', 'The balance went from'],
    ['Lose the next answer', 'as before; the bet is cancelled.'],
    ['Answer after 6 s', 'as before; the bet is cancelled.'],
    ['Rollback first', 'as before; the bet is cancelled.'],
    ['Correct the result', 'the bet is settled.'],
    ['Unsettle', 'the bet is open.'],
    ['Two bets of 80 on 100', 'The balance went from 100.00 to 20.00; 1 of 2 bets accepted.'],
    ['Kill the wallet', 'The balance was 90.00 before the kill and 90.00 after the start'],
  ])(
    'shows for "%s" the outcome that the rules require, and where the money is',
    async (trouble, money) => {
      const { page, complaints } = await open(context, url, '/console/demo')
      const said = await make(page, trouble)
      expect(said.includes('Correct per spec') && said.includes(money), said + failures()).toBe(true)
      expect(await page.locator('.sum strong').textContent()).toBe('0.00')
      await page.locator('.wire .verdict-mark.right').first().waitFor()
      expect(await page.locator('.wire .verdict-mark:not(.right)').count(), 'the wallet is right').toBe(0)
      if (trouble === 'Send it twice') await expectAccessibleEverywhere(page, 'the demo with a caption')
      if (trouble === 'Kill the wallet') await followToOther(page)
      expect(complaints).toEqual([])
      await page.close()
    },
    2 * TROUBLE_MS,
  )
})

describe('the page of a bet', () => {
  test('is reached from the frame, is analysed, and is saved as a file that opens anywhere', async () => {
    const { page, complaints } = await open(context, url, '/console/demo')
    await page.locator('.trouble', { hasText: 'Lose the next answer' }).click()
    await page.locator('.caption').first().getByRole('link', { name: 'View timeline' }).click()
    await page.getByText('The stake of 10.00 EUR was refunded to the account').waitFor()
    await page.locator('[data-moment^="call"]').first().click()
    for (const part of ['network: ', 'signed with the first secret', 'Why, and what if', 'Bet status before'])
      await page.locator('.moment').getByText(part).first().waitFor()
    const offsets = "[...document.querySelectorAll('.moment .phases rect')].map(({ x }) => x.baseVal.value)"
    expect(Math.max(...((await page.evaluate(offsets)) as number[])), 'bars begin where phases do').toBeGreaterThan(0)
    await expectAccessibleEverywhere(page, 'a bet with an open moment')
    const address = new URL(page.url())
    expect(address.searchParams.get('moment')).toMatch(/^call-/)
    await page.reload()
    // the address can be shared
    await page.locator('.moment').getByText('Why, and what if').waitFor()
    await page.goBack()
    await page.locator('.moment').waitFor({ state: 'detached' })
    await page.locator('[data-moment^="decision"]').first().click()
    await page.locator('.moment').getByText('The platform made this decision').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'To scale' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?scale=time')
    await expectAccessibleEverywhere(page, 'bet')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Export (HTML)').click()])
    const file = readFileSync(await download.path(), 'utf8')
    expect(file).toContain('The stake of 10.00 EUR was refunded to the account')
    expect(file).not.toContain('<script')
    const shared = await context.newPage()
    await shared.setContent(file)
    expect(await shared.locator('svg.timeline [data-moment]').count()).toBe(4)
    await shared.close()
    expect(complaints).toEqual([])
    await page.close()
  })
})

test('a call with a rejected signature is in the list of API calls, and the signature debugger shows each step', async () => {
  const body = '{"requestId":"some-request","token":"not-a-token"}'
  const headers = { 'x-sign-jws': `eyJhbGciOiJIUzI1NiJ9..${'A'.repeat(43)}` }
  expect((await fetch(`${url}/user/profile`, { method: 'POST', headers, body })).status).toBe(400)
  const { page, complaints } = await open(context, url, '/console/calls?q=outcome%3Abad_signature')
  await page.getByText('bad signature (1)').first().waitFor()
  await page.locator('.call-name').first().click()
  await page.getByText('no secret of this wallet matches this signature and body').waitFor()
  const address = new URL(page.url())
  await page.reload()
  await page.getByText('no secret of this wallet matches this signature and body').waitFor()
  await page.goBack()
  await page.locator('.call-details').waitFor({ state: 'detached' })
  address.searchParams.set('q', 'op:place') // no list of these contains the call, but it is shown
  await page.goto(address.href)
  const alone = page.getByRole('region', { name: 'Linked call' })
  await alone.getByText('no secret of this wallet matches this signature and body').waitFor()
  await alone.locator('.call-name').click()
  await alone.waitFor({ state: 'detached' })
  await page.getByText('Signature debugger').click()
  await page.locator('[name=header]').fill(headers['x-sign-jws'])
  await page.locator('[name=body]').fill(body)
  await page.locator('[name=secret]').fill(sandbox.secret)
  await page.getByRole('button', { name: 'Check signature' }).click()
  await page.locator('.steps .bad').getByText('the secret is wrong, or the body').waitFor()
  expect(await page.locator('.steps .good').count()).toBe(5)
  const line = /x-sign-jws: (\S+)\.\.\\\n(\S+)" -d '([\s\S]+?\})'$/m.exec(output())
  await page.locator('[name=header]').fill(`${line?.[1]}..${line?.[2]}`)
  await page.locator('[name=body]').fill(line?.[3] ?? '')
  await page.getByRole('button', { name: 'Check signature' }).click()
  await page.locator('.steps').getByText('the signatures match').waitFor()
  await expectAccessibleEverywhere(page, 'calls')
  expect(complaints).toEqual([])
  await page.close()
})

test('a rejected delivery is found, tested in a dry run, and sent again after the repair of its cause', async () => {
  const { page, complaints } = await open(context, url, '/console/demo')
  const bet = page.locator('.demo-bets li').first()
  await page.getByRole('button', { name: 'Deposit 100' }).click()
  await page.locator('.odds').first().click()
  await page.getByRole('button', { name: 'Place bet' }).click()
  await bet.getByText('Open', { exact: true }).waitFor()
  const betId = (await bet.getByRole('link').getAttribute('href'))?.split('/').at(-1) ?? ''
  await bet.getByRole('button', { name: 'Settle: won' }).click()
  await bet.getByText('Won', { exact: true }).waitFor()
  await move('withdrawals', await balanceOf('robin'))
  await bet.getByRole('button', { name: 'Correct the result' }).click()

  await page.getByRole('link', { name: 'Deliveries' }).click()
  const issue = page.getByRole('region', { name: 'Settle rejected' })
  await issue.getByText('the balance would go negative').waitFor()
  await expectAccessibleEverywhere(page, 'an issue')
  await issue.getByRole('button', { name: /Retry \d+/ }).click()
  await page.getByText('Nothing has been sent yet.').waitFor()
  expect(await balanceOf('robin')).toBe('0.00')
  await expectAccessibleEverywhere(page, 'sending again')
  await move('deposits', '1000.00')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Retry \d+/ })
    .click()
  await page.getByRole('dialog').getByText('retried.').waitFor()
  await page.getByRole('dialog').getByText('Delivered', { exact: true }).first().waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await page.getByText('No delivery needs attention.').waitFor()
  await page.goto(`${url}/console/bets/${betId}`)
  await page.getByText('The bet lost.').waitFor()
  expect(complaints).toEqual([])
  await page.close()
})

const PAGES = [
  '/console/demo',
  '/console/bets',
  '/console/calls',
  '/console/players',
  '/console/players/robin',
  '/console/money',
  '/console/deliveries',
  '/console/settings',
]

test('no page has a serious accessibility fault, light or dark, or scrolls sideways on a phone', async () => {
  for (const path of PAGES) {
    const { page, complaints } = await open(context, url, path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.card').first().waitFor()
    await expectAccessibleEverywhere(page, path)
    expect(complaints, path).toEqual([])
    await page.close()
  }
})

test('a key of the role read sees bets and no bodies of calls, and sees nothing after a sign-out', async () => {
  const headers = { authorization: `Bearer ${sandbox.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'reader', role: 'read' })
  const { key } = (await (await fetch(`${url}/operator/keys`, { method: 'POST', headers, body })).json()) as {
    key: string
  }
  const signedOutContext = await browser.newContext()
  const page = await signedOutContext.newPage()
  await page.goto(`${url}/console/calls`)
  await page.getByLabel('API key').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('This API key isn’t valid.').waitFor()
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('API calls need the role Support').waitFor()
  await page.getByRole('link', { name: 'Bets', exact: true }).click()
  await page.locator('table.list a').first().waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await page.locator('table').count()).toBe(0)
  await signedOutContext.close()
})
