/** One answer of the kit's wallet, right or wrong in exactly the way that the script says. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { REPLY_CODES } from '../../../protocol/codes.ts'
import { twinId } from '../../twin-id.ts'
import type { Answer, BadBody } from '../case.ts'
import type { Received } from './record.ts'
import type { Timing } from './timing.ts'

/** A uuid that no platform gives to a bet. */
const ANOTHER_BET = '00000000-0000-4000-8000-000000000000'

/** Milliseconds between answers that are given while the platform is killed: together they cover the time that a kill takes. */
const RESTART_STAGGER_MS = 4

export interface AnswerContext {
  readonly timing: Timing
  /** Resolves when the kill begins. */
  readonly restarting: Promise<void>
  /** How many calls of this operation were answered before. */
  readonly number: number
}

/** Sends the answer; one that takes longer ends early, without an answer, when the connection does. */
export async function sendAnswer(
  response: ServerResponse,
  request: Received,
  answer: Answer,
  { timing, restarting, number }: AnswerContext,
): Promise<void> {
  const good = bodyOf(request)
  const send = (status: number, body: string, headers: Record<string, string> = {}) => {
    if (response.destroyed) return
    request.ended = { at: performance.now(), status, body }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
  switch (answer.kind) {
    case 'ok':
      if (answer.after !== undefined) await pause(timing[answer.after], response)
      return send(200, good)
    case 'refusal':
      return send(400, JSON.stringify({ code: answer.code, message: `code ${answer.code}` }))
    case 'status':
      return send(answer.status, JSON.stringify(REPLY_CODES.system_error), elsewhere(request))
    case 'late_body':
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      await pause(timing[answer.after], response)
      request.ended ??= { at: performance.now(), status: 200, body: good }
      return void response.end(good)
    case 'ok_at_restart':
      await restarting
      await pause(number * RESTART_STAGGER_MS, response)
      return send(200, good)
    case 'hang':
      return
    case 'reset':
      return void response.socket?.resetAndDestroy()
    case 'bad_body':
      return send(200, badBody(answer.body, good))
    default:
      answer satisfies never
  }
}

/** The standard success, and of User data the player's profile. */
function bodyOf({ call, body, partner }: Received): string {
  if (call !== 'profile')
    return JSON.stringify({ transactionId: body.transactionId, transactionTime: new Date().toISOString() })
  const player = partner.players.get(String(body.token))
  const { userId, currency, operatorUser } = player ?? {}
  return JSON.stringify({ userId, currency, currencies: [...new Set([currency, 'EUR', 'USD'])], operatorUser })
}

function badBody(kind: BadBody, good: string): string {
  const { transactionId, ...others } = JSON.parse(good)
  switch (kind) {
    case 'empty':
      return ''
    case 'broken':
      return good.slice(0, good.length / 2)
    case 'of_another_bet':
      return JSON.stringify({ ...others, transactionId: ANOTHER_BET })
    case 'of_a_bet_alike':
      return JSON.stringify({ ...others, transactionId: twinId(transactionId) })
    default:
      return kind satisfies never
  }
}

/** Where a redirect leads; other statuses do not look at it. */
function elsewhere({ partner }: Received): Record<string, string> {
  return { location: `${partner.baseUrl}/elsewhere` }
}

/** Ends early when the platform hangs up, so that nothing of a finished run is left waiting. */
async function pause(ms: number, response: ServerResponse): Promise<void> {
  const hungUp = new AbortController()
  response.once('close', () => hungUp.abort())
  await sleep(ms, undefined, { signal: hungUp.signal }).catch(() => {})
}
