/** The bets of any platform, from a CSV file with named columns: for operators whose platform is not this one. */
import { readCsv } from '../runtime/csv-file.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { checkNames, toSide } from './platform-row.ts'
import { compareIds, type Pages, type PlatformSide } from './sides.ts'
import { type Sorted, sortById } from './sorted-runs.ts'

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
  const table = { columnsOf, ids: ['betId', 'player'], maxRow: MAX_ROW, takesUnnamed: true } as const
  for await (const { record, line, fault } of readCsv(path, table)) {
    if (fault !== undefined) throw new WrongUse(`${path}, line ${line}: ${fault}`)
    page.push(toSide(record, line, `${path}, line ${line}`))
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
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
