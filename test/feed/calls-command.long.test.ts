/** `purser calls`: the journal on a terminal. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, startUntil } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
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

const calls = (...flags: string[]) => run(['calls', '--api', wallet.url, ...flags], env)

test('one line a call, the newest last, those that were asked for', async () => {
  const bettor = await playerWithMoney(wallet.operator, '15.00')
  const [good, poor] = [randomUUID(), randomUUID()]
  await wallet.wire.place({ ...bettor, transactionId: good, amount: 10 })
  await wallet.wire.place({ ...bettor, transactionId: poor, amount: 10 })
  let shown = await calls('--player', bettor.userId)
  while (shown.stdout.split('\n').length < 3) {
    await sleep(50)
    shown = await calls('--player', bettor.userId)
  }
  const [first, second] = shown.stdout.split('\n')
  expect(first).toMatch(
    new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} 200 +place +accepted +[\\d.]+ ms +${bettor.userId} +${good}$`),
  )
  expect(second).toMatch(new RegExp(` 400/7 +place +not_enough_money .* ${poor}$`))
  const refused = await calls('--player', bettor.userId, '--code', '7', '--json')
  expect(
    refused.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).transactionId),
  ).toEqual([poor])
})

test('--follow goes on with what comes', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const betId = randomUUID()
  const tail = startUntil(new RegExp(` accepted .* ${betId}`), ['calls', '--api', wallet.url, '--follow'], env)
  await wallet.wire.place({ ...bettor, transactionId: betId, amount: 1 })
  expect(await (await tail).kill('SIGINT')).toBe(0)
})

test('without a key, with a wrong one, with a filter that is none: what to do, and 2', async () => {
  const without = await run(['calls', '--api', wallet.url])
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('set OPERATOR_API_KEY') })
  expect(await calls('--key', 'another')).toMatchObject({ code: 2, stderr: expect.stringContaining('does not take') })
  expect(await calls('--code', 'seven')).toMatchObject({ code: 2, stderr: expect.stringContaining('/query/code') })
  expect(await calls('--gateway', '--key', wallet.operatorKey)).toMatchObject({ code: 2 })
})

test('where nothing listens: 3', async () => {
  expect(await run(['calls', '--api', 'http://127.0.0.1:1'], env)).toMatchObject({ code: 3 })
})

test('without --api it asks where a wallet, with --gateway where a gateway listens unless it is told otherwise', async () => {
  const [wallets, gateways] = await Promise.all([
    run(['calls', '--key', 'k']),
    run(['calls', '--gateway', '--key', 'k']),
  ])
  expect(wallets.stderr).toContain('http://127.0.0.1:8080') // whoever listens there: none takes this key
  expect(gateways.stderr).toContain('http://127.0.0.1:8082')
})
