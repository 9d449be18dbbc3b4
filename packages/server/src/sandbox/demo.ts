/**
 * The two demo players of the sandbox, and the welcome text: addresses, keys, and a command that
 * places a bet.
 */
import { randomUUID } from 'node:crypto'
import { SIGNATURE_HEADER, signBody } from '@purser/protocol/signature'
import type { Config } from '../core/config/config.ts'
import { describeBetStatus, formatStake, listNewestBets, type SandboxBet } from './bettors/wallet-bets.ts'
import type { FrontPage, FrontPageBet } from './front-page.ts'
import type { SandboxOperator, SandboxServers, SessionEntry } from './sandbox-servers.ts'

const DEMO_PLAYERS = [
  {
    userId: 'alice',
    currency: 'EUR',
    currencies: ['EUR', 'USD'],
    customFields: { nickname: 'Alice', userCountry: 'DE' },
  },
  { userId: 'bob', currency: 'USD', currencies: ['USD'], customFields: { nickname: 'Bob', userCountry: 'CA' } },
] as const

/** The players, and a signed bet of the first one as lines for a shell. */
export interface Demo {
  readonly players: readonly DemoPlayer[]
  readonly bet: readonly string[]
}

export interface DemoPlayer {
  readonly userId: string
  readonly currency: string
  readonly balance: string
  /** Identity on the platform; a gateway assigns another id and token. */
  readonly entry: SessionEntry
}

/** The players belong to the user; no simulated bettor uses them. */
export async function createDemo({ operators, entryPoint }: SandboxServers): Promise<Demo> {
  const players = await Promise.all(
    DEMO_PLAYERS.map((player, i) => createDemoPlayer(operators[i % operators.length] as SandboxOperator, player)),
  )
  return { players, bet: formatSignedBet(entryPoint, players[0] as DemoPlayer) }
}

async function createDemoPlayer(
  { wallet, enter }: SandboxOperator,
  player: (typeof DEMO_PLAYERS)[number],
): Promise<DemoPlayer> {
  const { userId, currency } = player
  const path = `/operator/players/${userId}`
  await wallet.fetchJson('POST', '/operator/players', player, [409]) // a 409 means that a user has changed the player, which is intended
  await wallet.fetchJson('POST', `${path}/deposits`, { currency, amount: '1000.00', reference: 'sandbox-welcome' })
  const entry = await enter(await wallet.fetchJson<SessionEntry>('POST', `${path}/sessions`, {}))
  const { balances } = await wallet.fetchJson<{ balances: { currency: string; amount: string }[] }>(
    'GET',
    `${path}/balances`,
  )
  return { userId, currency, entry, balance: balances.find((b) => b.currency === currency)?.amount ?? '0' }
}

/**
 * Lines of at most 80 columns. The lines have one address, whose page links to the others
 * (front-page.ts), so that a new user need not choose.
 */
export function formatWelcome(
  stage: SandboxServers,
  config: Config,
  { players, bet }: Demo,
  hasAddresses: boolean,
): string[] {
  const walletUrl = stage.operators[0]?.wallet.url ?? ''
  return [
    '',
    `Purser wallet   ${walletUrl}   open it in a browser`,
    ...(hasAddresses ? formatAddresses(stage, walletUrl) : [OTHER_ADDRESSES]),
    `Database        ${describeStore(config)}`,
    ...formatKeyLines(stage, config),
    '',
    ...players.map(
      ({ userId, currency, entry, balance }) =>
        `Player ${userId.padEnd(6)} ${balance} ${currency}   token ${entry.token}`,
    ),
    '',
    'Place a bet of 10 for alice. Paste it; paste it again: the same answer, and',
    'no second debit:',
    '',
    ...bet,
    '',
    'Show the result:',
    '',
    `curl -s -H 'Authorization: Bearer ${config.operatorKey}' \\`,
    `${walletUrl}/operator/players/alice/statement`,
    '',
    'Ctrl-C stops it.',
    '',
  ]
}

const OTHER_ADDRESSES = '                there: "Endpoints and keys"; here: --addresses'

