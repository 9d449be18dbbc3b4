/**
 * CSV file of players. The first line names the columns like the members in the operator API, with
 * dots for nested members ("customFields.email", "limits.stake"). The column of a balance is
 * `balance`, or `balance:USD` for a currency that is not the active one.
 */

import { CustomFieldsSchema } from '@purser/protocol/user-profile'
import type { Currency } from '@purser/protocol/wire-ids'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { readCsv } from '@purser/runtime/text/csv-reader'
import { parseSpreadsheetBoolean } from '@purser/runtime/text/csv-rules'
import { Compile } from 'typebox/compile'
import { invalid, Problem } from '../../../core/http/api/problem-details.ts'
import { type OperatorDeps, toAmount, toCurrency } from '../operator-context.ts'
import type { ImportRow } from './player-importer.ts'
import { applyPatch, NewPlayerSchema, PlayerPatchSchema, toNewPlayer } from './player-profile.ts'

type CellReader = (text: string) => unknown
const asText: CellReader = (text) => text
const asJson: CellReader = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return text // the schema reports the fault
  }
}

const asBoolean: CellReader = (text) => parseSpreadsheetBoolean(text) ?? text

/** Members of a new player; PATCH_READERS has the members that only a change can set. */
const NEW_PLAYER_READERS: Readonly<Record<string, CellReader>> = {
  userId: asText,
  currency: asText,
  currencies: (text) => text.split(/[ ;]+/),
  isTest: asBoolean,
  operatorUser: asText,
  brand: asText,
}
const PATCH_READERS: Readonly<Record<string, CellReader>> = {
  status: asText,
  selfExcludedUntil: asText,
  verified: asBoolean,
  birthday: asText,
  'limits.stake': asText,
  'limits.loss': asText,
  'limits.betCount': asJson,
}
const BALANCE = /^balance(?::([A-Z]{3,5}))?$/
const CUSTOM = /^customFields\.([A-Za-z]\w{0,63})$/
const REQUIRED = ['userId', 'currency']

const isNewPlayer = Compile(NewPlayerSchema)
const isPatch = Compile(PlayerPatchSchema)

export type ImportLine =
  | { readonly kind: 'row'; readonly row: ImportRow }
  | { readonly kind: 'fault'; readonly line: number; readonly reason: string }

/** Characters per row; a usual row has about 200. */
const MAX_ROW = 50_000

/** Players per file; their ids are kept in memory. */
const MAX_PLAYERS = 10_000_000

/** Throws for an unreadable file. */
export async function* readImportFile(
  deps: Pick<OperatorDeps, 'clock' | 'buckets' | 'scales'>,
  path: string,
): AsyncGenerator<ImportLine> {
  const columnsOf = (names: readonly string[]) => checkColumnNames(path, names)
  const lines = new Map<string, number>()
  const table = { columnsOf, ids: ['userId', 'operatorUser'], maxRow: MAX_ROW, acceptsUnevenLines: true } as const
  for await (const { record, line, fault } of readCsv(path, table)) {
    const { userId = '' } = record
    const twin = lines.get(userId)
    const reason =
      fault ??
      (twin === undefined
        ? undefined
        : `userId: is also in line ${twin}: remove one line, because a player has one line`)
    yield reason === undefined ? toLine(deps as OperatorDeps, record, line) : { kind: 'fault', line, reason }
    if (userId !== '' && twin === undefined) lines.set(userId, line)
    if (lines.size > MAX_PLAYERS) throw new UsageError(`${path} has more than ${MAX_PLAYERS} players: split it`)
  }
}

type Cells = Readonly<Record<string, string>>

function checkColumnNames(path: string, names: readonly string[]): string[] {
  const unknown = names.filter(
    (name) =>
      !(
        Object.hasOwn(NEW_PLAYER_READERS, name) ||
        Object.hasOwn(PATCH_READERS, name) ||
        BALANCE.test(name) ||
        CUSTOM.test(name)
      ),
  )
  if (unknown.length > 0)
    throw new UsageError(
      `${path} has unknown columns: ${unknown.join(', ')}. The known columns are ${[...Object.keys(NEW_PLAYER_READERS), ...Object.keys(PATCH_READERS)].join(', ')}, balance, balance:USD … and customFields.email …`,
    )
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new UsageError(`${path} lacks the columns ${missing.join(', ')}; its first line must name them`)
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  if (twice.length > 0) throw new UsageError(`${path} has the column ${twice[0]} twice`)
  return [...names]
}

