/** Mock wallet: one HTTP server for many partners, each with its own path. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { BetOperation } from '@purser/protocol/operation'
import { trimEndSlashes } from '@purser/protocol/values/base-url'
import { LIMITS } from '@purser/protocol/wire-limits'
import type { AnswerScript, OtherPlayerKind, PartnerAddressKind, ScriptedAnswer } from '../platform-case.ts'
import type { KitTiming } from './kit-timing.ts'
import {
  classifyRequest,
  type KitPartner,
  type KitPlayer,
  parseRequestBody,
  type RecordedRequest,
  type RequestLog,
} from './request-log.ts'
import { sendScriptedAnswer } from './scripted-answer.ts'

/** Bytes of a request. A larger request ends the connection. */
const MAX_BODY_BYTES = 1024 * 1024

export interface MockWalletOptions {
  readonly host: string
  readonly port: number
  /** The address for the platform, if it differs from `host` and `port`. */
  readonly publicUrl?: string
  readonly timing: KitTiming
}

export interface MockWallet {
  /** The address for the platform. */
  readonly url: string
  /** The partner answers by these scripts and records each call. */
  open(name: string, setup: MockPartnerSetup): MockPartner
  close(): Promise<void>
}

export interface MockPartnerSetup {
  readonly scripts: Partial<Record<BetOperation, AnswerScript>>
  readonly journal: RequestLog
  /** Resolves just before the platform is killed. */
  readonly restarting: Promise<void>
}

export interface MockPartner extends KitPartner {
  addressOf(addressKind: PartnerAddressKind): string
  /** With `same`, returns this player in another currency, with a new token. */
  player(currency: string, same?: KitPlayer): KitPlayer
  /** `before`: the player with whom a faulty platform may confuse the new one. */
  otherPlayer(who: OtherPlayerKind, before: KitPlayer): KitPlayer
  /** All further answers are `ok`, so that the platform has no open calls. */
  recover(): void
}

interface HostedPartner extends MockPartnerSetup {
  readonly partner: KitPartner
  answerTo(call: BetOperation): ScriptedAnswer
}

/** Throws if the port is not available. */
export async function startMockWallet(options: MockWalletOptions): Promise<MockWallet> {
  const hosted = new Map<string, HostedPartner>()
  const server = createServer((request, response) => {
    receiveCall(hosted, request, response, options.timing).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => {}))
  server.keepAliveTimeout = 30_000
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const addresses = await buildAddresses(server, options)
  return {
    url: addresses.home,
    open: (name, setup) => openPartner({ hosted, addresses }, name, setup),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Addresses = Readonly<Record<PartnerAddressKind, string>>

async function buildAddresses(server: Server, { host, publicUrl }: MockWalletOptions): Promise<Addresses> {
  const port = portOf(server)
  const home = trimEndSlashes(publicUrl ?? `http://${host}:${port}`)
  const { hostname } = new URL(home)
  return {
    home,
    refused: `http://${hostname}:${await findClosedPort()}`,
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

/** A port that was free a moment ago, so that no process listens on it. */
async function findClosedPort(): Promise<number> {
  const server = createTcpServer().listen(0)
  await once(server, 'listening')
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

function openPartner(
  { hosted, addresses }: { hosted: Map<string, HostedPartner>; addresses: Addresses },
  name: string,
  setup: MockPartnerSetup,
): MockPartner {
  const { scripts } = setup
  const partnerId = `${name}-${randomBytes(4).toString('hex')}` // late calls of an earlier run find no partner
  const players = new Map<string, KitPlayer>()
  const addressOf = (addressKind: PartnerAddressKind) => `${addresses[addressKind]}/${partnerId}`
  const partner = { partnerId, baseUrl: addressOf('home'), secret: randomBytes(24).toString('base64url'), players }
  const left = new Map(Object.entries(scripts).map(([call, { first = [] }]) => [call, [...first]]))
  let isRecovered = false
  const answerTo = (call: BetOperation): ScriptedAnswer =>
    isRecovered ? { kind: 'ok' } : (left.get(call)?.shift() ?? scripts[call]?.always ?? { kind: 'ok' })
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
    otherPlayer(who, before) {
      const player = createOtherPlayer(who, before)
      players.set(player.token, player)
      return player
    },
    recover() {
      isRecovered = true
    },
  }
}

const LONGEST = LIMITS.token.maxLength

function createOtherPlayer(who: OtherPlayerKind, { token, userId, currency }: KitPlayer): KitPlayer {
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

async function receiveCall(
  hosted: ReadonlyMap<string, HostedPartner>,
  request: IncomingMessage,
  response: ServerResponse,
  timing: KitTiming,
): Promise<void> {
  const { method = '', url = '', headers } = request
  const [, partnerId = '', path = ''] = /\/([^/]+-[0-9a-f]{8})(\/.*)$/.exec(url) ?? []
  const host = hosted.get(partnerId)
  const bytes = await readAll(request)
  if (host === undefined) return void response.writeHead(404).end()
  const body = parseRequestBody(bytes)
  const call = classifyRequest(method, path, body.type)
  const received: RecordedRequest = {
    call,
    partner: host.partner,
    method,
    path,
    headers,
    bytes,
    body,
    at: performance.now(),
  }
  response.once('close', () => {
    received.ended ??= { at: performance.now(), status: null, body: '' }
  })
  const number = host.journal.of(call).length
  host.journal.add(received)
  const answer: ScriptedAnswer = call === 'profile' || call === 'other' ? { kind: 'ok' } : host.answerTo(call)
  await sendScriptedAnswer(response, received, answer, { timing, restarting: host.restarting, number })
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
