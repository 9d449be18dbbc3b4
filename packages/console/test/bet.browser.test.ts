/**
 * On the page of a bet, a user retries a rejected call, copies it as curl, and exports the bet for
 * the simulator.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createDeferred } from '@purser/runtime/async/deferred'
import { parseRecordedHistory } from '@purser/simulator/one-bet/one-bet-actions'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enterSandbox, type Sandbox, startSandbox } from './at.ts'
import { expectAccessibleEverywhere, launch, open } from './browser.ts'

let browser: Browser
let context: BrowserContext
let sandbox: Sandbox
let url: string
let key: string

beforeAll(async () => {
  sandbox = await startSandbox()
  ;({ url, key } = sandbox)
  browser = await launch()
  context = await enterSandbox(browser, sandbox)
})
afterAll(async () => {
  await browser?.close()
  await sandbox?.stop()
})

async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  expect(answer.ok, `${method} ${path} was answered ${answer.status}`).toBe(true)
  return (await answer.json()) as Record<string, unknown>
}
async function move(what: 'deposits' | 'withdrawals', amount: string): Promise<void> {
  await ask('POST', `/operator/players/robin/${what}`, { currency: 'EUR', amount, reference: randomUUID() })
}

interface PlacedBet {
  readonly betId: string
  readonly status: string
}

/** A Place bet that takes 5 s on a busy machine is rolled back, so another one is placed. */
async function place(match: number): Promise<PlacedBet> {
  const { matches } = (await ask('GET', '/sandbox/frame')) as { matches: { id: string }[] }
  const betRequest = { matchId: matches[match]?.id, outcome: 'home', stake: '25.00' }
  for (;;) {
    const placed = (await ask('POST', '/sandbox/frame/bets', betRequest)) as unknown as PlacedBet
    if (placed.status !== 'cancelled') return placed
  }
}

async function downloaded(page: Page, ask: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), ask()])
  return readFileSync(await file.path(), 'utf8')
}

/** A bet that was won, paid out, and corrected after the money was withdrawn. */
async function refusedCorrection(): Promise<string> {
  const { betId, status } = await place(1)
  expect(status).toBe('accepted')
  await ask('POST', `/sandbox/frame/bets/${betId}`, { what: 'won' })
  const { balances } = (await ask('GET', '/operator/players/robin/balances')) as { balances: { amount: string }[] }
  await move('withdrawals', balances[0]?.amount ?? '')
  await ask('POST', `/sandbox/frame/bets/${betId}`, { what: 'correct' })
  return betId
}