function toLine(deps: OperatorDeps, cells: Cells, line: number): ImportLine {
  try {
    return { kind: 'row', row: toRow(deps, cells, line) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const [{ pointer, detail } = { pointer: '', detail: error.message }] = error.errors
    return { kind: 'fault', line, reason: `${toColumnName(pointer)}: ${detail}` }
  }
}

const toColumnName = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/^(currencies)\/.*/, '$1')
    .replaceAll('/', '.')

function toRow(deps: OperatorDeps, cells: Cells, line: number): ImportRow {
  for (const name of REQUIRED) if (cells[name] === '') throw invalid(`/${name}`, 'is empty')
  const given = Object.entries(cells).filter(([, text]) => text !== '')
  const money = given.flatMap(([name, text]) => {
    const [, code = cells.currency ?? ''] = BALANCE.exec(name) ?? []
    return BALANCE.test(name) ? [{ name, code, text }] : []
  })
  const twice = money.find(({ code }, i) => money.findIndex((other) => other.code === code) !== i)
  if (twice !== undefined) throw invalid(`/${twice.name}`, `is a second balance in ${twice.code}`)
  const body = validate(isNewPlayer, {
    ...readMembers(given, NEW_PLAYER_READERS),
    ...(cells.currencies ? {} : { currencies: [...new Set([cells.currency, ...money.map(({ code }) => code)])] }),
    ...readCustomFields(given),
  })
  const patch = validate(isPatch, readMembers(given, PATCH_READERS))
  const created = toNewPlayer(deps, body)
  const blank = {
    status: 'active',
    selfExcludedUntil: null,
    verified: null,
    birthday: null,
    limits: {},
    waiting: null,
  } as const
  const player = applyPatch(deps, { ...created, ...blank }, patch)
  return { line, player, openings: money.flatMap((balance) => toOpening(deps, player.currencies, balance)) }
}

/** Members that have a cell; a dot in the name means a nested object. */
function readMembers(
  given: readonly (readonly [string, string])[],
  readers: Readonly<Record<string, CellReader>>,
): object {
  const members: Record<string, unknown> = {}
  for (const [name, text] of given) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    const [outer = '', inner] = name.split('.')
    if (read === undefined) continue
    members[outer] = inner === undefined ? read(text) : { ...(members[outer] as object), [inner]: read(text) }
  }
  return members
}

function readCustomFields(given: readonly (readonly [string, string])[]): object {
  const fields = given.flatMap(([name, text]) => {
    const [, member] = CUSTOM.exec(name) ?? []
    return member === undefined ? [] : [[member, chooseReader(member)(text)] as const]
  })
  return fields.length === 0 ? {} : { customFields: Object.fromEntries(fields) }
}

/**
 * Numbers and booleans of the interface are converted; members that it does not name stay texts.
 */
function chooseReader(member: string): CellReader {
  const schema = (CustomFieldsSchema.properties as Record<string, { type?: string }>)[member]
  return schema?.type === 'boolean' ? asBoolean : schema?.type === 'number' ? asJson : asText
}

type Validator<T> = {
  Check(value: unknown): value is T
  Errors(value: unknown): { instancePath: string; message: string }[]
}

function validate<T>(validator: Validator<T>, value: unknown): T {
  if (validator.Check(value)) return value
  const [fault] = validator.Errors(value)
  throw invalid(fault?.instancePath ?? '', fault?.message ?? 'is not valid')
}

function toOpening(
  deps: OperatorDeps,
  currencies: readonly Currency[],
  { name, code, text }: { name: string; code: string; text: string },
) {
  const pointer = `/${name}`
  const currency = toCurrency(deps, code, pointer)
  if (!/^\d{1,18}(\.\d{1,12})?$/.test(text)) throw invalid(pointer, 'is not an amount of 0 or more, such as 12.50')
  const amount = toAmount(deps, text, currency, pointer)
  if (!currencies.includes(currency)) throw invalid(pointer, `${code} is not one of the currencies`)
  return amount === 0n ? [] : [{ currency, amount }]
}
