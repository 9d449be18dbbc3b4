/** What every player has, asked by POST /user/balance of the interface (P-3). */

import { toSecretError } from '../../protocol/client/signed-bytes.ts'
import type { WalletAnswer, WalletClient } from '../../protocol/client/wallet-client.ts'
import { REPLY_CODES } from '../../protocol/reply-codes.ts'
import { parseJson, parseJsonObject } from '../../protocol/values/exact-json.ts'
import { parseWireBalance } from '../../protocol/values/money.ts'
import { UnavailableError, UsageError } from '../../runtime/errors/cli-errors.ts'
import { buildBalanceBody } from './call-body.ts'
import type { LoadPlayer } from './player.ts'

/** Calls for one balance; only a usable answer ends them sooner. */
const TRIES = 3
const AT_ONCE = 32

/** Minor units; a text says why a balance cannot be known. */
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

/** Before the load every one must be known. Throws Unreachable and UsageError. */
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

/** What is wrong with the first one is wrong with all. */
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

/** A balance with more digits than a double holds is not taken for another one. */
function parseBalance({ outcome, body }: WalletAnswer, { userId, currency, scale }: LoadPlayer): bigint | string {
  if (outcome.kind === 'refused') return `the balance is refused with code ${outcome.code}`
  if (outcome.kind === 'unknown') return `the balance cannot be read: ${outcome.detail}`
  const reply = parseJsonObject(body, parseJson)
  if (reply?.userId !== userId || reply.currency !== currency) return 'the balance is of another player or currency'
  return parseWireBalance(reply.amount, scale) ?? `the balance is not an amount of ${currency}`
}
