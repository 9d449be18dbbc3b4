/**
 * A new user's first pages work, on a phone too: the sandbox's page, its demo, and a bet found by
 * the id in the terminal.
 */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { toShortBetId } from 'purser/sandbox/bettors/bet-steps'
import { beforeEach, expect, test } from 'vitest'
import { dueOf } from '../../server/test/support/nightly.ts'
import { atSandbox } from './at.ts'

const at = atSandbox()
let page: Page
let url: string
let context: BrowserContext
beforeEach(() => {
  ;({ page, context } = at)
  url = at.server.url
})

/** A bet of 10.00 in the demo, through the API of its page. */
async function newBet(): Promise<string> {
  const ask = async (method: 'get' | 'post', path: string, data?: object) => {
    const options = { headers: { 'x-purser-console': '1' }, ...(data && { data }) }
    return (await (await context.request[method](`${url}/sandbox/frame${path}`, options)).json()) as never
  }
  const { matches } = (await ask('get', '')) as { matches: { id: string }[] }
  const betRequest = { matchId: matches[0]?.id, outcome: 'home', stake: '10.00' }
  return ((await ask('post', '/bets', betRequest)) as { betId: string }).betId
}

const widthOf = (within: Page | Locator) =>
  'goto' in within
    ? within.evaluate('document.documentElement.scrollWidth')
    : within.evaluate(({ ownerDocument: { documentElement } }) => documentElement.scrollWidth)

test.each([360, 390])('the page at /sandbox with its bets does not scroll sideways at %i px', async (width) => {
  await newBet()
  await page.setViewportSize({ width, height: 844 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${url}/sandbox`)
    const bets = page.frameLocator('iframe').locator('table.bets')
    await bets.waitFor()
    expect(await widthOf(page), colorScheme).toBeLessThanOrEqual(width)
    const address = await page.getByRole('cell').getByText(url, { exact: true }).boundingBox()
    expect(address?.height, 'on one line').toBeLessThan(30)
    const frame = (await page.locator('iframe').boundingBox())?.width ?? 0
    // the frame reloads every few seconds
    const widthOfBets = () => widthOf(bets).catch(() => Number.NaN)
    await expect.poll(widthOfBets, { message: `the bets, ${colorScheme}` }).toBeLessThanOrEqual(Math.ceil(frame))
  }
})

async function middleOf(part: Locator): Promise<number> {
  const { y, height } = (await part.boundingBox()) ?? { y: Number.NaN, height: 0 }
  return y + height / 2
}

test.each(dueOf([360, 390, 1000, 1280], 4))(
  'the labels of the demo’s buttons keep to one line at %i px',
  async (width) => {
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`${url}/console/demo`)
    const button = page.getByRole('button', { name: 'Deposit 100' })
    await button.waitFor()
    expect((await button.boundingBox())?.height).toBeLessThan(40)
    expect(await middleOf(button), 'beside the balance').toBeCloseTo(await middleOf(page.locator('.purse')), 0)
  },
)

test.each(dueOf([360, 1280, 1920], 3))(
  'the selection of a scenario keeps its position, whatever happens above it, at %i px',
  async (width) => {
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`${url}/console/demo`)
    const trouble = page.getByRole('button', { name: 'Send it twice' })
    const placeOf = async () => ((await trouble.boundingBox())?.y ?? 0) + Number(await page.evaluate('scrollY'))
    const before = await placeOf()
    const ask = (path: string, data?: object) =>
      context.request.post(`${url}/sandbox/frame${path}`, {
        headers: { 'x-purser-console': '1' },
        ...(data && { data }),
      })
    const bets = page.locator('.demo-bets li')
    await page.locator('.odds').first().click()
    await page.getByRole('button', { name: 'Place bet' }).click()
    await page.getByText('Accepted: the stake is held').waitFor()
    expect(await placeOf(), 'with a bet').toBe(before)
    const ids = [await newBet(), await newBet(), await newBet(), await newBet()]
    for (const betId of ids) await ask(`/bets/${betId}`, { what: 'won' })
    await expect.poll(() => bets.getByText('Won', { exact: true }).count()).toBeGreaterThanOrEqual(4)
    for (let i = 0; i < 10; i++) await ask('/money')
    await page
      .locator('.purse')
      .getByText(/\d,\d{3}\.\d\d EUR/)
      .waitFor()
    await expect.poll(() => page.locator('.wire li').count()).toBe(9)
    expect(await placeOf(), 'with many bets and much money').toBe(before)
    const list = (await page.locator('.demo-bets').boundingBox()) ?? { height: 0 }
    expect(list.height, 'the bets are seen').toBeGreaterThan(250)
  },
)

test('a bet is found by the six characters that the terminal prints', async () => {
  const [betId] = [await newBet(), await newBet()]
  await page.goto(`${url}/console`)
  await page.getByLabel('Search', { exact: true }).fill(toShortBetId(betId))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/bets/**${betId}`)
  await page.locator('.head').getByText(betId).waitFor()
})

test('the menu on a phone has a shadow where it continues', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${url}/console/demo`)
  const rail = page.getByRole('navigation', { name: 'Pages' })
  await rail.getByRole('link', { name: 'Demo' }).waitFor()
  const seen = await page.evaluate(`(() => {
    const rail = document.querySelector('.rail')
    return [rail.scrollWidth > rail.clientWidth, getComputedStyle(rail).backgroundAttachment]
  })()`)
  expect(seen).toEqual([true, 'local, local, scroll, scroll'])
})
