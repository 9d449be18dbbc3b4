/** Where a bet stands, in a sentence that support can read out to the player. Built from what wallet and platform say, never from a guess. */
import { REMEMBERED_REFUSALS, REPLY_CODES, type RememberedRefusal } from '../protocol/codes.ts'
import type { PlatformBet, WalletBet } from './sources.ts'

export type Tone = 'good' | 'bad' | 'open' | 'plain' | 'wait'

export interface Standing {
  /** One or two words. */
  readonly state: string
  readonly tone: Tone
  readonly sentence: string
}

/** Of each refusal that the wallet keeps (I-3), by its code. */
const WHY_REFUSED: Readonly<Record<RememberedRefusal, string>> = {
  not_enough_money: 'there was not enough money',
  player_blocked: 'the account is blocked',
  stake_limit: 'the limit of stakes of the day was reached',
  loss_limit: 'the limit of losses of the day was reached',
  bet_count_limit: 'the limit of bets of the day was reached',
  self_excluded: 'the account is excluded from play',
  not_verified: 'the account is not verified',
  under_age: 'the player is too young',
}
const REFUSALS: ReadonlyMap<number, string> = new Map(
  REMEMBERED_REFUSALS.map((name) => [REPLY_CODES[name].code, WHY_REFUSED[name]]),
)

export function standingOf(wallet: WalletBet | undefined, platform: PlatformBet | undefined): Standing {
  const deliveries = platform?.deliveries ?? []
  const waits = deliveries.filter(({ status }) => ['pending', 'waiting', 'stuck'].includes(status))
  const base = wallet === undefined ? ofPlatform(platform) : ofWallet(wallet)
  const last = deliveries.at(-1)
  if (last?.status === 'refused' && last.operation !== 'place')
    return {
      ...base,
      tone: 'bad',
      sentence: `${base.sentence} The platform has decided otherwise since, and the wallet refused it: a person has to settle that.`,
    }
  if (waits.length === 0) return base
  const isStuck = waits.some(({ status }) => status === 'stuck')
  const more = isStuck
    ? 'The platform could not deliver its next decision: a person has to send it again.'
    : 'The platform has decided something that the wallet has not answered yet.'
  return { ...base, tone: isStuck ? 'bad' : 'wait', sentence: `${base.sentence} ${more}` }
}

function ofWallet(bet: WalletBet): Standing {
  const { status, stake, currency, payout, resultType, refusalCode } = bet
  const staked = stake === undefined ? '' : `${stake} ${currency}`
  const payer = bet.stakePaidBy === 'promotions' ? `Promotions paid a stake of ${staked}` : `You staked ${staked}`
  switch (status) {
    case 'open':
      return { state: 'Open', tone: 'open', sentence: `${payer}. The result is not known yet; the stake is held.` }
    case 'settled':
      return settled(payer, `${payout} ${currency}`, resultType ?? '', backOf(bet))
    case 'cancelled':
      return {
        state: 'Cancelled',
        tone: 'plain',
        sentence:
          staked === ''
            ? 'The bet was undone before it was placed. No money was taken.'
            : `The bet was undone. The stake of ${staked} is ${backOf(bet)}.`,
      }
    case 'refused': {
      const why = REFUSALS.get(refusalCode ?? 0) ?? `the wallet answered code ${refusalCode}`
      return {
        state: 'Refused',
        tone: 'bad',
        sentence: `The bet was not accepted, because ${why}. No money was taken.`,
      }
    }
    case 'unknown':
      return { state: 'Never placed', tone: 'plain', sentence: 'This bet was never placed here. No money was taken.' }
    default:
      return status satisfies never
  }
}

/** A stake goes back to whoever paid it (M-4). */
function backOf({ stakePaidBy, history }: WalletBet): string {
  if (stakePaidBy !== 'promotions') return 'back on the account'
  const hasMoved = history.some(({ transfers }) => transfers.some(({ amount }) => !/^-?[0.]+$/.test(amount)))
  const isInFiles = history.some(({ archived }) => archived !== undefined)
  return hasMoved || isInFiles ? 'back with promotions' : 'back with promotions; nothing moved on the account'
}

function settled(staked: string, paid: string, resultType: string, back: string): Standing {
  switch (resultType) {
    case 'won':
      return { state: 'Won', tone: 'good', sentence: `${staked}. The bet won, and ${paid} is on the account.` }
    case 'lost':
      return { state: 'Lost', tone: 'plain', sentence: `${staked}. The bet lost.` }
    case 'refund':
      return {
        state: 'Refunded',
        tone: 'plain',
        sentence: `${staked}. The bet is void, and ${paid} is ${back}.`,
      }
    case 'cashout':
      return {
        state: 'Cashed out',
        tone: 'good',
        sentence: `${staked}. The bet was cashed out, and ${paid} is on the account.`,
      }
    default:
      return { state: 'Settled', tone: 'plain', sentence: `${staked}. ${paid} was paid.` }
  }
}

/** Without the wallet nothing is said of the player's money. */
function ofPlatform(bet: PlatformBet | undefined): Standing {
  if (bet === undefined) return { state: 'Unknown', tone: 'plain', sentence: 'Nothing is known of this bet.' }
  const states: Readonly<Record<string, [string, Tone, string]>> = {
    placing: ['Being placed', 'wait', 'The partner has not answered yet.'],
    accepted: ['Open', 'open', 'The partner has accepted the bet; its result is not known yet.'],
    declined: ['Declined', 'bad', `The bet was not accepted${bet.reason ? `: ${bet.reason}` : ''}.`],
    cancelled: [
      'Cancelled',
      'plain',
      `The bet was cancelled${bet.reason ? `: ${bet.reason}` : ''}; the partner gives the stake back.`,
    ],
    settled: [
      bet.resultType ?? 'Settled',
      bet.resultType === 'won' ? 'good' : 'plain',
      `The result is decided: ${bet.resultType}, ${bet.payout} ${bet.currency}.`,
    ],
  }
  const [state, tone, sentence] = states[bet.status] ?? [bet.status, 'plain' as const, '']
  return { state: state.charAt(0).toUpperCase() + state.slice(1), tone, sentence }
}
