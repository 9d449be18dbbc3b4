/**
 * Requests balances (P-3) and bets (P-4) from the wallet, and checks that the auditor considers
 * each answer possible.
 */

import { OPERATIONS } from '@purser/protocol/operation'
import { replyCode } from '@purser/protocol/reply-codes'
import { signBody } from '@purser/protocol/signature'
import { environment } from '@purser/runtime/environment'
import type { MarketPlayer, Participants } from '../actors/market-participants.ts'
import { listCurrencies } from '../actors/operator-staff.ts'
import { isSystemErrorReply, parseMessage, parseRefusal } from '../actors/reply-parsing.ts'
import { answersByToken } from '../bet-life.ts'
import { MARKET_SECRET } from '../databases/market-store.ts'
import type { Market } from '../market.ts'
import type { NetworkAnswer } from '../network/simulated-network.ts'
import { formatCheck, NOT_KNOWN } from './market-auditor.ts'
import { type CurrencyName, parseCents } from './market-money.ts'

/** The wallet may die before it answers. */
const ANSWER_MS = 10_000
/** The number of newest bets that are requested. */
const CHECKED = 4

/** Returns complaints. */
export async function auditAnswers(market: Market, { players, bets }: Participants): Promise<string[]> {
  const complaints: string[] = []
  for (const player of players)
    for (const currency of listCurrencies(market.scenario))
      complaints.push(...(await auditBalance(market, player, currency)))
  for (const bet of bets.slice(-CHECKED)) complaints.push(...(await auditCheck(market, bet)))
  return complaints
}

/** A balance during a manual movement is not compared. */
async function auditBalance(market: Market, player: MarketPlayer, currency: CurrencyName): Promise<string[]> {
  const { wallet, userId, token } = player
  if (token === undefined || player.moving[currency] !== 0n) return []
  const { movedOf, standing } = market.wire(wallet)
  const state = () => answersByToken(standing.tokens.stateOf(token, userId))
  const [before, cash, then] = [movedOf(userId, currency), player.cash[currency], state()]
  const answer = await callWallet(market, wallet, 'balance', { token, userId, currency, requestId: environment.uuid() })
  const [after, verdicts] = [movedOf(userId, currency), [...then, ...state()]]
  if (answer === undefined) return []
  market.trace.mark('a balance is asked for')
  const verdict = parseRefusal(answer) ?? answer.status
  if (!verdicts.includes(verdict))
    return [formatMismatch(`Balance of ${player.name}`, `${verdict}`, verdicts.map(String))]
  const text = readAmount(answer)
  if (text === undefined || before === undefined || after === undefined) return []
  if (player.moving[currency] !== 0n || player.cash[currency] !== cash) return []
  const may = [...new Set([...before, ...after])].map((moved) => cash + moved)
  const has = parseCents(text)
  return may.includes(has) ? [] : [formatMismatch(`the balance of ${player.name}`, `${has}`, may.map(String))]
}

async function auditCheck(
  market: Market,
  { betId, player, currency }: Participants['bets'][number],
): Promise<string[]> {
  const { wallet, userId } = player
  const { checksOf } = market.wire(wallet)
  const before = checksOf(betId)
  const answer = await callWallet(market, wallet, 'check', { transactionId: betId, userId })
  const after = checksOf(betId)
  if (answer === undefined || before === undefined || after === undefined) return []
  market.trace.mark('a bet is asked for')
  const may = [...new Set([...before, ...after])]
  const [received, withoutTime] = parseCheck(answer, betId, currency)
  const isPossible = may.includes(received) || may.includes(withoutTime)
  return isPossible ? [] : [formatMismatch(`Check of ${market.names.bet(betId)}`, received, may)]
}

function formatMismatch(subject: string, received: string, may: readonly string[]): string {
  return `the auditor: ${subject} is ${received}, may be ${may.slice(0, 5).join(', ')}`
}

/** The answer as the auditor writes it, with and without its time. */
function parseCheck(answer: NetworkAnswer, betId: string, expected: string): readonly [string, string] {
  const code = parseRefusal(answer)
  if (code !== undefined) return [code === NOT_FOUND ? NOT_KNOWN : `refused with ${code}`, '']
  const { transactionId, currency, type, transactionTime } = parseMessage(answer)
  if (transactionId !== betId || currency !== expected) return [`about ${transactionId} in ${currency}`, '']
  const known = { type, cents: parseCents(`${readAmount(answer)}`) }
  return [formatCheck(known, transactionTime), formatCheck(known)]
}

const NOT_FOUND = replyCode('invalid_request')

/** A balance may have more digits than a double. */
function readAmount({ status, body }: NetworkAnswer): string | undefined {
  return status === 200 ? /"amount":(-?[\d.]+)/.exec(body.toString('utf8'))?.[1] : undefined
}

/** Undefined without an answer, or after a failure of the wallet itself. */
async function callWallet(
  market: Market,
  name: MarketPlayer['wallet'],
  operation: 'balance' | 'check',
  question: object,
): Promise<NetworkAnswer | undefined> {
  const wallet = market.wallet(name)
  if (wallet === undefined) return undefined
  const body = Buffer.from(JSON.stringify(question))
  const headers = {
    host: 'wallet.example',
    'x-sign-jws': signBody(body, MARKET_SECRET),
    'content-length': `${body.length}`,
  }
  const { method, path } = OPERATIONS[operation]
  let answer: NetworkAnswer | undefined
  const answered = new Promise<void>((done) => {
    environment.setTimer(ANSWER_MS, done)
    wallet.host({ method, path, headers, body }, (given) => {
      answer = given
      done()
    })
  })
  await market.until(answered, 2 * ANSWER_MS)
  return answer === undefined || answer.status >= 500 || isSystemErrorReply(answer) ? undefined : answer
}
