/** Players made for one load over the operator API of a Purser wallet: each with a session and with more money than a load takes. */
import { randomUUID } from 'node:crypto'
import { askApi, type OwnApi } from '../http/own-api.ts'
import { STANDARD_SCALES, scaleOf } from '../protocol/money.ts'
import { Unreachable } from '../runtime/wrong-use.ts'
import type { Player } from './player.ts'

const MADE_CURRENCY = 'EUR'
const START = '1000000.00'
const AT_ONCE = 16

export async function makePlayers(api: OwnApi, count: number, stop: AbortSignal): Promise<Player[]> {
  const run = randomUUID().slice(0, 8)
  const players: Player[] = []
  const places = Array.from({ length: count }, (_, i) => i).values()
  const makeOn = async () => {
    for (const i of places) {
      if (stop.aborted) return
      players[i] = await makePlayer(api, `load-${run}-${i + 1}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, makeOn))
  return players
}

async function makePlayer(api: OwnApi, userId: string): Promise<Player> {
  const currency = MADE_CURRENCY
  const path = `/operator/players/${userId}`
  await ask(api, '/operator/players', { userId, currency })
  await ask(api, `${path}/deposits`, { currency, amount: START, reference: userId })
  const { token } = await ask(api, `${path}/sessions`, { currency })
  return madePlayer(userId, String(token))
}

export function madePlayer(userId: string, token: string): Player {
  return { userId, token, currency: MADE_CURRENCY, scale: scaleOf(STANDARD_SCALES, MADE_CURRENCY) }
}

async function ask(api: OwnApi, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await askApi<Record<string, unknown>>(api, 'POST', path, body)
  if (answer === undefined) throw new Unreachable(`${api.url} has no operator API: ${path} is not there`)
  return answer
}
