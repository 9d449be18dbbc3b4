/**
 * The page Find finds a bet by the start of its id or by an abbreviated id, and searches a limited
 * number of bets.
 */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Scene } from '../../server/test/platform/scene.ts'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import type { TestWallet } from '../../server/test/support/wallet.ts'
import { atPlatform, atWallet } from './at.ts'
import { expectAccessibleEverywhere } from './browser.ts'

/** Ids have at most 36 characters. */
const tail = () => randomUUID().slice(0, 8)
const ids = (page: Page) => page.getByRole('region', { name: 'Bets', exact: true }).locator('td code').allTextContents()

describe('the search of a wallet', () => {
  const at = atWallet({ env: { PURSER_APPROVE_ABOVE: '10000' } })
  let wallet: TestWallet
  let page: Page
  beforeEach(() => {
    ;({ server: wallet, page } = at)
  })
  const find = (text: string) => page.goto(`${wallet.url}/console/find?q=${encodeURIComponent(text)}`)

  /** One bet for each id, a second apart. */
  async function place(...transactionIds: string[]): Promise<string> {
    const { userId, token } = await playerWithMoney(wallet.operator, '1000.00', 'EUR')
    for (const transactionId of transactionIds) {
      wallet.clock.advance(1_000)
      expect((await wallet.wire.place({ userId, token, transactionId, amount: 10 })).status).toBe(200)
    }
    return userId
  }
  /** An endless list whose first page lacks some bets. Resolves to the requested URLs. */
  async function endless(...missing: string[]): Promise<string[]> {
    const asked: string[] = []
    await page.route('**/operator/bets?limit=500*', async (route) => {
      asked.push(route.request().url())
      const first = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/&after=.*/, ''),
      })
      const { data } = (await first.json()) as { data: { transactionId: string }[] }
      const left = data.filter(({ transactionId }) => !missing.includes(transactionId))
      await route.fulfill({ json: { data: asked.length === 1 ? left : [], next: 'more' } })
    })
    return asked
  }

  test('shows the newest of more bets than the server returns, whatever their ids, and their number', async () => {
    const made = Array.from({ length: 12 }, (_, i) => `crowd-${String.fromCharCode(122 - i)}-${tail()}`)
    await place(...made)
    await find('crowd-')
    await page.getByText('the newest 10 of 12; enter more of the ID to find other bets').waitFor()
    expect(await ids(page)).toEqual(made.toReversed().slice(0, 10))
    expect(await page.getByRole('region', { name: 'Older bets' }).count()).toBe(0)
    await expectAccessibleEverywhere(page, 'several bets')
    await find(`CROWD-${made[0]?.slice(6, 8)}`)
    await page.waitForURL(`**/bets/*/${made[0]}`)
  })

  test('works by keyboard: / focuses it, arrows or j and k move through the results, Enter opens one', async () => {
    const made = ['1', '2', '3'].map((i) => `keyed-${i}-${tail()}`)
    const userId = await place(...made)
    await page.goto(`${wallet.url}/console/players`)
    await page.getByRole('heading', { name: 'Players' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('keyed-')
    await page.keyboard.press('Enter')
    await expect.poll(() => ids(page)).toEqual(made.toReversed())
    const at = () => page.locator('tr.keyed code').allTextContents()
    for (const [key, expected] of [
      ['ArrowDown', made[2]],
      ['j', made[1]],
      ['ArrowDown', made[0]],
      ['ArrowDown', made[0]],
      ['ArrowUp', made[1]],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(at).toEqual([expected])
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/bets/${userId}/${made[1]}`)
  })

  test('finds a bet by its id as a list shows it, with an ellipsis or without its end', async () => {
    const [one = '', other = ''] = ['aaaaaa', 'bbbbbb'].map((end) => `made-at-once-${tail()}-${end}`)
    const userId = await place(one, other)
    await page.goto(`${wallet.url}/console/bets`)
    const shown = await page.locator(`a[href$="${one}"]`).textContent()
    expect(shown).toBe('made-a…aaaaaa')
    for (const text of [shown ?? '', 'MADE-A...aaaaaa', `${one.slice(0, 20)}…`]) {
      await find(text)
      await page.waitForURL(`**/bets/${userId}/${one}`)
    }
    await find('made-a…')
    await expect.poll(() => ids(page)).toEqual([other, one])
    await find('made-a…cccccc')
    await page.getByText('No results.').waitFor()
    await page.getByText('among the newest 2,000 bets').waitFor()
    await expect.poll(() => page.getByLabel('Search', { exact: true }).inputValue()).toBe('made-a…cccccc')
  })

  test('finds a bet by the end of its id when no id begins so', async () => {
    const [one = '', other = ''] = ['dddddd', 'eeeeee'].map((end) => `made-again-${tail()}-${end}`)
    const userId = await place(one, other)
    for (const text of ['dddddd', '…dddddd', '...DDDDDD', one.slice(-12)]) {
      await find(text)
      await page.waitForURL(`**/bets/${userId}/${one}`)
    }
    await place(`eeeeee-${tail()}`)
    await find('eeeeee')
    await page.waitForURL('**/bets/*/eeeeee-*')
    await find('…eeeeee')
    await page.waitForURL(`**/bets/${userId}/${other}`)
  })

  test('suggests ids with the same start for a misread letter, and else explains the form of an id', async () => {
    const made = `alike-${tail()}`
    const userId = await place(made)
    await find(`${made.slice(0, -1)}z`) // ids here end with 0 to f
    await page.getByText('These results begin with the same 6 characters.').waitFor()
    await page.getByRole('link', { name: made }).click()
    await page.waitForURL(`**/bets/${userId}/${made}`)
    await find('zzzzzz-not-here')
    await page.getByText('No results.').waitFor()
    await page.getByText('matches “zzzzzz-not-here”').waitFor()
    await expectAccessibleEverywhere(page, 'nothing was found')
  })

  test('shows each bet whose id has the same end', async () => {
    const made = ['1', '2'].map((i) => `twin-${i}-${tail()}-the-end`)
    await place(...made)
    await find('twin…the-end')
    await expect.poll(() => ids(page)).toEqual(made.toReversed())
  })

  test('scans a limited number of the newest bets, says so, and hides none that the server named', async () => {
    const made = ['x', 'y', 'z'].map((i) => `ancient-${i}-${tail()}`)
    const [old = '', older = ''] = made
    await place(...made)
    const asked = await endless(old, older)
    await find('ancient')
    await page.getByText('newest first, among the newest 2,000 bets').waitFor()
    expect(asked).toHaveLength(4)
    expect(await ids(page)).toEqual([made[2]])
    const rest = page.getByRole('region', { name: 'Older bets' })
    expect(await rest.locator('td code').allTextContents()).toEqual([old, older])
    await expectAccessibleEverywhere(page, 'older bets')
    await find(`ancien…${old.slice(-6)}`) // the index of id starts knows older bets too
    await page.waitForURL(`**/bets/*/${old}`)
  })

  test('shows a declined bet with its reason and its request in each list, and an unmatched bet without a stake', async () => {
    const [first, second, third] = ['1', '2', '3'].map((i) => `refused-${i}-${tail()}`)
    const userId = await place()
    const token = await wallet.operator.session(userId)
    for (const transactionId of [first, second])
      expect((await wallet.wire.place({ userId, token, transactionId, amount: 2_500 })).status).toBe(400)
    await wallet.wire.rollback({ userId, transactionId: third, amount: 10 })
    for (const path of ['/bets', `/players/${userId}`, '/find?q=refuse']) {
      await page.goto(`${wallet.url}/console${path}`)
      const rows = page.getByRole('region', { name: 'Bets', exact: true }).getByRole('row')
      await expect
        .poll(() => rows.filter({ hasText: 'Declined · not enough money (7)' }).count(), { message: path })
        .toBe(2)
      expect(await rows.filter({ hasText: 'requested 2,500.00' }).filter({ hasText: 'EUR' }).count(), path).toBe(2)
      expect(await rows.filter({ hasText: 'Cancelled' }).filter({ hasText: 'never placed' }).count(), path).toBe(1)
    }
  })

  test('shows the person, reason and expiry of a pending adjustment, and the refusal of another', async () => {
    const { userId } = await wallet.operator.createPlayer({})
    const ask = (reference: string) =>
      wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, {
        ...{ currency: 'EUR', amount: '10000.01', reference, reason: 'a jackpot', ticket: 'SUP-7', person: 'maria' },
      })
    expect((await ask('jackpot-1')).status).toBe(202)
    await find('jackpot-')
    const card = page.getByRole('region', { name: 'Adjustment' })
    await card.getByText('Pending approval').waitFor()
    const said = (await card.textContent()) ?? ''
    for (const text of ['10,000.01 EUR', userId, 'a jackpot', 'SUP-7', 'maria', 'can be approved until'])
      expect(said).toContain(text)
    await expectAccessibleEverywhere(page, 'an adjustment that waits')
    await ask('jackpot-2')
    await find('jackpot-')
    await page.getByRole('region', { name: 'Adjustments' }).getByRole('link', { name: 'jackpot-2' }).click()
    await card.getByRole('button', { name: 'Reject' }).click()
    await card.getByText('rejected by').waitFor()
  })

  test('finds a player by the start of a name', async () => {
    const { userId } = await wallet.operator.createPlayer({ customFields: { nickname: 'Zacharias' } })
    await find('zachar')
    await page.waitForURL(`**/players/${userId}`)
    await page.getByText('Opened by the search for “zachar”.').waitFor()
    await expectAccessibleEverywhere(page, 'a player that was found')
    await page.getByRole('link', { name: 'Players' }).click()
    await page.getByText('Opened by the search').waitFor({ state: 'detached' })
  })
})

describe('the search of a platform', () => {
  const at = atPlatform()
  let scene: Scene
  let page: Page
  beforeEach(() => {
    ;({ server: scene, page } = at)
  })

  test('shows bets with the same start newest first with their differences, and finds one by a shortened id', async () => {
    const made: string[] = []
    for (let i = 0; i < 3; i++) {
      made.push((await scene.api.place(scene.frame)).betId)
      await scene.time.advance(1) // an id begins with its time
    }
    const [first = ''] = made
    await page.goto(`${scene.platform.url}/console/find?q=${first.slice(0, 6).toUpperCase()}`)
    await expect.poll(() => ids(page)).toEqual(made.toReversed())
    expect(await page.getByRole('cell', { name: 'Accepted' }).count()).toBe(3)
    await expectAccessibleEverywhere(page, 'several bets of a platform')
    await page.goto(
      `${scene.platform.url}/console/find?q=${encodeURIComponent(`${first.slice(0, 6)}…${first.slice(-6)}`)}`,
    )
    await page.waitForURL(`**/bets/${first}`)
  })
})
