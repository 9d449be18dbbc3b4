/**
 * Calls a wallet through the code of each of its four callers: platform, load generator, gateway
 * and conformance kit.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { parseCallMix } from '@purser/conformance/load/call-mix'
import { runWorkerTask } from '@purser/conformance/load/worker/worker-task'
import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import { createAnswerLinter, type LintRule } from '@purser/conformance/wallet/play/answer-lint'
import { interpretAnswer, isFinalStatus } from '@purser/conformance/wallet/play/answer-meaning'
import { createRequestSender } from '@purser/conformance/wallet/play/request-sender'
import { type CallOutcome, classifyAnswer } from '@purser/protocol/client/answer-classification'
import { createWalletClient } from '@purser/protocol/client/wallet-client'
import { OPERATIONS } from '@purser/protocol/operation'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { SIGNATURE_HEADER, signBody } from '@purser/protocol/signature'
import { systemClock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Endpoint } from '../../src/core/partner-wire/partner-wire.ts'
import { createOperatorClient } from '../../src/gateway/operators/operator-client.ts'
import { type GatewayCallDeps, handleGatewayCall } from '../../src/gateway/wire/gateway-call-handler.ts'
import { placeMessage } from '../support/wire.ts'

const SECRET = 'the-secret-of-the-odd-wallet'
const PLAYER = { userId: '7d0e4d5c-8d5b-4c34-9a7e-2f8f4b6f7a11', operatorId: 'acme', operatorUser: 'ann' }
const TOKEN = 'a-token-of-the-operator'

export type RequestKind = 'place' | 'profile'
/** `refused N` has a code that ends a Place bet without a Rollback. */
export type Reading = 'accepted' | 'unknown' | `refused ${number}`
/** `load` ignores `asked` and always places a bet. */
export type Caller = (baseUrl: string, asked: RequestKind) => Promise<Reading>

function readingOf(outcome: CallOutcome): Reading {
  if (outcome.kind !== 'refused') return outcome.kind
  return outcome.code === REPLY_CODES.system_error.code ? 'unknown' : `refused ${outcome.code}`
}

function bodyOf(asked: RequestKind): { readonly text: string; readonly betId?: string } {
  if (asked === 'profile') return { text: JSON.stringify({ token: TOKEN, requestId: environment.uuid() }) }
  const message = placeMessage({ userId: PLAYER.userId, token: TOKEN })
  return { text: JSON.stringify(message), betId: String(message.transactionId) }
}

const platform: Caller = async (baseUrl, asked) => {
  const client = createWalletClient({ baseUrl, secrets: [SECRET] })
  const { text, betId } = bodyOf(asked)
  const { outcome } = await client.call(asked, text, betId)
  await client.close()
  return readingOf(outcome)
}

const load: Caller = async (baseUrl) => {
  const player = { userId: PLAYER.userId, token: TOKEN, currency: 'EUR', scale: 2 }
  const { tally } = await runWorkerTask(
    {
      ...{ baseUrl, secrets: [SECRET], players: [player], mix: parseCallMix('place=1'), zipf: 1, seed: 1 },
      ...{ stakes: new Map([['EUR', { least: 100n, most: 100n }]]), intervalMs: 1_000, stallTimeoutMs: 0 },
      schedule: { rate: 1_000, durationMs: 1, worker: 0, workers: 1, connections: 1 },
    },
    () => {},
    new AbortController().signal,
  )
  const { accepted, refused } = tally.byKind.place
  if (accepted > 0) return 'accepted'
  const [code] = refused.keys()
  return code === undefined ? 'unknown' : readingOf({ kind: 'refused', code, message: '' })
}

/** The gateway forwards the reply that it has read; the platform must read that in the same way. */
const gateway: Caller = async (baseUrl, asked) => {
  const link = createOperatorClient({ baseUrl, secrets: [SECRET] })
  const { text, betId } = bodyOf(asked)
  const deps: GatewayCallDeps = {
    secrets: [SECRET],
    clock: systemClock,
    directory: {
      findRoute: () => ({ player: PLAYER, operatorToken: TOKEN }),
      openSession: () => Promise.reject(new Error()),
    },
    operators: { findClient: () => link } as unknown as GatewayCallDeps['operators'],
    onFailure(error) {
      throw error
    },
  }
  const { method } = OPERATIONS[asked]
  const endpoint: Endpoint = asked === 'place' ? 'bet' : 'profile'
  const headers = { [SIGNATURE_HEADER]: signBody(Buffer.from(text), SECRET) }
  const request = { method, headers, body: Buffer.from(text), arrivedAt: environment.monotonicNow() }
  const { reply } = await handleGatewayCall(deps, endpoint, request)
  await link.close()
  return readingOf(classifyAnswer(asked, { status: reply.status, body: Buffer.from(reply.body) }, betId))
}

const MUST = new Set(WALLET_CASES.flatMap((one) => ('rule' in one && one.level === 'MUST' ? [one.rule] : [])))

/** A reply whose form breaks a MUST fails that case, even if the kit counts its money. */
const kit: Caller = async (baseUrl, asked) => {
  const sender = createRequestSender({ baseUrl, clock: systemClock })
  const { method, path } = OPERATIONS[asked]
  const { text } = bodyOf(asked)
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signBody(Buffer.from(text), SECRET) }
  const exchange = await sender.send('Place bet X', { method, path, headers, body: text })
  await sender.close()
  const linter = createAnswerLinter()
  linter.inspect(exchange, true)
  if ([...MUST].some((rule: LintRule) => linter.findings(rule).bad > 0)) return 'unknown'
  const answer = interpretAnswer(exchange)
  if (answer.kind === 'accepted') return 'accepted'
  if (answer.kind === 'lost' || !isFinalStatus(answer) || answer.code === undefined) return 'unknown'
  return readingOf({ kind: 'refused', code: answer.code, message: '' })
}

export const CALLERS: Readonly<Record<string, Caller>> = { platform, load, gateway, kit }

/** `betId` is the transactionId of the request. */
export type Writes = (socket: Socket, betId: string) => void

export interface OddServer {
  readonly url: string
  close(): Promise<void>
}

/** Replies with the raw bytes of `writes`, so that any part of a reply can be wrong. */
export async function startOddServer(writes: Writes): Promise<OddServer> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).setNoDelay(true)
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
      const [head = '', body] = text.split('\r\n\r\n')
      const length = /content-length: (\d+)/i.exec(head)?.[1]
      if (body === undefined || body.length < Number.parseInt(length ?? '0', 10)) return
      text = ''
      writes(socket, /"transactionId":"([^"]*)"/.exec(body)?.[1] ?? '')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
