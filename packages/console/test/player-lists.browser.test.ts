/**
 * On the page of a player, one scroll reaches the end of each list, and no other part of the page
 * moves.
 */
import { expect, test } from 'vitest'
import { atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

const at = atWallet()

test('a long statement loads more rows on scrolling, without a button, and nothing else moves', async () => {
  const { server: wallet, page } = at
  const { userId } = await wallet.operator.createPlayer({ currency: 'EUR' })
  for (let i = 1; i <= 50; i++) await wallet.operator.deposit(userId, `${i}.00`)
  await at.see(`/players/${userId}`)
  const statement = page.getByRole('region', { name: 'Statement' })
  const rows = statement.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(20)
  await page.getByRole('img', { name: 'last 1,275.00' }).waitFor()
  expect(await statement.getByRole('button').count()).toBe(0)
  const around = () =>
    Promise.all(
      ['Statement', 'Bets', 'Limits and restrictions'].map((name) => page.getByRole('region', { name }).boundingBox()),
    )
  const before = await around()
  const scroller = statement.locator('.scroll')
  const first = statement.getByRole('cell', { name: '+1.00', exact: true })
  await expect
    .poll(async () => {
      await scroller.evaluate((list) => list.scrollTo(0, list.scrollHeight))
      return first.isVisible()
    })
    .toBe(true)
  expect(await rows.count()).toBe(50)
  expect(await around()).toEqual(before)
  expect(await statement.getByText('Loading…').count()).toBe(0)
  await expectAccessibleEverywhere(page, 'a long statement')
})
