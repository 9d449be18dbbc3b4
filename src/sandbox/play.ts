/** The simulated operation, step by step: matches go on, bettors bet, all through the HTTP APIs of wallet and platform. */
import { randomUUID } from 'node:crypto'
import { replyCode } from '../protocol/codes.ts'
import { errorText } from '../runtime/error-text.ts'
import { createRandom, type Random } from '../runtime/random.ts'
import type { Api } from './api.ts'
import { createFixtures, type Happening, type Match, OUTCOMES, STEPS_PER_SECOND } from './fixtures.ts'
import { loadFrame } from './load-frame.ts'
import { renewed } from './renewed.ts'
import type { Entry, House } from './stage.ts'
import type { Story } from './story.ts'
import { waitUntil } from './wait.ts'
import type { Watch, Watched } from './watch.ts'
import { BETTORS, type BettorPlan, cashOutAmount, chooseWish, priceText, topUpAmount, type Wish } from './wishes.ts'

export interface PlayOptions {
  readonly seed: number
  /** Bets per second. */
  readonly rate: number
  /** Seconds; 0 goes on until the signal. */
  readonly duration: number
  readonly signal: AbortSignal
}

export interface PlayDeps {
  /** The operators; the bettors are spread over them. */
  readonly houses: readonly House[]
  readonly platform: Api
  readonly watch: Watch
  readonly story: Story
}

/** Bets that are being placed at once; more are left out. */
const MAX_PLACING = 64

/** Steps after which a rate that was not kept is said. */
const STEPS_PER_PACE = 10 * STEPS_PER_SECOND

interface Play extends PlayDeps {
  /** Bets left out, and steps, since the pace was looked at. */
  leftOut: number
  steps: number
  readonly frames: Map<string, () => Promise<string>>
  /** Bets that are being placed, and what they start. */
  readonly under: Set<Promise<void>>
  /** Calls about a match go out in order. */
  readonly matchCalls: Map<string, Promise<unknown>>
  /** Cashouts whose time has not come. */
  readonly cashOuts: Set<NodeJS.Timeout>
}

/** Resolves when the time is up or the signal came, and every call of ours has been answered. */
export async function play(deps: PlayDeps, { seed, rate, duration, signal }: PlayOptions): Promise<void> {
  const game: Play = {
    ...deps,
    frames: new Map(),
    under: new Set(),
    matchCalls: new Map(),
    leftOut: 0,
    steps: 0,
    cashOuts: new Set(),
  }
  await Promise.all(BETTORS.map((bettor) => createBettor(game, bettor)))
  const fixtures = createFixtures(createRandom(seed, 'fixtures'), `match-${randomUUID().slice(0, 8)}`)
  const random = createRandom(seed, 'bettors')
  const startedAt = Date.now()
  const steps = duration === 0 ? Number.POSITIVE_INFINITY : duration * STEPS_PER_SECOND
  for (let step = 0; step < steps && !signal.aborted; step++) {
    for (const happening of fixtures.advance()) happen(game, happening)
    for (let i = betsBefore(step, rate); i < betsBefore(step + 1, rate); i++) bet(game, random, fixtures.open())
    if (++game.steps === STEPS_PER_PACE) tellPace(game, rate)
    await waitUntil(startedAt + ((step + 1) * 1000) / STEPS_PER_SECOND, signal)
  }
  tellPace(game, rate)
  while (game.under.size > 0) await Promise.all(game.under)
  for (const timer of game.cashOuts) clearTimeout(timer) // nobody counts any more what they would do
  await Promise.all(game.matchCalls.values())
}

/** A rate that cannot be kept is never lowered in silence. */
function tellPace(game: Play, rate: number): void {
  const { leftOut, steps, story } = game
  const seconds = steps / STEPS_PER_SECOND
  const reached = Math.floor(((rate * seconds - leftOut) / seconds) * 10) / 10
  if (leftOut > 0)
    story.note(
      `the rate of ${rate} bets a second cannot be kept: ${reached} a second in the last ${seconds} s, because ${MAX_PLACING} bets were still being placed`,
    )
  game.leftOut = 0
  game.steps = 0
}

function betsBefore(step: number, rate: number): number {
  return Math.floor((step * rate) / STEPS_PER_SECOND)
}

/** A player of earlier runs is taken as it is. */
async function createBettor(game: Play, { userId, currency, unit, scale }: BettorPlan): Promise<void> {
  const customFields = { nickname: userId }
  await houseOf(game, userId).wallet.get('POST', '/operator/players', { userId, currency, customFields }, [409])
  await deposit(game, userId, currency, topUpAmount(unit, scale))
  await giveFrame(game, userId)
}

function houseOf({ houses }: Play, userId: string): House {
  const number = BETTORS.findIndex((bettor) => bettor.userId === userId)
  return houses[number % houses.length] as House
}

/** Who was blocked by hand gets none (O-3). */
async function deposit(game: Play, userId: string, currency: string, amount: string): Promise<void> {
  const body = { currency, amount, reference: `sandbox-${randomUUID()}` }
  await houseOf(game, userId).wallet.get('POST', `/operator/players/${userId}/deposits`, body, [409])
}

