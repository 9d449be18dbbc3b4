/** The bets of any platform, from a CSV file with named columns: for operators whose platform is not this one. */
import { readCsv } from '../runtime/csv-file.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { compareIds, type Pages, type PlatformSide, type State } from './sides.ts'
import { type Sorted, sortById } from './sorted-runs.ts'

const REQUIRED = ['betId', 'player', 'status', 'currency', 'stake'] as const
/** Of a settled bet; others may leave them empty. */
const OPTIONAL = ['payout', 'resultType'] as const
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number]
type Cells = Readonly<Partial<Record<Column, string>>>

const STATES = ['open', 'settled', 'cancelled', 'declined'] as const
const AMOUNT = /^\d{1,30}(\.\d{1,30})?$/
/** Bets of a page. */
const PAGE = 1_000
/** Characters of one row; a usual one has about 100. */
const MAX_ROW = 10_000

/** In the order of bet ids, whatever that of the file is; `close` removes what was written to sort them. */
export async function openPlatformCsv(path: string): Promise<Sorted<PlatformSide>> {
  const { pages, close } = await sortById(readRows(path), byIdAndLine)
  return { pages: refuseTwins(path, pages), close }
}

/** `version` is the line of the file. */
function byIdAndLine(a: PlatformSide, b: PlatformSide): number {
  return compareIds(a.betId, b.betId) || a.version - b.version
}

async function* readRows(path: string): AsyncGenerator<PlatformSide[]> {
  const columnsOf = (names: readonly string[]) => checkNames(path, names)
  let page: PlatformSide[] = []
  for await (const { record, info } of readCsv(path, { columnsOf, maxRow: MAX_ROW })) {
    page.push(toSide(record, info.lines, `${path}, line ${info.lines}`))
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

function checkNames(path: string, given: readonly string[]): string[] {
  const names = given.map((name) => name.trim())
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new WrongUse(`${path} lacks the columns ${missing.join(', ')}; its first line must name them`)
  return names
}

function toSide(cells: Cells, line: number, where: string): PlatformSide {
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

/** A bet that stands twice says two things. */
async function* refuseTwins(path: string, pages: Pages<PlatformSide>): AsyncGenerator<readonly PlatformSide[]> {
  let last: PlatformSide | undefined
  for await (const page of pages) {
    for (const one of page) {
      if (last?.betId === one.betId)
        throw new WrongUse(`${path} has the bet ${one.betId} twice, in lines ${last.version} and ${one.version}`)
      last = one
    }
    yield page
  }
}
