/** Status and body of each answer of the test wallet (R-1 to R-3; interface.md, Errors). */
import { randomUUID } from 'node:crypto'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import type { CallName } from './check-signature.ts'
import type { Answer } from './decision.ts'
import { has, type Wallet } from './state.ts'

export interface HttpReply {
  readonly status: number
  readonly body: string
}

export function render(wallet: Wallet, name: CallName | undefined, answer: Answer): HttpReply {
  switch (answer.kind) {
    case 'bet':
      return renderBet(wallet, name, answer)
    case 'data':
      return { status: 200, body: answer.json }
    case 'refused':
      return { status: statusOf(wallet, name, answer.code), body: renderRefusal(wallet, answer.code) }
    default:
      return answer satisfies never
  }
}

function renderBet(wallet: Wallet, name: CallName | undefined, answer: Answer & { kind: 'bet' }): HttpReply {
  if (name === 'settle' && has(wallet, 'settle-answer-empty')) return { status: 200, body: '' }
  if (name === 'rollback' && has(wallet, 'rollback-answer-empty')) return { status: 200, body: '' }
  const body = JSON.stringify({ transactionId: idOf(wallet, answer), transactionTime: timeOf(wallet, answer.at) })
  return { status: name === 'place' && has(wallet, 'place-answered-201') ? 201 : 200, body }
}

let answered = 0

function idOf(wallet: Wallet, { transactionId, requestId }: Answer & { kind: 'bet' }): string {
  if (has(wallet, 'answer-names-the-request')) return requestId
  if (has(wallet, 'answer-invents-an-id')) return randomUUID()
  if (!has(wallet, 'answer-counts')) return transactionId
  answered += 1
  return String(answered)
}

const MS_PER_HOUR = 3_600_000

function timeOf(wallet: Wallet, at: string): string | number {
  const local = new Date(Date.parse(at) + 2 * MS_PER_HOUR).toISOString()
  if (has(wallet, 'time-of-another-zone')) return local
  if (has(wallet, 'time-with-offset')) return local.replace('Z', '+02:00')
  if (has(wallet, 'time-without-zone')) return at.replace('Z', '')
  if (has(wallet, 'time-as-number')) return Math.trunc(Date.parse(at) / 1_000)
  return has(wallet, 'time-as-sql') ? at.slice(0, 19).replace('T', ' ') : at
}

/** A rejection is always 400. */
function statusOf(wallet: Wallet, name: CallName | undefined, code: number): number {
  if (has(wallet, 'refusals-as-200')) return 200
  if (code === 1 && has(wallet, 'bad-signature-401')) return 401
  if (code === 1 && has(wallet, 'bad-signature-500')) return 500
  if ((code === 3 || code === 4) && has(wallet, 'bad-token-403')) return 403
  if (code === 7 && has(wallet, 'no-money-402')) return 402
  if (code === 5 && name !== 'place' && has(wallet, 'unknown-bet-404')) return 404
  if (code === 8 && has(wallet, 'conflict-409')) return 409
  if (code === 5 && has(wallet, 'invalid-data-422')) return 422
  return (code === 20 || code === 21) && has(wallet, 'blocked-result-500') ? 500 : 400
}

const UNLISTED_CODE = 999

function renderRefusal(wallet: Wallet, code: number): string {
  if (has(wallet, 'refusal-without-body')) return ''
  const message = messageOf(code)
  if (has(wallet, 'code-as-text')) return JSON.stringify({ code: String(code), message })
  if (has(wallet, 'refusal-without-message')) return JSON.stringify({ code })
  if (has(wallet, 'refusal-nested')) return JSON.stringify({ error: { code, message } })
  const answerCode = code === 5 && has(wallet, 'code-unlisted') ? UNLISTED_CODE : code
  return JSON.stringify({ code: answerCode, message })
}

function messageOf(code: number): string {
  return Object.values(REPLY_CODES).find((one) => one.code === code)?.message ?? 'Refused'
}
