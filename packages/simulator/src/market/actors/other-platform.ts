/**
 * A second platform, which calls the first wallet under its own name (W-43).
 *
 * It places bets for the players of the first platform, often with ids that the first platform uses
 * too. It rolls back a bet with an unknown outcome, and repeats each result until the wallet
 * answers.
 */

import { OPERATIONS } from '@purser/protocol/operation'
import { REPLY_CODES, ROLLBACK_REASON, replyCodes } from '@purser/protocol/reply-codes'
import { signBody } from '@purser/protocol/signature'
import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
import { errorWithStack } from '@purser/runtime/errors/error-text'
import type { Random } from '@purser/runtime/seeded-random'
import { OTHER_PLATFORM, OTHER_SECRET } from '../databases/market-store.ts'
import type { Market } from '../market.ts'
import { drawMessageFault, NO_FAULT } from '../network/network-faults.ts'
import { createCounter, type NetworkAnswer, type NetworkRequest } from '../network/simulated-network.ts'
import { type CurrencyName, formatMarketAmount, parseCents } from '../oracle/market-money.ts'
import { readScenarioSpan } from '../scenario.ts'
import { type MarketPlayer, type Participants, RECENT_BETS } from './market-participants.ts'
import { isSystemErrorReply, parseRefusal } from './reply-parsing.ts'

export interface OtherBet {
  readonly betId: string
  readonly player: MarketPlayer
  readonly currency: CurrencyName
  /** Hundredths. */
  stake: bigint
  payout: bigint
  status: 'none' | 'open' | 'settled'
}

export interface OtherPlatform {
  readonly bets: readonly OtherBet[]
  play(): Promise<void>
  /** From this call on every message arrives. */
  calm(): void
  /** Bets in progress and messages in transit. */
  underWay(): number
  complaints(): readonly string[]
}

const ANSWER_TIMEOUT_MS = 5_000
/** A Place bet that was refused with one of these codes stays refused (I-3). */
const FINAL_REFUSALS = replyCodes('not_enough_money', 'player_blocked', 'stake_limit', 'bet_count_limit')
/** The wallet may refuse a changed result (L-2). */
const MAY_REFUSE = replyCodes('recalculation_negative')
const ROLLED_BACK = [REPLY_CODES.already_processed.code]

type OtherCallKind = 'place' | 'settle' | 'unsettle' | 'rollback'

interface WalletLink extends Pick<OtherPlatform, 'calm' | 'complaints'> {
  readonly random: Random
  messages(): number
  /** Undefined if no answer arrived. */
  call(kind: OtherCallKind, bet: OtherBet, members: object): Promise<NetworkAnswer | undefined>
  /**
   * Repeats the call until a 200 or a refusal, and resolves to 200 or the code. A code outside
   * `codes` is a complaint.
   */
  insist(kind: OtherCallKind, bet: OtherBet, members: object, codes: readonly number[]): Promise<number>
}

/** A connection to the wallet, with the faults of the simulated network. */
function openWalletLink(market: Market): WalletLink {
  const [random, counted] = [market.random(OTHER_PLATFORM), createCounter()]
  const complaints: string[] = []
  let [messages, isCalm] = [0, false]
  const deliver = (request: NetworkRequest, received: (answer: NetworkAnswer) => void) => {
    messages -= 1
    const host = market.wallet('wallet')?.host
    const onAnswer = host && market.wire('wallet').arrives(request)
    host?.(request, (answer) => {
      onAnswer?.(answer)
      received(answer)
    })
  }
  const call: WalletLink['call'] = async (kind, bet, members) => {
    const request = signRequest(kind, bet, members)
    const name = counted(`${OTHER_PLATFORM}: ${kind} ${market.names.bet(bet.betId)}`)
    const fault = isCalm ? NO_FAULT : market.choices.messageFault(name, () => drawMessageFault(random))
    let received: NetworkAnswer | undefined
    messages += fault.arrivals.length
    await new Promise<void>((done) => {
      environment.setTimer(fault.breaks?.after ?? ANSWER_TIMEOUT_MS, done)
      const hear = (answer: NetworkAnswer) => {
        received = answer
        done()
      }
      for (const [copy, after] of fault.arrivals.entries())
        environment.setTimer(after, () =>
          deliver(request, (answer) => {
            if (copy === 0 && fault.answerAfter !== undefined && fault.isCut !== true)
              environment.setTimer(fault.answerAfter, () => hear(answer))
          }),
        )
    })
    const answer = received
    market.trace.note(`${name}: ${answer === undefined ? 'no answer' : formatAnswer(answer)}`)
    return answer
  }
  return {
    ...{ random, call, messages: () => messages, complaints: () => complaints },
    calm() {
      isCalm = true
    },
    async insist(kind, bet, members, codes) {
      for (;;) {
        const answer = await call(kind, bet, members)
        if (answer?.status === 200) return 200
        const code = answer === undefined || isSystemErrorReply(answer) ? undefined : parseRefusal(answer)
        if (code !== undefined && !codes.includes(code))
          complaints.push(`${kind} of the ${OTHER_PLATFORM} was refused with ${code} (W-43)`)
        if (code !== undefined) return code
        await sleep(random.between(500, 5_000))
      }
    },
  }
}

function formatAnswer(answer: NetworkAnswer): string {
  return `${answer.status} ${parseRefusal(answer) ?? ''}`
}

