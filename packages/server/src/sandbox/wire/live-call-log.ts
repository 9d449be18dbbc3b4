/**
 * Log of the calls about the demo frame's player, as the fault proxy sees them. The log includes
 * calls in progress. Old calls are removed from it.
 */

import { type BetOperation, OPERATIONS, parseBetOperation } from '@purser/protocol/operation'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import type { CallInterceptor, InjectedFault, ProxiedCall, ProxyEvent } from './fault-proxy.ts'

export interface LiveCall {
  readonly number: number
  readonly at: string
  readonly operation: BetOperation
  readonly betId: string
  readonly amount: string | undefined
  readonly trouble: InjectedFault | undefined
  /** Undefined while the call is in progress. */
  status?: number
  code?: number
  /** No answer arrived in time. */
  isLost: boolean
  /** The same bytes arrived again and got the same answer. */
  isAgain: boolean
  endedAt?: string
}

const MAX_CALLS = 300

export interface LiveCallLog extends CallInterceptor {
  /** Returns the calls that changed after this number of changes. */
  since(change: number): { readonly calls: readonly LiveCall[]; readonly next: number }
  /** Applies to the player's next Place bet. */
  injectFault(fault: InjectedFault): void
}

export function createLiveCallLog(player: string): LiveCallLog {
  const entries: { call: LiveCall; changed: number }[] = []
  let numbers = 0
  let changes = 0
  let prepared: InjectedFault | undefined
  /** Bets whose Place bet is delayed until their Rollback has an answer. */
  const delayedPlaceBets = new Map<string, () => void>()
  const add = (call: LiveCall) => {
    changes += 1
    const entry = { call, changed: changes }
    entries.push(entry)
    if (entries.length > MAX_CALLS) entries.shift()
    return (event: ProxyEvent) => {
      changes += 1
      entry.changed = changes
      applyProxyEvent(call, event)
    }
  }
  const createCall = (body: Body, operation: BetOperation, trouble: InjectedFault | undefined): LiveCall => {
    numbers += 1
    const { transactionId: betId = '', amount } = body
    return {
      ...{ number: numbers, at: new Date().toISOString(), operation, betId, trouble, isLost: false, isAgain: false },
      amount: amount === undefined ? undefined : String(amount),
    }
  }
  return {
    since(change) {
      return { calls: entries.filter(({ changed }) => changed > change).map(({ call }) => call), next: changes }
    },
    injectFault(fault) {
      prepared = fault
    },
    intercept(passing) {
      const body = parseCallBody(passing)
      const operation = body && parseBetOperation(passing.method, body.type)
      if (operation === undefined || body?.userId !== player) return undefined
      const fault = operation === 'place' ? prepared : undefined
      if (operation === 'place') prepared = undefined
      const notify = add(createCall(body, operation, fault))
      const { transactionId: betId = '' } = body
      const overtaken =
        fault === 'late call' ? new Promise<void>((resolve) => delayedPlaceBets.set(betId, resolve)) : undefined
      return {
        fault,
        overtaken,
        notify(event) {
          if (operation === 'rollback' && event.kind === 'answered') {
            delayedPlaceBets.get(betId)?.()
            delayedPlaceBets.delete(betId)
          }
          if (event.kind !== 'again') return notify(event)
          const again = { ...createCall(body, operation, fault), isAgain: true }
          add(again)({ ...event, kind: 'answered' })
        },
      }
    },
  }
}

interface Body {
  readonly userId?: string
  readonly transactionId?: string
  readonly type?: number
  readonly amount?: number
}

function parseCallBody({ path, body }: ProxiedCall): Body | undefined {
  return path.startsWith(OPERATIONS.place.path) ? parseJsonObject(body.toString()) : undefined
}

function applyProxyEvent(call: LiveCall, event: ProxyEvent): void {
  if (event.kind === 'lost') call.isLost = true
  if (!('status' in event)) {
    call.endedAt ??= new Date().toISOString()
    if (call.status === undefined || call.trouble === 'late answer') call.isLost = true
    return
  }
  call.status = event.status
  const code = parseCode(event.text)
  if (code !== undefined) call.code = code
  if (call.trouble !== 'late answer') call.endedAt = new Date().toISOString()
  if (call.trouble === 'late call') call.isLost = true
}

function parseCode(text: string): number | undefined {
  const code = parseJsonObject(text)?.code
  return typeof code === 'number' ? code : undefined
}
