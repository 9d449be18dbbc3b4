/** One run: the market is made, then everything goes wrong that can, then all is calm, and what is left must be right. */
import { createRandom, type Random } from '../../runtime/random.ts'
import { world } from '../../runtime/world.ts'
import { bettor, putRight, resultSource, traders } from './actors.ts'
import { auditBalances } from './ask-balance.ts'
import { auditBooks, compareBooks, needsPerson, underWay } from './books.ts'
import { type Cast, PARTNER } from './cast.ts'
import { type Choice, type Choices, type Disaster, drawChoices } from './choices.ts'
import { aheadOf, CLOCKS } from './clocks.ts'
import { auditLimits } from './day-limits.ts'
import { type Market, openMarket, PARTIES, type Stores, WALLET_URL } from './market.ts'
import { limit, openAccount, operators } from './operator-people.ts'
import { AUTHORS } from './parties.ts'
import { drawScene, LIMITS_OF, type Scene } from './scene.ts'
import { SECRET } from './store.ts'

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

const PLAYERS = 3
const DAY_MS = 24 * 3_600_000
/** Milliseconds of faults, and between two audits in them. */
const FAULTS_MS = 120_000
const AUDIT_EVERY_MS = 40_000
/**
 * Milliseconds of calm after which all must be over. A message sent before may still come after 90 s; a claim of a process
 * that died is watched for 8 s; results wait for 60 s at most between two tries (C-5), rollbacks for 6 minutes in all (C-4).
 */
const CALM_MS = 480_000
/** Milliseconds until everybody has heard of what they asked for last. */
const ACTORS_MS = 60_000
/** Milliseconds between two looks whether all is over, and of people at what needs them. */
const LOOK_MS = 10_000

/** `choices`: other ones than the seed's. What the processes draw is the seed's all the same. */
export async function runMarket(seed: number, stores: Stores, choices: Choices = drawChoices()): Promise<RunResult> {
  await stores.wallet.empty()
  await stores.platform.empty()
  const scene = choices.scene(() => drawScene(createRandom(seed, 'scene')))
  const market = openMarket(seed, stores, choices, scene)
  const empty: Cast = { players: [], bets: [], movements: 0, isOver: false }
  const complaints: string[] = []
  try {
    const cast = await begin(market, empty, scene)
    complaints.push(...(await misfortune(market, cast, stores, scene)))
    if (complaints.length === 0) complaints.push(...(await calm(market, cast, stores, scene)))
  } catch (error) {
    complaints.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    market.end()
  }
  const { trace, world } = market
  const told = { story: trace.story(), marks: trace.marks, hash: trace.hash(), choices: choices.made() }
  return { seed, simulatedMs: world.elapsed(), bets: empty.bets.length, complaints, ...told }
}

/** Players with money and frames, over a network on which nothing goes wrong yet. */
async function begin(market: Market, cast: Cast, { hasLimits }: Scene): Promise<Cast> {
  for (const party of PARTIES) await market.until(market.begin(party), 10_000)
  const { platform } = market
  const partner = { partnerId: PARTNER, baseUrl: WALLET_URL, secrets: [SECRET] }
  const now = new Date(world.wall())
  await market.until(platform()?.deciding.partners.save(AUTHORS.platform(), partner, now) ?? Promise.resolve(), 10_000)
  const players = []
  for (let i = 1; i <= PLAYERS; i++)
    players.push(await market.until(openAccount(market, cast, `player ${i}`, 60 * i), 600_000))
  for (const [number, limits] of Object.entries(hasLimits ? LIMITS_OF : {}))
    await market.until(limit(market, cast, `player ${number}`, limits), 60_000)
  return { ...cast, players }
}

