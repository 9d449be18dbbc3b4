/**
 * Fault scenarios that a user of the demo frame runs on the real wallet and platform. A caption
 * then explains the rules and the money. The caption has observed values, and shows when they
 * differ from the rules.
 */
import { conflict } from '../../core/http/api/problem-details.ts'
import type { InjectedFault } from '../wire/fault-proxy.ts'
import type { FaultScenarioContext } from './demo-frame.ts'
import type { FramePlacement } from './frame-bets.ts'
import { FRAME_PLAYER } from './frame-player.ts'
import { killWallet } from './wallet-crash.ts'

export interface Caption {
  readonly title: string
  /** The events and the rules that apply. */
  readonly story: string
  /** The money according to the wallet. */
  readonly money: string
  /** True if everything followed the rules. */
  readonly isAsDemanded: boolean
  readonly betIds: readonly string[]
}

interface FaultScenario {
  readonly title: string
  make(context: FaultScenarioContext): Promise<Caption>
}

const STAKE = '10.00'

export const FAULT_SCENARIOS = {
  'lost answer': createPlacementFault('lost answer', {
    title: 'Lose the next answer',
    story:
      'The wallet debited 10.00 and accepted the bet, but its response was lost. The platform could not know the outcome, so it sent a Rollback. The wallet refunded the stake, once.',
    isAsDemanded: ({ before, after, wallet, platform }) =>
      before === after && wallet === 'cancelled' && platform === 'cancelled',
  }),
  twice: createPlacementFault('twice', {
    title: 'Send it twice',
    story:
      'The same Place bet arrived twice. The wallet debited the stake for the first call. The second call got the same response, with the same time, and debited nothing.',
    isAsDemanded: ({ taken, wallet }) => taken === 1 && wallet === 'open',
  }),
  'late answer': createPlacementFault('late answer', {
    title: 'Answer after 6 s',
    story:
      'The wallet debited 10.00, but it responded after the platform’s timeout of 5 s. The platform treated this as no response and sent a Rollback. The wallet refunded the stake.',
    isAsDemanded: ({ before, after, wallet, platform }) =>
      before === after && wallet === 'cancelled' && platform === 'cancelled',
  }),
  'late call': createPlacementFault('late call', {
    title: 'Rollback first',
    story:
      'The Place bet was delayed, so its Rollback arrived first. The wallet had nothing to refund and recorded the cancellation. When the Place bet arrived, the wallet declined it (code 8) and debited nothing.',
    isAsDemanded: ({ before, after, wallet, taken, isPlaced }) =>
      before === after && wallet === 'cancelled' && taken === 0 && isPlaced,
  }),
  correct: { title: 'Correct the result', make: (context) => changeResultAfterWin(context, 'correct') },
  'take back': { title: 'Unsettle', make: (context) => changeResultAfterWin(context, 'take back') },
  'two bets': { title: 'Two bets of 80 on 100', make: placeTwoBets },
  kill: { title: 'Kill the wallet', make: killWallet },
} as const satisfies Record<string, FaultScenario>
export type FaultScenarioName = keyof typeof FAULT_SCENARIOS

interface FaultScenarioResult {
  readonly before: string
  readonly after: string
  readonly wallet: string
  readonly platform: string
  /** Number of stake transfers. */
  readonly taken: number
  /** True if the wallet has received the Place bet. */
  readonly isPlaced: boolean
}

interface PlacementFault {
  readonly title: string
  readonly story: string
  isAsDemanded(found: FaultScenarioResult): boolean
}

function createPlacementFault(fault: InjectedFault, { title, story, isAsDemanded }: PlacementFault): FaultScenario {
  return {
    title,
    async make(context) {
      const paidIn = await ensureFunds(context)
      const before = await context.balance()
      context.callLog.injectFault(fault)
      const { betId } = await placeOnOwnMatch(context)
      await context.bets.settled(betId)
      const { status: wallet, taken, isPlaced } = await awaitStake(context, betId, fault === 'late call')
      const { status: platform } = await context.platform.fetchJson<{ status: string }>('GET', `/bets/${betId}`)
      const after = await context.balance()
      const found = { before, after, wallet, platform, taken, isPlaced }
      const money = `${paidIn}${describeBalance(found)}`
      return { title, story, money, isAsDemanded: isAsDemanded(found), betIds: [betId] }
    },
  }
}

/**
 * Without money the bet would be declined and the story would be wrong. Returns a sentence about
 * the deposit.
 */
async function ensureFunds(context: FaultScenarioContext): Promise<string> {
  const balance = await context.balance()
  if (!(await context.payInUnless(STAKE))) return ''
  return `The balance was ${balance}, so 100.00 was deposited first. `
}

/** Uses a match without other bets, so that its result decides no other bet. */
async function placeOnOwnMatch(
  context: FaultScenarioContext,
  stake = STAKE,
): Promise<{ betId: string; matchId: string }> {
  const { id: matchId } = await context.matches.createOwnMatch()
  const placed = await context.bets.placeWithRetry({ matchId, outcome: 'home', stake })
  requireAccepted(placed)
  return { betId: placed.betId, matchId }
}

