/**
 * When several platforms call one wallet, reconcile compares each platform with its own bets in the
 * wallet only (W-43).
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { type ReconcileCommand, runReconcile } from '../../src/reconcile/reconcile-command.ts'
import { run } from '../cli/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { partnerWire } from '../support/wire.ts'
import { answered } from '../wallet/answers.ts'
import { type Books, betIdOf, writeBooks } from './books.ts'

const SECRETS = { acme: 'secret-of-acme', best: 'secret-of-best' }
const PARTNER_SECRETS = `acme:${SECRETS.acme},best:${SECRETS.best}`
const SHORT = 'bet-of-both'

async function compare(options: ReconcileCommand, databaseUrl: string): Promise<string[]> {
  let printed = ''
  await runReconcile(
    { ...options, json: true },
    readConfig({ DATABASE_URL: databaseUrl }, PROCESS_ROLES.tool),
    (piece) => {
      printed += piece
    },
  )
  const { findings }: { findings: { kind: string; betId: string }[] } = JSON.parse(printed)
  return findings.map(({ kind, betId }) => `${kind} ${betId}`)
}

describe('reconcile with a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-test-'))
  const [ofAll, ofAcme, ofNobody] = [randomUUID(), randomUUID(), randomUUID()]
  let wallet: TestWallet
  let player = ''
  let sides: (readonly [string, ReconcileCommand])[]

  beforeAll(async () => {
    wallet = await startWallet({ env: { PARTNER_SECRETS } })
    const { userId, token } = await playerWithMoney(wallet.operator, '900.00', 'EUR')
    player = userId
    const [acme, best] = [partnerWire(wallet.url, SECRETS.acme), partnerWire(wallet.url, SECRETS.best)]
    const place = async (wire: typeof acme, transactionId: string, amount: number) =>
      expect(answered(await wire.place({ userId, token, transactionId, amount }))).toBe(200)
    for (const id of [ofAll, SHORT, ofAcme]) await place(acme, id, 10)
    for (const id of [ofAll, SHORT]) await place(best, id, 33)
    for (const id of [ofAll, ofNobody]) await place(wallet.wire, id, 5)
    sides = [
      ['its database', { walletDatabaseUrl: wallet.databaseUrl }],
      ['its API', { operatorApi: wallet.url, operatorKey: wallet.operatorKey }],
    ]
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
    rmSync(folder, { recursive: true })
  })

  function exported(stake: string, ids: readonly string[]): string {
    const path = join(folder, 'bets.csv')
    const rows = ids.map((id) => `${id},${player},open,EUR,${stake}`)
    writeFileSync(path, ['betId,player,status,currency,stake', ...rows].join('\n'))
    return path
  }

  test('compares the bets of each platform by the ids that the platform sent', async () => {
    for (const [name, side] of sides) {
      const found = (platform: string, stake: string, ids: readonly string[]) =>
        compare({ ...side, platformCsv: exported(stake, ids), platform: [platform] }, wallet.databaseUrl)
      expect(await found('best', '33.00', [ofAll, SHORT]), name).toEqual([])
      expect(await found('acme', '10.00', [ofAll, SHORT, ofAcme]), name).toEqual([])
      expect(await found('', '5.00', [ofAll, ofNobody]), name).toEqual([])
      expect(await found('best', '10.00', [ofAll, ofAcme]), name).toEqual(
        [`stake ${ofAll}`, `missing_at_wallet ${ofAcme}`, `missing_at_platform ${SHORT}`].sort(byId),
      )
    }
  })

  test('checks every bet of two platforms, also two with one id and one player', async () => {
    for (const [name, side] of sides) {
      const options = { ...side, platformCsv: exported('10.00', [ofAll, SHORT, ofAcme]), platform: ['acme', 'best'] }
      expect(await compare(options, wallet.databaseUrl), name).toEqual(
        [`missing_at_platform ${ofAll}`, `missing_at_platform ${SHORT}`].sort(byId),
      )
    }
  })

  test('compares nothing without the name of the platform', async () => {
    for (const [, side] of sides)
      await expect(compare({ ...side, platformCsv: exported('33.00', [ofAll]) }, wallet.databaseUrl)).rejects.toThrow(
        'the wallet has bets of several platforms',
      )
  })

  test('accepts the name of the platform as an option', async () => {
    const args = ['reconcile', '--platform-csv', exported('33', [ofAll, SHORT]), '--platform', 'best']
    const { code, stdout, stderr } = await run(args, { DATABASE_URL: wallet.databaseUrl })
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('no differences; 2 bets')])
    expect((await run(args.slice(0, 3), { DATABASE_URL: wallet.databaseUrl })).code).toBe(2)
    expect((await run([...args.slice(0, 4), 'Best!'], { DATABASE_URL: wallet.databaseUrl })).code).toBe(2)
  })
})

const byId = (a: string, b: string) => ((a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1)

describe('reconcile with the database of a platform', () => {
  let databases: TestDatabase[]
  let books: Books
  let wallet: TestWallet
  beforeAll(async () => {
    databases = await Promise.all([createDatabase(), createDatabase()])
    const [platformUrl = '', walletUrl = ''] = databases.map(({ url }) => url)
    books = await writeBooks(platformUrl, walletUrl, 20)
    await books.wallet("update purser.bet set platform = 'best' where $1 <> ''", 1)
    for (const i of [6, 10]) await books.wallet("update purser.bet set bet_id = bet_id || '@best' where bet_id = $1", i)
    await books.wallet('update purser.bet set payout = 2101 where left(bet_id, 36) = $1', 6)
    for (const i of [15, 16])
      await books.wallet(
        `insert into purser.bet (bucket, player, bet_id, platform, status, calls, currency, stake, funder, stake_version, request_id,
           placed_at, payout, result_type, payee, first_seen_at, changed_at)
         select bucket, player, bet_id || '@acme', 'acme', status, 1, currency, stake, funder, stake_version + 100, request_id,
           placed_at, payout, result_type, payee, first_seen_at, changed_at from purser.bet where bet_id = $1`,
        i,
      )
    wallet = await startWallet({ databaseUrl: walletUrl, env: { PARTNER_SECRETS, PURSER_BUCKETS: '1' } })
  })
  afterAll(async () => {
    await wallet.stop()
    await books.close()
    await Promise.all(databases.map((database) => database.drop()))
  })

  test('checks a difference again by the id in the wallet', async () => {
    const walletDatabaseUrl = databases[1]?.url ?? ''
    const api = { operatorApi: wallet.url, operatorKey: wallet.operatorKey }
    for (const side of [{ walletDatabaseUrl }, api])
      expect(await compare({ ...side, platform: ['best'] }, databases[0]?.url ?? '')).toEqual([`payout ${betIdOf(6)}`])
  })

  test('checks every bet of two platforms together', async () => {
    const walletDatabaseUrl = databases[1]?.url ?? ''
    const api = { operatorApi: wallet.url, operatorKey: wallet.operatorKey }
    for (const side of [{ walletDatabaseUrl }, api])
      expect(await compare({ ...side, platform: ['acme', 'best'] }, databases[0]?.url ?? '')).toEqual([
        `payout ${betIdOf(6)}`,
        `missing_at_platform ${betIdOf(15)}`,
        `missing_at_platform ${betIdOf(16)}`,
      ])
  })
})
