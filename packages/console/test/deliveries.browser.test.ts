/**
 * The page Deliveries shows the selected partner of several, and the money that is owed through
 * this partner.
 */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { Scene } from '../../server/test/platform/scene.ts'
import { refusal, type ScriptedWallet, status } from '../../server/test/support/scripted-wallet.ts'
import { atPlatform } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const MATCH = 'Arsenal – Chelsea'
const selections = ['home', 'over'].map((outcomeId, i) => ({
  ...{ eventId: `event-${i}`, outcomeId, coefficient: '2.5', market: 'Match winner', outcome: outcomeId },
  event: i === 0 ? MATCH : 'Ajax – PSV',
}))

/**
 * This partner has two deliveries that need attention. The scene's own partner has one, and one in
 * retry.
 */
const other = { partnerId: 'other-partner' }

const at = atPlatform(async (scene) => {
  const { wallet } = await scene.platform.partner()
  await scene.api.savePartner(wallet, other.partnerId)
  await refused(scene, scene.frame, scene.wallet, '25.00')
  const frame = await scene.api.loadFrame(other.partnerId)
  for (const amount of ['30.00', '12.50']) await refused(scene, frame, wallet, amount)
  const { betId } = await scene.api.place(scene.frame, { selections })
  scene.wallet.next('rollback', ...Array.from({ length: 10 }, () => status(500)))
  await scene.api.cancel(betId, 32)
  await scene.time.advance(10_000)
})
let scene: Scene
let page: Page
beforeEach(() => {
  ;({ server: scene, page } = at)
})

async function refused(scene: Scene, frame: string, wallet: ScriptedWallet, amount: string): Promise<void> {
  const { betId } = await scene.api.place(frame, { selections })
  wallet.next('settle', refusal(20))
  await scene.api.settle(betId, 'won', amount)
  await scene.time.settle()
}

const NOWHERE = { x: Number.NaN, width: Number.NaN }
const see = (path = '') => page.goto(`${scene.platform.url}/console/deliveries${path}`)
const asked = (name: string) => new URL(page.url()).searchParams.get(name)
const issues = () => page.getByRole('region', { name: 'Settle rejected' })
const schedule = () => page.getByRole('region', { name: 'Retry schedule' })

test('the selected partner is in the address, with its errors and its owed money only', async () => {
  await see()
  await expect.poll(() => issues().count()).toBe(2)
  await schedule().waitFor()
  await page.getByLabel('Partner').selectOption(other.partnerId)
  await expect.poll(() => asked('partner')).toBe(other.partnerId)
  await page
    .getByText('Needs attention: 42.50 EUR to be paid to players, 2 deliveries must be resolved by hand')
    .waitFor()
  await issues().getByText(`Settle to ${other.partnerId}`).waitFor()
  expect(await issues().count()).toBe(1)
  expect(await issues().locator('.issue-count').textContent()).toBe('2')
  // the delivery in retry belongs to another partner
  await expect.poll(() => schedule().count()).toBe(0)
  await expectAccessibleEverywhere(page, 'deliveries of a partner')
  await page.getByLabel('Partner').selectOption('All partners')
  await expect.poll(() => issues().count()).toBe(2)
  expect(asked('partner')).toBe(null)
})

test('the selected partner stays selected in other lists, and when the address is shared', async () => {
  await see(`?partner=${scene.partnerId}`)
  await page.getByText('Needs attention: 25.00 EUR to be paid to players, 1 delivery must').waitFor()
  await page.getByText(/^Retrying: .*1 delivery is retried automatically$/).waitFor()
  await page.getByRole('button', { name: 'Delivered' }).click()
  await page.getByRole('cell', { name: scene.partnerId }).first().waitFor()
  expect(await page.getByRole('cell', { name: other.partnerId }).count()).toBe(0)
  expect([asked('view'), asked('partner')]).toEqual(['done', scene.partnerId])
  await page.getByRole('button', { name: 'Retrying' }).click()
  await schedule().getByRole('listitem').filter({ hasText: 'Rollback' }).waitFor()
  await page.reload()
  await expect.poll(() => page.getByLabel('Partner').inputValue()).toBe(scene.partnerId)
  await see('?partner=nobody')
  await page.getByText('No partner with ID “nobody”.').waitFor()
  await page.getByText('No delivery to nobody needs attention.').waitFor()
})

test('the row of a partner on Overview links to the money that is owed through it', async () => {
  await page.goto(`${scene.platform.url}/console/now`)
  await page
    .getByRole('listitem')
    .filter({ hasText: 'needs attention: 42.50 EUR to be paid to players' })
    .click({ position: { x: 4, y: 4 } })
  await page.waitForURL(`**/deliveries?partner=${other.partnerId}`)
  await issues().getByText(`Settle to ${other.partnerId}`).waitFor()
})

