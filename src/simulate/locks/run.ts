/**
 * One run: two wallets on one Postgres are asked for much at once, by a platform too, while statements wait, connections break and processes die; then
 * all is calm, and must be right.
 */

import { sendAllAgain } from '../../platform/delivery/retry.ts'
import { errorWithStack } from '../../runtime/error-text.ts'
import { bettor, resultSource, traders } from '../market/actors.ts'
import { needsPerson, underWay } from '../market/books.ts'
import { type Choice, type Choices, drawChoices } from '../market/choices.ts'
import { AUTHORS } from '../market/parties.ts'
import type { Base } from './base.ts'
import { call, callers, isClear, newTable, type Table } from './deeds.ts'
import { auditAll, type Compared, compare, judgeBalances, judgeNamed, readBalances } from './judge.ts'
import { NAMED } from './marks.ts'
import { type Misfortune, misfortunes } from './misfortunes.ts'
import { isAtWork, until } from './play.ts'
import { openScene, type Planted, type Scene } from './scene.ts'

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
  /** By which it can be played again. */
  readonly choices: readonly Choice<Misfortune>[]
}

/** Milliseconds in which all that was begun while things went wrong must be over. */
const WRONG_MS = 180_000
/** Milliseconds in which all must be over when nothing goes wrong any more: of deliveries, which may be due after a minute, and of calls. */
const DELIVERED_MS = 120_000
const CALM_MS = 60_000
/** Milliseconds between two looks at the platform's books. */
const LOOK_MS = 2_000
/** Times that a call is repeated when nothing goes wrong any more. */
const REPEATS = 3

export async function runLocks(
  seed: number,
  base: Base,
  planted?: Planted,
  choices: Choices<Misfortune> = drawChoices<Misfortune>(),
): Promise<LocksResult> {
  await base.wallet.empty()
  await base.platform.empty()
  const scene = await openScene(seed, base, choices, planted)
  const { trace, wire, pace, complaints } = scene
  const table = newTable(scene)
  try {
    await goWrong(scene, table)
    if (!isFound(scene)) await goRight(scene, table, planted?.blindTo)
  } catch (error) {
    complaints.push(errorWithStack(error))
  }
  const [hash, story] = [trace.hash(), [...trace.story()]]
  complaints.push(...wire.complaints(), ...pace.complaints())
  await scene.end().catch((error) => complaints.push(errorWithStack(error)))
  complaints.push(...(await auditAll(base, !scene.standby.isInPlace && complaints.length === 0)))
  const calls = table.bets.reduce((sum, { sent }) => sum + sent.length, 0)
  return { seed, hash, calls, marks: trace.marks, complaints, story, choices: choices.made() }
}

async function goWrong(scene: Scene, table: Table): Promise<void> {
  const { cast, releases, random, complaints, trace } = scene
  trace.note('from here on anything goes wrong')
  releases.allow(true)
  const isQuiet = () => walletsAreQuiet(scene, table)
  const over = () => {
    cast.isOver = true
  }
  const actors = [
    callers(scene, table, isQuiet).finally(over),
    ...cast.players.map((player) => bettor(scene, cast, player, random(player.name), async () => {})),
    resultSource(scene, cast, random('results')),
    traders(scene, cast, random('traders')),
  ]
  misfortunes(scene)
  let left = actors.length
  for (const actor of actors)
    actor.then(
      () => void left--,
      (error) => complaints.push(errorWithStack(error)),
    )
  const isOver = await until(scene, () => left === 0 || isFound(scene), WRONG_MS)
  if (!isOver) complaints.push('somebody waits for what does not come')
}

/** What comes behind it says nothing. */
function isFound({ complaints, wire, pace }: Scene): boolean {
  return [complaints, wire.complaints(), pace.complaints()].some((some) => some.length > 0)
}

function walletsAreQuiet(scene: Scene, { underWay }: Table): boolean {
  return underWay === 0 && scene.wallets().every((one) => one.underWay() === 0) && !isAtWork(scene)
}

async function goRight(scene: Scene, table: Table, blindTo: string | undefined): Promise<void> {
  const { trace, releases, network, complaints, standby, cast, base, wire } = scene
  trace.note('from here on nothing goes wrong')
  cast.isOver = true
  releases.allow(false)
  network.calm()
  const others = new Set(table.bets.map(({ betId }) => betId))
  const compared = await whenDelivered(scene, () => compare(base, others, blindTo))
  if (!(await until(scene, () => walletsAreQuiet(scene, table), CALM_MS)))
    complaints.push('something is not over though nothing goes wrong')
  complaints.push(...judgeNamed(compared, scene.names.bet))
  if (standby.isInPlace) {
    trace.note(`${compared.lost.size} bets are not as the platform was told`)
    if (compared.lost.size > 0) trace.mark(NAMED)
    return
  }
  for (const bet of compared.lost)
    complaints.push(`${scene.names.bet(bet)} is not at the wallets what the platform was told`)
  wire.died() // nothing is under way any more: what has not taken effect never will
  await putRight(scene, table)
  const owners = cast.players.map(({ userId, cash }) => ({ userId, cash: cash.EUR }))
  complaints.push(...judgeBalances(owners, await readBalances(base), wire, (name) => trace.mark(name)))
  trace.note('all is over')
}

/** Behind a failover, what the wallets have lost stays owed. */
async function whenDelivered(scene: Scene, compareBooks: () => Promise<Compared>): Promise<Compared> {
  const { base, network, world, standby, complaints } = scene
  const { deciding, deliverer } = scene.platform() ?? {}
  const end = world.elapsed() + DELIVERED_MS
  const isOver = async ({ inFlight }: Compared) =>
    inFlight + network.onTheirWay() === 0 &&
    (standby.isInPlace || (await underWay(base)) + (await needsPerson(base)) === 0)
  let compared = await compareBooks()
  while (!(await isOver(compared)) && world.elapsed() < end) {
    if (deciding !== undefined && !standby.isInPlace && (await needsPerson(base)) > 0) {
      sendAllAgain(deciding, AUTHORS.platform(), {}).then(deliverer?.wake, () => {})
    }
    await until(scene, () => false, LOOK_MS)
    compared = await compareBooks()
  }
  if (!(await isOver(compared)))
    complaints.push(`${await underWay(base)} deliveries are not over though nothing goes wrong`)
  return compared
}

/** What got no clear answer is asked for again; then everything that was answered is, at the other wallet too: it must know. */
async function putRight(scene: Scene, table: Table): Promise<void> {
  const { complaints } = scene
  const draws = scene.random('what is asked again')
  const all = table.bets.flatMap(({ sent }) => sent)
  const over = async () => {
    if (!(await until(scene, () => walletsAreQuiet(scene, table), CALM_MS)))
      complaints.push('something is not over though nothing goes wrong')
  }
  const askAgain = async (which: typeof all) => {
    for (const sent of which) {
      call(scene, table, draws.below(2), sent)
      await over()
    }
  }
  for (let times = 0; times < REPEATS; times++) await askAgain(all.filter((sent) => !isClear(sent)))
  const owed = all.filter((sent) => !isClear(sent)).length
  if (owed > 0) complaints.push(`${owed} calls get no clear answer though nothing goes wrong`)
  await askAgain(all)
  for (let times = 0; times < REPEATS && table.owed.length > 0; times++)
    for (const again of table.owed.splice(0)) {
      table.underWay += 1
      void again().finally(() => {
        table.underWay -= 1
      })
      await over()
    }
  if (table.owed.length > 0) complaints.push('a movement of money gets no answer though nothing goes wrong')
}
