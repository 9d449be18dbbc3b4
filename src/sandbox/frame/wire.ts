/** The calls about the frame's player as the network between platform and wallet sees them: those on their way too. Bounded: old ones go. */
import { objectIn } from '../../protocol/json.ts'
import { type BetOperation, betOperationOf, OPERATIONS } from '../../protocol/operation.ts'
import type { Lookout, Passing, Told, Trouble } from '../faults.ts'

export interface WireCall {
  readonly number: number
  readonly at: string
  readonly operation: BetOperation
  readonly betId: string
  readonly amount: string | undefined
  readonly trouble: Trouble | undefined
  /** Undefined while it is on its way. */
  status?: number
  code?: number
  /** Nobody heard the answer in time. */
  isLost: boolean
  /** The same bytes came a second time and were answered alike. */
  isAgain: boolean
  endedAt?: string
}

const MAX_KEPT = 300

export interface Wire extends Lookout {
  /** What has changed about calls since this number of changes. */
  since(change: number): { readonly calls: readonly WireCall[]; readonly next: number }
  /** Of the next Place bet of the player. */
  prepare(trouble: Trouble): void
}

export function createWire(player: string): Wire {
  const kept: { call: WireCall; changed: number }[] = []
  let numbers = 0
  let changes = 0
  let prepared: Trouble | undefined
  /** Bets whose Place bet is held up until their Rollback has been answered. */
  const heldUp = new Map<string, () => void>()
  const add = (call: WireCall) => {
    changes += 1
    const entry = { call, changed: changes }
    kept.push(entry)
    if (kept.length > MAX_KEPT) kept.shift()
    return (what: Told) => {
      changes += 1
      entry.changed = changes
      apply(call, what)
    }
  }
  const aCall = (body: Body, operation: BetOperation, trouble: Trouble | undefined): WireCall => {
    numbers += 1
    const { transactionId: betId = '', amount } = body
    return {
      ...{ number: numbers, at: new Date().toISOString(), operation, betId, trouble, isLost: false, isAgain: false },
      amount: amount === undefined ? undefined : String(amount),
    }
  }
  return {
    since(change) {
      return { calls: kept.filter(({ changed }) => changed > change).map(({ call }) => call), next: changes }
    },
    prepare(trouble) {
      prepared = trouble
    },
    meet(passing) {
      const body = bodyOf(passing)
      const operation = body && betOperationOf(passing.method, body.type)
      if (operation === undefined || body?.userId !== player) return undefined
      const trouble = operation === 'place' ? prepared : undefined
      if (operation === 'place') prepared = undefined
      const tell = add(aCall(body, operation, trouble))
      const { transactionId: betId = '' } = body
      const overtaken = trouble === 'late call' ? new Promise<void>((resolve) => heldUp.set(betId, resolve)) : undefined
      return {
        trouble,
        overtaken,
        tell(what) {
          if (operation === 'rollback' && what.kind === 'answered') {
            heldUp.get(betId)?.()
            heldUp.delete(betId)
          }
          if (what.kind !== 'again') return tell(what)
          const again = { ...aCall(body, operation, trouble), isAgain: true }
          add(again)({ ...what, kind: 'answered' })
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

function bodyOf({ path, body }: Passing): Body | undefined {
  return path.startsWith(OPERATIONS.place.path) ? objectIn(body.toString()) : undefined
}

function apply(call: WireCall, what: Told): void {
  if (what.kind === 'lost') call.isLost = true
  if (!('status' in what)) {
    call.endedAt ??= new Date().toISOString()
    if (call.status === undefined || call.trouble === 'late answer') call.isLost = true
    return
  }
  call.status = what.status
  const code = codeIn(what.text)
  if (code !== undefined) call.code = code
  if (call.trouble !== 'late answer') call.endedAt = new Date().toISOString()
  if (call.trouble === 'late call') call.isLost = true
}

function codeIn(text: string): number | undefined {
  const code = objectIn(text)?.code
  return typeof code === 'number' ? code : undefined
}
