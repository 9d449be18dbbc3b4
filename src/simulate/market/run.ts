/** One run: the market is made, then everything goes wrong that can, then all is calm, and what is left must be right. */
import type { Platform } from '../../platform/platform.ts'
import { errorWithStack } from '../../runtime/error-text.ts'
import { createRandom } from '../../runtime/random.ts'
import { world } from '../../runtime/world.ts'
import { bettor, drawBonus, putRight, resultSource, traders } from './actors.ts'
import { auditAnswers } from './ask-wallet.ts'
import { loseWith } from './backup.ts'
import { type Audited, auditBooks, compareBooks, needsPerson, underWay } from './books.ts'
import { type Cast, PARTNER } from './cast.ts'
import { type Choice, type Choices, drawChoices } from './choices.ts'
import { aheadOf } from './clocks.ts'
import { auditLimits } from './day-limits.ts'
import { AUDIT_EVERY_MS, disasters } from './disasters.ts'
import { missingIn } from './expected.ts'
import { type Market, openMarket, type Stores } from './market.ts'
import { misnamed } from './misnamed.ts'
import { limit, openAccount, openFrame, operators, switchers } from './operator-people.ts'
import { openOtherPlatform } from './other-platform.ts'
import { AUTHORS } from './parties.ts'
import { backupsOf } from './restore.ts'
import { drawScene, LIMITS_OF, looksOf, type Scene, spanOf } from './scene.ts'
import { SECRET } from './store.ts'
import { partiesOf, partnerOf, URLS, WALLETS, walletsOf } from './who.ts'

export interface RunResult {
  readonly seed: number
  /** The same seed has the same. */
  readonly hash: string
  readonly bets: number
  readonly simulatedMs: number
  readonly marks: ReadonlyMap<string, number>
  /** What is not as it must be; none is good. */
  readonly complaints: readonly string[]
  /** All events. */
  readonly story: readonly string[]
  /** By which it can be played again. */
  readonly choices: readonly Choice[]
}

const PLAYERS = { wallet: 3, 'other wallet': 2 } as const
/**
 * Milliseconds of calm after which all must be over. A message sent before may still come after 90 s; a claim of a process
 * that died is watched for 8 s; results wait for 60 s at most between two tries (C-5), rollbacks for 6 minutes in all (C-4).
 */
const CALM_MS = 480_000
/** Milliseconds until everybody has heard of what they asked for last, in the shortest market. */
const ACTORS_MS = 60_000
/** Milliseconds between two looks whether all is over, and of people at what needs them. */
const LOOK_MS = 10_000

/** `choices`: other ones than the seed's. What the processes draw is the seed's all the same. */
export async function runMarket(seed: number, stores: Stores, choices: Choices = drawChoices()): Promise<RunResult> {
  const scene = choices.scene(() => drawScene(seed, createRandom(seed, 'scene')))
  for (const party of partiesOf(scene)) await stores[party].empty()
  const market = openMarket(seed, stores, choices, scene)
  const empty: Cast = {
    players: [],
    bets: [],
    movements: 0,
    isOver: false,
    restored: new Set(),
    misnamed: [],
    shared: new Set(),
  }
  const complaints: string[] = []
  try {
    const cast = await begin(market, empty, scene)
    complaints.push(...(await misfortune(market, cast, stores, scene)))
    if (complaints.length === 0) complaints.push(...(await calm(market, cast, stores, scene)))
  } catch (error) {
    complaints.push(errorWithStack(error))
  } finally {
    market.end()
  }
  const { trace, world } = market
  const told = { story: trace.story(), marks: trace.marks, hash: trace.hash(), choices: choices.made() }
  return { seed, simulatedMs: world.elapsed(), bets: empty.bets.length, complaints, ...told }
}

/** Players with money and frames, over a network on which nothing goes wrong yet. */
async function begin(market: Market, cast: Cast, scene: Scene): Promise<Cast> {
  for (const party of partiesOf(scene)) await market.until(market.begin(party), 10_000)
  const partner = { partnerId: PARTNER, baseUrl: URLS[partnerOf(scene)], secrets: [SECRET], connection: {} }
  const { deciding } = market.platform() as Platform
  await market.until(deciding.partners.save(AUTHORS.platform(), partner, new Date(world.wall())), 10_000)
  const gateway = market.gateway()
  if (gateway !== undefined) for (const wallet of WALLETS) await market.until(gateway.save(wallet), 10_000)
  const players = []
  for (const wallet of walletsOf(scene))
    for (let i = 1; i <= PLAYERS[wallet]; i++) {
      const account = { wallet, userId: `player-${i}` }
      players.push(await market.until(openAccount(market, cast, account, 60 * i), 600_000))
    }
  for (const player of players) {
    const limits = scene.hasLimits && player.wallet === 'wallet' ? LIMITS_OF[player.userId] : undefined
    if (limits !== undefined) await market.until(limit(market, cast, player, limits), 60_000)
  }
  const whole: Cast = { ...cast, players }
  if (scene.hasOtherPlatform === true) whole.other = openOtherPlatform(market, whole)
  return whole
}

