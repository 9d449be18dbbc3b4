// Creates players with money and one session each, through the operator API of a running wallet.
import { randomBytes } from 'node:crypto'
import { type BenchPlayer, CURRENCY } from './place-bet.ts'
import { OPERATOR_KEY } from './subjects.ts'

const TOKEN_BYTES = 32
const AT_ONCE = 32
/** Enough for some hundred thousand of the bets in place-bet.ts. */
export const SEED_BALANCE = { decimal: '1000000.00', cents: 100_000_000n }

export function toUserIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `player-${`${index}`.padStart(6, '0')}`)
}

/** The token has the same length as purser's. */
export function inventPlayer(userId: string): BenchPlayer {
  return { userId, token: randomBytes(TOKEN_BYTES).toString('base64url') }
}

/** The player whose rows are copied (copy-players.ts). */
export const TEMPLATE = 'template'

export async function seedOnePlayer(walletUrl: string): Promise<void> {
  await seedPlayer(walletUrl, TEMPLATE)
}

export async function seedPlayers(walletUrl: string, userIds: string[]): Promise<BenchPlayer[]> {
  const players: BenchPlayer[] = []
  const work = userIds.values()
  const worker = async () => {
    for (const userId of work) players.push(await seedPlayer(walletUrl, userId))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return players
}

async function seedPlayer(walletUrl: string, userId: string): Promise<BenchPlayer> {
  const player = `${walletUrl}/operator/players/${userId}`
  await post(`${walletUrl}/operator/players`, { userId, currency: CURRENCY })
  await post(`${player}/deposits`, { currency: CURRENCY, amount: SEED_BALANCE.decimal, reference: `seed-${userId}` })
  const session = (await post(`${player}/sessions`, { currency: CURRENCY })) as { token: string }
  return { userId, token: session.token }
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