test('each delivery shows the match of its bet in every list', async () => {
  await see()
  await issues().first().getByRole('cell', { name: MATCH }).first().waitFor()
  const ofLadder = schedule().getByRole('listitem').filter({ hasText: MATCH })
  await ofLadder.waitFor()
  await expectAccessibleEverywhere(page, 'faults with their matches')
  await see('?view=done')
  const rows = page.getByRole('region', { name: 'Deliveries' }).getByRole('row')
  await rows.filter({ hasText: MATCH }).first().waitFor()
  expect(await rows.filter({ hasText: MATCH }).first().textContent()).toContain('and 1 more')
  await expectAccessibleEverywhere(page, 'deliveries with their matches')
})

test('a delivery that finishes while the list is open stays in place and is marked as finished', async () => {
  const { betId } = await scene.api.place(scene.frame, { selections })
  scene.wallet.next('settle', status(500))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  await see(`?view=pending,waiting&partner=${scene.partnerId}`)
  const row = page.getByRole('region', { name: 'Deliveries' }).getByRole('row').filter({ hasText: 'Settle' })
  await row.getByText('Pending').waitFor()
  await row.hover()
  await scene.time.advance(2_000)
  await row.getByText('Gone').waitFor()
  await page.mouse.move(0, 0)
  await row.waitFor({ state: 'detached' })
})

test('a bulk retry shows what it would do for each delivery, and afterwards the result of each', async () => {
  await see(`?partner=${other.partnerId}`)
  await issues().getByRole('button', { name: 'Retry 2' }).click()
  const dialog = page.getByRole('dialog')
  const lines = (name: string) => dialog.getByRole('list', { name }).getByRole('listitem')
  const dry = lines('Planned retries')
  await expect.poll(() => dry.count()).toBe(2)
  for (const amount of ['30.00', '12.50'])
    await dry
      .filter({ hasText: `Settle: ${amount} EUR to be paid to players` })
      .getByText('Not sent', { exact: true })
      .waitFor()
  await expectAccessibleEverywhere(page, 'what each would do')
  await dialog.getByRole('button', { name: 'Retry 2' }).click()
  await dialog.getByText('2 of 2 retried.').waitFor()
  const after = lines('Outcomes')
  await expect
    .poll(async () => {
      await scene.time.settle()
      return after.filter({ hasText: 'Delivered' }).count()
    })
    .toBe(2)
  await after.filter({ hasText: 'Settle: 12.50 EUR to be paid to players' }).waitFor()
  await dialog.getByText('2 of 2 answered').waitFor()
  expect(await dialog.getByRole('progressbar').getAttribute('value')).toBe('2')
  await expectAccessibleEverywhere(page, 'what came of each')
})

test('the rows of deliveries add up to their sum, and a Rollback of an unacknowledged bet says why it is not included', async () => {
  const wallet = scene.wallet
  const { betId } = await scene.api.place(scene.frame, { selections })
  await scene.api.settle(betId, 'won', '40.00')
  await scene.time.settle()
  wallet.always('settle', status(500))
  wallet.always('rollback', status(500))
  wallet.next('place', status(500))
  await scene.api.settle(betId, 'lost', '0.00')
  await scene.api.place(scene.frame, { selections, amount: '7.00' })
  await scene.time.settle()
  await see(`?view=pending,waiting&partner=${scene.partnerId}`)
  const rows = page.getByRole('region', { name: 'Deliveries' }).getByRole('row')
  await rows.filter({ hasText: 'Settle' }).getByText('40.00 EUR to be taken back').waitFor()
  await rows.filter({ hasText: '7.00 EUR' }).getByText('not included: the stake was never acknowledged').waitFor()
  await page.getByRole('row', { name: /^Retrying .*40.00 EUR to be taken back from players$/ }).waitFor()
  await page.setViewportSize({ width: 360, height: 800 })
  const card = await page.getByRole('region', { name: 'Deliveries' }).boundingBox()
  const [name, sum] = [
    page.getByText('Retrying', { exact: true }).last(),
    page.getByRole('cell', { name: /40.00 EUR.* from/ }),
  ]
  for (const scrolled of [0, 5_000]) {
    await rows.first().evaluate((row, left) => (row.closest('.scroll').scrollLeft = left), scrolled)
    const [named, summed] = [(await name.boundingBox()) ?? NOWHERE, (await sum.boundingBox()) ?? NOWHERE]
    expect(named.x).toBeGreaterThan(card?.x ?? 0)
    expect(summed.x, 'beside its name').toBeGreaterThanOrEqual(named.x + named.width)
    expect(summed.x + summed.width, 'within the card').toBeLessThanOrEqual((card?.x ?? 0) + (card?.width ?? 0))
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await expectAccessibleEverywhere(page, 'what waits, and its sum')
  const next = rows.filter({ hasText: 'Settle' }).locator('time').nth(1)
  await page.clock.setFixedTime(scene.time.now().getTime() - 60_000)
  await expect.poll(() => next.textContent()).toMatch(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d$/)
  await page.clock.setFixedTime(scene.time.now().getTime() + 60_000)
  await expect.poll(() => next.textContent()).toBe('due now')
  wallet.always('settle', {})
  wallet.always('rollback', {})
  await scene.time.advance(60_000)
})
