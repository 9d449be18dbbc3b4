/**
 * Simulated bettors who play with the players of a foreign wallet. Their money is finite: stakes
 * are small, and the results keep the balance near its start.
 *
 * Each player has rounds. In a round every bettor of the player plays one bet at the same time, and
 * then the balance is read, because it can only be compared while no call is in progress.
 */
import { formatMoney, type Money } from '@purser/protocol/values/money'
import { errorText } from '@purser/runtime/errors/error-text'
import { createRandom, type Random } from '@purser/runtime/seeded-random'
import { sleepUntil } from '../bettors/abortable-wait.ts'
import type { FrameBetEnding } from '../frame/frame-bets.ts'
import type { BalanceReads } from './balance-reads.ts'
import type { DevServers } from './dev-servers.ts'
import type { DevPlayer } from './players/dev-player.ts'
import { DEV_TROUBLES, type DevTroubleName, QUICK_LATE_CALL } from './troubles/dev-troubles.ts'
import { playTrouble } from './troubles/trouble-run.ts'
import type { WalletWatch } from './wallet-watch.ts'

export interface DevBettorsDeps {
  readonly servers: DevServers
  readonly watch: WalletWatch
  readonly balances: BalanceReads
  readonly players: readonly DevPlayer[]
  note(sentence: string): void
}

export interface DevBettorsOptions {
  readonly bettors: number
  /** Fraction of calls that get a fault; twice as many bets get a trouble. */
  readonly faults: number
  readonly seed: number
  readonly signal: AbortSignal
}

/** Milliseconds between two rounds of a player. */
const ROUND_GAP_MS = { least: 50, most: 400 }
/** Milliseconds that stand for the minute of a trouble. */
const SHORT_MINUTE_MS = 4_000
/** A stake is at most this part of the balance. */
const LARGEST_SHARE = 100n
/** Minor units of the largest stake, if the balance is unknown. */
const LARGEST_UNKNOWN = 500n
/** Major units. */
const LARGEST_STAKE = 20n
const TROUBLES_PER_FAULT = 2
/** Attempts of the platform to deliver a result, until the bettor plays the next bet. */
const MAX_ATTEMPTS = 2

/** Endings of a bet in the order in which they happen, with their weights. */
const LIVES: readonly (readonly [weight: number, endings: readonly FrameBetEnding[]])[] = [
  [22, ['won']],
  [20, ['lost']],
  [10, ['refund']],
  [8, ['cashout']],
  [10, ['cancel']],
  [8, ['won', 'correct']],
  [8, ['lost', 'correct']],
  [7, ['won', 'take back', 'won']],
  [7, ['lost', 'take back', 'refund']],
]

/** The trouble of 15 digits needs a person's consent, as it moves a large amount. */
const BETTORS_TROUBLES: readonly (readonly [weight: number, trouble: DevTroubleName | 'quick late call'])[] = [
  [10, 'twice'],
  [8, 'again later'],
  [2, 'late call'],
  [12, 'quick late call'],
  [1, 'late answer'],
  [12, 'rollback after result'],
  [12, 'result after rollback'],
  [10, 'late old result'],
  [14, 'two bets'],
  [5, 'dead token'],
  [4, 'other currency'],
  [4, 'bad signature'],
  [8, 'decimal point'],
  [8, 'finer amount'],
]

/** Resolves after the signal, when the bets in progress have ended. */
export async function simulateDevBettors(deps: DevBettorsDeps, options: DevBettorsOptions): Promise<void> {
  const { players } = deps
  const { bettors, seed } = options
  const counts = players.map((_, i) => Math.floor(bettors / players.length) + (i < bettors % players.length ? 1 : 0))
  const playing = players.map((player, i) =>
    (counts[i] ?? 0) > 0
      ? playRounds(deps, options, player, counts[i] ?? 0, createRandom(seed, `bettors of ${i}`))
      : undefined,
  )
  await Promise.all(playing)
}

async function playRounds(
  deps: DevBettorsDeps,
  { faults, signal }: DevBettorsOptions,
  player: DevPlayer,
  count: number,
  random: Random,
): Promise<void> {
  const { watch, balances, note } = deps
  const start = player.balance
  let lastFault = ''
  const play = async () => {
    try {
      await playOneBet(deps, player, { random, faults, start })
    } catch (error) {
      const text = errorText(error)
      if (signal.aborted) return
      if (text !== lastFault) note(`A bettor could not play: ${text}`)
      lastFault = text
    }
  }
  while (!signal.aborted) {
    await watch.whenUp(signal)
    await Promise.all(Array.from({ length: count }, play))
    await balances.settled(player)
    await sleepUntil(Date.now() + random.between(ROUND_GAP_MS.least, ROUND_GAP_MS.most), signal)
  }
}

interface BetDraw {
  readonly random: Random
  readonly faults: number
  /** The balance at the start. */
  readonly start: bigint | undefined
}

async function playOneBet(deps: DevBettorsDeps, player: DevPlayer, draw: BetDraw): Promise<void> {
  const { random, faults } = draw
  const { servers, balances } = deps
  const stake = drawStake(random, player)
  if (random.chance(faults * TROUBLES_PER_FAULT)) {
    const name = drawWeighted(random, BETTORS_TROUBLES)
    if (name === 'two bets' && !balances.isAvailable()) return
    const context = { servers, balances, player, minuteMs: SHORT_MINUTE_MS, stake }
    const betIds = await playTrouble(name === 'quick late call' ? QUICK_LATE_CALL : DEV_TROUBLES[name], context)
    if (name === 'twice')
      for (const betId of betIds) await player.bets.end(betId, drawEnding(draw, player)[0] ?? 'won', MAX_ATTEMPTS)
    return
  }
  const { id: matchId } = await servers.matches.createOwnMatch()
  const request = { matchId, outcome: random.pick(['home', 'away'] as const), stake: toText(stake, player) }
  const { betId, status } = await player.bets.placeWithRetry(request)
  if (status !== 'accepted') return
  for (const ending of drawEnding(draw, player)) await player.bets.end(betId, ending, MAX_ATTEMPTS)
}

function drawStake(random: Random, { balance, scale }: DevPlayer): bigint {
  const largest = LARGEST_STAKE * 10n ** BigInt(scale)
  const share = balance === undefined ? LARGEST_UNKNOWN : balance / LARGEST_SHARE
  const bound = share < largest ? share : largest
  return 1n + BigInt(random.below(bound > 1n ? Number.parseInt(`${bound}`, 10) : 1))
}

function toText(units: bigint, { scale }: DevPlayer): string {
  return formatMoney(units as Money, scale)
}

/** A poor player wins or gets the stake back, a rich one loses. */
function drawEnding({ random, start }: BetDraw, { balance }: DevPlayer): readonly FrameBetEnding[] {
  const endings = drawWeighted(random, LIVES)
  if (start === undefined || balance === undefined || endings.length > 1) return endings
  if (balance * 10n < start * 9n && endings[0] === 'lost') return ['won']
  if (balance * 10n > start * 11n && endings[0] === 'won') return ['lost']
  return endings
}

function drawWeighted<T>(random: Random, entries: readonly (readonly [weight: number, value: T])[]): T {
  let rest = random.below(entries.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, value] of entries) {
    rest -= weight
    if (rest < 0) return value
  }
  throw new Error('the weights are empty')
}