/** Complaints. */
async function misfortune(market: Market, cast: Cast, stores: Stores, scene: Scene): Promise<string[]> {
  const actors = [
    ...cast.players.map((player) => bettor(market, cast, player, market.random(player.userId))),
    resultSource(market, cast, market.random('results')),
    traders(market, cast, market.random('traders')),
    operators(market, cast, market.random('operators')),
    disasters(market),
  ]
  const failed: unknown[] = []
  for (const actor of actors) actor.catch((error: unknown) => failed.push(error))
  for (let passed = 0; passed < FAULTS_MS; passed += AUDIT_EVERY_MS) {
    await market.pass(AUDIT_EVERY_MS)
    if (failed.length > 0) throw failed[0]
    const found = [
      ...market.wire.complaints(),
      ...market.pace.complaints(),
      ...(await auditBalances(market, cast.players)),
    ]
    found.push(...(await auditBooks(stores, false)), ...(await auditLimits(stores.wallet.db, scene)))
    if (found.length > 0) return found
  }
  cast.isOver = true
  markDays(market, scene)
  await market.until(Promise.all(actors), ACTORS_MS)
  return []
}

function markDays({ trace, world }: Market, { startsAt }: Scene): void {
  const [from, to] = [startsAt, startsAt + world.elapsed()].map((at) => new Date(at).toISOString())
  if (from?.slice(0, 10) !== to?.slice(0, 10)) trace.mark('a day ends')
  if (from?.slice(0, 7) !== to?.slice(0, 7)) trace.mark('a month ends')
}

/** Deaths, partitions and clocks that are set, drawn at once for the whole time. */
async function disasters(market: Market): Promise<void> {
  const { world, network, trace, choices } = market
  const elapsed = world.elapsed()
  for (const { at, disaster } of choices.disasters(() => drawDisasters(market.random('disasters'), elapsed)))
    world.after(at - elapsed, () => {
      if (disaster.does === 'set clock') return market.setClock(disaster.clock, disaster.byMs)
      if (disaster.does === 'kill') return market.kill(disaster.party, disaster.statements, disaster.downMs)
      trace.note(`a partition of ${disaster.ms} ms`)
      network.partition(disaster.ms)
    })
}

function drawDisasters(random: Random, from: number): { at: number; disaster: Disaster }[] {
  const kills = Array.from({ length: random.below(5) }, () => {
    const [at, party] = [from + random.below(FAULTS_MS), random.pick(PARTIES)]
    const statements = random.chance(0.2) ? {} : { statements: random.below(40) }
    return { at, disaster: { does: 'kill', party, ...statements, downMs: random.between(200, 12_000) } as const }
  })
  const partitions = Array.from({ length: random.below(3) }, () => {
    const at = from + random.below(FAULTS_MS)
    return { at, disaster: { does: 'partition', ms: random.between(2_000, 40_000) } as const }
  })
  const clocks = Array.from({ length: random.below(4) }, () => {
    const [at, clock] = [from + random.below(FAULTS_MS), random.pick(CLOCKS)]
    const far = clock === 'wallet' && random.chance(0.4) ? DAY_MS : random.between(200, 100_000)
    return { at, disaster: { does: 'set clock', clock, byMs: random.chance(0.5) ? far : -far } as const }
  })
  return [...kills, ...partitions, ...clocks]
}

/** Complaints. */
async function calm(market: Market, cast: Cast, stores: Stores, scene: Scene): Promise<string[]> {
  const { world, trace, network } = market
  trace.note('all is calm')
  market.calm()
  const until = world.elapsed() + CALM_MS + Math.max(0, -aheadOf('database of the platform')) // what is due by it comes later
  for (let isOver = false; !isOver; ) {
    if (world.elapsed() > until)
      return [`${await underWay(stores)} deliveries are not over, ${await needsPerson(stores)} need a person`]
    if ((await needsPerson(stores)) > 0) await market.until(putRight(market, cast), 60_000)
    await market.pass(LOOK_MS)
    isOver = network.onTheirWay() + (await underWay(stores)) + (await needsPerson(stores)) === 0
  }
  const watched = [
    ...market.wire.complaints(),
    ...market.pace.complaints(),
    ...(await auditBalances(market, cast.players)),
  ]
  watched.push(...(await auditLimits(stores.wallet.db, scene)))
  return [...watched, ...(await auditBooks(stores, true)), ...(await compareBooks(stores, cast, market.names))]
}
