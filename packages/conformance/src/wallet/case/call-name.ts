/** Names of calls in reports: "Settle X won 200, token: dead". Defaults are omitted. */
import type { Operation } from '@purser/protocol/operation'
import { writeJson } from './json-spelling.ts'
import { nearMissOf } from './near-miss.ts'
import type { CallStep, TokenChoice } from './wallet-case.ts'

export const OPERATION_NAMES = {
  place: 'Place bet',
  settle: 'Settle',
  unsettle: 'Unsettle',
  rollback: 'Rollback',
  profile: 'User data',
  balance: 'Balance',
  check: 'Check',
} as const satisfies Record<Operation, string>

/** `amount` is the written amount, unless the case replaces it. */
export function formatCallName(call: CallStep, amount: string | undefined): string {
  const { operation, bet, resultType, who } = call
  const isAboutBet = operation !== 'profile' && operation !== 'balance'
  const isReplaced = call.raw !== undefined || 'amount' in call.members
  const words = [OPERATION_NAMES[operation], ...(isAboutBet ? [bet, resultType, isReplaced ? undefined : amount] : [])]
  const extras = [who === 'A' ? undefined : `of ${who}`, ...listOddities(call)]
  const defined = (texts: readonly (string | undefined)[]) => texts.filter((text) => text !== undefined)
  return [defined(words).join(' '), ...defined(extras)].join(', ')
}

function listOddities(call: CallStep): (string | undefined)[] {
  const { signature, spelling, raw, method, path, contentType, requestId, bytesOf, currency, token } = call
  return [
    method && `method: ${method}`,
    path && `path: ${path}`,
    contentType && `content type: ${contentType}`,
    raw === undefined ? undefined : `body: ${truncate(raw) || 'empty'}`,
    ...Object.entries(call.members).map(([name, value]) => formatMember(name, value)),
    token === defaultToken(call) ? undefined : `token: ${token}`,
    currency === 'first' ? undefined : 'in the other currency',
    requestId && `requestId: ${requestId}`,
    spelling === 'compact' ? undefined : `written: ${spelling}`,
    signature === 'valid' ? undefined : `signature: ${signature}`,
    bytesOf && `the bytes of "${bytesOf}" again`,
  ]
}

/** The default of step-builders.ts. */
function defaultToken({ operation, resultType }: CallStep): TokenChoice {
  const isUnneeded = operation === 'unsettle' || (operation === 'settle' && resultType !== 'cashout')
  return isUnneeded ? 'none' : 'live'
}

function formatMember(name: string, value: unknown): string {
  return value === undefined
    ? `without ${name}`
    : `${name}: ${nearMissOf(value) ?? truncate(writeJson(value, 'compact'))}`
}

/** Characters of a value. The report also has the exact request. */
const MAX_CHARS = 60

function truncate(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}
