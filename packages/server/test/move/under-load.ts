// Moves a wallet to another database during its use. The moving command is sometimes killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { run } from '../cli/command.ts'
import { exitOf, type Finishing, MONEY, newPlayers, newWallet } from '../support/fault-scene.ts'
import type { BetRecord } from '../support/journal.ts'
import type { Random } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { inSql } from '../support/second-postgres.ts'
import { until } from '../support/server-settings.ts'
import { startBetting } from '../support/stubborn-load.ts'
import type { WalletProcess } from '../support/wallet-process.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface Move {
  readonly from: string
  readonly to: string
  readonly buckets: number
}

const flags = ({ to, buckets }: Move) => ['move', '--to', to, '--buckets', String(buckets)]

export function startMove(move: Move, ...more: string[]): ChildProcess {
  const env = { PATH: process.env.PATH, DATABASE_URL: move.from }
  return spawn(process.execPath, [MAIN, ...flags(move), ...more], { env, stdio: 'ignore' })
}

/**
 * Starts a move and kills it with SIGKILL after a while, unless it has ended. Resolves when
 * Postgres has released the locks of the move.
 */
export async function killedAfter(ms: number, move: Move, ...more: string[]): Promise<void> {
  const child = startMove(move, ...more)
  const ended = once(child, 'exit')
  await Promise.race([ended, sleep(ms)])
  child.kill('SIGKILL')
  await ended
  await untilReleased(move)
}

/** The statements of a killed run may continue for a moment. */
export async function untilReleased({ from, to }: Move): Promise<void> {
  const held = `select 1 from pg_locks l where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
     and l.classid = 2 and l.objid = 1
   union all select 1 from pg_locks l where l.database = (select oid from pg_database where datname = current_database())
     and l.relation = 'purser.player'::regclass and l.mode = 'ExclusiveLock'`
  await until(async () =>
    (await Promise.all([from, to].map((url) => inSql(url, held)))).every(({ length }) => length === 0),
  )
}

export async function moveTo(move: Move, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...flags(move), ...more], { DATABASE_URL: move.from })
  expect([code, stderr.includes('Error')], stdout + stderr).toEqual([0, false])
  return stdout
}

interface Follower {
  /** Resolves to the events when all are read. */
  stop(): Promise<FeedEvent[]>
}

interface FeedEvent {
  readonly id: string
  readonly event: string
  readonly bet?: { readonly transactionId: string }
}

/** Follows the feed with one cursor, from the current wallet. */
function followFeed(wallets: readonly WalletProcess[]): Follower {
  const events: FeedEvent[] = []
  let isStopped = false
  const follow = async () => {
    for (let after = '0'; ; ) {
      const asked = await wallets[0]?.operator
        .request('GET', `/operator/changes?limit=500&after=${after}`)
        .catch(() => undefined)
      const page = asked?.status === 200 ? (asked.body as unknown as { data: FeedEvent[]; next: string }) : undefined
      events.push(...(page?.data ?? []))
      after = page?.next ?? after
      if (isStopped && page?.data.length === 0) return
      if (page === undefined || page.data.length === 0) await sleep(50)
    }
  }
  const following = follow()
  return {
    async stop() {
      isStopped = true
      await following
      return events
    },
  }
}

interface Cash {
  /** Stops; resolves to the deposits of each player, in whole units. */
  stop(): Promise<ReadonlyMap<string, number>>
}

/**
 * Deposits of 1.00, each repeated with its reference until it is accepted, at the current wallet.
 */
function depositTo(wallets: readonly WalletProcess[], players: readonly string[]): Cash {
  let isStopped = false
  const deposits = new Map<string, number>()
  const give = async (userId: string) => {
    while (!isStopped) {
      const body = { currency: 'EUR', amount: '1.00', reference: randomUUID() }
      const path = `/operator/players/${userId}/deposits`
      for (;;) {
        const answer = await wallets[0]?.operator.request('POST', path, body).catch(() => undefined)
        if (answer?.status === 201 || answer?.status === 200) break
        await sleep(50)
      }
      deposits.set(userId, (deposits.get(userId) ?? 0) + 1)
      await sleep(20)
    }
  }
  const giving = players.map(give)
  return {
    async stop() {
      isStopped = true
      await Promise.all(giving)
      return deposits
    },
  }
}

