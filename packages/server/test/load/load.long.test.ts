/**
 * `purser load` computes the right balance of every player, also when replies are lost, and detects
 * a payout that was paid twice.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { LoadReport } from '@purser/conformance/load/report/load-report'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../../../test/tidy/source.ts'
import { type CommandResult, newFolder, run } from '../cli/command.ts'
import {
  answerWith,
  dropAfter,
  dropBefore,
  type FaultyWallet,
  honest,
  startFaultyWallet,
} from '../support/faulty-wallet.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let faulty: FaultyWallet
const folder = newFolder()

beforeAll(async () => {
  wallet = await startWallet()
  faulty = await startFaultyWallet(wallet.url)
})
afterEach(async () => {
  faulty.behave = () => honest
  await wallet.auditIsClean()
})
afterAll(async () => {
  await faulty.close()
  await wallet.stop()
  folder.remove()
})

const flagsFor = (baseUrl: string) => ['load', '--base-url', baseUrl, '--operator-api', wallet.url, '--players', '20']
const env = () => ({ PARTNER_SECRET: wallet.secret, OPERATOR_API_KEY: wallet.operatorKey })
const load = (baseUrl: string, ...flags: string[]) => run([...flagsFor(baseUrl), '--json', ...flags], env())

function reportOf({ code, stdout, stderr }: CommandResult): LoadReport {
  expect(stderr).toBe('')
  expect([0, 1]).toContain(code)
  return JSON.parse(stdout)
}

/** One connection per call, so that even a slow machine sends all calls. */
const connections = (calls: number) => ['--connections', `${calls}`]

test('a thousand calls of two workers have the right money, and the report shows it without a secret', async () => {
  const page = join(folder.path, 'load.html')
  const flags = ['--rate', '200', '--duration', '5', '--workers', '2', '--seed', '7', '--report', page]
  const finished = await load(wallet.url, ...flags, ...connections(1_000))
  const { money, rows, players, intervals, asked, unsent } = reportOf(finished)
  expect({ money, code: finished.code, seed: asked.seed, unsent }).toEqual({
    money: 'right',
    code: 0,
    seed: 7,
    unsent: 0,
  })
  expect(rows.map(({ kind }) => kind)).toEqual(['place', 'settle', 'resettle', 'rollback', 'repeat', 'all'])
  expect(rows.at(-1)?.calls).toBe(1_000)
  expect(intervals.map(({ from, calls }) => [from, calls])).toEqual([0, 1, 2, 3, 4].map((from) => [from, 200]))
  expect(players).toHaveLength(20)
  expect(players.filter(({ before, actual }) => before !== actual).length).toBeGreaterThan(10)
  const html = readFileSync(page, 'utf8')
  expect(html).toContain('The money is right')
  for (const secret of Object.values(env())) expect(html + finished.stdout).not.toContain(secret)
})

test('calls whose answers are lost, before or after the wallet acted, are resolved', async () => {
  let calls = 0
  faulty.behave = () => [dropBefore, dropAfter, answerWith(500)][calls++ % 20] ?? honest
  const { money, notes, rows } = reportOf(
    await load(faulty.url, '--rate', '150', '--duration', '3', ...connections(450)),
  )
  expect(money).toBe('right')
  expect(rows.at(-1)).toMatchObject({
    calls: 450,
    unanswered: { network: expect.any(Number), status: expect.any(Number) },
  })
  expect(notes.join()).toMatch(/\d+ calls were not acknowledged and were retried/)
})

test('a payout that is paid twice is wrong, and the report names the player and the difference', async () => {
  let [chosen, paidTo] = [false, '']
  faulty.behave = () => async (exchange) => {
    const { operation, betId } = exchange.call
    const first = operation === 'settle' && !chosen
    if (first) chosen = true // set before any await, since several settles run concurrently
    const reply = await exchange.forward()
    if (first) {
      const { body } = await wallet.operator.request('GET', `/operator/bets?transactionId=${betId}`)
      const { data } = body as { data: { userId: string }[] }
      paidTo = data[0]?.userId ?? ''
      const deposit = { currency: 'EUR', amount: '2.50', reference: betId }
      await wallet.operator.request('POST', `/operator/players/${paidTo}/deposits`, deposit)
    }
    exchange.answer(reply)
  }
  const finished = await load(faulty.url, '--rate', '100', '--duration', '2')
  const { money, players } = reportOf(finished)
  expect({ money, code: finished.code }).toEqual({ money: 'wrong', code: 1 })
  expect(players[0]).toMatchObject({ userId: paidTo, verdict: 'wrong', difference: '2.50' })
  expect(players.filter(({ verdict }) => verdict === 'wrong')).toHaveLength(1)
})

test('a bet without any answer from the wallet is named, and the verdict is not right', async () => {
  let silent = ''
  faulty.behave = ({ operation, betId }) => {
    if (operation === 'settle' && silent === '') silent = betId
    return betId === silent ? answerWith(500) : honest
  }
  const finished = await load(faulty.url, '--rate', '100', '--duration', '2', '--patience', '1')
  const { money, players } = reportOf(finished)
  expect({ money, code: finished.code }).toEqual({ money: 'undecided', code: 1 })
  expect(players[0]?.why).toBe(`settle of bet ${silent}: HTTP status 500`)
})

test('a wallet that rejects every bet has moved no money, so the verdict is not right', async () => {
  faulty.behave = () => answerWith(400, '{"code":3,"message":"no bets"}')
  const finished = await load(faulty.url, '--rate', '100', '--duration', '2')
  const { money, rows } = reportOf(finished)
  expect({ money, code: finished.code }).toEqual({ money: 'undecided', code: 1 })
  expect(rows.at(-1)).toMatchObject({ accepted: 0, refused: { 3: 200 } })
})

test('Ctrl-C ends the run: sent calls are judged, for players from a file as well', async () => {
  const file = join(folder.path, 'players.csv')
  const players = await Promise.all(Array.from({ length: 3 }, () => playerWithMoney(wallet.operator, '1000.00')))
  const lines = players.map(({ userId, token, currency }) => `${userId},${token},${currency}`)
  writeFileSync(file, ['userId,token,currency', ...lines, ''].join('\n'))
  let settles = 0
  const settled = new Promise<void>((resolve) => {
    faulty.behave = ({ operation }) => {
      if (operation === 'settle' && ++settles === 10) resolve()
      return honest
    }
  })
  const args = ['load', '--base-url', faulty.url, '--players', file, '--rate', '50', '--duration', '600']
  const child = spawn(process.execPath, [join(ROOT, 'packages/server/dist/main.js'), ...args], {
    env: { ...process.env, ...env() },
  })
  const [printed, ended] = [text(child.stdout), once(child, 'exit')]
  await settled
  child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(await printed).toMatch(/the load was interrupted.*The money is right: all 3 balances are correct\.\n$/s)
})
