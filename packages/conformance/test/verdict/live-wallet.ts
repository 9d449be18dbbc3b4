/**
 * A test wallet in memory, correct or with faults, whose calls a live judge watches. The tests of
 * the verdicts use it.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { SIGNATURE_HEADER, signBody } from '@purser/protocol/signature'
import type { ReceivedAnswer, SentRequest } from '../../src/http-exchange.ts'
import { createLiveJudge } from '../../src/verdict/live-judge.ts'
import type { CallMarks, LiveJudge, LivePlayer, Verdict } from '../../src/verdict/live-verdict.ts'
import type { MutantId } from '../mutants/mutants.ts'
import { operate } from '../mutants/operator-api.ts'
import { answerRequest } from '../mutants/server.ts'
import type { Wallet } from '../mutants/state.ts'
import { createWalletInMemory } from '../mutants/wallet.ts'

export interface BetPlayer extends LivePlayer {
  readonly token: string
  readonly deadToken: string
}

export interface LiveWallet {
  readonly judge: LiveJudge
  readonly wallet: Wallet
  readonly players: readonly BetPlayer[]
  /** Every verdict, in the order in which the judge returned it. */
  readonly verdicts: Verdict[]
  /** Changes the answer that the judge sees. */
  rewrite: (answer: ReceivedAnswer & { kind: 'some' }, request: SentRequest) => ReceivedAnswer
}

export interface LiveWalletOptions {
  readonly faults?: readonly MutantId[]
  readonly clawback?: Wallet['clawback']
  readonly currency?: string
  readonly scale?: number
  readonly balance?: string
  readonly hidesBalance?: boolean
  readonly playerCount?: number
}

export function createLiveWallet(options: LiveWalletOptions = {}): LiveWallet {
  const { faults = [], clawback = 'refuse', playerCount = 1 } = options
  const wallet = createWalletInMemory(faults, { clawback })
  const players = Array.from({ length: playerCount }, () => createPlayer(wallet, options))
  const judge = createLiveJudge({ secret: wallet.secret, players })
  return { judge, wallet, players, verdicts: [], rewrite: (answer) => answer }
}

function createPlayer(
  wallet: Wallet,
  { currency = 'EUR', scale = 2, balance = '1000', hidesBalance = false }: LiveWalletOptions,
): BetPlayer {
  const userId = `player-${randomUUID()}`
  const path = `/operator/players/${userId}`
  operate(wallet, 'POST', '/operator/players', { userId, currency, currencies: [currency, 'USD'] })
  operate(wallet, 'POST', `${path}/deposits`, { currency, amount: balance, reference: randomUUID() })
  const startSession = () => Reflect.get(operate(wallet, 'POST', `${path}/sessions`, {})?.body ?? {}, 'token')
  const deadToken = startSession()
  operate(wallet, 'DELETE', `${path}/sessions`, {})
  const token = startSession()
  const units = BigInt(balance) * 10n ** BigInt(scale)
  return { userId, currency, scale, tokens: [token], token, deadToken, ...(!hidesBalance && { balance: units }) }
}

export interface BetCallOptions {
  readonly method: 'POST' | 'PUT'
  readonly type: 1 | 2 | 3
  readonly betId: string
  /** As written. */
  readonly amount: string
  readonly requestId?: string
  readonly resultType?: string
  readonly token?: string
  readonly currency?: string
  readonly secret?: string
}

export function buildBetRequest({ wallet }: LiveWallet, player: BetPlayer, options: BetCallOptions): SentRequest {
  const { method, type, betId, amount, requestId = randomUUID(), resultType, token, currency, secret } = options
  const members = {
    ...{ requestId, type, transactionId: betId, userId: player.userId, currency: currency ?? player.currency },
    ...(token !== undefined && { token }),
    ...(resultType !== undefined && { resultType }),
    ...(type === 3 && { errorCode: 50 }),
    ...{ coefficient: 2.5, gameType: 'sportsbook', ticketType: 'single', boosterCoefficient: 1 },
  }
  const body = `${JSON.stringify(members).slice(0, -1)},"amount":${amount}}`
  return signRequest(method, '/payment/bet', body, secret ?? wallet.secret)
}

