/**
 * The ledger writes a book (the accounts of one batch of calls) only if these accounts still have
 * the versions that were read. A posting moves a positive amount between two accounts
 * (book-store.ts, book.ts).
 */

import { money } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STALE_ROW_SQLSTATE } from '../../src/core/database/database-errors.ts'
import { type Account, readAccounts } from '../../src/wallet/ledger/account.ts'
import { openBook } from '../../src/wallet/ledger/book.ts'
import { saveBook } from '../../src/wallet/ledger/book-store.ts'
import type { Posting } from '../../src/wallet/ledger/posting.ts'
import { type BatchScene, findingsOf, openScene, STARTED_AT, seat } from '../wallet/call-batch-scene.ts'

const ANN = 'ann' as PlayerId
const DEPOSIT: Posting = {
  ...{ player: ANN, currency: 'EUR' as Currency, kind: 'deposit', debit: 'cash_in', credit: 'player' },
  ...{ amount: money(500n), reference: 'fence' },
}

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
  await seat(scene, ANN, '100.00')
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

async function accountOfAnn(): Promise<Account> {
  const [account] = await scene.db.transaction((tx) => readAccounts(tx, 0, [ANN]))
  if (account === undefined) throw new Error('ann has no account')
  return account
}

test('a book whose account has another version is rolled back with all of its transfers', async () => {
  const account = await accountOfAnn()
  const book = openBook([{ ...account, version: account.version + 5n }])
  book.post(DEPOSIT, STARTED_AT)
  await expect(scene.db.transaction((tx) => saveBook(tx, 0, book))).rejects.toMatchObject({ code: STALE_ROW_SQLSTATE })
  expect(await accountOfAnn()).toEqual(account)
})

test('a posting with a negative amount, or from an account to itself, is rejected', async () => {
  const book = openBook([await accountOfAnn()])
  for (const wrong of [{ amount: money(-1n) }, { debit: 'player' }] as const)
    expect(() => book.post({ ...DEPOSIT, ...wrong }, STARTED_AT)).toThrow('from one account to another')
  expect(book.changed()).toEqual([])
})
