/** Parses a bet of any platform from a row of a CSV file. Pure, because the console uses it too. */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { BetState, PlatformSide } from './bet-sides.ts'

const REQUIRED = ['betId', 'player', 'status', 'currency', 'stake'] as const
/** For settled bets; empty for others. */
const OPTIONAL = ['payout', 'resultType'] as const
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number]
export type PlatformRowCells = Readonly<Partial<Record<Column, string>>>

const STATES = ['open', 'settled', 'cancelled', 'declined'] as const
const AMOUNT = /^\d{1,30}(\.\d{1,30})?$/

export function requireColumns(path: string, names: readonly string[]): string[] {
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new UsageError(`${path} lacks the columns ${missing.join(', ')}; its first line must name them`)
  return [...names]
}

export function parsePlatformRow(cells: PlatformRowCells, line: number, where: string): PlatformSide {
  const { betId = '', player = '', currency = '', stake = '', status = '' } = cells
  for (const [name, value] of Object.entries({ betId, player, currency }))
    if (value === '') throw new UsageError(`${where}: ${name} is empty`)
  const state = parseState(cells, where)
  return {
    ...{ betId, players: [player], currency, status, version: line },
    stake: parseRowAmount('stake', stake, where),
    decided: state,
    acknowledged: state,
    isUnderWay: false,
    failed: null,
  }
}

function parseState({ status, payout = '', resultType = '' }: PlatformRowCells, where: string): BetState {
  const kind = STATES.find((one) => one === status)
  if (kind === undefined) throw new UsageError(`${where}: status must be one of ${STATES.join(', ')}, not "${status}"`)
  if (kind === 'declined') return { kind: 'none' }
  if (kind !== 'settled') return { kind }
  if (resultType === '') throw new UsageError(`${where}: a settled bet has a resultType`)
  return { kind, payout: parseRowAmount('payout', payout, where), resultType }
}

function parseRowAmount(name: string, text: string, where: string): string {
  if (!AMOUNT.test(text)) throw new UsageError(`${where}: ${name} must be an amount like 12.10, not "${text}"`)
  return text
}
