/** Sends one answer of the mock wallet, with the fault that the case's script names. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { toNearMissId } from '../../case-facts.ts'
import type { MalformedBody, ScriptedAnswer } from '../platform-case.ts'
import type { KitTiming } from './kit-timing.ts'
import type { RecordedRequest } from './request-log.ts'

/** A UUID that no platform uses for a bet. */
const ANOTHER_BET = '00000000-0000-4000-8000-000000000000'

/** Milliseconds between answers during a kill, so that the answers cover the whole kill. */
const RESTART_STAGGER_MS = 4

export interface ScriptedAnswerContext {
  readonly timing: KitTiming
  /** Resolves when the kill begins. */
  readonly restarting: Promise<void>
  /** Earlier calls of this operation. */
  readonly number: number
}

/** If the connection ends first, no answer is sent. */
export async function sendScriptedAnswer(
  response: ServerResponse,
  request: RecordedRequest,
  answer: ScriptedAnswer,
  { timing, restarting, number }: ScriptedAnswerContext,
): Promise<void> {
  const successBody = buildSuccessBody(request)
  const send = (status: number, body: string, headers: Record<string, string> = {}) => {
    if (response.destroyed) return
    request.ended = { at: performance.now(), status, body }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
  switch (answer.kind) {
    case 'ok':
      if (answer.after !== undefined) await sleepWhileConnected(timing[answer.after], response)
      return send(200, successBody)
    case 'refusal':
      return send(400, JSON.stringify({ code: answer.code, message: `code ${answer.code}` }))
    case 'status':
      return send(answer.status, JSON.stringify(REPLY_CODES.system_error), redirectHeaders(request))
    case 'late_body':
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      await sleepWhileConnected(timing[answer.after], response)
      request.ended ??= { at: performance.now(), status: 200, body: successBody }
      return void response.end(successBody)
    case 'ok_at_restart':
      await restarting
      await sleepWhileConnected(number * RESTART_STAGGER_MS, response)
      return send(200, successBody)
    case 'hang':
      return
    case 'reset':
      return void response.socket?.resetAndDestroy()
    case 'bad_body':
      return send(200, buildMalformedBody(answer.body, successBody))
    default:
      answer satisfies never
  }
}

/** The standard success, or for User data the player's profile. */
function buildSuccessBody({ call, body, partner }: RecordedRequest): string {
  if (call !== 'profile')
    return JSON.stringify({ transactionId: body.transactionId, transactionTime: new Date().toISOString() })
  const player = partner.players.get(String(body.token))
  const { userId, currency, operatorUser } = player ?? {}
  return JSON.stringify({ userId, currency, currencies: [...new Set([currency, 'EUR', 'USD'])], operatorUser })
}

function buildMalformedBody(kind: MalformedBody, successBody: string): string {
  const { transactionId, ...others } = JSON.parse(successBody)
  switch (kind) {
    case 'empty':
      return ''
    case 'broken':
      return successBody.slice(0, successBody.length / 2)
    case 'of_another_bet':
      return JSON.stringify({ ...others, transactionId: ANOTHER_BET })
    case 'of_a_bet_alike':
      return JSON.stringify({ ...others, transactionId: toNearMissId(transactionId) })
    default:
      return kind satisfies never
  }
}

/** Only a redirect uses this. */
function redirectHeaders({ partner }: RecordedRequest): Record<string, string> {
  return { location: `${partner.baseUrl}/elsewhere` }
}

/** Ends when the platform closes the connection, so that no timer outlives the run. */
async function sleepWhileConnected(ms: number, response: ServerResponse): Promise<void> {
  const hungUp = new AbortController()
  response.once('close', () => hungUp.abort())
  await sleep(ms, undefined, { signal: hungUp.signal }).catch(() => {})
}
