/**
 * Reader for a CSV file of players that exist in the wallet (`--players FILE`).
 *
 * - userId, token, currency: required.
 * - operatorUser: for a wallet that an aggregator calls.
 * - scale: for a currency that is not in ISO 4217.
 *
 * An error names the line and never contains a token.
 */

import { CurrencySchema, OperatorUserSchema, TokenSchema, UserIdSchema } from '@purser/protocol/bet-request'
import { MAX_SCALE, STANDARD_SCALES } from '@purser/protocol/values/money'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { readCsv } from '@purser/runtime/text/csv-reader'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { LoadPlayer } from './player.ts'

const REQUIRED = ['userId', 'token', 'currency']
const KNOWN = [...REQUIRED, 'operatorUser', 'scale']
/** Characters of one row. */
const MAX_ROW = 1_000
export const MAX_LOAD_PLAYERS = 100_000

const CELLS = {
  userId: Compile(UserIdSchema),
  token: Compile(TokenSchema),
  currency: Compile(CurrencySchema),
  operatorUser: Compile(Type.Union([Type.Literal(''), OperatorUserSchema])),
}

/** Throws UsageError. The first player bets most. */
export async function readPlayersFile(path: string): Promise<LoadPlayer[]> {
  const players: LoadPlayer[] = []
  const userIds = new Set<string>()
  const scales = new Map<string, number>()
  const columnsOf = (names: readonly string[]) => requireColumns(path, names)
  const table = { columnsOf, ids: ['userId', 'token', 'operatorUser'], maxRow: MAX_ROW }
  for await (const { record, line, fault } of readCsv(path, table)) {
    if (fault !== undefined) throw new UsageError(`${path}:${line}: ${fault}`)
    const player = toPlayer(record, (what) => new UsageError(`${path}:${line}: ${what}`))
    if (userIds.has(player.userId)) throw new UsageError(`${path}:${line}: ${player.userId} is listed twice`)
    if ((scales.get(player.currency) ?? player.scale) !== player.scale)
      throw new UsageError(`${path}:${line}: ${player.currency} has another scale in an earlier line`)
    userIds.add(player.userId)
    scales.set(player.currency, player.scale)
    players.push(player)
    if (players.length > MAX_LOAD_PLAYERS) throw new UsageError(`${path} has more than ${MAX_LOAD_PLAYERS} players`)
  }
  if (players.length === 0) throw new UsageError(`${path} has no players`)
  return players
}

function requireColumns(path: string, names: readonly string[]): string[] {
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new UsageError(`${path} lacks the columns ${missing.join(', ')}; its first line must name them`)
  const wrong = names.find((name, i) => !KNOWN.includes(name) || names.indexOf(name) !== i)
  if (wrong !== undefined)
    throw new UsageError(`${path}: the column "${wrong}" is not one of ${KNOWN.join(', ')}, once each`)
  return [...names]
}

function toPlayer(cells: Readonly<Record<string, string>>, fault: (what: string) => UsageError): LoadPlayer {
  const { userId = '', token = '', currency = '', operatorUser = '', scale: written = '' } = cells
  for (const [name, check] of Object.entries(CELLS))
    if (!check.Check(cells[name] ?? '')) throw fault(`the ${name} has a form that the interface does not have`)
  const scale = parseScale(written) ?? STANDARD_SCALES.get(currency)
  if (scale === undefined || (written !== '' && parseScale(written) === undefined))
    throw fault(`the column scale must contain the decimal places of ${currency}, from 0 to ${MAX_SCALE}`)
  return { userId, token, currency, scale, ...(operatorUser !== '' && { operatorUser }) }
}

function parseScale(written: string): number | undefined {
  const scale = /^\d{1,2}$/.test(written) ? Number.parseInt(written, 10) : undefined
  return scale !== undefined && scale <= MAX_SCALE ? scale : undefined
}
