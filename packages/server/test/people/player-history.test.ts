/**
 * The history of a player has all decisions about the player, with author, time and reason: blocks,
 * limits, exclusions, locks of bets (O-4).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../operator/answers.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { type Asking, asking, asMaria } from './audited-calls.ts'

let wallet: TestWallet
let asked: Asking

beforeAll(async () => {
  wallet = await startWallet()
  asked = asking(wallet.url, wallet.operatorKey, '/operator/actions')
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

test('the history of a player has the decisions about the player, and no money movement or key of the same name', async () => {
  const player = await playerWithMoney(wallet.operator, '50.00')
  const { userId } = player
  const transactionId = randomUUID()
  await wallet.wire.place({ ...player, transactionId, amount: 10 })
  const path = `/operator/players/${userId}`
  const patches = [
    { status: 'blocked' },
    { limits: { stake: '10' } },
    { selfExcludedUntil: '2031-01-01T00:00:00.000Z' },
  ]
  for (const patch of patches) await asked.must('PATCH', path, patch, asMaria)
  await asked.send('PUT', `${path}/bets/${transactionId}/lock`, undefined, asMaria)
  await asked.must('POST', `${path}/withdrawals`, { currency: 'EUR', reference: 'r-1', amount: '1.00' })
  await asked.must('POST', '/operator/keys', { name: userId, role: 'read' })
  const pages: JsonObject[] = []
  for (let after = ''; ; ) {
    const page = await asked.must('GET', `${path}/history?limit=2${after}`)
    pages.push(...(page.data as JsonObject[]))
    if (page.next === null) break
    after = `&after=${String(page.next)}`
  }
  expect(pages).toMatchObject([
    {
      operation: 'lockBet',
      on: { userId, transactionId },
      person: 'maria',
      before: { locked: false },
      after: { locked: true },
    },
    ...patches
      .toReversed()
      .map((after) => ({ operation: 'changePlayer', person: 'maria', reason: 'asked for', after })),
    { operation: 'createPlayer' },
  ])
  expect((await asked.log(`?player=${userId}`)).data.map(({ operation }) => operation)).not.toContain('makeKey')
  expect((await asked.log(`?player=${userId}`)).data.map(({ operation }) => operation)).toContain('withdrawal')
  expectProblem(await asked.send('GET', '/operator/players/nobody/history'), 404, 'not_found')
})