export function walletOn(context: Finishing, databaseUrl: string, like?: WalletProcess): Promise<WalletProcess> {
  const env = like && { PARTNER_SECRET: like.secret, OPERATOR_API_KEY: like.operatorKey }
  return newWallet(context, { databaseUrl, ...(env && { env }) })
}

/** Each number exists once without gaps, and each accepted bet has one event. */
function expectWholeFeed(events: readonly FeedEvent[], bets: readonly BetRecord[]): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => String(i + 1)))
  const placed = events.filter(({ event }) => event === 'bet.placed').map(({ bet }) => bet?.transactionId)
  const placedIds = new Set(placed)
  expect(placed.length).toBe(placedIds.size)
  expect(
    bets.filter(({ status }) => status === 'open' || status === 'settled').filter(({ betId }) => !placedIds.has(betId)),
  ).toEqual([])
}

interface Scene extends Finishing {
  readonly wallets: WalletProcess[]
  readonly wires: WalletProcess['wire'][]
  readonly random: Random
}

/** Moves the wallet in use, with some kills, and continues with a wallet on the new database. */
async function moveUnderLoad(scene: Scene, move: Move, kills: number): Promise<void> {
  const { wallets, wires, random } = scene
  const [old] = wallets as [WalletProcess]
  for (let kill = 0; kill < kills; kill += 1) await killedAfter(500 + random.below(1_500), move)
  expect(await moveTo(move)).toMatch(/calls will wait for about \d+ s in the final step/)
  for (let kill = 0; kill < kills; kill += 1) await killedAfter(1_000 + random.below(1_500), move, '--finish')
  expect(await moveTo(move, '--finish')).toContain('is ready: start the wallets with that DATABASE_URL')
  const report = ['report', '--from', today(), '--to', today(), '--json']
  const [there, here] = await Promise.all([move.from, move.to].map((url) => run(report, { DATABASE_URL: url })))
  expect(JSON.parse(here?.stdout ?? '')).toEqual(JSON.parse(there?.stdout ?? ''))
  const refused = await run(['wallet'], {
    DATABASE_URL: move.from,
    PARTNER_SECRET: old.secret,
    OPERATOR_API_KEY: old.operatorKey,
    PORT: '0',
  })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('this database was moved to')])
  const next = await walletOn(scene, move.to, old)
  wallets[0] = next
  wires[0] = next.wire
  expect(await exitOf(old, 'SIGTERM')).toBe(0)
}

export interface InUse {
  move(move: Move, kills: number): Promise<void>
  /**
   * Stops all users of the wallet. Every answered call must exist once, and all work must have
   * continued.
   */
  end(): Promise<void>
}

/** A wallet with bettors, deposits and a reader of its feed. */
export async function walletInUse(
  context: Finishing,
  database: string,
  {
    random,
    ...of
  }: { readonly random: Random; readonly players: number; readonly ofCash: number; readonly bettors: number },
): Promise<InUse> {
  const wallet = await walletOn(context, database)
  const [players, ofCash] = [await newPlayers(wallet, of.players), await newPlayers(wallet, of.ofCash)]
  const [wallets, wires] = [[wallet], [wallet.wire]]
  const betting = startBetting({ wires, players, bettors: of.bettors, random })
  const cash = depositTo(
    wallets,
    ofCash.map(({ userId }) => userId),
  )
  const follower = followFeed(wallets)
  return {
    async move(move, kills) {
      await moveUnderLoad({ onTestFinished: context.onTestFinished, wallets, wires, random }, move, kills)
      await betting.recovered(20)
    },
    async end() {
      await betting.stop()
      const deposits = await cash.stop()
      expectWholeFeed(await follower.stop(), betting.bets)
      const [last] = wallets as [WalletProcess]
      await expectSameBets(last, players, betting.bets, MONEY)
      for (const { userId } of ofCash)
        expect(await last.operator.balance(userId)).toBe(`${MONEY + (deposits.get(userId) ?? 0)}.00`)
    },
  }
}

const today = () => new Date().toISOString().slice(0, 10)