async function giveFrame(game: Play, userId: string): Promise<void> {
  const frame = renewed(() => newFrame(game, userId))
  await frame()
  game.frames.set(userId, frame)
}

/** The operator's site gives the frame a session token; the platform asks the partner who that is. */
async function newFrame(game: Play, userId: string): Promise<string> {
  const { wallet, partnerId, enter } = houseOf(game, userId)
  const session = await wallet.get<Entry>('POST', `/operator/players/${userId}/sessions`, {})
  const { token } = await enter(session)
  return loadFrame(game.platform, partnerId, token)
}

function happen(game: Play, happening: Happening): void {
  const { match } = happening
  const before = game.matchCalls.get(match.id) ?? Promise.resolve()
  const isLast = 'isLast' in happening && happening.isLast
  const call = before
    .then(() => tellPlatform(game.platform, happening))
    .then(() => {
      game.story.match(happening)
      if (!isLast) return
      game.watch.matchIsOver(match.id)
      game.matchCalls.delete(match.id)
    })
    .catch((error: unknown) => game.story.note(`a match could not be told: ${errorText(error)}`))
  game.matchCalls.set(match.id, call)
}

async function tellPlatform(platform: Api, happening: Happening): Promise<void> {
  const { kind, match } = happening
  const event = `/events/${match.id}`
  if (kind === 'opens' || kind === 'odds') {
    const outcomes = OUTCOMES.map((outcomeId) => ({ outcomeId, coefficient: priceText(match.prices[outcomeId]) }))
    await platform.get('PUT', event, { status: 'open', outcomes })
  } else if (kind === 'withdrawn') await platform.get('PUT', event, { status: 'withdrawn' })
  else await platform.get('POST', `${event}/result`, { outcomes: resultsOf(happening) })
}

function resultsOf(happening: Happening): { outcomeId: string; result: 'won' | 'lost' | 'refund' }[] {
  if (happening.kind === 'refunded') return OUTCOMES.map((outcomeId) => ({ outcomeId, result: 'refund' }))
  if (happening.kind !== 'result') return []
  return OUTCOMES.map((outcomeId) => ({ outcomeId, result: outcomeId === happening.winner ? 'won' : 'lost' }))
}

function bet(game: Play, random: Random, open: readonly Match[]): void {
  const wish = chooseWish(random, open)
  if (game.under.size >= MAX_PLACING) {
    game.leftOut += 1
    return
  }
  const work: Promise<void> = place(game, wish)
    .catch((error: unknown) => game.story.note(`a bet could not be placed: ${errorText(error)}`))
    .finally(() => game.under.delete(work))
  game.under.add(work)
}

interface Placed {
  readonly betId: string
  readonly status: Watched['status']
  readonly reason?: string
}

async function place(game: Play, wish: Wish): Promise<void> {
  const { bettor, stake, picks } = wish
  await Promise.all(picks.map(({ match }) => game.matchCalls.get(match.id)))
  const selections = picks.map(({ match, outcome, odds }) => ({
    ...{ eventId: match.id, outcomeId: outcome, coefficient: odds, outcome },
    ...{ discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' },
  }))
  const { betId, status, reason } = await game.platform.get<Placed>('POST', '/bets', {
    frameSessionId: await game.frames.get(bettor.userId)?.(),
    amount: stake,
    selections,
    idempotencyKey: randomUUID(),
  })
  const watched = game.watch.add(betId, wish, status)
  if (status === 'accepted') planCashOut(game, watched)
  if (status === 'declined' && reason === HAS_NO_MONEY) await refill(game, bettor)
}

/** Of a bet that the wallet declined. */
const HAS_NO_MONEY = `partner code ${replyCode('not_enough_money')}`

/** Who has run out of money pays in again, and loads the frame anew. */
async function refill(game: Play, { userId, currency, unit, scale }: BettorPlan): Promise<void> {
  await deposit(game, userId, currency, topUpAmount(unit, scale))
  await giveFrame(game, userId)
}

/** The money is offered as long as no match of the bet is over; what happened since is seen by its life. */
function planCashOut(game: Play, watched: Watched): void {
  const { cashOutAfter } = watched.wish
  if (cashOutAfter === null) return
  const timer = setTimeout(
    () => {
      game.cashOuts.delete(timer)
      const work: Promise<void> = cashOut(game, watched)
        .catch(() => {})
        .finally(() => game.under.delete(work))
      game.under.add(work)
    },
    (cashOutAfter * 1000) / STEPS_PER_SECOND,
  )
  game.cashOuts.add(timer.unref())
}

async function cashOut(game: Play, watched: Watched): Promise<void> {
  const { wish, betId, status } = watched
  const isOpen = status === 'accepted' && watched.undecided.size === wish.picks.length
  if (!isOpen || watched.isDue) return
  const amount = cashOutAmount(wish)
  await game.platform.get('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount })
}
