/**
 * Several processes serve one port (PURSER_PROCESSES). A process that dies is replaced, a reload
 * loses no call, and a scrape of the metrics has the counters of every process.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLineBuffer } from '../../src/servers/line-buffer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import type { Player } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'
import { run } from './command.ts'

const PROCESSES = 3
const BETTORS = 12

let database: TestDatabase
let wallet: WalletProcess
let player: Player

beforeAll(async () => {
  database = await createDatabase()
  wallet = await spawnWallet({ databaseUrl: database.url, env: { PURSER_PROCESSES: `${PROCESSES}` } })
  player = await playerWithMoney(wallet.operator, '1000000.00')
})
afterAll(async () => {
  await wallet?.kill('SIGKILL')
  await database?.drop()
})

function pids(): number[] {
  const text = readFileSync(`/proc/${wallet.pid}/task/${wallet.pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

async function metrics(): Promise<string> {
  const reply = await fetch(`${wallet.url}/metrics`)
  return reply.text()
}

const numbersIn = (text: string) =>
  [...text.matchAll(/^purser_ready\{process="(\d)"\} 1$/gm)].map(([, number]) => number)
const ALL = ['1', '2', '3']
const KEYS = { PARTNER_SECRET: 'secret', OPERATOR_API_KEY: 'key' }

/** Places bets until `isOver`; returns the failures. */
async function bettor(isOver: () => boolean, placed: { count: number }): Promise<unknown[]> {
  const wrong: unknown[] = []
  while (!isOver()) {
    const answer = await wallet.wire.place({ ...player, amount: 1 }).catch((error: unknown) => ({ status: error }))
    if (answer.status === 200) placed.count += 1
    else wrong.push(answer.status)
  }
  return wrong
}

async function whilePlaying(work: () => Promise<void>): Promise<unknown[]> {
  const placed = { count: 0 }
  let isOver = false
  const betting = Promise.all(Array.from({ length: BETTORS }, () => bettor(() => isOver, placed)))
  await expect.poll(() => placed.count).toBeGreaterThan(BETTORS * 10)
  await work()
  const before = placed.count
  await expect.poll(() => placed.count).toBeGreaterThan(before + BETTORS * 10)
  isOver = true
  return (await betting).flat()
}

test('PURSER_PROCESSES sets how many processes serve, and a scrape has the counters of each', async () => {
  await expect.poll(async () => numbersIn(await metrics())).toEqual(ALL)
  expect(pids()).toHaveLength(PROCESSES)
  await whilePlaying(async () => {})
  const text = await metrics()
  const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
  expect(names).toEqual([...new Set(names)])
  const accepted = /^wallet_calls_total\{process="(\d)",operation="place",outcome="accepted"\} \d+$/gm
  const calls = [...text.matchAll(accepted)].map(([, number]) => number)
  expect([...new Set(calls)]).toEqual(ALL)
})

test('a reload restarts all processes and no call is refused, reset or lost', async () => {
  const before = pids()
  const wrong = await whilePlaying(async () => {
    process.kill(wallet.pid, 'SIGHUP')
    await expect.poll(() => pids().filter((pid) => before.includes(pid)), { timeout: 60_000 }).toEqual([])
    await expect.poll(() => wallet.output().includes('all processes have restarted'), { timeout: 30_000 }).toBe(true)
  })
  expect(wrong).toEqual([])
  expect(pids()).toHaveLength(PROCESSES)
  await wallet.auditIsClean()
})

test('a process that dies is replaced, and the others serve in the meantime', async () => {
  const [victim = 0, ...others] = pids()
  process.kill(victim, 'SIGKILL')
  await expect
    .poll(() => pids().filter((pid) => pid !== victim && !others.includes(pid)), { timeout: 30_000 })
    .toHaveLength(1)
  await expect.poll(async () => numbersIn(await metrics()), { timeout: 30_000 }).toEqual(ALL)
  expect(await whilePlaying(async () => {})).toEqual([])
  expect(wallet.output().includes('a process ended unexpectedly; another one starts')).toBe(true)
  await wallet.auditIsClean()
})

test('a signal ends all processes, and each finishes the calls that it has accepted, a new process too', async () => {
  const [victim = 0, ...others] = pids()
  process.kill(victim, 'SIGKILL')
  const begun = () => pids().filter((pid) => pid !== victim && !others.includes(pid))
  await expect.poll(begun, { timeout: 30_000, interval: 10 }).toHaveLength(1)
  const all = pids()
  expect(await wallet.kill('SIGTERM')).toBe(0)
  for (const pid of all) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

describe('several processes report one error once when', () => {
  test('the database is the embedded one, which takes one process', async () => {
    const { code, stderr } = await run(['wallet'], { ...KEYS, PURSER_PROCESSES: '2', PURSER_DATA_DIR: 'memory://' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('PURSER_PROCESSES needs DATABASE_URL')])
  })

  test('the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    const port = await new Promise<number>((resolve) =>
      taken.once('listening', () => resolve(Number(Object(taken.address()).port))),
    )
    const env = { ...KEYS, PURSER_PROCESSES: '2', DATABASE_URL: database.url, PORT: `${port}` }
    const { code, stderr } = await run(['wallet'], env)
    taken.close()
    expect([code, stderr.match(/is in use/g)?.length]).toEqual([2, 1])
  })
})

test('lines of several processes stay whole, and the last line needs no line break', () => {
  const lines = createLineBuffer()
  const forwarded = ['one\ntw', 'o', '\nthree\nfo', 'ur'].map((chunk) => {
    lines.write(chunk)
    return String(lines.read() ?? '')
  })
  lines.end()
  expect([...forwarded, String(lines.read())]).toEqual(['one\n', '', 'two\nthree\n', '', 'four'])
})
