/** The command `purser changes` prints the feed of a wallet or of a platform. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, startUntil } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let env: Record<string, string>

beforeAll(async () => {
  wallet = await startWallet()
  env = { OPERATOR_API_KEY: wallet.operatorKey }
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const changes = (...flags: string[]) => run(['changes', '--api', wallet.url, ...flags], env)
const linesOf = (text: string) => text.trim().split('\n')

test('the command prints one line for each matching event, the oldest first', async () => {
  const bettor = await playerWithMoney(wallet.operator, '15.00')
  const transactionId = randomUUID()
  await wallet.wire.place({ ...bettor, transactionId, amount: 10 })
  const shown = linesOf((await changes('--player', bettor.userId)).stdout)
  expect(shown).toHaveLength(5)
  expect(shown.at(-2)).toMatch(
    new RegExp(`^[\\d:.]{12} +\\d+ bet\\.placed +${bettor.userId} transactionId=${transactionId} .* stake=10\\.00`),
  )
  expect(shown.at(-1)).toMatch(/ balance\.changed .* change=-10\.00 amount=5\.00 /)
  const balances = await changes('--player', bettor.userId, '--event', 'balance.changed', '--json', '--limit', '1')
  expect(linesOf(balances.stdout).map((line) => JSON.parse(line))).toMatchObject([{ balance: { amount: '15.00' } }])
})

test('--follow continues with new events', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const betId = randomUUID()
  const flags = ['changes', '--api', wallet.url, '--follow', '--after', '0']
  const tail = startUntil(new RegExp(`bet\\.placed .*${betId}`), flags, env)
  await wallet.wire.place({ ...bettor, transactionId: betId, amount: 1 })
  expect(await (await tail).kill('SIGINT')).toBe(0)
})

test('the feed of a platform is read in the same way', async () => {
  const platform = await startPlatform()
  const flags = ['changes', '--platform', '--api', platform.url, '--key', platform.key]
  expect(await run(flags, {})).toMatchObject({ code: 0, stdout: '' })
  await platform.stop()
})

test('a missing key, an invalid or expired cursor or a wrong server prints the remedy and exits with 2', async () => {
  expect(await run(['changes', '--api', wallet.url])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('set OPERATOR_API_KEY'),
  })
  expect(await changes('--after', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('/query/after') })
  expect(await changes('--limit', 'x')).toMatchObject({ code: 2 })
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  await sql.query('delete from purser.change where last_number <= 3')
  await sql.end()
  const why = 'the next events were deleted by retention: the feed begins after 3'
  expect(await changes('--after', '1')).toMatchObject({
    code: 2,
    stderr: `purser: ${wallet.url} rejected the request: ${why}\n`,
  })
})

test('an unknown event is rejected with the names of the known events', async () => {
  const wrong = await changes('--event', 'bet.placed', 'bet.setled')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toMatch(
    /^purser: --event bet\.setled: no such event; use bet\.placed, bet\.settled, .*session\.opened/,
  )
  const there = await run(['changes', '--platform', '--key', 'k', '--event', 'balance.changed'], {})
  expect(there).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/: no such event; use bet\.accepted, .*delivery\.done/),
  })
  const hook = ['webhooks', 'save', 'crm', 'http://127.0.0.1:1', '--api', wallet.url, '--event', 'bet.setled']
  expect(await run(hook, env)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/rejected the request: \/events\/0 must be one of .*bet\.settled/),
  })
  for (const path of ['/operator/changes', '/operator/changes/stream'])
    expect((await wallet.operator.request('GET', `${path}?event=bet.settled`)).status, path).toBe(400)
})

test('the command without --api calls the default port of the wallet, and with --platform that of the platform', async () => {
  const [wallets, platforms] = await Promise.all([
    run(['changes', '--key', 'k']),
    run(['changes', '--platform', '--key', 'k']),
  ])
  // a server that listens there rejects this key
  expect(wallets.stderr).toContain('http://127.0.0.1:8080')
  expect(platforms.stderr).toContain('http://127.0.0.1:8081')
})
