/**
 * Matches of the demo frame. Their number is constant: a new match replaces an ended one. The odds
 * do not move while a bet is placed.
 */
import { randomUUID } from 'node:crypto'
import type { Random } from '@purser/runtime/seeded-random'
import type { BearerClient } from '../bearer-client.ts'
import { formatPrice } from '../bettors/bettor-behaviour.ts'

const PAIRS = [
  ['Arsenal', 'Chelsea'],
  ['Ajax', 'Porto'],
  ['Lyon', 'Lille'],
  ['Napoli', 'Roma'],
  ['Celtic', 'Rangers'],
  ['Sevilla', 'Betis'],
  ['Benfica', 'Torino'],
  ['Monaco', 'Parma'],
] as const
const OPEN = 4
const OUTCOMES = ['home', 'draw', 'away'] as const
type Outcome = (typeof OUTCOMES)[number]
const MOVE_MS = 2_500

export interface FrameMatch {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly odds: Readonly<Record<Outcome, string>>
  /** Direction of the last move. */
  readonly moved: Readonly<Record<Outcome, -1 | 0 | 1>>
}

export interface FrameMatches {
  open(): readonly FrameMatch[]
  find(id: string): FrameMatch
  /** Creates a match that is not offered, so it has only the caller's bets. Its odds stay. */
  createOwnMatch(): Promise<FrameMatch>
  /** Odds do not move during `work`. */
  withFrozenOdds<T>(work: () => Promise<T>): Promise<T>
  /** An undefined winner withdraws the result. */
  result(id: string, winner: Outcome | undefined): Promise<void>
  /** The match is cancelled: every bet on it gets its stake back. */
  refund(id: string): Promise<void>
  stop(): Promise<void>
}

interface Running {
  readonly id: string
  readonly pair: readonly [string, string]
  prices: Record<Outcome, number>
  before: Record<Outcome, number>
}

export async function createFrameMatches(platform: BearerClient, random: Random): Promise<FrameMatches> {
  const run = randomUUID().slice(0, 8)
  let made = 0
  let stills = 0
  let moving: Promise<void> = Promise.resolve()
  const all = new Map<string, Running>()
  const open: Running[] = []
  const publishOdds = ({ id, prices }: Running) => {
    const outcomes = OUTCOMES.map((outcomeId) => ({ outcomeId, coefficient: formatPrice(prices[outcomeId]) }))
    return platform.fetchJson('PUT', `/events/${id}`, { status: 'open', outcomes })
  }
  const make = async (): Promise<Running> => {
    const prices = { home: random.between(150, 320), draw: random.between(290, 390), away: random.between(180, 420) }
    const pair = PAIRS[made % PAIRS.length] as (typeof PAIRS)[number]
    made += 1
    const match: Running = { id: `frame-${run}-${made}`, pair, prices, before: prices }
    await publishOdds(match)
    all.set(match.id, match)
    return match
  }
  const start = async () => void open.push(await make())
  const publishResult = async (id: string, toResult: (outcomeId: Outcome) => 'won' | 'lost' | 'refund' | undefined) => {
    const outcomes = OUTCOMES.flatMap((outcomeId) => {
      const result = toResult(outcomeId)
      return result === undefined ? [] : [{ outcomeId, result }]
    })
    await platform.fetchJson('POST', `/events/${id}/result`, { outcomes })
    const place = open.findIndex((match) => match.id === id)
    if (place < 0) return
    open.splice(place, 1)
    await start()
  }
  for (let i = 0; i < OPEN; i++) await start()
  const move = async () => {
    const match = open[random.below(open.length)]
    if (match === undefined || stills > 0) return
    match.before = match.prices
    const step = (price: number) => Math.max(110, Math.floor((price * random.between(960, 1045)) / 1000))
    match.prices = { home: step(match.prices.home), draw: step(match.prices.draw), away: step(match.prices.away) }
    await publishOdds(match)
  }
  const timer = setInterval(() => {
    moving = moving.then(move).catch(() => {}) // the platform is stopping
  }, MOVE_MS).unref()
  return {
    open: () => open.map(toFrameMatch),
    find: (id) => toFrameMatch(all.get(id) ?? (open[0] as Running)),
    createOwnMatch: async () => toFrameMatch(await make()),
    async withFrozenOdds(work) {
      stills += 1
      await moving
      return work().finally(() => {
        stills -= 1
      })
    },
    result: (id, winner) =>
      publishResult(id, (outcomeId) => {
        if (winner === undefined) return undefined
        return outcomeId === winner ? 'won' : 'lost'
      }),
    refund: (id) => publishResult(id, () => 'refund'),
    async stop() {
      clearInterval(timer)
      await moving
    },
  }
}

function toFrameMatch({ id, pair: [home, away], prices, before }: Running): FrameMatch {
  const of = <T>(to: (outcome: Outcome) => T) => ({ home: to('home'), draw: to('draw'), away: to('away') })
  const moved = of((outcome): -1 | 0 | 1 => {
    if (prices[outcome] === before[outcome]) return 0
    return prices[outcome] > before[outcome] ? 1 : -1
  })
  return { id, home, away, odds: of((outcome) => formatPrice(prices[outcome])), moved }
}
