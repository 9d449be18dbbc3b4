/** The wallet with two demo players and a ready curl line: what a newcomer sees first. */
import { randomUUID } from 'node:crypto'
import type { Config } from './config.ts'
import { SIGNATURE_HEADER, sign } from './protocol/signature.ts'
import { type Running, serveWallet } from './serve.ts'

const DEMO_PLAYERS = [
  {
    userId: 'alice',
    currency: 'EUR',
    currencies: ['EUR', 'USD'],
    customFields: { nickname: 'Alice', userCountry: 'DE' },
  },
  { userId: 'bob', currency: 'USD', currencies: ['USD'], customFields: { nickname: 'Bob', userCountry: 'CA' } },
] as const

interface DemoPlayer {
  readonly userId: string
  readonly currency: string
  readonly token: string
  readonly balance: string
}

/** Starts the wallet and makes the demo players through the operator API, as an operator would. Prints to `print`. */
export async function runSandbox(config: Config, print: (line: string) => void): Promise<Running> {
  const wallet = await serveWallet({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel })
  try {
    const players = await Promise.all(
      DEMO_PLAYERS.map((player) => createDemoPlayer(wallet.url, config.operatorKey, player)),
    )
    for (const line of welcome(wallet.url, config, players)) print(line)
    return wallet
  } catch (error) {
    await wallet.close()
    throw error
  }
}

async function createDemoPlayer(url: string, key: string, player: (typeof DEMO_PLAYERS)[number]): Promise<DemoPlayer> {
  const request = operatorRequest(url, key)
  const { userId, currency } = player
  await request('POST', '/operator/players', player, { orStatus: 409 }) // changed since it was made: that is what a sandbox is for
  await request('POST', `/operator/players/${userId}/deposits`, {
    currency,
    amount: '1000.00',
    reference: 'sandbox-welcome',
  })
  const { token } = (await request('POST', `/operator/players/${userId}/sessions`, {})) as { token: string }
  const { balances } = (await request('GET', `/operator/players/${userId}/balances`)) as {
    balances: { currency: string; amount: string }[]
  }
  return { userId, currency, token, balance: balances.find((b) => b.currency === currency)?.amount ?? '0' }
}

function operatorRequest(url: string, key: string) {
  return async (
    method: string,
    path: string,
    body?: object,
    { orStatus }: { orStatus?: number } = {},
  ): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = await response.json()
    if (!response.ok && response.status !== orStatus)
      throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
}

function welcome(url: string, config: Config, players: readonly DemoPlayer[]): string[] {
  const store = config.store.kind === 'postgres' ? 'Postgres (DATABASE_URL)' : `embedded, in ${config.store.dataDir}`
  return [
    '',
    `Purser wallet   ${url}`,
    `API reference   ${url}/docs`,
    `Database        ${store}`,
    `Partner secret  ${config.secrets[0]}`,
    `Operator key    ${config.operatorKey}`,
    '',
    ...players.map(
      ({ userId, currency, token, balance }) => `Player ${userId.padEnd(6)} ${balance} ${currency}   token ${token}`,
    ),
    '',
    'Place a bet of 10 for alice (paste it; paste it again: the same answer, no second debit):',
    '',
    curlLine(url, config, players[0] as DemoPlayer),
    '',
    'See what it did:',
    '',
    `curl -s -H 'Authorization: Bearer ${config.operatorKey}' ${url}/operator/players/alice/statement`,
    '',
    'Ctrl-C stops it.',
    '',
  ]
}

/** A signed Place bet that works when pasted into a shell: the body has no quote that a shell would take. */
function curlLine(url: string, config: Config, { userId, currency, token }: DemoPlayer): string {
  const selection = {
    disciplineId: 1,
    discipline: 'Football',
    eventId: 4711,
    event: 'Arsenal - Chelsea',
    market: 'Match winner',
    outcome: 'Draw',
    coefficient: 2.1,
  }
  const bet = {
    requestId: randomUUID(),
    type: 1,
    transactionId: randomUUID(),
    token,
    userId,
    amount: 10,
    currency,
    coefficient: 2.1,
  }
  const body = JSON.stringify({
    ...bet,
    gameType: 'sportsbook',
    ticketType: 'single',
    bonusId: null,
    metadata: [selection],
  })
  const signature = sign(Buffer.from(body), config.secrets[0] ?? '')
  return `curl -s -X POST ${url}/payment/bet -H 'content-type: application/json' -H '${SIGNATURE_HEADER}: ${signature}' -d '${body}'`
}
