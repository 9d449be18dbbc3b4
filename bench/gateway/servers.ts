// The servers of the gateway bench and their players.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { BenchPlayer } from '../place-bet.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { createSecret, MAIN, SECRET } from '../subjects.ts'

export const OPERATOR_SECRET = createSecret()
const GATEWAY_KEY = createSecret()
const PLAYERS = 500

const siblingFile = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export function startOperator(): Promise<ServerProcess> {
  return startServer([siblingFile('operator.js')], { PARTNER_SECRET: OPERATOR_SECRET })
}

export async function startPlainProxy({ url }: ServerProcess) {
  const env = { PARTNER_SECRET: SECRET, OPERATOR_SECRET, OPERATOR_URL: url }
  return { server: await startServer([siblingFile('plain-proxy.js')], env), players: inventPlayers() }
}

/**
 * The gateway reads the mapping once, so the embedded database, which production refuses, is as
 * good as a Postgres here. The journal of calls (W-30) is off, since the gateway's own CPU would
 * write it.
 */
export async function startGateway({ url: baseUrl }: ServerProcess, main = MAIN) {
  const secrets = { PARTNER_SECRET: SECRET, GATEWAY_API_KEY: GATEWAY_KEY }
  const env = {
    ...secrets,
    NODE_ENV: 'development',
    PURSER_DATA_DIR: 'memory://',
    PURSER_JOURNAL_DAYS: '0',
    LOG_LEVEL: 'warn',
  }
  const server = await startServer([main, 'gateway'], env)
  await post(`${server.url}/operators`, { operatorId: 'bench', baseUrl, secret: OPERATOR_SECRET })
  const players: BenchPlayer[] = []
  for (const { token } of inventPlayers()) {
    const session = await post(`${server.url}/operators/bench/sessions`, { token })
    players.push(session as BenchPlayer)
  }
  return { server, players }
}

export function inventPlayers(): BenchPlayer[] {
  return Array.from({ length: PLAYERS }, (_, index) => ({
    userId: `player-${index}`,
    token: randomBytes(32).toString('base64url'),
  }))
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
