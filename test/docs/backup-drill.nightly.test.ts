/**
 * Runs the drill of docs/guides/backup-and-restore.md from one Postgres to another. The embedded
 * binaries have no pg_dump, so both servers are Debian's Postgres 15 or the Postgres in
 * TEST_POSTGRES. Without either, the drill is skipped.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readFeed } from '../../packages/server/test/operator/feed-reader.ts'
import { auditIsClean } from '../../packages/server/test/support/audit.ts'
import { operatorClient, playerWithMoney } from '../../packages/server/test/support/operator.ts'
import { inSql, type SecondPostgres, startSecondPostgres } from '../../packages/server/test/support/second-postgres.ts'
import { spawnWallet, type WalletProcess } from '../../packages/server/test/support/wallet-process.ts'
import { partnerWire } from '../../packages/server/test/support/wire.ts'
import { follow } from './follow.ts'
import { blocksOf } from './markdown.ts'
import { makeProductionRoles, productionUrl } from './production-roles.ts'
import { type Folder, makeFolder, ROOT, runBlocks, startServer, WALLET_SAYS } from './session.ts'

const PAGE = 'docs/guides/backup-and-restore.md'
const NATIVE = process.env.TEST_POSTGRES ?? '/usr/lib/postgresql/15'
const IS_MISSING = !existsSync(join(NATIVE, 'bin', 'pg_dump'))
const PATH = `${join(NATIVE, 'bin')}${delimiter}${process.env.PATH}`

let folder: Folder
let old: SecondPostgres
let fresh: SecondPostgres
beforeAll(async () => {
  folder = makeFolder()
  const start = () => startSecondPostgres({}, { native: NATIVE, password: randomBytes(16).toString('hex') })
  ;[old, fresh] = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all([old.stop(), fresh.stop()])
  folder.remove()
})

test.skipIf(IS_MISSING)(
  'the wallet that the backup drill restores has the money of the old one and continues',
  async () => {
    const wallet = await startOldWallet()
    const { token, ...player } = await playerWithMoney(wallet.operator, '100.00')
    const [settled, open, next] = [1, 2, 3].map(() => ({ ...player, transactionId: randomUUID() }))
    const stake = { ...open, token, requestId: randomUUID(), amount: 40 }
    await wallet.wire.place({ ...settled, token, amount: 10 })
    await wallet.wire.settle({ ...settled, amount: 25 })
    const placed = await wallet.wire.place(stake)
    const feed = await readFeed(wallet.operator)

    const url = await drill(wallet)
    const [operator, wire] = [operatorClient(url, wallet.operatorKey), partnerWire(url, wallet.secret)]
    expect(await operator.balance(player.userId)).toBe('75.00')
    expect(await readFeed(operator)).toEqual(feed)
    expect(await sequencesOf(fresh)).toEqual(await sequencesOf(old))
    expect(await wire.place(stake)).toEqual(placed)
    await wire.settle({ ...open, amount: 100 })
    await wire.place({ ...next, token, amount: 75 })
    expect(await operator.balance(player.userId)).toBe('100.00')
    await auditIsClean(operator)
  },
)

async function startOldWallet(): Promise<WalletProcess> {
  await makeProductionRoles(old)
  const text = 'DATABASE_URL=$OWNER_URL node packages/server/dist/main.js migrate --grant wallet=purser_wallet'
  await runBlocks(folder, [{ info: 'sh', text, line: 0 }], { env: { OWNER_URL: productionUrl(old, 'owner') } })
  const wallet = await spawnWallet({ databaseUrl: productionUrl(old, 'wallet') })
  onTestFinished(async () => void (await wallet.kill('SIGTERM')))
  return wallet
}

/** Runs the page; returns the address of the wallet that it starts last. */
async function drill({ secret, operatorKey }: WalletProcess): Promise<string> {
  const server = blocksOf(readFileSync(join(ROOT, PAGE), 'utf8')).find(({ info }) => info === 'sh server')
  const [text = '', at = 0] = [server?.text, server?.line]
  const env = {
    OWNER_URL: productionUrl(old, 'owner'),
    NEW_ADMIN_URL: fresh.url,
    NEW_OWNER_URL: productionUrl(fresh, 'owner'),
  }
  const settings = {
    NEW_WALLET_URL: productionUrl(fresh, 'wallet'),
    PARTNER_SECRET: secret,
    OPERATOR_API_KEY: operatorKey,
  }
  let url = ''
  await follow(PAGE, async (blocks) => {
    const restored = blocks.filter(({ line }) => line < at)
    const printed = await runBlocks(folder, restored, { env: { ...env, PATH } })
    const { urls, stop } = await startServer(folder, text, { env: settings, says: WALLET_SAYS })
    onTestFinished(stop)
    url = urls.wallet
    return [...printed, ...(await runBlocks(folder, blocks.slice(restored.length), { urls }))]
  })
  return url
}

function sequencesOf(postgres: SecondPostgres) {
  const { href } = Object.assign(new URL(postgres.url), { pathname: '/purser' })
  return inSql(href, 'select schemaname, sequencename, last_value from pg_sequences order by 1, 2')
}
