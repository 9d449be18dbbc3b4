/** What every player has, asked by POST /user/balance of the interface (P-3). */

import { REPLY_CODES } from '../protocol/codes.ts'
import { objectIn, parseJson } from '../protocol/json.ts'
import { parseWireBalance } from '../protocol/money.ts'
import { Unreachable, WrongUse } from '../runtime/wrong-use.ts'
import { refusedSecret } from '../wallet-client/signed-bytes.ts'
import type { Answer, WalletClient } from '../wallet-client/wallet-client.ts'
import { balanceBody } from './message.ts'
import type { Player } from './player.ts'

/** Calls for one balance; only a usable answer ends them sooner. */
const TRIES = 3
const AT_ONCE = 32

/** Minor units; a text says why a balance cannot be known. */
export async function readBalances(client: WalletClient, players: readonly Player[]): Promise<(bigint | string)[]> {
  const balances: (bigint | string)[] = []
  const work = players.entries()
  const readOn = async () => {
    for (const [i, player] of work) balances[i] = readIn(await ask(client, player), player)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  return balances
}

/** Before the load every one must be known. Throws Unreachable and WrongUse. */
export async function readFirstBalances(client: WalletClient, players: readonly Player[]): Promise<bigint[]> {
  const [first] = players
  if (first !== undefined) requireWallet(await ask(client, first), first)
  const found = await readBalances(client, players)
  return found.map((balance, i) => {
    if (typeof balance === 'string') throw new WrongUse(`${players[i]?.userId}: ${balance}`)
    return balance
  })
}

async function ask(client: WalletClient, player: Player): Promise<Answer> {
  let answer = await client.call('balance', balanceBody(player))
  for (let tries = 1; tries < TRIES && answer.outcome.kind === 'unknown'; tries++)
    answer = await client.call('balance', balanceBody(player))
  return answer
}

/** What is wrong with the first one is wrong with all. */
function requireWallet({ outcome, status }: Answer, { userId }: Player): void {
  if (outcome.kind === 'accepted') return
  if (outcome.kind === 'unknown' && status === null)
    throw new Unreachable(`the wallet does not answer: ${outcome.detail}`)
  if (outcome.kind === 'refused' && outcome.code === REPLY_CODES.bad_signature.code)
    throw refusedSecret(`code ${outcome.code} to POST /user/balance`)
  throw new WrongUse(
    `the balance of ${userId} cannot be read by POST /user/balance, which a load needs: ${
      outcome.kind === 'refused' ? `code ${outcome.code}` : outcome.detail
    }`,
  )
}

/** A balance with more digits than a double holds is not taken for another one. */
function readIn({ outcome, body }: Answer, { userId, currency, scale }: Player): bigint | string {
  if (outcome.kind === 'refused') return `the balance is refused with code ${outcome.code}`
  if (outcome.kind === 'unknown') return `the balance cannot be read: ${outcome.detail}`
  const reply = objectIn(body, parseJson)
  if (reply?.userId !== userId || reply.currency !== currency) return 'the balance is of another player or currency'
  return parseWireBalance(reply.amount, scale) ?? `the balance is no amount of ${currency}`
}
