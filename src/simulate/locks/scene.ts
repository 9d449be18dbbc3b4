/** Two wallets of one run, in this process and this time, each with its own connections; the proxy between them and Postgres; players with money. */

import type { Db } from '../../db/db.ts'
import { openPostgres } from '../../db/postgres.ts'
import { moveCash } from '../../operator/cash.ts'
import { createPlayer } from '../../operator/players.ts'
import { createSession } from '../../operator/sessions.ts'
import { createRandom, type Random } from '../../runtime/random.ts'
import { world as real } from '../../runtime/world.ts'
import { watchAnswers } from '../market/marks.ts'
import { createNames, type Names } from '../market/names.ts'
import { AUTHORS, beginWallet, logTo, type WalletParty } from '../market/parties.ts'
import { CONFIGS } from '../market/store.ts'
import { createTrace, type Trace } from '../market/trace.ts'
import { enterVirtualWorld, type VirtualWorld } from '../market/virtual-world.ts'
import { type WireWatch, watchWire } from '../market/watch.ts'
import type { Base } from './base.ts'
import { watchStatements } from './marks.ts'
import { createProxy, type PostgresProxy } from './proxy.ts'

export interface Player {
  readonly userId: string
  readonly token: string
  /** Minor units that were brought in or taken out. */
  cash: bigint
}

export interface Scene {
  readonly url: string
  readonly world: VirtualWorld
  readonly trace: Trace
  readonly names: Names
  readonly wire: WireWatch
  readonly proxy: PostgresProxy
  readonly random: Random
  readonly wallets: readonly WalletParty[]
  readonly players: readonly Player[]
  /** Complaints of statements that came to what the locks are to keep away. */
  readonly fences: readonly string[]
  /** Lets everything that runs come to rest. */
  rest(): Promise<void>
  /** Ends connections and gives the real time back. */
  end(): Promise<void>
}

/** A fault that is planted between a wallet and its database. */
export type Plant = (db: Db, wallet: number) => Db

const WALLETS = 2
const PLAYERS = 3
/** What a player has in the beginning; some Place bets are too much for it. */
const EUROS = 50

export async function openScene(seed: number, base: Base, plant: Plant = (db) => db): Promise<Scene> {
  const { nextTurn } = real
  const world = enterVirtualWorld(seed, () => false, 'timers')
  const trace = createTrace(world.elapsed)
  const names = createNames()
  const fences: string[] = []
  const proxy = createProxy({ ...base, trace, nextTurn, answered: watchStatements(trace, fences) })
  const rest = async () => {
    do await world.rest()
    while (await world.step(world.elapsed()))
    await world.rest()
  }
  const dbs: Db[] = []
  const simply = <T>(work: Promise<T>) => letThrough(proxy, rest, work)
  const end = async () => {
    for (const session of [...proxy.sessions()]) await proxy.cut(session)
    await simply(Promise.all(dbs.map((db) => db.close())))
    world.end()
  }
  try {
    for (let i = 1; i <= WALLETS; i++)
      dbs.push(await simply(openPostgres(base.url, () => proxy.newLine(`wallet ${i}`))))
    const wallets = dbs.map((db, i) =>
      beginWallet('wallet', withOneLane(plant(db, i)), logTo(trace.note, `wallet ${i + 1}`), CONFIGS.wallet),
    )
    const players: Player[] = []
    for (let i = 1; i <= PLAYERS; i++) players.push(await simply(openAccount(wallets[0] as WalletParty, `player ${i}`)))
    const told = {
      world,
      trace,
      names,
      wire: watchWire(names, watchAnswers(trace)),
      random: createRandom(seed, 'locks'),
    }
    return { url: base.url, fences, ...told, proxy, wallets, players, rest, end }
  } catch (error) {
    world.end()
    throw error
  }
}

/** A server has lanes by its processors; a seed must be the same run on every machine. */
function withOneLane(db: Db): Db {
  return { ...db, kind: 'pglite' }
}

async function openAccount({ operator }: WalletParty, userId: string): Promise<Player> {
  await createPlayer(operator, AUTHORS.wallet(), { userId, currency: 'EUR', currencies: ['EUR'] })
  const first = { currency: 'EUR', amount: `${EUROS}.00`, reference: 'the first' }
  await moveCash(operator, AUTHORS.wallet(), userId, 'deposit', first)
  const { token } = await createSession(operator, AUTHORS.wallet(), userId, {})
  return { userId, token, cash: BigInt(EUROS) * 100n }
}

/** Rounds in which a wallet begins, or ends. */
const MOST_ROUNDS = 5_000

/** Nothing goes wrong, and everything goes on in order, until the work is done. */
async function letThrough<T>(proxy: PostgresProxy, rest: () => Promise<void>, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  for (let rounds = 0; !isOver; rounds++) {
    await rest()
    if (rounds > MOST_ROUNDS) throw new Error('a wallet waits for something that does not come')
    for (const session of [...proxy.sessions()]) {
      if (session.phase === 'asking') await proxy.open(session)
      else if (session.held.length > 0 && session.running === undefined) await proxy.release(session)
      else if (session.isLeft && session.phase === 'open') await proxy.cut(session)
    }
  }
  return work
}
