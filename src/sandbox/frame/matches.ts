/** The frame's matches: always as many to bet on; odds move, but never while a bet is being placed. A match that is over makes room for the next. */
import { randomUUID } from 'node:crypto'
import type { Random } from '../../runtime/random.ts'
import type { Api } from '../api.ts'
import { priceText } from '../wishes.ts'

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
/** Milliseconds between two moves of the odds. */
const MOVE_MS = 2_500

export interface FrameMatch {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly odds: Readonly<Record<Outcome, string>>
  /** Where the odds went last. */
  readonly moved: Readonly<Record<Outcome, -1 | 0 | 1>>
}

export interface Matches {
  open(): readonly FrameMatch[]
  find(id: string): FrameMatch
  /** One more, which is not offered: no bet but those of who asked for it can be on it. Its odds stay. */
  own(): Promise<FrameMatch>
  /** Nothing moves while this works. */
  still<T>(work: () => Promise<T>): Promise<T>
  /** The winner; undefined takes the result back. */
  result(id: string, winner: Outcome | undefined): Promise<void>
  stop(): Promise<void>
}

interface Running {
  readonly id: string
  readonly pair: readonly [string, string]
  prices: Record<Outcome, number>
  before: Record<Outcome, number>
}

export async function createMatches(platform: Api, random: Random): Promise<Matches> {
  const run = randomUUID().slice(0, 8)
  let made = 0
  let stills = 0
  let moving: Promise<void> = Promise.resolve()
  const all = new Map<string, Running>()
  const open: Running[] = []
  const tell = ({ id, prices }: Running) => {
    const outcomes = OUTCOMES.map((outcomeId) => ({ outcomeId, coefficient: priceText(prices[outcomeId]) }))
    return platform.get('PUT', `/events/${id}`, { status: 'open', outcomes })
  }
  const make = async (): Promise<Running> => {
    const prices = { home: random.between(150, 320), draw: random.between(290, 390), away: random.between(180, 420) }
    const pair = PAIRS[made % PAIRS.length] as (typeof PAIRS)[number]
    made += 1
    const one: Running = { id: `frame-${run}-${made}`, pair, prices, before: prices }
    await tell(one)
    all.set(one.id, one)
    return one
  }
  const start = async () => void open.push(await make())
  for (let i = 0; i < OPEN; i++) await start()
  const move = async () => {
    const one = open[random.below(open.length)]
    if (one === undefined || stills > 0) return
    one.before = one.prices
    const step = (price: number) => Math.max(110, Math.floor((price * random.between(960, 1045)) / 1000))
    one.prices = { home: step(one.prices.home), draw: step(one.prices.draw), away: step(one.prices.away) }
    await tell(one)
  }
  const timer = setInterval(() => {
    moving = moving.then(move).catch(() => {}) // the platform is going down
  }, MOVE_MS).unref()
  return {
    open: () => open.map(show),
    find: (id) => show(all.get(id) ?? (open[0] as Running)),
    own: async () => show(await make()),
    async still(work) {
      stills += 1
      await moving
      return work().finally(() => {
        stills -= 1
      })
    },
    async result(id, winner) {
      const outcomes = OUTCOMES.map((outcomeId) => ({ outcomeId, result: outcomeId === winner ? 'won' : 'lost' }))
      await platform.get('POST', `/events/${id}/result`, { outcomes: winner === undefined ? [] : outcomes })
      const place = open.findIndex((one) => one.id === id)
      if (place < 0) return
      open.splice(place, 1)
      await start()
    },
    async stop() {
      clearInterval(timer)
      await moving
    },
  }
}

function show({ id, pair: [home, away], prices, before }: Running): FrameMatch {
  const of = <T>(to: (outcome: Outcome) => T) => ({ home: to('home'), draw: to('draw'), away: to('away') })
  const moved = of((outcome): -1 | 0 | 1 => {
    if (prices[outcome] === before[outcome]) return 0
    return prices[outcome] > before[outcome] ? 1 : -1
  })
  return { id, home, away, odds: of((outcome) => priceText(prices[outcome])), moved }
}
