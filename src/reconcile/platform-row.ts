/** A bet of any platform, from a row of a table with named columns. Pure: the console reads such a file too. */
import { WrongUse } from '../runtime/wrong-use.ts'
import type { PlatformSide, State } from './sides.ts'

const REQUIRED = ['betId', 'player', 'status', 'currency', 'stake'] as const
/** Of a settled bet; others may leave them empty. */
const OPTIONAL = ['payout', 'resultType'] as const
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number]
export type Cells = Readonly<Partial<Record<Column, string>>>

const STATES = ['open', 'settled', 'cancelled', 'declined'] as const
const AMOUNT = /^\d{1,30}(\.\d{1,30})?$/

export function checkNames(path: string, names: readonly string[]): string[] {
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new WrongUse(`${path} lacks the columns ${missing.join(', ')}; its first line must name them`)
  return [...names]
}

export function toSide(cells: Cells, line: number, where: string): PlatformSide {
  const { betId = '', player = '', currency = '', stake = '', status = '' } = cells
  for (const [name, value] of Object.entries({ betId, player, currency }))
    if (value === '') throw new WrongUse(`${where}: ${name} is empty`)
  const state = toState(cells, where)
  return {
    ...{ betId, players: [player], currency, status, version: line },
    stake: toAmount('stake', stake, where),
    decided: state,
    told: state,
    isUnderWay: false,
    failed: null,
  }
}

function toState({ status, payout = '', resultType = '' }: Cells, where: string): State {
  const kind = STATES.find((one) => one === status)
  if (kind === undefined) throw new WrongUse(`${where}: status must be one of ${STATES.join(', ')}, not "${status}"`)
  if (kind === 'declined') return { kind: 'none' }
  if (kind !== 'settled') return { kind }
  if (resultType === '') throw new WrongUse(`${where}: a settled bet has a resultType`)
  return { kind, payout: toAmount('payout', payout, where), resultType }
}

function toAmount(name: string, text: string, where: string): string {
  if (!AMOUNT.test(text)) throw new WrongUse(`${where}: ${name} must be an amount like 12.10, not "${text}"`)
  return text
}
