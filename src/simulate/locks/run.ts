/** One run: two wallets on one Postgres are asked for much at once while statements wait and connections break; then all is calm, and must be right. */
import { statement } from '../../db/db.ts'
import { audit } from '../../operator/audit.ts'
import { errorWithStack } from '../../runtime/error-text.ts'
import type { Base } from './base.ts'
import { call, isClear, newTable, type Table } from './deeds.ts'
import { judgeBalances } from './judge.ts'
import { playAll, playOut } from './play.ts'
import { openScene, type Plant, type Scene } from './scene.ts'

export interface LocksResult {
  readonly seed: number
  /** The same seed has the same. */
  readonly hash: string
  readonly calls: number
  readonly marks: ReadonlyMap<string, number>
  /** What is not as it must be; none is good. */
  readonly complaints: readonly string[]
  /** All events. */
  readonly story: readonly string[]
}

/** Times that a call is repeated when nothing goes wrong any more. */
const REPEATS = 3

export async function runLocks(seed: number, base: Base, plant?: Plant): Promise<LocksResult> {
  await base.empty()
  const scene = await openScene(seed, base, plant)
  const { trace, wire } = scene
  const complaints: string[] = []
  const table = newTable(scene)
  try {
    complaints.push(...(await playAll(scene, table)))
    if (complaints.length === 0) complaints.push(...(await putRight(scene, table)))
  } catch (error) {
    complaints.push(errorWithStack(error))
  } finally {
    await scene.end()
  }
  complaints.push(...wire.complaints(), ...scene.fences, ...(await auditAll(base, scene)))
  const calls = table.bets.reduce((sum, { sent }) => sum + sent.length, 0)
  return { seed, hash: trace.hash(), calls, marks: trace.marks, complaints, story: trace.story() }
}

/** What got no clear answer is asked for again; then everything that was answered is, at the other wallet too: it must know. Complaints. */
async function putRight(scene: Scene, table: Table): Promise<string[]> {
  const { wire, random, trace } = scene
  wire.died() // nothing is under way any more: what has not taken effect never will
  const found: string[] = []
  const all = table.bets.flatMap(({ sent }) => sent)
  const asksAgain = async (which: typeof all) => {
    for (const sent of which) {
      call(scene, table, random.below(scene.wallets.length), sent)
      found.push(...(await playOut(scene, () => table.underWay > 0)))
    }
  }
  for (let times = 0; times < REPEATS; times++) await asksAgain(all.filter((sent) => !isClear(sent)))
  const owed = all.filter((sent) => !isClear(sent)).length
  if (owed > 0) found.push(`${owed} calls get no clear answer though nothing goes wrong`)
  await asksAgain(all)
  for (let times = 0; times < REPEATS && table.owed.length > 0; times++)
    for (const again of table.owed.splice(0)) {
      table.underWay += 1
      void again().finally(() => {
        table.underWay -= 1
      })
      found.push(...(await playOut(scene, () => table.underWay > 0)))
    }
  if (table.owed.length > 0) found.push('a movement of money gets no answer though nothing goes wrong')
  trace.note('all is over')
  return found
}

const BALANCES = statement('simulation_balances', "select player, balance from purser.account where currency = 'EUR'")

/** Complaints: of the product's own audit, and of balances that the auditor does not hold possible. */
async function auditAll({ db }: Base, { wire, players, trace }: Scene): Promise<string[]> {
  const { findings } = await audit(db, { clawback: 'allow-negative' })
  const rows = await db.query<{ player: string; balance: bigint }>(BALANCES)
  const has = new Map(rows.map(({ player, balance }) => [player, balance]))
  const odd = judgeBalances(players, has, wire, (name) => trace.mark(name))
  return [...findings.map(({ check, row }) => `${check}: ${JSON.stringify(row)}`), ...odd]
}