export function openOtherPlatform(market: Market, participants: Participants): OtherPlatform {
  const link = openWalletLink(market)
  const { random, call, insist, calm } = link
  const [bets, failed]: [OtherBet[], string[]] = [[], []]
  let open = 0
  const place = async (bet: OtherBet, token: string, amount: string): Promise<boolean> => {
    const answer = await call('place', bet, { requestId: environment.uuid(), token, amount })
    if (answer?.status === 200) return true
    if (answer === undefined || !FINAL_REFUSALS.includes(parseRefusal(answer) ?? 0))
      await insist(
        'rollback',
        bet,
        { requestId: environment.uuid(), amount, errorCode: ROLLBACK_REASON.partnerFailed },
        ROLLED_BACK,
      )
    return false
  }
  const settle = async (bet: OtherBet, payout: bigint): Promise<void> => {
    const result = (paid: bigint) => ({
      ...{
        requestId: environment.uuid(),
        amount: formatBetAmount(bet, paid),
        resultType: paid === 0n ? 'lost' : 'won',
      },
    })
    const code = await insist('settle', bet, result(payout), bet.status === 'settled' ? MAY_REFUSE : [])
    if (code === 200) Object.assign(bet, { status: 'settled', payout })
    // A repeat of the earlier result makes late copies of the refused one harmless (I-2).
    else if (MAY_REFUSE.includes(code)) await insist('settle', bet, result(bet.payout), [])
  }
  const live = async (bet: OtherBet, token: string, amount: string) => {
    open += 1
    if (await place(bet, token, amount)) {
      Object.assign(bet, { status: 'open', stake: parseCents(amount) })
      market.trace.mark('a bet of another platform is accepted')
      for (let left = random.below(3); left > 0; left--) {
        await sleep(random.between(1_000, 20_000))
        await settle(bet, parseCents(formatMarketAmount(bet.currency, `${random.below(4) * random.between(1, 12)}.00`)))
      }
    }
    open -= 1
  }
  return {
    ...{ bets, calm, complaints: () => [...link.complaints(), ...failed], underWay: () => open + link.messages() },
    async play() {
      const gap = () => random.between(3_000, 15_000) * readScenarioSpan(market.scenario)
      while (!participants.isOver) {
        const action = await market.choices.nextAction(OTHER_PLATFORM, gap, () => drawBet(participants, random))
        const player = participants.players.find(({ name }) => name === action?.player)
        if (action === undefined || player?.token === undefined || participants.isOver) continue
        const { token } = player
        const holder = market.wire('wallet').standing.tokens.holderOf(token)
        const currency = (holder?.currency ?? 'EUR') as CurrencyName
        const same = action.isShared ? findSharedId(participants, player, bets, action.number) : undefined
        if (same !== undefined) market.trace.mark('two platforms use one id')
        const betId = same ?? environment.uuid()
        participants.shared?.add(betId)
        const bet: OtherBet = { betId, player, currency, stake: 0n, payout: 0n, status: 'none' }
        bets.push(bet)
        void live(bet, token, formatMarketAmount(currency, action.amount)).catch((error: Error) =>
          failed.push(errorWithStack(error)),
        )
      }
    },
  }
}

/** `isShared`: the bet takes an id of the first platform, if possible. */
function drawBet({ players }: Participants, random: Random) {
  const [player, amount] = [random.pick(players).name, `${random.between(1, 20)}.50`]
  return { player, amount, isShared: random.chance(0.5), number: random.below(RECENT_BETS) }
}

export function toAcknowledgedRows(bets: readonly OtherBet[]) {
  return bets.map(({ betId, player, currency, stake, payout, status }) => {
    const unit = currency === 'JPY' ? 100n : 1n
    const now = status === 'none' ? null : status
    const paid = status === 'settled' ? payout / unit : null
    const result = status === 'settled' ? (payout === 0n ? 'lost' : 'won') : null
    return {
      ...{ bet_id: betId, player: player.userId, currency, is_freebet: false, stake: stake / unit },
      ...{ status: now, payout: paid, result_type: result, decided: now, decided_payout: paid },
    }
  })
}

/** A bet id of this player that this platform does not use yet. */
function findSharedId(
  participants: Participants,
  player: MarketPlayer,
  bets: readonly OtherBet[],
  number: number,
): string | undefined {
  const used = new Set(bets.map(({ betId }) => betId))
  const mine = participants.bets.slice(-RECENT_BETS).filter((bet) => bet.player === player && !used.has(bet.betId))
  return mine[number % Math.max(1, mine.length)]?.betId
}

function formatBetAmount({ currency }: OtherBet, cents: bigint): string {
  return formatMarketAmount(currency, `${cents / 100n}.${`${cents % 100n}`.padStart(2, '0')}`)
}

function signRequest(kind: OtherCallKind, { betId, player, currency }: OtherBet, members: object): NetworkRequest {
  const { method, path, type } = OPERATIONS[kind]
  const all = { type, transactionId: betId, userId: player.userId, currency, ...members }
  const body = Buffer.from(JSON.stringify(all).replace(/"amount":"([\d.]+)"/, '"amount":$1'))
  const headers = {
    host: 'wallet.example',
    'x-sign-jws': signBody(body, OTHER_SECRET),
    'content-length': `${body.length}`,
  }
  return { method, path, headers, body }
}
