/** The wallet that the kit plays: one HTTP server, many partners, each below a path of its own. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { withoutEndSlashes } from '../../../protocol/base-url.ts'
import { LIMITS } from '../../../protocol/limits.ts'
import type { BetOperation } from '../../../protocol/operation.ts'
import type { Answer, Script, Stranger, Whereabouts } from '../case.ts'
import { sendAnswer } from './answer.ts'
import { callOf, type Journal, type KitPartner, type Player, parseBody, type Received } from './record.ts'
import type { Timing } from './timing.ts'

/** Bytes of a request that are kept; more end the connection. */
const MAX_BODY_BYTES = 1024 * 1024

export interface WalletOptions {
  readonly host: string
  readonly port: number
  /** How the platform reaches this server, when that is not its own address. */
  readonly publicUrl?: string
  readonly timing: Timing
}

export interface KitWallet {
  /** How the platform reaches it. */
  readonly url: string
  /** A partner that answers by these scripts and writes down what comes. */
  open(name: string, setup: Setup): OpenPartner
  close(): Promise<void>
}

export interface Setup {
  readonly scripts: Partial<Record<BetOperation, Script>>
  readonly journal: Journal
  /** Resolves when the platform is about to be killed. */
  readonly restarting: Promise<void>
}

export interface OpenPartner extends KitPartner {
  addressOf(whereabouts: Whereabouts): string
  /** A player of this partner; given a player, the same one in another currency, with a new token. */
  player(currency: string, same?: Player): Player
  /** Another player; `before` is the one that may be taken for it. */
  stranger(who: Stranger, before: Player): Player
  /** Answers `ok` from now on, so that nothing of the scene stays open at the platform. */
  recover(): void
}

interface Hosted extends Setup {
  readonly partner: KitPartner
  answerTo(call: BetOperation): Answer
}

/** Listens. Throws when the port cannot be had. */
export async function startWallet(options: WalletOptions): Promise<KitWallet> {
  const hosted = new Map<string, Hosted>()
  const server = createServer((request, response) => {
    receive(hosted, request, response, options.timing).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => {}))
  server.keepAliveTimeout = 30_000
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const addresses = await addressesOf(server, options)
  return {
    url: addresses.home,
    open: (name, setup) => openPartner({ hosted, addresses }, name, setup),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Addresses = Readonly<Record<Whereabouts, string>>

async function addressesOf(server: Server, { host, publicUrl }: WalletOptions): Promise<Addresses> {
  const port = portOf(server)
  const home = withoutEndSlashes(publicUrl ?? `http://${host}:${port}`)
  const { hostname } = new URL(home)
  return {
    home,
    refused: `http://${hostname}:${await closedPort()}`,
    no_tls: `https://${hostname}:${port}`,
    no_such_name: 'http://wallet.invalid',
  }
}

function portOf(server: { address(): unknown }): number {
  const address = server.address()
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number')
    return address.port
  throw new Error('the kit has no port')
}

/** A port that was free a moment ago: nobody listens there. */
async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0)
  await once(server, 'listening')
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

function openPartner(
  { hosted, addresses }: { hosted: Map<string, Hosted>; addresses: Addresses },
  name: string,
  setup: Setup,
): OpenPartner {
  const { scripts } = setup
  const partnerId = `${name}-${randomBytes(4).toString('hex')}` // calls that an earlier run left behind find nobody here
  const players = new Map<string, Player>()
  const addressOf = (whereabouts: Whereabouts) => `${addresses[whereabouts]}/${partnerId}`
  const partner = { partnerId, baseUrl: addressOf('home'), secret: randomBytes(24).toString('base64url'), players }
  const left = new Map(Object.entries(scripts).map(([call, { first = [] }]) => [call, [...first]]))
  let isWell = false
  const answerTo = (call: BetOperation): Answer =>
    isWell ? { kind: 'ok' } : (left.get(call)?.shift() ?? scripts[call]?.always ?? { kind: 'ok' })
  hosted.set(partnerId, { ...setup, partner, answerTo })
  return {
    ...partner,
    addressOf,
    player(currency, same) {
      const token = `token-${randomBytes(16).toString('hex')}`
      const player = { token, userId: same?.userId ?? `player-${randomUUID()}`, currency }
      players.set(token, player)
      return player
    },
    stranger(who, before) {
      const player = strangerOf(who, before)
      players.set(player.token, player)
      return player
    },
    recover() {
      isWell = true
    },
  }
}

const LONGEST = LIMITS.token.maxLength

function strangerOf(who: Stranger, { token, userId, currency }: Player): Player {
  const fresh = { token: `token-${randomBytes(16).toString('hex')}`, userId: `player-${randomUUID()}`, currency }
  switch (who) {
    case 'in_other_case':
      return { token: token.toUpperCase(), userId: userId.toUpperCase(), currency }
    case 'with_longest_ids':
      return { token: fresh.token.padEnd(LONGEST, '0'), userId: fresh.userId.padEnd(LONGEST, '0'), currency }
    case 'behind_an_aggregator':
      return { ...fresh, operatorUser: `Player.1~of_the-operator${fresh.userId.slice(-12)}` }
    case 'with_yen':
      return { ...fresh, currency: 'JPY' }
    default:
      return who satisfies never
  }
}

async function receive(
  hosted: ReadonlyMap<string, Hosted>,
  request: IncomingMessage,
  response: ServerResponse,
  timing: Timing,
): Promise<void> {
  const { method = '', url = '', headers } = request
  const [, partnerId = '', path = ''] = /\/([^/]+-[0-9a-f]{8})(\/.*)$/.exec(url) ?? []
  const host = hosted.get(partnerId)
  const bytes = await readAll(request)
  if (host === undefined) return void response.writeHead(404).end()
  const body = parseBody(bytes)
  const call = callOf(method, path, body.type)
  const received: Received = { call, partner: host.partner, method, path, headers, bytes, body, at: performance.now() }
  response.once('close', () => {
    received.ended ??= { at: performance.now(), status: null, body: '' }
  })
  const number = host.journal.of(call).length
  host.journal.add(received)
  const answer: Answer = call === 'profile' || call === 'other' ? { kind: 'ok' } : host.answerTo(call)
  await sendAnswer(response, received, answer, { timing, restarting: host.restarting, number })
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) throw new Error('the request is too large')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
