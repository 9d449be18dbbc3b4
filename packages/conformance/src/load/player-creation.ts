/**
 * Creates the players of one load through the operator API of a Purser wallet. Each player has a
 * session and more money than the load uses.
 */
import { randomUUID } from 'node:crypto'
import { type ApiEndpoint, callApi } from '@purser/protocol/client/api-client'
import { requireScale, STANDARD_SCALES } from '@purser/protocol/values/money'
import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import type { LoadPlayer } from './player.ts'

const CREATED_CURRENCY = 'EUR'
const START = '1000000.00'
const AT_ONCE = 16

export async function createLoadPlayers(api: ApiEndpoint, count: number, stop: AbortSignal): Promise<LoadPlayer[]> {
  const run = randomUUID().slice(0, 8)
  const players: LoadPlayer[] = []
  const places = Array.from({ length: count }, (_, i) => i).values()
  const makeOn = async () => {
    for (const i of places) {
      if (stop.aborted) return
      players[i] = await createLoadPlayer(api, `load-${run}-${i + 1}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, makeOn))
  return players
}

async function createLoadPlayer(api: ApiEndpoint, userId: string): Promise<LoadPlayer> {
  const currency = CREATED_CURRENCY
  const path = `/operator/players/${userId}`
  await postToOperator(api, '/operator/players', { userId, currency })
  await postToOperator(api, `${path}/deposits`, { currency, amount: START, reference: userId })
  const { token } = await postToOperator(api, `${path}/sessions`, { currency })
  return toCreatedPlayer(userId, String(token))
}

export function toCreatedPlayer(userId: string, token: string): LoadPlayer {
  return { userId, token, currency: CREATED_CURRENCY, scale: requireScale(STANDARD_SCALES, CREATED_CURRENCY) }
}

async function postToOperator(
  api: ApiEndpoint,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callApi<Record<string, unknown>>(api, 'POST', path, body)
  if (answer === undefined) throw new UnavailableError(`${api.url} has no operator API: ${path} was not found`)
  return answer
}
