/**
 * The page Reports shows days, the trial balance and the audit. The page address contains every
 * filter.
 */
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { partnerWire } from '../../server/test/support/wire.ts'
import { atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const at = atWallet({ env: { PARTNER_SECRETS: 'acme:secret-of-acme,best:secret-of-best' } })
let wallet: TestWallet
let page: Page
beforeEach(() => {
  ;({ server: wallet, page } = at)
})

const see = (query = '') => page.goto(`${wallet.url}/console/reports${query}`)
const row = (name: RegExp | string) => page.getByRole('row', { name })

test('the Reports page says what it will show before there is any money', async () => {
  await see()
  await page.getByText('No activity on these days.').waitFor()
  await expectAccessibleEverywhere(page, 'reports, empty')
})

test('the Reports page sums the bets of each platform in each currency, and leaves out columns of zeros', async () => {
  const inEur = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const inYen = await playerWithMoney(wallet.operator, '5000', 'JPY')
  const bet = (player: object, amount: number) => ({ ...player, transactionId: randomUUID(), amount })
  const lost = { ...bet(inEur, 10), resultType: 'lost' }
  const acme = partnerWire(wallet.url, 'secret-of-acme')
  expect((await acme.place({ ...lost, currency: 'EUR' } as never)).status).toBe(200)
  expect((await acme.settle({ ...lost, amount: 0, currency: 'EUR' } as never)).status).toBe(200)
  const best = partnerWire(wallet.url, 'secret-of-best')
  for (const [amount, subPartnerId] of [
    [100, 'north'],
    [200, 'south'],
  ] as const)
    expect((await best.place({ ...bet(inYen, amount), currency: 'JPY', subPartnerId } as never)).status).toBe(200)
  await see()
  const boxOf = async (field: Locator) => (await field.boundingBox()) ?? { y: 0, height: -1 }
  const [from, csv] = [
    await boxOf(page.getByLabel('From (UTC)')),
    await boxOf(page.getByRole('button', { name: 'CSV' })),
  ]
  expect([csv.y, csv.height], 'beside the fields').toEqual([from.y, from.height])
  await row(/Total EUR 10\.00 0\.00 0\.00 10\.00/).waitFor()
  await row(/Total JPY 300 0 −300 0/).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Refunds' }).count()).toBe(0)
  expect(await page.getByRole('region', { name: 'Breakdown' }).count()).toBe(0)
  await page.getByLabel('Rows').selectOption('By platform')
  await row(/EUR acme 10\.00/).waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('by')).toBe('platform')
  await row(/JPY best 300 0 −300 0/).waitFor()
  await expectAccessibleEverywhere(page, 'reports by platform')
  await page.getByLabel('Rows').selectOption('By site')
  await row(/JPY south 200 0 −200 0/).waitFor()
  await page.getByRole('textbox', { name: 'Site' }).fill('north')
  await page.keyboard.press('Enter')
  await row(/Total JPY 100 0 −100 0/).waitFor()
  await page.getByRole('textbox', { name: 'Site' }).fill('')
  await page.keyboard.press('Enter')
  await page.getByLabel('Currency').fill('jpy')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('currency')).toBe('JPY')
  await expect.poll(() => row(/EUR acme/).count()).toBe(0)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  expect(file.suggestedFilename()).toMatch(/^purser-.+\.csv$/)
})

test('the Reports page shows the trial balance, which adds up to zero at both ends', async () => {
  await see('?view=trial')
  const eur = page.getByRole('region', { name: 'Trial balance EUR' })
  await eur.getByRole('row', { name: /^Players .*90\.00/ }).waitFor()
  await eur.getByRole('row', { name: /^House .*10\.00/ }).waitFor()
  await eur.getByRole('row', { name: /^Balanced 0\.00 0\.00 0\.00/ }).waitFor()
  await expectAccessibleEverywhere(page, 'trial balance')
})

test('the Reports page says why it cannot answer a request', async () => {
  await see('?from=2020-01-01')
  await page
    .getByRole('alert')
    .getByText(/to is more than 400 days after from/)
    .waitFor()
})

