/** Balances of the players, read with POST /user/balance (P-3). */

import { toSecretError } from '@purser/protocol/client/signed-bytes'
import type { WalletAnswer, WalletClient } from '@purser/protocol/client/wallet-client'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { parseJson, parseJsonObject } from '@purser/protocol/values/exact-json'
import { parseWireBalance } from '@purser/protocol/values/money'
import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import { buildBalanceBody } from './call-body.ts'
import type { LoadPlayer } from './player.ts'

/** Calls for one balance. The first usable answer ends them. */
const TRIES = 3
const AT_ONCE = 32

/** Minor units. A text is the reason why a balance is unknown. */
export async function readPlayerBalances(
  client: WalletClient,
  players: readonly LoadPlayer[],
): Promise<(bigint | string)[]> {
  const balances: (bigint | string)[] = []
  const work = players.entries()
  const readOn = async () => {
    for (const [i, player] of work) balances[i] = parseBalance(await requestBalance(client, player), player)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  return balances
}

/** The load needs every balance. Throws UnavailableError and UsageError. */
export async function requirePlayerBalances(client: WalletClient, players: readonly LoadPlayer[]): Promise<bigint[]> {
  const [first] = players
  if (first !== undefined) requireWallet(await requestBalance(client, first), first)
  const found = await readPlayerBalances(client, players)
  return found.map((balance, i) => {
    if (typeof balance === 'string') throw new UsageError(`${players[i]?.userId}: ${balance}`)
    return balance
  })
}

async function requestBalance(client: WalletClient, player: LoadPlayer): Promise<WalletAnswer> {
  let answer = await client.call('balance', buildBalanceBody(player))
  for (let tries = 1; tries < TRIES && answer.outcome.kind === 'unknown'; tries++)
    answer = await client.call('balance', buildBalanceBody(player))
  return answer
}

/** A fault of the first answer most likely concerns all players. */
function requireWallet({ outcome, status }: WalletAnswer, { userId }: LoadPlayer): void {
  if (outcome.kind === 'accepted') return
  if (outcome.kind === 'unknown' && status === null)
    throw new UnavailableError(`the wallet does not answer: ${outcome.detail}`)
  if (outcome.kind === 'refused' && outcome.code === REPLY_CODES.bad_signature.code)
    throw toSecretError(`code ${outcome.code} to POST /user/balance`)
  throw new UsageError(
    `the balance of ${userId} cannot be read by POST /user/balance, which a load needs: ${
      outcome.kind === 'refused' ? `code ${outcome.code}` : outcome.detail
    }`,
  )
}

/** A balance with more digits than a double represents is rejected, not rounded. */
function parseBalance({ outcome, body }: WalletAnswer, { userId, currency, scale }: LoadPlayer): bigint | string {
  if (outcome.kind === 'refused') return `the balance is refused with code ${outcome.code}`
  if (outcome.kind === 'unknown') return `the balance cannot be read: ${outcome.detail}`
  const reply = parseJsonObject(body, parseJson)
  if (reply?.userId !== userId || reply.currency !== currency) return 'the balance is of another player or currency'
  return parseWireBalance(reply.amount, scale) ?? `the balance is not an amount of ${currency}`
}