export function signRequest(method: string, path: string, body: string, secret: string): SentRequest {
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signBody(Buffer.from(body), secret) }
  return { method, url: `http://wallet.test${path}`, headers, body }
}

export interface SendOptions {
  readonly marks?: CallMarks
  /** The answer is lost. `late`: the wallet receives the call after the service has given up. */
  readonly loses?: 'answer' | 'late'
  /** Turns of the event loop before the wallet receives the call, and before its answer arrives. */
  readonly delays?: readonly [before: number, after: number]
}

/** Sends a call past the judge. Returns the verdicts on it. */
export async function sendCall(
  live: LiveWallet,
  request: SentRequest,
  options: SendOptions = {},
): Promise<readonly Verdict[]> {
  const { loses, delays: [before, after] = [0, 0], marks } = options
  const startedAt = new Date()
  const number = live.judge.begin(request, startedAt, marks)
  const end = (answer: ReceivedAnswer) => {
    const verdicts = live.judge.end(number, { what: '', request, answer, startedAt, durationMs: 1 })
    live.verdicts.push(...verdicts)
    return verdicts
  }
  if (loses === 'late') {
    const verdicts = end({ kind: 'none', why: 'time-out' })
    await skipTurns(before + after)
    await receiveAnswer(live, request)
    return verdicts
  }
  await skipTurns(before)
  const answer = await receiveAnswer(live, request)
  await skipTurns(after)
  return end(loses === 'answer' ? { kind: 'none', why: 'time-out' } : answer)
}

async function skipTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}

async function receiveAnswer({ wallet, rewrite }: LiveWallet, request: SentRequest): Promise<ReceivedAnswer> {
  const { method, headers, body } = request
  const url = new URL(request.url)
  const reply = await answerRequest(wallet, { method, url, headers, bytes: Buffer.from(body) })
  return rewrite({ kind: 'some', status: reply.status, contentType: 'application/json', body: reply.body }, request)
}

/** Reads the balance past the judge, as the service does. */
export function readBalance(live: LiveWallet, player: BetPlayer): Promise<readonly Verdict[]> {
  const { userId, token, currency } = player
  const body = JSON.stringify({ token, userId, currency, requestId: randomUUID() })
  return sendCall(live, signRequest('POST', '/user/balance', body, live.wallet.secret))
}

export function placeBet(
  live: LiveWallet,
  player: BetPlayer,
  betId: string,
  amount: string,
  over: Partial<BetCallOptions> = {},
): SentRequest {
  return buildBetRequest(live, player, { method: 'POST', type: 1, betId, amount, token: player.token, ...over })
}

export function settleBet(
  live: LiveWallet,
  player: BetPlayer,
  betId: string,
  amount: string,
  over: Partial<BetCallOptions> = {},
): SentRequest {
  const resultType = over.resultType ?? (Number(amount) === 0 ? 'lost' : 'won')
  const token = resultType === 'cashout' ? { token: player.token } : {}
  return buildBetRequest(live, player, { method: 'PUT', type: 2, betId, amount, resultType, ...token, ...over })
}

export function rollbackBet(
  live: LiveWallet,
  player: BetPlayer,
  betId: string,
  amount: string,
  over: Partial<BetCallOptions> = {},
): SentRequest {
  return buildBetRequest(live, player, { method: 'PUT', type: 3, betId, amount, token: player.token, ...over })
}

export function unsettleBet(
  live: LiveWallet,
  player: BetPlayer,
  betId: string,
  amount: string,
  over: Partial<BetCallOptions> = {},
): SentRequest {
  return buildBetRequest(live, player, { method: 'PUT', type: 1, betId, amount, ...over })
}
