/** The four callers of a wallet, each by its own code: how platform, load, gateway and kit read one answer. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { CASES } from '../../src/conformance/wallet/cases/all.ts'
import { isFinal, readAnswer } from '../../src/conformance/wallet/play/answer.ts'
import { createLinter, type LintRule } from '../../src/conformance/wallet/play/lint.ts'
import { createSender } from '../../src/conformance/wallet/play/sender.ts'
import { type CallDeps, handleCall } from '../../src/gateway/handle-call.ts'
import { createLink } from '../../src/gateway/link.ts'
import type { Endpoint } from '../../src/http/wire.ts'
import { drive } from '../../src/load/drive.ts'
import { readMix } from '../../src/load/mix.ts'
import { REPLY_CODES } from '../../src/protocol/codes.ts'
import { OPERATIONS } from '../../src/protocol/operation.ts'
import { SIGNATURE_HEADER, sign } from '../../src/protocol/signature.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { world } from '../../src/runtime/world.ts'
import { type CallOutcome, classifyAnswer } from '../../src/wallet-client/classify.ts'
import { createWalletClient } from '../../src/wallet-client/wallet-client.ts'
import { placeMessage } from '../support/wire.ts'

const SECRET = 'the-secret-of-the-odd-wallet'
const PLAYER = { userId: '7d0e4d5c-8d5b-4c34-9a7e-2f8f4b6f7a11', operatorId: 'acme', operatorUser: 'ann' }
const TOKEN = 'a-token-of-the-operator'

export type Asked = 'place' | 'profile'
/** 'refused N', where N is a code that ends a Place bet without a Rollback. */
export type Reading = 'accepted' | 'unknown' | `refused ${number}`
/** Undefined: the caller makes no such call. */
export type Caller = (baseUrl: string, asked: Asked) => Promise<Reading>

function readingOf(outcome: CallOutcome): Reading {
  if (outcome.kind !== 'refused') return outcome.kind
  return outcome.code === REPLY_CODES.system_error.code ? 'unknown' : `refused ${outcome.code}`
}

function bodyOf(asked: Asked): { readonly text: string; readonly betId?: string } {
  if (asked === 'profile') return { text: JSON.stringify({ token: TOKEN, requestId: world.uuid() }) }
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
  const { tally } = await drive(
    {
      ...{ baseUrl, secrets: [SECRET], players: [player], mix: readMix('place=1'), zipf: 1, seed: 1 },
      ...{ stakes: new Map([['EUR', { least: 100n, most: 100n }]]), intervalMs: 1_000, patienceMs: 0 },
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

/** The gateway passes on what it has read: it is right when the platform reads the same behind it. */
const gateway: Caller = async (baseUrl, asked) => {
  const link = createLink({ baseUrl, secrets: [SECRET] })
  const { text, betId } = bodyOf(asked)
  const deps: CallDeps = {
    secrets: [SECRET],
    clock: systemClock,
    directory: { routeOf: () => ({ player: PLAYER, operatorToken: TOKEN }), open: () => Promise.reject(new Error()) },
    operators: { link: () => link } as unknown as CallDeps['operators'],
    onFailure(error) {
      throw error
    },
  }
  const { method } = OPERATIONS[asked]
  const endpoint: Endpoint = asked === 'place' ? 'bet' : 'profile'
  const headers = { [SIGNATURE_HEADER]: sign(Buffer.from(text), SECRET) }
  const request = { method, headers, body: Buffer.from(text), arrivedAt: world.elapsed() }
  const { reply } = await handleCall(deps, endpoint, request)
  await link.close()
  return readingOf(classifyAnswer(asked, { status: reply.status, body: Buffer.from(reply.body) }, betId))
}

const MUST = new Set(CASES.flatMap((one) => ('rule' in one && one.level === 'MUST' ? [one.rule] : [])))

/** An answer whose form breaks a MUST is condemned by the case of that rule, whatever the kit then makes of the money. */
const kit: Caller = async (baseUrl, asked) => {
  const sender = createSender({ baseUrl, clock: systemClock })
  const { method, path } = OPERATIONS[asked]
  const { text } = bodyOf(asked)
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(Buffer.from(text), SECRET) }
  const exchange = await sender.send('Place bet X', { method, path, headers, body: text })
  await sender.close()
  const linter = createLinter()
  linter.look(exchange, true)
  if ([...MUST].some((rule: LintRule) => linter.findings(rule).bad > 0)) return 'unknown'
  const answer = readAnswer(exchange)
  if (answer.kind === 'accepted') return 'accepted'
  if (answer.kind === 'lost' || !isFinal(answer) || answer.code === undefined) return 'unknown'
  return readingOf({ kind: 'refused', code: answer.code, message: '' })
}

export const CALLERS: Readonly<Record<string, Caller>> = { platform, load, gateway, kit }

/** Writes an answer to a request. `betId`: the transactionId of its body. */
export type Writes = (socket: Socket, betId: string) => void

export interface OddServer {
  readonly url: string
  close(): Promise<void>
}

/** Each request gets what `writes` writes; the bytes are its own, so that anything can be wrong with them. */
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