test('a rejected call is sent again from its picture and copied as curl, and the bet is replayed in the simulator', async () => {
  const betId = await refusedCorrection()
  const { page, complaints } = await open(context, url, `/console/bets/${betId}`)
  await page.getByText('Resolve this by hand.').waitFor()
  await page.locator('.facts').getByText('taken once', { exact: true }).waitFor()
  await page.locator('[data-moment^="call"].tl-refused').last().click()
  const moment = page.locator('.moment')
  const rowOf = (state: string) => moment.locator('.why').getByRole('row', { name: new RegExp(`^${state}`) })
  await rowOf('settled').filter({ hasText: 'this call' }).getByText('recalculation negative (21)').waitFor()
  await rowOf('no bet').getByText('invalid request (5)').waitFor()
  expect(await rowOf('open').getByRole('cell').nth(1).textContent()).toBe('200')
  expect(await rowOf('open').getByRole('cell').nth(3).textContent()).toBe('settled')
  await rowOf('cancelled').getByText('recalculation blocked (20)').waitFor()
  await rowOf('declined').getByText('needs review: settle of refused bet').waitFor()
  await moment.getByText('As curl').click()
  const curl = (await moment.getByRole('region', { name: 'As curl' }).textContent()) ?? ''
  expect(curl.startsWith(`curl -sS -i -X PUT '${url}/payment/bet' -H 'content-type: application/json'`)).toBe(true)
  expect(curl.includes(`-H "x-sign-jws: $SIGNATURE" --data-binary '{`)).toBe(true)
  expect(curl.includes(betId)).toBe(true)
  await expectAccessibleEverywhere(page, 'a refused call')
  await move('deposits', '1000.00')
  await moment.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('The bet lost.').waitFor()
  await page.getByRole('button', { name: 'Export for simulator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('npm run simulate -- --history').waitFor()
  await expectAccessibleEverywhere(page, 'replay')
  const saved = await downloaded(page, () => dialog.getByText('Download history').click())
  const steps = parseRecordedHistory(saved) ?? []
  expect(steps.length).toBeGreaterThan(4)
  expect(saved.startsWith('place = 200\nsettle 25 = 200\n(money)\nsettle 0 = 400/21\n')).toBe(true)
  await page.keyboard.press('Escape')
  const shared = await downloaded(page, () => page.getByRole('button', { name: 'Export (HTML)' }).click())
  expect(parseRecordedHistory(shared)).toEqual(steps)
  await page.getByRole('link', { name: /^Compare the bets of .* with the platform’s$/ }).click()
  const books = page.getByRole('region', { name: 'Reconciliation' })
  await books
    .getByText(/^(All bets match|The differences are listed below): compared with the platform of this server/)
    .waitFor()
  expect(new URL(page.url()).searchParams.get('day')).toBe(new Date().toISOString().slice(0, 10))
  expect(complaints).toEqual([])
  await page.close()
})

test('the page of a bet names no signer of a call before it has read the journal or failed to', async () => {
  const { betId } = await place(2)
  const page = await context.newPage()
  const held = createDeferred()
  await page.route('**/operator/calls?*', async (route) => {
    await held.promise
    await route.fulfill({ status: 503, json: { detail: 'the database is away' } })
  })
  await page.goto(`${url}/console/bets/${betId}`)
  await page.locator('[data-moment^="call"]').first().click()
  const signature = page.locator('.moment dt', { hasText: 'Signature' }).locator('+ dd')
  expect(await signature.textContent()).toBe('…')
  held.resolve()
  await expect.poll(() => signature.textContent()).toBe('the calls could not be loaded')
  await page.unroute('**/operator/calls?*')
  await expect.poll(() => signature.textContent()).toMatch(/^valid: signed with the first secret/)
  await page.close()
})

test('an admin marks a rejected delivery as acknowledged, so that nothing is owed, and the page shows the reason', async () => {
  const betId = await refusedCorrection()
  const { page, complaints } = await open(context, url, `/console/bets/${betId}`)
  await page.getByText('Resolve this by hand.').waitFor()
  await page.locator('[data-moment^="call"].tl-refused').last().click()
  const moment = page.locator('.moment')
  await moment.getByText('Mark as acknowledged…').click()
  const done = moment.getByRole('button', { name: 'Mark as acknowledged' })
  expect(await done.isDisabled()).toBe(true)
  await moment.getByLabel('Reason').fill('taken back by hand, ticket 4711')
  await expectAccessibleEverywhere(page, 'it is done')
  await done.click()
  await moment.getByText('acknowledged by hand: taken back by hand, ticket 4711').waitFor()
  expect(await page.getByText('Resolve this by hand.').count()).toBe(0)
  expect(await ask('GET', '/sandbox/platform/deliveries?needsAttention=true')).toMatchObject({ data: [] })
  expect(complaints).toEqual([])
  await page.goto(`${url}/console/bets/alice/${betId}`)
  // the bet is Robin's, even if the platform knows it
  await page.getByText('No bet with ID').waitFor()
  await page.close()
})

/** Texts of the picture that overlap or leave it, as this browser measures them. */
const CROWDED = `(() => {
  const view = document.querySelector('svg.timeline').viewBox.baseVal
  const words = [...document.querySelectorAll('svg.timeline text')].map((one) => ({ text: one.textContent, box: one.getBBox() }))
  const isOn = (a, b) =>
    a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < Math.min(a.height, b.height) - 4
  return words.flatMap(({ text, box }, i) => [
    ...(box.x < 0 || box.x + box.width > view.width ? [text + ' leaves'] : []),
    ...words.slice(i + 1).filter((other) => isOn(box, other.box)).map((other) => text + ' on ' + other.text),
  ])
})()`

test('a bet with four results has room for each word, and can be scrolled to the last one without a mouse', async () => {
  await move('deposits', '100.00')
  const { betId, status } = await place(2)
  expect(status).toBe('accepted')
  for (const what of ['won', 'correct', 'correct', 'correct'])
    await ask('POST', `/sandbox/frame/bets/${betId}`, { what })
  const { page, complaints } = await open(context, url, `/console/bets/${betId}`)
  await page.locator('[data-moment^="call"]').nth(4).waitFor()
  expect(await page.evaluate(CROWDED)).toEqual([])
  await page.getByRole('button', { name: 'To scale' }).click()
  await page.getByRole('button', { name: 'To scale', pressed: true }).waitFor()
  expect(await page.evaluate(CROWDED)).toEqual([])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByRole('region', { name: 'Diagram' }).focus()
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowRight')
      return page.evaluate(`(({ scrollLeft, clientWidth, scrollWidth }) => scrollWidth - clientWidth - scrollLeft)(
        document.querySelector('.tl-scroll'))`)
    })
    .toBeLessThan(1)
  expect(complaints).toEqual([])
  await page.close()
})

test('a declined bet is final, and its call offers no retry', async () => {
  const { balances } = (await ask('GET', '/operator/players/robin/balances')) as { balances: { amount: string }[] }
  const [money] = balances
  if (money !== undefined && !/^0\.0*$/.test(money.amount)) await move('withdrawals', money.amount)
  const { betId, status } = await place(0)
  expect(status).toBe('declined')
  const { page, complaints } = await open(context, url, `/console/bets/${betId}`)
  await page.locator('[data-moment^="call"].tl-refused').first().click()
  const moment = page.locator('.moment')
  await moment.getByText('The bet was declined, which is final').waitFor()
  expect(await moment.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  expect(complaints).toEqual([])
  await page.close()
})
