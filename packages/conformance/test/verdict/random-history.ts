/**
 * Plays random calls with every kind of trouble: repeats, lost and late answers, calls at once and
 * out of order, corrected results, wrong signatures.
 */
import { createRandom } from '@purser/runtime/seeded-random'
import type { SentRequest } from '../../src/http-exchange.ts'
import {
  type BetPlayer,
  type LiveWallet,
  placeBet,
  readBalance,
  rollbackBet,
  type SendOptions,
  sendCall,
  settleBet,
  unsettleBet,
} from './live-wallet.ts'

export interface HistoryOptions {
  readonly seed: number
  readonly bursts: number
  /** Share of the bursts after which the balance is read. 0: no balance is ever read. */
  readonly reads?: number
  /** Written stakes and payouts. */
  readonly stakes?: readonly string[]
  readonly payouts?: readonly string[]
}

interface KnownBet {
  readonly betId: string
  readonly stake: string
  readonly sent: { readonly request: SentRequest; readonly options: SendOptions }[]
}

interface Play {
  readonly live: LiveWallet
  readonly player: BetPlayer
  readonly bets: KnownBet[]
  readonly late: Promise<unknown>[]
  readonly chance: (share: number) => boolean
  readonly pick: <T>(all: readonly T[]) => T
  readonly stakes: readonly string[]
  readonly payouts: readonly string[]
}

export async function playHistory(live: LiveWallet, options: HistoryOptions): Promise<void> {
  const { seed, bursts, reads = 0.5, stakes = STAKES, payouts = PAYOUTS } = options
  const { pick, chance } = createRandom(seed, 'history')
  const plays: Play[] = live.players.map((player) => ({
    live,
    player,
    bets: [],
    late: [],
    chance,
    pick,
    stakes,
    payouts,
  }))
  for (let burst = 0; burst < bursts; burst++) {
    await Promise.all(plays.map((play) => playBurst(play)))
    if (!chance(reads)) continue
    for (const { player } of plays) await readBalance(live, player)
  }
  await Promise.all(plays.flatMap(({ late }) => late))
  if (reads > 0) for (const { player } of plays) await readBalance(live, player)
}

const STAKES = ['10', '10.0', '0.29', '25', '99.99', '300', '5']
const PAYOUTS = ['0', '20', '1.15', '150', '10', '99.99']

async function playBurst(play: Play): Promise<void> {
  const count = play.pick([1, 1, 1, 2, 3, 5])
  const calls = Array.from({ length: count }, () => chooseCall(play))
  const isTogether = play.chance(0.6)
  const running: Promise<unknown>[] = []
  for (const { request, options } of calls) {
    const sending = sendCall(play.live, request, options)
    if (options.loses === 'late') play.late.push(sending)
    else if (isTogether) running.push(sending)
    else await sending
  }
  await Promise.all(running)
}

type PlannedCall = KnownBet['sent'][number]

function chooseCall(play: Play): PlannedCall {
  const { bets, chance, pick } = play
  const recent = bets.slice(-6)
  const bet = recent.length === 0 || chance(0.25) ? addBet(play) : pick(recent)
  const isRepeat = bet.sent.length > 0 && chance(0.25)
  const planned = isRepeat ? pick(bet.sent) : { request: buildCall(play, bet), options: chooseOptions(play) }
  bet.sent.push(planned)
  return { ...planned, options: isRepeat ? { ...chooseOptions(play), ...keepMarks(planned) } : planned.options }
}

function keepMarks({ options: { marks } }: PlannedCall): SendOptions {
  return marks === undefined ? {} : { marks }
}

function addBet({ bets, pick, stakes }: Play): KnownBet {
  const bet = { betId: crypto.randomUUID(), stake: pick(stakes), sent: [] }
  bets.push(bet)
  return bet
}

function chooseOptions({ chance, pick }: Play): SendOptions {
  const loses = chance(0.06) ? ({ loses: 'answer' } as const) : chance(0.03) ? ({ loses: 'late' } as const) : {}
  return { delays: [pick([0, 0, 1, 2, 5]), pick([0, 0, 1, 2, 5])], ...loses }
}

function buildCall(play: Play, { betId, stake, sent }: KnownBet): SentRequest {
  const { live, player, chance, pick, payouts } = play
  const isNew = sent.length === 0
  const roll = pick(isNew ? FIRST_CALLS : NEXT_CALLS)
  const secret = chance(0.03) ? { secret: 'another secret' } : {}
  switch (roll) {
    case 'place':
      return placeBet(live, player, betId, stake, secret)
    case 'other stake':
      return placeBet(live, player, betId, '7', secret)
    case 'settle':
      return settleBet(live, player, betId, pick(payouts), secret)
    case 'cashout':
      return settleBet(live, player, betId, pick(payouts), { resultType: 'cashout', ...secret })
    case 'refund':
      return settleBet(live, player, betId, stake, { resultType: 'refund', ...secret })
    case 'unsettle':
      return unsettleBet(live, player, betId, stake, secret)
    case 'rollback':
      return rollbackBet(live, player, betId, stake, secret)
    default:
      return roll satisfies never
  }
}

const FIRST_CALLS = ['place', 'place', 'place', 'place', 'place', 'place', 'rollback', 'settle', 'unsettle'] as const
const NEXT_CALLS = [
  ...(['place', 'place', 'other stake', 'settle', 'settle', 'settle', 'settle'] as const),
  ...(['cashout', 'refund', 'unsettle', 'rollback', 'rollback'] as const),
]