/** A declined bet, for example of a blocked player, has no such story. */
function requireAccepted({ status, reason }: FramePlacement): void {
  if (status !== 'declined') return
  throw conflict(
    'bet_refused',
    `the wallet declined the Place bet (${reason ?? 'no reason given'}); no money was taken`,
  )
}

interface WalletBetView {
  readonly status: string
  readonly history: readonly { readonly operation: string; readonly transfers: readonly { readonly kind: string }[] }[]
}

const POLL_MS = 60
const LATE_MS = 20_000

async function readWalletBet({ wallet }: FaultScenarioContext, betId: string) {
  const bet = await wallet.fetchJson<WalletBetView>('GET', `/operator/players/${FRAME_PLAYER}/bets/${betId}`)
  return {
    status: bet.status,
    operations: bet.history.map(({ operation }) => operation),
    kinds: bet.history.flatMap(({ transfers }) => transfers).map(({ kind }) => kind),
  }
}

/** The wallet's state of the bet. With `isLate` it waits for the delayed Place bet. */
async function awaitStake(
  context: FaultScenarioContext,
  betId: string,
  isLate: boolean,
): Promise<{ status: string; taken: number; isPlaced: boolean }> {
  const until = performance.now() + LATE_MS
  for (;;) {
    const { status, operations, kinds } = await readWalletBet(context, betId)
    const taken = kinds.filter((kind) => kind === 'stake').length
    const isPlaced = operations.includes('place')
    if (!isLate || isPlaced || performance.now() > until) return { status, taken, isPlaced }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function describeBalance({ before, after, wallet }: FaultScenarioResult): string {
  const bet =
    { open: 'the stake is held until the result', cancelled: 'the bet is cancelled' }[wallet] ?? `the bet is ${wallet}`
  return before === after
    ? `The balance is ${after} as before; ${bet}.`
    : `The balance went from ${before} to ${after}; ${bet}.`
}

async function placeTwoBets(context: FaultScenarioContext): Promise<Caption> {
  const begun = await context.bringBalanceTo('100.00')
  const { id: matchId } = await context.matches.createOwnMatch()
  const request = { matchId, outcome: 'home', stake: '80.00' } as const
  const placed = await Promise.all([context.bets.placeWithRetry(request), context.bets.placeWithRetry(request)])
  const [first] = placed
  if (placed.every(({ status }) => status === 'declined')) requireAccepted(first)
  const accepted = placed.filter(({ status }) => status === 'accepted').length
  const after = await context.balance()
  return {
    title: 'Two bets of 80 on 100',
    story:
      'Two bets of 80.00 arrived at the same time, with a balance of 100.00. The wallet processes the bets of a player one after the other. It accepted the first and declined the second with code 7, not enough money.',
    money: `${describeTopUp(begun)}The balance went from 100.00 to ${after}; ${accepted} of 2 bets accepted.`,
    isAsDemanded: accepted === 1 && after === '20.00',
    betIds: placed.map(({ betId }) => betId),
  }
}

function describeTopUp({ before, paidIn }: { before: string; paidIn: string }): string {
  if (before === '100.00') return ''
  const what = paidIn.startsWith('-') ? `${paidIn.slice(1)} was withdrawn` : `${paidIn} was deposited`
  return `The balance was ${before}, so ${what} first to make it 100.00. `
}

const AFTER_WIN = {
  correct: {
    title: 'Correct the result',
    story:
      'The bet won and was paid. Then the result was corrected to lost. The wallet reversed the payout and recorded the new result in one transaction, so no payout remains.',
    status: 'settled',
  },
  'take back': {
    title: 'Unsettle',
    story:
      'The bet won and was paid. Then the result was withdrawn. The wallet reversed the payout. The bet is open again, and its stake is held until the next result.',
    status: 'open',
  },
} as const

async function changeResultAfterWin(context: FaultScenarioContext, what: keyof typeof AFTER_WIN): Promise<Caption> {
  const { title, story, status } = AFTER_WIN[what]
  const paidIn = await ensureFunds(context)
  const before = await context.balance()
  const { betId, matchId } = await placeOnOwnMatch(context)
  await context.matches.result(matchId, 'home')
  await context.bets.settled(betId)
  const paid = await context.balance()
  await context.matches.result(matchId, what === 'correct' ? 'away' : undefined)
  await context.bets.settled(betId)
  const { status: wallet, kinds } = await readWalletBet(context, betId)
  const after = await context.balance()
  const once = (kind: string) => kinds.filter((one) => one === kind).length === 1
  return {
    ...{ title, story },
    money: `${paidIn}The balance was ${before}, with the payout ${paid}, and is ${after} now; the bet is ${wallet}.`,
    isAsDemanded: wallet === status && once('stake') && once('payout') && once('payout_reversal'),
    betIds: [betId],
  }
}
