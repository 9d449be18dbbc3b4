/** The two demo players, and what a newcomer reads first: addresses, keys, and a line that places a bet when pasted. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { SIGNATURE_HEADER, sign } from '../protocol/signature.ts'
import type { Entry, House, Stage } from './stage.ts'

const DEMO_PLAYERS = [
  {
    userId: 'alice',
    currency: 'EUR',
    currencies: ['EUR', 'USD'],
    customFields: { nickname: 'Alice', userCountry: 'DE' },
  },
  { userId: 'bob', currency: 'USD', currencies: ['USD'], customFields: { nickname: 'Bob', userCountry: 'CA' } },
] as const

export interface DemoPlayer {
  readonly userId: string
  readonly currency: string
  readonly balance: string
  /** What the platform knows the player by: behind a gateway another id and another token. */
  readonly entry: Entry
}

/** They are the newcomer's: no simulated bettor uses them. */
export function createDemoPlayers(houses: readonly House[]): Promise<DemoPlayer[]> {
  return Promise.all(DEMO_PLAYERS.map((player, i) => createDemoPlayer(houses[i % houses.length] as House, player)))
}

async function createDemoPlayer({ wallet, enter }: House, player: (typeof DEMO_PLAYERS)[number]): Promise<DemoPlayer> {
  const { userId, currency } = player
  const path = `/operator/players/${userId}`
  await wallet.get('POST', '/operator/players', player, [409]) // changed since it was made: that is what a sandbox is for
  await wallet.get('POST', `${path}/deposits`, { currency, amount: '1000.00', reference: 'sandbox-welcome' })
  const entry = await enter(await wallet.get<Entry>('POST', `${path}/sessions`, {}))
  const { balances } = await wallet.get<{ balances: { currency: string; amount: string }[] }>('GET', `${path}/balances`)
  return { userId, currency, entry, balance: balances.find((b) => b.currency === currency)?.amount ?? '0' }
}

export function welcome(stage: Stage, config: Config, players: readonly DemoPlayer[]): string[] {
  const walletUrl = stage.houses[0]?.wallet.url ?? ''
  const platformUrl = stage.platform.url
  const store = config.store.kind === 'postgres' ? 'Postgres (DATABASE_URL)' : `embedded, in ${config.store.dataDir}`
  return [
    '',
    `Purser wallet   ${walletUrl}`,
    `API reference   ${walletUrl}/docs`,
    `Database        ${store}`,
    `Partner secret  ${config.secrets[0]}`,
    `Operator key    ${config.operatorKey}`,
    `Platform        ${platformUrl}`,
    `API reference   ${platformUrl}/docs`,
    `Platform key    ${config.platformKey}`,
    ...aboutGateway(stage, config),
    '',
    ...players.map(
      ({ userId, currency, entry, balance }) =>
        `Player ${userId.padEnd(6)} ${balance} ${currency}   token ${entry.token}`,
    ),
    '',
    'Place a bet of 10 for alice (paste it; paste it again: the same answer, no second debit):',
    '',
    curlLine(stage.door, players[0] as DemoPlayer),
    '',
    'See what it did:',
    '',
    `curl -s -H 'Authorization: Bearer ${config.operatorKey}' ${walletUrl}/operator/players/alice/statement`,
    '',
    'Ctrl-C stops it.',
    '',
  ]
}

function aboutGateway({ gateway, houses }: Stage, { gatewayKey }: Config): string[] {
  if (gateway === undefined) return []
  return [
    `Gateway         ${gateway.url}`,
    `API reference   ${gateway.url}/docs`,
    `Gateway key     ${gatewayKey}`,
    `Second wallet   ${houses[1]?.wallet.url}`,
  ]
}

/** A signed Place bet that works when pasted into a shell: the body has no quote that a shell would take. */
function curlLine({ url, secret }: Stage['door'], { entry, currency }: DemoPlayer): string {
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
    token: entry.token,
    userId: entry.userId,
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
  const signature = sign(Buffer.from(body), secret)
  return `curl -s -X POST ${url}/payment/bet -H 'content-type: application/json' -H '${SIGNATURE_HEADER}: ${signature}' -d '${body}'`
}