/** Complaints. */
async function misfortune(market: Market, cast: Cast, stores: Stores, scene: Scene): Promise<string[]> {
  const actors = [
    ...cast.players.map((player) => {
      const [random, ofBonus] = [market.random(player.name), market.random(`bonus of ${player.name}`)]
      const frame = () => openFrame(market, cast, player)
      return bettor(market, cast, player, random, frame, (amount) => drawBonus(scene, ofBonus, amount))
    }),
    resultSource(market, cast, market.random('results')),
    traders(market, cast, market.random('traders')),
    operators(market, cast, market.random('operators')),
    switchers(market, cast, market.random('switchers')),
    ...(cast.other === undefined ? [] : [cast.other.play()]),
    disasters(market, backupsOf(market, stores, scene, cast)),
  ]
  const failed: unknown[] = []
  const backupAt = scene.backup && Math.min(scene.backup, looksOf(scene))
  for (const actor of actors) actor.catch((error: unknown) => failed.push(error))
  const audited: Audited = new Map()
  const audit = async () => [
    ...cast.misnamed,
    ...market.complaints(),
    ...(await auditBooks(stores, scene, false, audited)),
    ...(await auditLimits(stores.wallet.db, scene)),
  ]
  for (let look = 1; look <= looksOf(scene); look++) {
    const seen = await passWatched(market, AUDIT_EVERY_MS * spanOf(scene), scene.isWatched === true ? audit : undefined)
    if (failed.length > 0) throw failed[0]
    const found = [...seen, ...(await auditAnswers(market, cast)), ...(await audit())]
    if (found.length > 0) return found
    if (look === backupAt && scene.isRestored !== true) cast.putBack = await stores.wallet.backup()
  }
  cast.isOver = true
  markDays(market, scene)
  await market.until(Promise.all(actors), ACTORS_MS * spanOf(scene))
  return []
}

/** Complaints of the first step behind which there are any. */
async function passWatched(market: Market, milliseconds: number, audit?: () => Promise<string[]>): Promise<string[]> {
  const found: string[] = []
  let events = market.trace.story().length
  const look = async () => {
    if (audit === undefined || market.trace.story().length === events) return true
    events = market.trace.story().length
    market.trace.mark('the books are audited behind a step')
    found.push(...(await audit()))
    return found.length === 0
  }
  await market.pass(milliseconds, look)
  return found
}

function markDays({ trace, world }: Market, { startsAt }: Scene): void {
  const [from, to] = [startsAt, startsAt + world.elapsed()].map((at) => new Date(at).toISOString())
  if (from?.slice(0, 10) !== to?.slice(0, 10)) trace.mark('a day ends')
  if (from?.slice(0, 7) !== to?.slice(0, 7)) trace.mark('a month ends')
}

/** Some may not have begun again yet. */
function isWhole(market: Market, scene: Scene): boolean {
  return market.platform() !== undefined && walletsOf(scene).every((name) => market.wallet(name) !== undefined)
}

/** Complaints. */
async function calm(market: Market, cast: Cast, stores: Stores, scene: Scene): Promise<string[]> {
  const { world, trace, network } = market
  trace.note('all is calm')
  market.calm()
  cast.other?.calm()
  const until = world.elapsed() + CALM_MS + Math.max(0, -aheadOf('database of the platform')) // what is due by it comes later
  for (let isOver = false; !isOver; ) {
    if (world.elapsed() > until)
      return [`${await underWay(stores)} deliveries are not over, ${await needsPerson(stores)} need a person`]
    if (isWhole(market, scene) && (await needsPerson(stores)) > 0)
      await market.until(putRight(market, cast, stores), 60_000)
    await market.pass(LOOK_MS)
    isOver =
      network.onTheirWay() + (cast.other?.underWay() ?? 0) + (await underWay(stores)) + (await needsPerson(stores)) ===
      0
  }
  const watched = [
    ...cast.misnamed,
    ...market.complaints(),
    ...(cast.other?.complaints() ?? []),
    ...(await auditAnswers(market, cast)),
  ]
  watched.push(...(await auditLimits(stores.wallet.db, scene)))
  watched.push(...(await auditBooks(stores, scene, true)))
  for (const name of walletsOf(scene))
    watched.push(...(await market.wire(name).odds.audit(stores[name].db, market.names)))
  watched.push(...(await compareBooks(stores, scene, cast, market.names)))
  if (cast.restored.size > 0)
    watched.push(...(await misnamed(stores, scene, cast, market.names, 'all is over')).complaints)
  watched.push(...missingIn(scene, trace.marks))
  if (watched.length > 0 || cast.putBack === undefined) return watched
  await cast.putBack()
  return loseWith(stores, scene, cast, market)
}
