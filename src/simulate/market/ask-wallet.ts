/** Asks the wallet over the wire what each player has (P-3) and what it knows of bets (P-4), and compares it with what the auditor says. */

import { replyCode } from '../../protocol/codes.ts'
import { OPERATIONS } from '../../protocol/operation.ts'
import { sign } from '../../protocol/signature.ts'
import { world } from '../../runtime/world.ts'
import { checkText, NOT_KNOWN } from './auditor.ts'
import { answersByToken } from './bet-life.ts'
import type { Cast, Player } from './cast.ts'
import { type CurrencyName, centsOf } from './cents.ts'
import type { Market } from './market.ts'
import type { Answer } from './network.ts'
import { currenciesOf } from './operator-people.ts'
import { isSystemError, refusalOf, saidIn } from './said.ts'
import { SECRET } from './store.ts'

/** Milliseconds that an answer takes at most; the wallet may die meanwhile. */
const ANSWER_MS = 10_000
/** Bets of which it is asked at once, the last ones. */
const CHECKED = 4

/** Complaints. */
export async function auditAnswers(market: Market, { players, bets }: Cast): Promise<string[]> {
  const complaints: string[] = []
  for (const player of players)
    for (const currency of currenciesOf(market.scene))
      complaints.push(...(await auditBalance(market, player, currency)))
  for (const bet of bets.slice(-CHECKED)) complaints.push(...(await auditCheck(market, bet)))
  return complaints
}

/** Of a player whose money is just being moved by hand it is not told what it must be. */
async function auditBalance(market: Market, player: Player, currency: CurrencyName): Promise<string[]> {
  const { wallet, userId, token } = player
  if (token === undefined || player.moving[currency] !== 0n) return []
  const { movedOf, standing } = market.wire(wallet)
  const state = () => answersByToken(standing.tokens.stateOf(token, userId))
  const [before, cash, then] = [movedOf(userId, currency), player.cash[currency], state()]
  const answer = await ask(market, wallet, 'balance', { token, userId, currency, requestId: world.uuid() })
  const [behind, verdicts] = [movedOf(userId, currency), [...then, ...state()]]
  if (answer === undefined) return []
  market.trace.mark('a balance is asked for')
  const verdict = refusalOf(answer) ?? answer.status
  if (!verdicts.includes(verdict)) return [said(`Balance of ${player.name}`, `${verdict}`, verdicts.map(String))]
  const text = amountIn(answer)
  if (text === undefined || before === undefined || behind === undefined) return []
  if (player.moving[currency] !== 0n || player.cash[currency] !== cash) return []
  const may = [...new Set([...before, ...behind])].map((moved) => cash + moved)
  const has = centsOf(text)
  return may.includes(has) ? [] : [said(`the balance of ${player.name}`, `${has}`, may.map(String))]
}

async function auditCheck(market: Market, { betId, player, currency }: Cast['bets'][number]): Promise<string[]> {
  const { wallet, userId } = player
  const { checksOf } = market.wire(wallet)
  const before = checksOf(betId)
  const answer = await ask(market, wallet, 'check', { transactionId: betId, userId })
  const behind = checksOf(betId)
  if (answer === undefined || before === undefined || behind === undefined) return []
  market.trace.mark('a bet is asked for')
  const may = [...new Set([...before, ...behind])]
  const [heard, withoutTime] = checkIn(answer, betId, currency)
  const isPossible = may.includes(heard) || may.includes(withoutTime)
  return isPossible ? [] : [said(`Check of ${market.names.bet(betId)}`, heard, may)]
}

function said(what: string, heard: string, may: readonly string[]): string {
  return `the auditor: ${what} is ${heard}, may be ${may.slice(0, 5).join(', ')}`
}

/** In the auditor's words, and the same for one that has not heard of the time. */
function checkIn(answer: Answer, betId: string, expected: string): readonly [string, string] {
  const code = refusalOf(answer)
  if (code !== undefined) return [code === NOT_FOUND ? NOT_KNOWN : `refused with ${code}`, '']
  const { transactionId, currency, type, transactionTime } = saidIn(answer)
  if (transactionId !== betId || currency !== expected) return [`about ${transactionId} in ${currency}`, '']
  const known = { type, cents: centsOf(`${amountIn(answer)}`) }
  return [checkText(known, transactionTime), checkText(known)]
}

const NOT_FOUND = replyCode('invalid_request')

/** As it is written: a balance may have more digits than a double holds. */
function amountIn({ status, body }: Answer): string | undefined {
  return status === 200 ? /"amount":(-?[\d.]+)/.exec(body.toString('utf8'))?.[1] : undefined
}

/** Undefined: it has not answered, or has failed inside. */
async function ask(
  market: Market,
  name: Player['wallet'],
  operation: 'balance' | 'check',
  question: object,
): Promise<Answer | undefined> {
  const wallet = market.wallet(name)
  if (wallet === undefined) return undefined
  const body = Buffer.from(JSON.stringify(question))
  const headers = { host: 'wallet.example', 'x-sign-jws': sign(body, SECRET), 'content-length': `${body.length}` }
  const { method, path } = OPERATIONS[operation]
  let answer: Answer | undefined
  const asked = new Promise<void>((done) => {
    world.after(ANSWER_MS, done)
    wallet.host({ method, path, headers, body }, (given) => {
      answer = given
      done()
    })
  })
  await market.until(asked, 2 * ANSWER_MS)
  return answer === undefined || answer.status >= 500 || isSystemError(answer) ? undefined : answer
}
