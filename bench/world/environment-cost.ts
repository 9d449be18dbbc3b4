/**
 * Measures the cost of packages/runtime/src/environment.ts, from which all source files get time,
 * timers and randomness. It prints the nanoseconds of each function and of the global that the
 * function replaces, for example Date.now. It also prints how often a wallet under load uses each
 * function per call.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environment } from '@purser/runtime/environment'
import { startServer } from '../server-process.ts'
import { createSecret, MAIN } from '../subjects.ts'

const ROUNDS = 40
const TIMES = 20_000
const NS_PER_MS = 1_000_000
/** The wallet writes its counts on a signal; these limit the wait. */
const [MOST_READS, READ_INTERVAL_MS] = [1_000, 10]
const RATE = 200
const SECONDS = 20

type Part = 'wall' | 'elapsed' | 'chance' | 'uuid' | 'bytes' | 'nextTurn' | 'after'
const none = () => {}

/** Each global and its function in the environment. Timers are cancelled at once. */
const PAIRS: Readonly<Record<Part, readonly [() => unknown, () => unknown]>> = {
  wall: [() => Date.now(), () => environment.now()],
  elapsed: [() => performance.now(), () => environment.monotonicNow()],
  chance: [() => Math.random(), () => environment.random()],
  uuid: [() => randomUUID(), () => environment.uuid()],
  bytes: [() => randomBytes(16), () => environment.randomBytes(16)],
  nextTurn: [() => setImmediate(none), () => environment.nextTurn(none)],
  after: [() => clearTimeout(setTimeout(none, 1_000)), () => environment.setTimer(1_000, none)()],
}

/** Measures both in turn and keeps the lowest round, since disturbance only adds time. */
async function nanoseconds(pair: readonly (() => unknown)[]): Promise<number[]> {
  const least = pair.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, work] of pair.entries()) {
      const begun = performance.now()
      for (let times = 0; times < TIMES; times++) work()
      least[i] = Math.min(least[i] ?? 0, ((performance.now() - begun) * NS_PER_MS) / TIMES)
      await sleep(0) // runs the deferred work
    }
  return least
}

interface CountedCalls {
  /** Answered wire calls. */
  readonly calls: number
  readonly counts: Readonly<Record<string, number>>
}

/** A wallet on its embedded database under `purser load`, without the counts before the load. */
async function underLoad(): Promise<CountedCalls> {
  const folder = mkdtempSync(join(tmpdir(), 'world-'))
  const counts = join(folder, 'counts.json')
  const [secret, key] = [createSecret(), createSecret()]
  const counting = fileURLToPath(new URL('count.js', import.meta.url))
  const wallet = await startServer(['--import', counting, MAIN, 'wallet'], {
    ...{ NODE_ENV: 'development', PURSER_DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' },
    ...{ PARTNER_SECRET: secret, OPERATOR_API_KEY: key, WORLD_COUNTS: counts },
  })
  const look = async () => {
    rmSync(counts, { force: true })
    process.kill(wallet.pid, 'SIGUSR2')
    for (let reads = 0; !existsSync(counts); reads++) {
      if (reads === MOST_READS) throw new Error('the wallet wrote no counts')
      await sleep(READ_INTERVAL_MS)
    }
    return JSON.parse(readFileSync(counts, 'utf8')) as Record<string, number>
  }
  try {
    const before = await look()
    const to = ['--base-url', wallet.url, '--secret', secret, '--operator-key', key, '--players', '100', '--seed', '1']
    const pace = ['--rate', `${RATE}`, '--duration', `${SECONDS}`]
    const said = execFileSync(process.execPath, [MAIN, 'load', ...to, ...pace, '--json'])
    const { rows } = JSON.parse(said.toString()) as { rows: { kind: string; calls: number }[] }
    const after = await look()
    const counted = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
    return { calls: rows.find(({ kind }) => kind === 'all')?.calls ?? 0, counts: Object.fromEntries(counted) }
  } finally {
    await wallet.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const { calls, counts } = await underLoad()
console.log(`part       global ns   world ns   asked for by ${calls} calls   ns a call`)
let sum = 0
for (const [part, pair] of Object.entries(PAIRS)) {
  const [plain = 0, replaced = 0] = await nanoseconds(pair)
  const times = (counts[part] ?? 0) / calls
  sum += times * (replaced - plain)
  const cells = [plain.toFixed(1).padStart(9), replaced.toFixed(1).padStart(10), times.toFixed(2).padStart(12)]
  console.log(`${part.padEnd(9)} ${cells.join(' ')} a call ${(times * (replaced - plain)).toFixed(1).padStart(16)}`)
}
console.log(`of the world itself: ${sum.toFixed(0)} ns a call`)
