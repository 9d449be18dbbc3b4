/** `purser move`: the wallet's tables into another database, while the wallet runs. Done by the owner of the tables, as migrations are. */
import { type Command, InvalidArgumentError } from 'commander'
import { MAX_BUCKETS } from '../config/config.ts'
import { environment, examples, print } from '../config/help.ts'
import type { Db } from '../db/db.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openDb } from '../db/open.ts'
import { placeOf, problemOfUrl } from '../db/postgres-url.ts'
import type { MoveDone } from '../move/run.ts'
import { systemClock } from '../runtime/clock.ts'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { EXIT } from './ending.ts'
import { stopSignal } from './stopping.ts'
import { withMigrated } from './with-database.ts'

interface Flags {
  readonly to?: string
  readonly buckets?: number
  readonly finish?: true
  readonly reopen?: true
  readonly json?: true
}

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description("copies the wallet's tables to another Postgres or to Citus while the wallet runs; --finish ends it")
    .option('--to <url>', 'postgres://…, a new database in which purser migrate was run, or the one of an earlier run')
    .option('--buckets <number>', 'of the new database; absent: as it was made, or 1', toBuckets)
    .option('--finish', 'also the last part: no call is taken meanwhile, and behind it none here any more')
    .option('--reopen', 'take a database that was moved away for the one of the wallets again, as it was then')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://owner@db/purser purser move --to postgres://owner@coordinator/purser --buckets 8',
        'DATABASE_URL=postgres://owner@db/purser purser move --to postgres://owner@coordinator/purser --finish',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async (flags: Flags) => {
      if (flags.reopen) return reopenAgain()
      const { to } = flags
      if (to === undefined) throw new WrongUse('say where to: --to postgres://…')
      const done = await moveTo(to, flags)
      print(flags.json ? JSON.stringify(done) : describe(done, to))
      if (done.state === 'different') process.exitCode = EXIT.findings
    })
}

const SECOND_MS = 1_000

function toBuckets(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (number < 1 || number > MAX_BUCKETS) throw new InvalidArgumentError(`It is a number from 1 to ${MAX_BUCKETS}.`)
  return number
}

async function moveTo(to: string, { buckets, finish }: Flags): Promise<MoveDone> {
  const signal = stopSignal()
  const { move } = await import('../move/run.ts')
  return withMigrated(async (from, { store, urlRules, durability }) => {
    const problem = problemOfUrl(to, urlRules)
    if (problem !== undefined) throw new WrongUse(`the address in --to ${problem}`)
    const address = placeOf(to)
    const opened: Db[] = []
    const open = async (config: typeof store) => {
      const db = await openDb(config)
      opened.push(db)
      return db
    }
    try {
      const target = { kind: 'postgres', url: to, durability } as const
      const into = await open(target)
      await requireMigrated(into).catch((error: unknown) => {
        throw error instanceof WrongUse ? new WrongUse(`in ${address} ${error.message}`) : error
      })
      const holders = { from: store.kind === 'pglite' ? from : await open(store), to: await open(target) }
      return await move({
        ...{ from, to: into, holders, buckets, isLast: finish === true, address, signal, say },
        now: () => systemClock.now(),
        progress: progressLines(),
      })
    } finally {
      for (const db of opened) await db.close()
    }
  })
}

async function reopenAgain(): Promise<void> {
  const [{ reopen }, { TO_CLOSE }] = await Promise.all([import('../db/moved.ts'), import('../move/tables.ts')])
  await withMigrated((db) => reopen(db, TO_CLOSE))
  print('wallets can use this database again; what was written in the other one since is not here: let none run there')
}

function describe({ state, players, ms, differences, totals }: MoveDone, to: string): string {
  const at = placeOf(to)
  const rows = Object.values(totals?.rows ?? {}).reduce((sum, count) => sum + BigInt(count), 0n)
  const seconds = Math.ceil(ms / SECOND_MS)
  switch (state) {
    case 'stopped':
      return 'stopped; run it again to go on'
    case 'copied':
      return [
        `${players} players are in ${at}; what changes from now on is not yet`,
        `the last part will keep calls waiting for about ${seconds} s: run it again with --finish`,
      ].join('\n')
    case 'different':
      return [...differences, 'these differ, so nothing was closed: the wallets go on here'].join('\n')
    case 'ready':
      return [
        ...(totals === undefined
          ? []
          : [
              ...totals.money.map(({ currency, accounts }) => `${currency}: ${accounts} balances are the same`),
              ...totals.bets.map((row) => `${row.bets} ${row.status} bets${of(row.currency)} are the same`),
              `${players} players with ${rows} rows were compared; calls waited for ${seconds} s`,
            ]),
        `${at} is ready: start the wallets with that DATABASE_URL. This one takes nothing any more`,
      ].join('\n')
    default:
      return state satisfies never
  }
}

const of = (currency: unknown) => (currency === '' ? '' : ` in ${currency}`)

function say(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

/** Milliseconds between two lines about how far it is. */
const PROGRESS_MS = 10_000

/** How far a round is and how long it will take, on standard error. Of a round that takes less, nothing. */
function progressLines(): (what: string, done: number, of: number) => void {
  let [saidAt, beganAt, last] = [world.elapsed(), world.elapsed(), 0]
  return (what, done, of) => {
    if (done < last) beganAt = world.elapsed() // the next round
    last = done
    if (world.elapsed() - saidAt < PROGRESS_MS) return
    saidAt = world.elapsed()
    const left = of > done ? ((world.elapsed() - beganAt) / done) * (of - done) : 0
    const how = left > 0 ? `, about ${Math.ceil(left / SECOND_MS)} s left` : ''
    say(`move: ${done.toLocaleString('en')}${of > 0 ? ` of ${of.toLocaleString('en')}` : ''} ${what}${how}`)
  }
}
