/** The page of a bet and the adjustment form show the earlier manual adjustments of the bet. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { playerWithMoney } from '../../server/test/support/operator.ts'
import { atWallet } from './at.ts'

const at = atWallet()

test('manual adjustments and a payout above the odds appear on the page of a bet and in its form', async () => {
  const { server: wallet, page } = at
  const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
  const bet = { userId, transactionId: randomUUID() }
  await wallet.wire.place({ ...bet, token, amount: 10, coefficient: 2 })
  await wallet.wire.settle({ ...bet, amount: 200 })
  const adjustment = { currency: 'EUR', amount: '5.00', reference: 'hand-1', reason: 'paid twice', person: 'maria' }
  await wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, {
    ...adjustment,
    transactionId: bet.transactionId,
  })
  await page.goto(`${wallet.url}/console/bets/${userId}/${bet.transactionId}`)
  const card = page.getByRole('region', { name: 'Adjusted by hand' })
  await card.getByText('+5.00 EUR').waitFor()
  await card.getByText('paid twice').waitFor()
  await card.getByText(/^by maria/).waitFor()
  const above = page.getByRole('region', { name: 'Anomalies' })
  await above.getByText('Payout above odds, 200.00 EUR, where the odds pay at most 20.00 EUR').waitFor()
  await page.getByRole('button', { name: 'Adjust…' }).click()
  const form = page.getByRole('dialog')
  await form.getByText('Already adjusted by hand: +5.00 EUR, paid twice, maria').waitFor()
  await form.getByLabel('Amount').fill('-5.00')
  await form.getByLabel('Reason').fill('taken back')
  await form.getByRole('button', { name: 'Post adjustment' }).click()
  await form.getByText('The adjustment was posted.').waitFor()
  expect(await wallet.operator.bet(userId, bet.transactionId)).toMatchObject({
    adjusted: [{ currency: 'EUR', amount: '0.00' }],
    adjustments: [{ amount: '5.00' }, { amount: '-5.00', reason: 'taken back' }],
  })
})
