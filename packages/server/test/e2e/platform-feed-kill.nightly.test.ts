/**
 * The platform's feed is complete after kills (C-14). Two platform processes on one Postgres, both
 * under load, are killed in turn at random moments. One consumer reads pages and another one the
 * stream, from either process.
 *
 * Invariant: the events equal the platform's tables, with no event missing or doubled, and a bet's
 * events are in commit order.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { groupBy } from '@purser/runtime/group'
import { request as send } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BothSides, bothSides } from '../support/both-sides.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type PlatformProcess, spawnPlatform } from '../support/platform-process.ts'
import { seededRandom } from '../support/random.ts'
import { refusal, reset, type ScriptedWallet, startScriptedWallet, status } from '../support/scripted-wallet.ts'

type Bet = Readonly<Record<string, string>>

interface Change {
  readonly id: string
  readonly event: string
  readonly bet?: Bet
  readonly delivery?: Readonly<Record<string, string>>
}

const KILLS = 6
const BETTORS = 8
const EVENTS = 6
/** Bets of both processes before a kill; most are several events. */
const BETS_A_KILL = 40
/** Longest random time of the load before a kill. */
const LONGEST_MS = 1_500
/** A dead process's Place bet is given up after its lease of 8 s, and then rolled back. */
const QUIET_WITHIN_MS = 60_000

const random = seededRandom('platform feed and kills')
let database: TestDatabase
let wallet: ScriptedWallet
let both: BothSides
let platforms: [PlatformProcess, PlatformProcess]
let frame: string

beforeAll(async () => {
  database = await createDatabase()
  both = await bothSides(database.url)
  wallet = await startScriptedWallet()
  const first = await spawnPlatform(database.url)
  platforms = [first, await spawnPlatform(database.url)]
  frame = await first.api.loadFrame(await first.api.savePartner(wallet))
})
afterAll(async () => {
  for (const platform of platforms ?? []) await platform.kill('SIGKILL')
  await both?.close()
  await wallet?.stop()
  await database?.drop()
})

const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T

/** Lets some calls fail or be rejected. */
function disturb(): void {
  for (const operation of ['place', 'settle', 'rollback'] as const)
    if (random.chance(0.1)) wallet.next(operation, pick([reset, status(500), operation === 'place' ? refusal(7) : {}]))
}

/** Places bets on few events, settles, corrects or cancels them, until its process is dead. */
async function bettor({ api }: PlatformProcess): Promise<void> {
  for (;;) {
    disturb()
    const eventId = `event ${random.below(EVENTS)}`
    const selections = [
      { eventId: random.chance(0.3) ? `of ${random.below(1e9)}` : eventId, outcomeId: 'home', coefficient: '2.5' },
    ]
    const { betId, status: placed } = await api.place(frame, { selections })
    if (placed === 'accepted' && random.chance(0.2)) await api.cancel(betId, 9).catch(notPossible)
    if (placed === 'accepted' && random.chance(0.2)) await api.settle(betId, 'won', '25.00').catch(notPossible)
    if (random.chance(0.1)) await api.results(eventId, pick([{ home: 'won' }, { home: 'lost' }, {}] as const))
    if (random.chance(0.1)) await winTwice(api, betId, eventId)
    if (random.chance(0.1)) await api.event(eventId, { status: 'open' })
  }
}

/**
 * Settles by the event, and by hand with the same amount, so that the partner gets no new call
 * (W-17).
 */
async function winTwice(api: PlatformProcess['api'], betId: string, eventId: string): Promise<void> {
  await api.results(eventId, { home: 'won' })
  await api.settle(betId, 'won', '25.00').catch(notPossible)
}

/** The bet was decided meanwhile. */
function notPossible(error: Error): void {
  if (!error.message.includes('409')) throw error
}

function startLoad(platform: PlatformProcess): Promise<unknown> {
  return Promise.all(Array.from({ length: BETTORS }, () => bettor(platform).catch(() => {})))
}

async function killInTurn(): Promise<void> {
  const loads = platforms.map(startLoad)
  for (let kill = 0; kill < KILLS; kill++) {
    const before = wallet.of('place').length
    await expect.poll(() => wallet.of('place').length - before).toBeGreaterThan(BETS_A_KILL)
    await sleep(random.below(LONGEST_MS))
    const which = kill % 2 === 0 ? 0 : 1
    await platforms[which].kill('SIGKILL')
    await loads[which]
    platforms[which] = await spawnPlatform(database.url)
    if (kill < KILLS - 1) loads[which] = startLoad(platforms[which])
  }
  const other = KILLS % 2
  await platforms[other === 0 ? 0 : 1].kill('SIGKILL')
  await Promise.all(loads)
  platforms[other === 0 ? 0 : 1] = await spawnPlatform(database.url)
}