test('the Reports page audits on request, and names the findings', async () => {
  await see('?view=audit')
  await page.getByText('The audit has not run yet.').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Passed', { exact: true }).waitFor()
  await expectAccessibleEverywhere(page, 'audit')
  const finding = { check: 'every transfer has two sides', row: { player: '<img src=x onerror=alert(1)>' } }
  await page.route('**/operator/audit', (route) => route.fulfill({ json: { ok: false, findings: [finding] } }))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('1 finding', { exact: true }).waitFor()
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
})

test('money without a brand, platform or site is labelled so on Reports and in Finance', async () => {
  const { userId } = await wallet.operator.createPlayer({ currency: 'EUR', brand: 'blue' })
  await wallet.operator.deposit(userId, '7.00')
  for (const [by, name] of [
    ['brand', 'no brand'],
    ['platform', 'Default platform'],
    ['site', 'no site'],
  ]) {
    await see(`?by=${by}`)
    await row(new RegExp(`EUR ${name} `))
      .first()
      .waitFor()
  }
  await see('?by=platform')
  const cash = page.getByRole('region', { name: 'Player balances', exact: true })
  // a manual deposit
  await cash.getByRole('row').filter({ hasText: 'no platform' }).first().waitFor()
  await page.goto(`${wallet.url}/console/money`)
  await page.getByRole('heading', { name: 'EUR · no brand' }).waitFor()
  await page.getByRole('heading', { name: 'EUR · blue' }).waitFor()
})

/** Every possible column, with seven digits. */
const LARGE = {
  ...{ deposits: '9876543.21', withdrawals: '9876543.21', adjustments: '-1234567.89', openings: '1234567.89' },
  ...{ stakes: '9876543.21', refunds: '1234567.89', payouts: '5234567.89', promotionStakes: '7.00', ggr: '2172846.54' },
  ...{ brand: 'the-longest-of-all-brands', platform: 'the-longest-of-all-platforms', site: 'the-longest-of-all-sites' },
}
const ENDS = {
  open_stakes: { opening: '1000000.00', closing: '2234567.89' },
  player: { opening: '0.00', closing: '9876543.21' },
}

test('the columns before GGR add up to it, and no column is cut off at 1,280 px', async () => {
  await playerWithMoney(wallet.operator, '1.00', 'EUR')
  await page.route('**/operator/reports/daily*', async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: { currency: string; accounts: object }[] }
    const large = data.map((row) => ({ ...row, ...LARGE, accounts: { ...row.accounts, ...ENDS } }))
    await route.fulfill({ json: { data: large.filter(({ currency }) => currency === 'EUR').slice(0, 1) } })
  })
  for (const by of ['', 'brand', 'platform', 'site']) {
    await see(`?by=${by}`)
    const result = page.getByRole('region', { name: 'GGR, by day' })
    const line = result.getByRole('row').nth(1)
    await line.getByText('2,172,846.54', { exact: true }).waitFor()
    const names = await result.getByRole('columnheader').allTextContents()
    const cells = await line.getByRole('cell').allTextContents()
    const centsOf = (name: string) => Number(cells[names.indexOf(name)]?.replace('−', '-').replace(/[.,]/g, ''))
    const parts = ['Stakes', 'Refunds', 'Payouts', 'Change in open stakes'].map(centsOf)
    const sum = parts.reduce((total, cents) => total + cents)
    expect([sum, centsOf('GGR')], by).toEqual([217_284_654, 217_284_654])
    for (const name of ['GGR', 'Breakdown', 'Player balances'])
      await expect.poll(() => cutOff(page.getByRole('region', { name: `${name}, by day` })), { message: name }).toBe(0)
  }
  await expectAccessibleEverywhere(page, 'reports of seven digits')
})

interface ScrollWidths {
  readonly scrollWidth: number
  readonly clientWidth: number
}

/** In pixels. */
function cutOff(table: Locator): Promise<number> {
  return table.evaluate(({ scrollWidth, clientWidth }: ScrollWidths) => scrollWidth - clientWidth)
}
