/** Reads the bets of any platform from a CSV file, for operators with a different platform. */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import { readCsv } from '@purser/runtime/text/csv-reader'
import { compareIds, type Pages, type PlatformSide } from './bet-sides.ts'
import { type SortedPages, sortById } from './external-sort.ts'
import { parsePlatformRow, requireColumns } from './platform-row.ts'

/** Bets per page. */
const PAGE = 1_000
/** Characters per row; a usual row has about 100. */
const MAX_ROW = 10_000

/** Sorts the rows by bet id. `close` removes the files of the sort. */
export async function openPlatformCsv(path: string): Promise<SortedPages<PlatformSide>> {
  const { pages, close } = await sortById(readRows(path), compareIdAndLine)
  return { pages: rejectDuplicates(path, pages), close }
}

/** `version` is the line in the file. */
function compareIdAndLine(a: PlatformSide, b: PlatformSide): number {
  return compareIds(a.betId, b.betId) || a.version - b.version
}

async function* readRows(path: string): AsyncGenerator<PlatformSide[]> {
  const columnsOf = (names: readonly string[]) => requireColumns(path, names)
  let page: PlatformSide[] = []
  const table = { columnsOf, ids: ['betId', 'player'], maxRow: MAX_ROW, ignoresUnnamedCells: true } as const
  for await (const { record, line, fault } of readCsv(path, table)) {
    if (fault !== undefined) throw new UsageError(`${path}, line ${line}: ${fault}`)
    page.push(parsePlatformRow(record, line, `${path}, line ${line}`))
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** A bet that occurs twice is ambiguous. */
async function* rejectDuplicates(path: string, pages: Pages<PlatformSide>): AsyncGenerator<readonly PlatformSide[]> {
  let last: PlatformSide | undefined
  for await (const page of pages) {
    for (const side of page) {
      if (last?.betId === side.betId)
        throw new UsageError(`${path} has the bet ${side.betId} twice, in lines ${last.version} and ${side.version}`)
      last = side
    }
    yield page
  }
}
