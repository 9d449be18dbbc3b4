/** The command `purser show ID` prints all records about an id. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
const betId = randomUUID()
beforeAll(async () => {
  wallet = await startWallet()
  const bettor = await playerWithMoney(wallet.operator, '100.00')
  await wallet.wire.place({ ...bettor, transactionId: betId, amount: 10 })
  await wallet.wire.settle({ ...bettor, transactionId: betId, amount: 25, resultType: 'won' })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const show = (...flags: string[]) =>
  run(['show', '--api', wallet.url, ...flags], { OPERATOR_API_KEY: wallet.operatorKey })

test('purser show prints a bet by its first six characters as a page of at most 80 columns, or as JSON', async () => {
  const { code, stdout } = await show(betId.slice(0, 6))
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^bet\\n +userId +player-.*\\n +transactionId +${betId}\\n +status +settled\\n`))
  expect(stdout).toMatch(/history\n {2}\S+Z {2}place {2}applied [\s\S]* {4}EUR-2 {2}stake {2}-10\.00 /)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(JSON.parse((await show(betId, '--json')).stdout)).toMatchObject({ kind: 'bet', bet: { transactionId: betId } })
})

test('purser show prints the server’s advice for an unknown id', async () => {
  const { code, stderr } = await show('EUR-2')
  expect(code).toBe(1)
  expect(stderr.split('\n')[1]).toBe('each player may have a transfer EUR-2: ask for USER/EUR-2')
})

test('purser show ends with 1 for an unknown id and with 2 without a key', async () => {
  expect(await show('nothing-of-ours')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing has this id'),
  })
  expect(await run(['show', betId, '--api', wallet.url])).toMatchObject({ code: 2 })
})