/** If a process does not answer, it reads from the other process, after the last received event. */
async function followPages(isOver: () => boolean): Promise<Change[]> {
  const kept: Change[] = []
  for (let turn = 0; ; turn++) {
    const wasOver = isOver()
    const path = `/changes?limit=${1 + random.below(400)}&wait=1&after=${kept.at(-1)?.id ?? '0'}`
    const answer = await platforms[turn % 2 === 0 ? 0 : 1].api.request('GET', path).catch(() => undefined)
    if (answer?.status !== 200) {
      await sleep(20)
      continue
    }
    const { data } = answer.body as unknown as { data: Change[] }
    kept.push(...data)
    if (wasOver && data.length === 0) return kept
  }
}

async function followStream(kept: Change[], stop: AbortSignal): Promise<void> {
  for (let turn = 0; !stop.aborted; turn++) {
    const { url, key } = platforms[turn % 2 === 0 ? 0 : 1]
    await readStream(`${url}/changes/stream`, key, kept, stop).catch(() => sleep(20))
  }
}

/** Ends when the stream breaks. */
async function readStream(url: string, key: string, kept: Change[], signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'last-event-id': kept.at(-1)?.id ?? '0' }
  const reply = await send(url, { headers, signal })
  let rest = ''
  for await (const chunk of reply.body) {
    const blocks = (rest + String(chunk)).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks.filter((one) => one.startsWith('id: ')))
      kept.push(JSON.parse(block.slice(block.indexOf('\ndata: ') + 7)) as Change)
  }
}

test(`the events of consumers equal the tables of the platform after ${KILLS} kills`, {
  timeout: 180_000,
}, async () => {
  let isOver = false
  const [streamed, stop] = [[] as Change[], new AbortController()]
  const [reading, streaming] = [followPages(() => isOver), followStream(streamed, stop.signal)]
  await killInTurn()
  await both.quiet(QUIET_WITHIN_MS)
  isOver = true
  const pages = await reading
  await expect.poll(() => streamed.length, { timeout: 30_000 }).toBe(pages.length)
  stop.abort()
  await streaming
  expect(streamed).toEqual(pages)
  expect(pages.length).toBeGreaterThan(KILLS * BETS_A_KILL)
  expect(pages.map(({ id }) => id)).toEqual(pages.map((_, i) => String(i + 1)))
  await expectBets(pages)
  await expectDeliveries(pages)
})

interface BetRow extends Record<string, unknown> {
  bet_id: string
  status: string
  payout: string | null
  deliveries: number
}

/** Each bet equals its last event and has an event for each decision. */
async function expectBets(pages: readonly Change[]): Promise<void> {
  const bets = await both.query<BetRow>(
    'select bet_id, status, round(payout / 100.0, 2)::text as payout, deliveries from platform.bet',
  )
  const eventsById = groupBy(
    pages.flatMap(({ bet }) => (bet === undefined ? [] : [bet])),
    ({ betId = '' }) => betId,
  )
  expect(eventsById.size).toBe(bets.length)
  for (const { bet_id, status, payout, deliveries } of bets) {
    const events = eventsById.get(bet_id) ?? []
    expect([bet_id, events.at(-1)?.status, events.at(-1)?.payout ?? null]).toEqual([bet_id, status, payout])
    // The Place bet is a delivery, but a bet that was never accepted has only its last event.
    const decisions = events.filter((event, i) => i === 0 || isForPartner(event, events[i - 1]))
    expect([bet_id, decisions.length]).toEqual([bet_id, events[0]?.status === 'accepted' ? deliveries : 1])
  }
}

/**
 * False for a result that a user repeats by hand. The feed then shows the new decision, but the
 * partner gets no call (W-17).
 */
function isForPartner(event: Bet, before: Bet | undefined): boolean {
  return ['status', 'payout', 'resultType'].some((member) => event[member] !== before?.[member])
}

/** Each delivery ends once, after its decision, and a bet's deliveries end in order (C-6). */
async function expectDeliveries(pages: readonly Change[]): Promise<void> {
  const rows = await both.query<{ delivery_id: string; bet_id: string; status: string }>(
    `select delivery_id::text, bet_id, status from platform.delivery where operation <> 'place' order by bet_id, number`,
  )
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['done']))
  const decided = groupBy(rows, (row) => row.bet_id)
  const eventsById = groupBy(pages, ({ bet, delivery }) => (bet ?? delivery)?.betId ?? '')
  for (const [betId, events] of eventsById) {
    const ends = events.flatMap(({ delivery }) => (delivery === undefined ? [] : [delivery.deliveryId]))
    expect(ends).toEqual((decided.get(betId) ?? []).map((row) => row.delivery_id))
    const kinds = events.map(({ event }) => event.slice(0, event.indexOf('.')))
    expect(isInOrder(events[0]?.event === 'bet.accepted' ? kinds.slice(1) : kinds), `${betId}: ${kinds}`).toBe(true)
  }
}

/** At any time, no more deliveries have ended than were decided. */
function isInOrder(kinds: readonly string[]): boolean {
  let open = 0
  return kinds.every((kind) => {
    open += kind === 'bet' ? 1 : -1
    return open >= 0
  })
}
