/**
 * Fuzzes CSV files from users: a platform's bets to reconcile, players to import, players for the
 * load test.
 *
 * An invalid file must be reported as wrong use. The rows that are read from a valid file must
 * equal the written rows.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPlayersFile } from '@purser/conformance/load/players-file'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { openPlatformCsv } from 'purser/reconcile/platform-csv'
import { readImportFile } from 'purser/wallet/operator-api/players/player-import-file'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { mutateBytes } from '../mutate.ts'
import { bytesOf, shown, type Target, textOf } from '../target.ts'

const BETS = `betId,player,status,currency,stake,payout,resultType
bet-1,player-1,settled,EUR,10.00,25.00,won
bet-2,"player ""2""",open,EUR,5,,
bet-3,player-3,cancelled,USD,7.50,,
`
const IMPORT = `userId,currency,balance,customFields.email,limits.stake,verified
player-1,EUR,12.50,a@b.example,100,true
player-2,USD,0,,,
`
const LOAD = `userId,token,currency,scale
player-1,token-0123456789,EUR,
player-2,token-0123456780,PTS,3
`
const SEEDS = [
  textParts({ kind: 'bets', file: BETS }),
  textParts({ kind: 'import', file: IMPORT }),
  textParts({ kind: 'load', file: LOAD }),
]

export const CODE = { openPlatformCsv, readPlayers: readImportFile, readPlayersFile }

export function csvTarget(code: typeof CODE = CODE): Target {
  return { name: 'csv', seeds: SEEDS, mutate, grows: ['file'], judge: (parts) => judge(parts, code) }
}

function mutate(chance: Chance, parts: Parts): Parts {
  const kind = textOf(parts, 'kind')
  if (kind === 'bets' && chance.oneIn(2)) return textParts({ kind, file: writeBets(chance) })
  return { ...parts, file: mutateBytes(chance, bytesOf(parts, 'file')) }
}

const COLUMNS = ['betId', 'player', 'status', 'currency', 'stake', 'payout', 'resultType'] as const
const CELLS = [
  'a',
  'player-1',
  'O"Neil',
  'a,b',
  'line\nline',
  ' padded ',
  '',
  '=1+1',
  'ü😀',
  '10',
  '1e2',
  '-1',
  '12.10',
  'settled',
  'won',
]

/** A correct table, in any spelling of RFC 4180 and with any cells. */
function writeBets(chance: Chance): string {
  const columns = chance.oneIn(4) ? [...COLUMNS].reverse() : [...COLUMNS]
  if (chance.oneIn(9)) columns.splice(chance.below(columns.length), 1)
  const row = (line: number) => {
    const usual = {
      betId: `bet-${line}`,
      player: 'p',
      status: chance.pick(['open', 'settled', 'declined', 'cancelled']),
      currency: 'EUR',
      stake: '1.50',
      payout: '0',
      resultType: 'lost',
    }
    return columns.map((name) => (chance.oneIn(12) ? chance.pick(CELLS) : usual[name]))
  }
  const table = [columns, ...Array.from({ length: chance.below(5) }, (_, i) => row(i))]
  const end = chance.pick(['\n', '\r\n'])
  const cell = (text: string) => (chance.oneIn(3) || /[",\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = table.map((cells) => cells.map(cell).join(','))
  return `${chance.oneIn(5) ? '\ufeff' : ''}${lines.join(end)}${chance.oneIn(2) ? end : ''}`
}

async function judge(parts: Parts, code: typeof CODE): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-fuzz-'))
  const path = join(folder, 'given.csv')
  try {
    writeFileSync(path, bytesOf(parts, 'file'))
    return await judgeFile(textOf(parts, 'kind'), path, textOf(parts, 'file'), code)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message.includes(path) ? undefined : `wrong use without the file: ${error.message}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function judgeFile(kind: string, path: string, text: string, code: typeof CODE): Promise<string | undefined> {
  if (kind === 'load') return void (await code.readPlayersFile(path))
  if (kind === 'bets') return judgeBets(path, text, code)
  const deps = { clock: { now: () => new Date(0) }, buckets: 1, scales: STANDARD_SCALES } as unknown as Parameters<
    typeof readImportFile
  >[0]
  for await (const line of code.readPlayers(deps, path))
    if (line.kind === 'row' && line.row.openings.some(({ amount }) => amount <= 0n)) return 'an opening balance is none'
  return undefined
}

async function judgeBets(path: string, text: string, code: typeof CODE): Promise<string | undefined> {
  const wanted = betsIn(text)
  const got: unknown[] = []
  try {
    const { pages, close } = await code.openPlatformCsv(path)
    try {
      for await (const page of pages)
        got.push(
          ...page.map(({ betId, players, status, currency, stake, acknowledged }) => ({
            betId,
            player: players[0],
            status,
            currency,
            stake,
            acknowledged,
          })),
        )
    } finally {
      await close()
    }
  } catch (error) {
    if (error instanceof UsageError && Array.isArray(wanted))
      return `refused what is a table: ${error.message.replace(path, '')}`
    throw error
  }
  if (wanted === 'unclear') return undefined
  if (wanted === 'refuse') return `took what must be refused: ${shown(got)}`
  return shown(got) === shown(wanted) ? undefined : `other bets: ${shown(got)} instead of ${shown(wanted)}`
}

/** The content of the file by RFC 4180; `unclear` where the RFC does not define it. */
function betsIn(text: string): object[] | 'refuse' | 'unclear' {
  const table = tableIn(text.replace(/^\ufeff/, ''))
  const [columns = [], ...filled] = table ?? []
  // A spreadsheet writes rows of empty cells.
  const rows = filled.filter((row) => row.some((cell) => cell !== ''))
  const isOdd = columns.length !== new Set(columns).size || rows.some((row) => row.length !== columns.length)
  if (table === undefined || isOdd || text.length > 5_000 || /[\ufeff\ufffd]/.test(text.slice(1))) return 'unclear'
  if (COLUMNS.slice(0, 5).some((name) => !columns.includes(name))) return 'refuse'
  const bets = rows.map((row) => betOf(Object.fromEntries(columns.map((name, i) => [name, row[i] ?? '']))))
  const ids = bets.map((bet) => bet?.betId)
  if (bets.includes(undefined) || new Set(ids).size < ids.length) return 'refuse'
  return (bets as { betId: string }[]).sort((a, b) => Buffer.compare(Buffer.from(a.betId), Buffer.from(b.betId)))
}

function betOf({
  betId = '',
  player = '',
  status = '',
  currency = '',
  stake = '',
  payout = '',
  resultType = '',
}: Record<string, string>) {
  const isAmount = (text: string) => /^[0-9]{1,30}(\.[0-9]{1,30})?$/.test(text)
  if (betId === '' || player === '' || currency === '' || !isAmount(stake)) return undefined
  const bet = { betId, player, status, currency, stake }
  switch (status) {
    case 'declined':
      return { ...bet, acknowledged: { kind: 'none' } }
    case 'open':
    case 'cancelled':
      return { ...bet, acknowledged: { kind: status } }
    case 'settled':
      return resultType !== '' && isAmount(payout)
        ? { ...bet, acknowledged: { kind: 'settled', payout, resultType } }
        : undefined
    default:
      return undefined
  }
}

/**
 * Undefined unless all cells are plain or quoted, without outer space, and with one kind of line
 * end.
 */
function tableIn(text: string): string[][] | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/y
  const rows: string[][] = [[]]
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at
    const [, quoted, plain = '', behind] = cell.exec(text) ?? []
    const value = quoted?.replaceAll('""', '"') ?? plain
    if (
      behind === undefined ||
      value !== value.trim() ||
      /\r/.test(value) ||
      (behind !== ',' && behind !== '' && behind !== end)
    )
      return undefined
    if (value === '' && rows.at(-1)?.length === 0 && behind !== ',') return undefined // an empty line
    rows.at(-1)?.push(value)
    if (behind === end) rows.push([])
    if (behind === ',' && cell.lastIndex === text.length) rows.at(-1)?.push('')
    if (behind === '') break
  }
  if (rows.at(-1)?.length === 0) rows.pop()
  return rows
}
