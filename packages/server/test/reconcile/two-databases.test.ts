/**
 * Reconcile compares the databases that its options name: one database for both sides, or one for
 * each side.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { runReconcile } from '../../src/reconcile/reconcile-command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Books, writeBooks } from './books.ts'

const BETS = 20

let platform: TestDatabase
let wallet: TestDatabase
let books: Books
beforeAll(async () => {
  ;[platform, wallet] = await Promise.all([createDatabase(), createDatabase()])
  books = await writeBooks(platform.url, wallet.url, BETS)
})
afterAll(async () => {
  await books.close()
  await Promise.all([platform.drop(), wallet.drop()])
})

async function compare(database: TestDatabase, options: object): Promise<string> {
  let printed = ''
  const config = readConfig({ DATABASE_URL: database.url }, PROCESS_ROLES.tool)
  await runReconcile(options, config, (piece) => {
    printed += piece
  })
  return printed.trimEnd().split('\n').at(-1) ?? ''
}

const AGREE = /^reconcile: no differences; 20 bets/

test('a database for each side is read for its side only', async () => {
  expect(await compare(platform, { walletDatabaseUrl: wallet.url })).toMatch(AGREE)
  expect(await compare(wallet, { platformDatabaseUrl: platform.url })).toMatch(AGREE)
})

test('a database without options is read for both sides', async () => {
  expect(await compare(platform, {})).toMatch(/^reconcile: \d+ differences; 20 bets/)
  await expect(compare(wallet, {})).rejects.toThrow('this database has no partner of a platform')
})
