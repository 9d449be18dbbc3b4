/**
 * Sends one call of the test platform to a partner, and returns the answer or the reason for its
 * absence.
 */
import type { Behaviour, Outcome } from './behaviour.ts'

export interface CallTarget {
  readonly url: string
  readonly method: 'POST' | 'PUT'
  readonly text: string
  readonly signature: string | undefined
  /** Ends the call without an outcome, because the process was killed. */
  readonly killed: AbortSignal
}

export interface PartnerAnswer {
  readonly status: number
  readonly text: string
}

export async function callPartner(behaviour: Behaviour, target: CallTarget): Promise<PartnerAnswer | Outcome> {
  const { timeOutMs, timeOutCovers, redirect } = behaviour
  const timeOut = new AbortController()
  const timer = setTimeout(() => timeOut.abort(), timeOutMs)
  try {
    const response = await fetch(target.url, {
      method: target.method,
      headers: { 'content-type': 'application/json', ...(target.signature && { 'x-sign-jws': target.signature }) },
      body: target.text,
      redirect,
      signal: AbortSignal.any([timeOut.signal, target.killed]),
    })
    if (timeOutCovers === 'headers') clearTimeout(timer)
    return { status: response.status, text: await response.text() }
  } catch (error) {
    return timeOut.signal.aborted
      ? { kind: 'unknown', why: 'time_out' }
      : { kind: 'unknown', why: 'network', code: codeOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
}

export function outcomeOf(answer: PartnerAnswer | Outcome, betId: string): Outcome {
  if ('kind' in answer) return answer
  const { status, text } = answer
  if (status !== 200 && status !== 400) return { kind: 'unknown', why: 'status', status }
  if (text === '') return { kind: 'unknown', why: 'empty' }
  const body = parse(text)
  if (body === undefined) return { kind: 'unknown', why: 'broken' }
  if (status === 400) {
    return typeof body.code === 'number' ? { kind: 'refused', code: body.code } : { kind: 'unknown', why: 'broken' }
  }
  if (body.transactionId === betId) return { kind: 'accepted' }
  const isAlike = String(body.transactionId).startsWith(betId.slice(0, -1))
  return { kind: 'unknown', why: isAlike ? 'of_a_bet_alike' : 'of_another_bet' }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