function formatAddresses(stage: SandboxServers, walletUrl: string): string[] {
  return [
    `Keys, last bets ${walletUrl}/sandbox`,
    `API reference   ${walletUrl}/docs`,
    `Platform        ${stage.platform.url}`,
    `API reference   ${stage.platform.url}/docs`,
    ...formatGatewayLines(stage),
  ]
}

/** Bets on the front page. Some bets by hand stay on top. */
const BETS_SHOWN = 12
const OWN_SHOWN = 4
const MAX_SCANNED_BETS = 200

function sortOwnFirst(newest: readonly SandboxBet[]): SandboxBet[] {
  const own = newest.filter(({ isByHand }) => isByHand).slice(0, OWN_SHOWN)
  return [...own, ...newest.filter((bet) => !own.includes(bet))].slice(0, BETS_SHOWN)
}

/** The same data for the browser. */
export function buildFrontPage(stage: SandboxServers, config: Config, { bet }: Demo): FrontPage {
  const { operators, platform, gateway } = stage
  const wallets = operators.map(({ wallet }, i) => ({ name: i === 0 ? 'Wallet' : 'Second wallet', url: wallet.url }))
  return {
    database: describeStore(config),
    servers: [
      ...wallets,
      { name: 'Platform', url: platform.url },
      ...(gateway ? [{ name: 'Gateway', url: gateway.url }] : []),
    ],
    keys: listShownKeys(stage, config),
    bet,
    lastBets: async () => sortOwnFirst(await listNewestBets(operators, MAX_SCANNED_BETS)).map(toFrontPageBet),
  }
}

function toFrontPageBet(bet: SandboxBet): FrontPageBet {
  const { firstSeenAt: at, transactionId: betId, userId: player, isByHand } = bet
  return { at, betId, player, stake: formatStake(bet), status: describeBetStatus(bet), isByHand }
}

function describeStore({ store }: Config): string {
  return store.kind === 'postgres' ? 'Postgres (DATABASE_URL)' : `embedded, in ${store.dataDir}`
}

function listShownKeys(
  { gateway }: SandboxServers,
  { secrets, operatorKey, platformKey, gatewayKey }: Config,
): FrontPage['keys'] {
  return [
    { name: 'Partner secret', value: secrets[0] ?? '' },
    { name: 'Operator key', value: operatorKey },
    { name: 'Platform key', value: platformKey },
    ...(gateway === undefined ? [] : [{ name: 'Gateway key', value: gatewayKey }]),
  ]
}

export function formatKeyLines(stage: SandboxServers, config: Config): string[] {
  return listShownKeys(stage, config).map(({ name, value }) => `${name.padEnd(16)}${value}`)
}

function formatGatewayLines({ gateway, operators }: SandboxServers): string[] {
  if (gateway === undefined) return []
  return [
    `Gateway         ${gateway.url}`,
    `API reference   ${gateway.url}/docs`,
    `Second wallet   ${operators[1]?.wallet.url}`,
  ]
}

/** A signed Place bet for a shell. The body has no quote with a meaning for the shell. */
function formatSignedBet({ url, secret }: SandboxServers['entryPoint'], { entry, currency }: DemoPlayer): string[] {
  const body = formatBetBody(entry, currency)
  const [header, mac] = signBody(Buffer.from(body.join('\n')), secret).split('..')
  return [
    `curl -s ${url}/payment/bet \\`,
    `-H "${SIGNATURE_HEADER}: ${header}..\\`,
    `${mac}" -d '${body[0]}`,
    ...body.slice(1, -1),
    `${body.at(-1)}'`,
  ]
}

/** JSON with line ends between its members, which are signed and sent unchanged. */
function formatBetBody({ token, userId }: SessionEntry, currency: string): string[] {
  const bet = { requestId: randomUUID(), transactionId: randomUUID(), token, userId, currency }
  const members = Object.entries(bet).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
  return [
    '{',
    ...members,
    '"type":1,"amount":10,"coefficient":2.1,"gameType":"sportsbook",',
    '"ticketType":"single","bonusId":null,"metadata":[{"eventId":4711,',
    '"event":"Arsenal - Chelsea","market":"Match winner","outcome":"Draw",',
    '"discipline":"Football","disciplineId":1,"coefficient":2.1}]}',
  ]
}
