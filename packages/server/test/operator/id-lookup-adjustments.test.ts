/**
 * GET /operator/show/{id} explains an adjustment that needs or needed the approval of a second
 * person (W-27, W-41).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatLookupPage } from '../../src/cli/lookup-page.ts'
import { type Asking, asking } from '../people/audited-calls.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
const by = {} as Record<'anna' | 'ben', Asking>
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_APPROVE_ABOVE: '100', PURSER_BUCKETS: '4' } })
  const first = asking(wallet.url, wallet.operatorKey, '/operator/actions')
  for (const name of ['anna', 'ben'] as const) {
    const { key } = await first.must('POST', '/operator/keys', { name, role: 'cash' })
    by[name] = asking(wallet.url, String(key), '/operator/actions')
  }
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

type LookupEntry = { kind: string } & Record<string, unknown>
const shown = (id: string) => by.ben.must('GET', `/operator/show/${encodeURIComponent(id)}`) as Promise<LookupEntry>

/** An adjustment of a new player, requested by anna. */
async function asked(reference: string): Promise<string> {
  const { userId } = await playerWithMoney(wallet.operator, '50.00')
  const request = { currency: 'EUR', amount: '-120.00', reference, reason: 'paid twice', ticket: 'SUP-7' }
  expect(await by.anna.send('POST', `/operator/players/${userId}/adjustments`, request)).toMatchObject({ status: 202 })
  return userId
}

const decide = (who: keyof typeof by, what: 'approve' | 'refuse', userId: string, reference: string) =>
  by[who].send('POST', `/operator/players/${userId}/adjustments/${what}`, { reference })

test('the lookup shows a pending adjustment with person, reason, amount, ticket and expiry, by the start of its id and by its player', async () => {
  const userId = await asked('waits-0815')
  for (const id of ['waits-0815', 'waits-', `${userId}/waits-0815`, `${userId}/waits-08`])
    expect(await shown(id), id).toMatchObject({
      kind: 'adjustment',
      adjustment: {
        ...{ userId, reference: 'waits-0815', status: 'pending', currency: 'EUR', amount: '-120.00' },
        ...{ reason: 'paid twice', ticket: 'SUP-7', proposedBy: { key: 'anna', person: 'anna' } },
        expiresAt: expect.stringMatching(/Z$/),
      },
      balances: [{ currency: 'EUR', amount: '50.00' }, { currency: 'USD' }],
    })
  const { adjustment, ...rest } = (await shown('waits-0815')) as LookupEntry & { adjustment: { expiresAt: string } }
  const page = formatLookupPage({ ...rest, adjustment })
  expect(page.split('\n')[0]).toBe(`adjustment: pending approval by a second person until ${adjustment.expiresAt}`)
  for (const word of ['anna', 'paid twice', '-120.00', 'SUP-7', userId]) expect(page).toContain(word)
})

test('the lookup shows who refused an adjustment, and that no person approved an expired one', async () => {
  const refused = await asked('refused-1')
  await decide('ben', 'refuse', refused, 'refused-1')
  const no = await shown('refused-1')
  expect(no).toMatchObject({ adjustment: { status: 'refused', decidedBy: { person: 'ben' } } })
  expect(formatLookupPage(no)).toMatch(/^adjustment: refused by ben\n/)
  await asked('expired-1')
  wallet.clock.advance(7 * 86_400_000)
  const late = await shown('expired-1')
  expect(late).toMatchObject({ kind: 'adjustment', adjustment: { status: 'expired' } })
  expect(formatLookupPage(late)).toMatch(/^adjustment: expired without an approval in time\n/)
})

test('the lookup shows an approved adjustment as its transfer, with both persons', async () => {
  const userId = await asked('approved-1')
  await wallet.operator.deposit(userId, '100.00')
  expect(await decide('ben', 'approve', userId, 'approved-1')).toMatchObject({ status: 201 })
  const transfer = { kind: 'adjustment', amount: '-120.00', person: 'anna', approvedBy: 'ben', reason: 'paid twice' }
  for (const id of ['approved-1', `${userId}/approved-1`])
    expect(await shown(id)).toMatchObject({ kind: 'transfer', transfer })
})

test('the lookup of a reference that many players have finds each with its player, pending and made', async () => {
  const users: string[] = []
  for (let i = 0; i < 12; i++) users.push(await asked('same-for-all'))
  const few = await shown('same-for-all')
  expect(few).toMatchObject({ kind: 'several' })
  expect(few.matches).toHaveLength(10)
  for (const userId of users)
    expect(await shown(`${userId}/same-for-all`)).toMatchObject({ kind: 'adjustment', adjustment: { userId } })
  const paid: string[] = []
  for (let i = 0; i < 12; i++) {
    const { userId } = await playerWithMoney(wallet.operator, '50.00')
    const bonus = { currency: 'EUR', amount: '1.00', reference: 'welcome-2031' }
    await by.anna.must('POST', `/operator/players/${userId}/deposits`, bonus)
    paid.push(userId)
  }
  for (const userId of paid) expect(await shown(`${userId}/welcome-2031`)).toMatchObject({ kind: 'transfer', userId })
})

test('the lookup reads a reference that looks like the number of a transfer as a reference first', async () => {
  const userId = await asked('EUR-1')
  expect(await shown(`${userId}/EUR-1`)).toMatchObject({ kind: 'adjustment', adjustment: { userId } })
})
